//! A transaction on one connection, as the rules see it: blocking.
//!
//! The driver is async and the rules are not. A rule runs on a blocking thread, and every statement waits there for the
//! task that owns the connection. Statements are sent with the types of their values and are never prepared by name, and
//! nothing is set for longer than a transaction: a pooler may give the next one another connection.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use tokio::runtime::Handle;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row as PostgresRow, RowStream};

use super::arrays::{Arrays, runs};
use super::failure::{Cause, Failure};
use super::{lock, upsert};
use crate::sql::{Each, Upsert};
use crate::transaction::{Lock, Reading, Row, Transaction, Upserted, Value};
use crate::{Result, StoreError};

/// Rows handed from the driver to the rules at a time.
const ROWS_AT_ONCE: usize = 256;

/// Rows that one statement writes at most.
const ROWS_IN_STATEMENT: usize = 10_000;

/// A connection that takes longer to be as before is not worth the wait.
const ROLLED_BACK_WITHIN: Duration = Duration::from_secs(2);

/// How a transaction begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Change,
    Publication,
    /// A whole edition, for as long as its receiver takes.
    Load,
}

impl Kind {
    const fn begin(self) -> &'static str {
        match self {
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            // Whoever vanishes in the middle gives back soon what it has locked.
            Self::Change => {
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '5s';
                SET LOCAL idle_in_transaction_session_timeout = '15s'"
            }
            // It has work behind it that is worth a wait longer than another publication takes.
            Self::Publication => {
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '300s';
                SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '5min'"
            }
            Self::Load => {
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
                SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '5min'"
            }
        }
    }

    /// How long the server may be silent before the connection is given up: what stands between us and a server that is
    /// gone may keep the connection open for ever. Longer than the transaction waits for a lock.
    pub(super) const fn answered_within(self) -> Duration {
        match self {
            Self::Read | Self::Change => Duration::from_secs(15),
            Self::Publication => Duration::from_secs(330),
            Self::Load => Duration::from_secs(60),
        }
    }
}

/// A connection, and how long it is waited for.
#[derive(Clone, Copy)]
pub(super) struct Line<'c> {
    pub(super) client: &'c Client,
    pub(super) runtime: &'c Handle,
    pub(super) answered_within: Duration,
}

impl Line<'_> {
    /// Every wait for the server is here, and none is without an end.
    fn wait<T>(self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
        let answered =
            self.runtime.block_on(async { tokio::time::timeout(self.answered_within, answer).await });
        Ok(answered.map_err(|_| Failure::silence())??)
    }

    /// Gives up what was begun. Says whether the connection has nothing left of it.
    fn roll_back(mut self) -> bool {
        self.answered_within = self.answered_within.min(ROLLED_BACK_WITHIN);
        self.wait(self.client.batch_execute("ROLLBACK")).is_ok()
    }
}

pub(super) struct Session<'c> {
    line: Line<'c>,
    /// The first statement that failed: whatever a rule makes of it, the transaction is over.
    failure: RefCell<Option<Failure>>,
}

/// A transaction that came to nothing.
pub(super) struct Undone {
    pub(super) failure: Failure,
    /// Whether anything may have been done on the connection, a commit whose answer is missing included.
    pub(super) begun: bool,
    /// The connection is as good as before.
    pub(super) clean: bool,
}

impl<'c> Session<'c> {
    /// Begins what only its end ends: for one connection that is closed afterwards.
    pub(super) fn begin(line: Line<'c>, kind: Kind) -> Result<Self, Failure> {
        line.wait(line.client.batch_execute(kind.begin()))?;
        Ok(Self { line, failure: RefCell::default() })
    }

    /// Runs the work in a transaction: all of it, or nothing.
    pub(super) fn run(
        line: Line<'c>,
        kind: Kind,
        work: impl FnOnce(&Self) -> Result<()>,
    ) -> Result<(), Undone> {
        let session = Self::begin(line, kind).map_err(|failure| {
            // Whatever it says, a connection on which nothing can begin is of no use, and nothing was done on it.
            Undone { failure: Failure { cause: Cause::Lost, ..failure }, begun: false, clean: false }
        })?;
        let outcome = work(&session);
        let failed = session.failure.take();
        match (outcome, failed) {
            (Ok(()), None) => line.wait(line.client.batch_execute("COMMIT")).map_err(|failure| Undone {
                failure,
                begun: true,
                clean: false,
            }),
            // What the rule says of it is said to the caller; what the statement says decides what may help.
            (outcome, failed) => {
                let cause = failed.as_ref().map_or(Cause::Other, |failure| failure.cause);
                let error = outcome.err().or(failed.map(|failure| failure.error));
                let error = error.unwrap_or_else(|| StoreError::Backend("a transaction failed".to_owned()));
                let clean = cause != Cause::Lost && line.roll_back();
                Err(Undone { failure: Failure { error, cause }, begun: true, clean })
            }
        }
    }

    fn wait<T>(&self, statement: impl Future<Output = Result<T, Error>>) -> Result<T> {
        self.line.wait(statement).map_err(|failure| {
            let error = failure.error.clone();
            self.failure.borrow_mut().get_or_insert(failure);
            error
        })
    }

    /// The rows of a statement, whose values have the types that stand beside them.
    pub(super) fn query(
        &self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<PostgresRow>> {
        self.wait(self.line.client.query_typed(sql, values))
    }
}

/// The server finds the types out.
fn untyped<'a>(values: &'a [Value<'_>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    values.iter().map(|value| (value as &(dyn ToSql + Sync), Type::UNKNOWN)).collect()
}

impl Reading for Session<'_> {
    fn visit(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let rows = self.wait(self.line.client.query_typed_raw(sql, untyped(values)))?;
        let mut rows = Box::pin(rows);
        loop {
            let some = self.wait(next_rows(rows.as_mut()))?;
            for row in &some {
                if each(row)?.is_break() {
                    return Ok(());
                }
            }
            if some.len() < ROWS_AT_ONCE {
                return Ok(());
            }
        }
    }
}

/// Fewer than asked for are the last.
async fn next_rows(mut rows: Pin<&mut RowStream>) -> Result<Vec<PostgresRow>, Error> {
    let mut some = Vec::new();
    while some.len() < ROWS_AT_ONCE {
        match rows.try_next().await? {
            Some(row) => some.push(row),
            None => break,
        }
    }
    Ok(some)
}

impl Transaction for Session<'_> {
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        self.wait(self.line.client.execute_typed(sql, &untyped(values)))
    }

    fn execute_each(&self, each: &Each, rows: &[Value<'_>]) -> Result<u64> {
        let rows: Vec<&[Value<'_>]> = rows.chunks_exact(each.columns.len().max(1)).collect();
        let mut changed = 0;
        for run in runs(&rows, each.key_columns) {
            for some in run.chunks(ROWS_IN_STATEMENT) {
                let arrays = Arrays::of(each.columns, &rows, some)?;
                changed += self.wait(self.line.client.execute_typed(each.many, &arrays.typed()))?;
            }
        }
        Ok(changed)
    }

    fn lock(&self, lock: Lock) -> Result<()> {
        let (statement, row) = lock::statement(&lock);
        self.query(statement.wait, &untyped(&row)).map(drop)
    }

    fn try_lock(&self, lock: Lock) -> Result<bool> {
        let (statement, row) = lock::statement(&lock);
        Ok(!self.query(statement.skip, &untyped(&row))?.is_empty())
    }

    fn upsert(&self, upsert: &Upsert, rows: &[Value<'_>]) -> Result<Vec<Upserted>> {
        upsert::upsert(self, upsert, rows)
    }
}
