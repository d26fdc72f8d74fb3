//! A transaction on one connection, with the blocking interface of the rules.
//!
//! The driver is async and the rules are not. A rule runs on a blocking thread, and every statement waits there for
//! the task that owns the connection. Statements are sent with the types of their values and never prepared by name,
//! and no setting outlives its transaction: a pooler may give the next one another connection.

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

/// Number of rows passed from the driver to the rules at a time.
const ROWS_AT_ONCE: usize = 256;

/// Maximum number of rows written by one statement.
const ROWS_IN_STATEMENT: usize = 10_000;

/// Timeout of a rollback. A connection that takes longer is dropped instead.
const ROLLED_BACK_WITHIN: Duration = Duration::from_secs(2);

/// The kind of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Change,
    Publication,
    /// A whole edition, for as long as its receiver needs.
    Load,
}

impl Kind {
    const fn begin(self) -> &'static str {
        match self {
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            // A client that vanishes in the middle soon loses its locks.
            Self::Change => {
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '5s';
                SET LOCAL idle_in_transaction_session_timeout = '15s'"
            }
            // Much work preceded it, so it waits longer than another publication takes.
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

    /// Timeout of the server's reply, after which the connection is dropped: a device between us and a dead server may
    /// keep it open forever. Longer than the transaction waits for a lock.
    pub(super) const fn answered_within(self) -> Duration {
        match self {
            Self::Read | Self::Change => Duration::from_secs(15),
            Self::Publication => Duration::from_secs(330),
            Self::Load => Duration::from_secs(60),
        }
    }
}

/// A connection, with the timeout of its replies.
#[derive(Clone, Copy)]
pub(super) struct Line<'c> {
    pub(super) client: &'c Client,
    pub(super) runtime: &'c Handle,
    pub(super) answered_within: Duration,
}

impl Line<'_> {
    /// Waits for the server. Every wait of a session goes through here, so each has a timeout.
    fn wait<T>(self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
        let answered =
            self.runtime.block_on(async { tokio::time::timeout(self.answered_within, answer).await });
        Ok(answered.map_err(|_| Failure::silence())??)
    }

    /// Rolls the transaction back. Returns whether the connection is clean afterwards.
    fn roll_back(mut self) -> bool {
        self.answered_within = self.answered_within.min(ROLLED_BACK_WITHIN);
        self.wait(self.client.batch_execute("ROLLBACK")).is_ok()
    }
}

pub(super) struct Session<'c> {
    line: Line<'c>,
    /// The first failure of a statement. The transaction is over even if the rule ignores it.
    failure: RefCell<Option<Failure>>,
}

/// A transaction that failed.
pub(super) struct Undone {
    pub(super) failure: Failure,
    /// Whether anything may have been executed, including a commit without a reply.
    pub(super) begun: bool,
    /// Whether the connection can be reused.
    pub(super) clean: bool,
}

impl<'c> Session<'c> {
    /// Begins a transaction that ends only with its connection.
    pub(super) fn begin(line: Line<'c>, kind: Kind) -> Result<Self, Failure> {
        line.wait(line.client.batch_execute(kind.begin()))?;
        Ok(Self { line, failure: RefCell::default() })
    }

    /// Runs the work in a transaction, completely or not at all.
    pub(super) fn run(
        line: Line<'c>,
        kind: Kind,
        work: impl FnOnce(&Self) -> Result<()>,
    ) -> Result<(), Undone> {
        let session = Self::begin(line, kind).map_err(|failure| {
            // Whatever the error, the connection is unusable if no transaction can begin, and nothing was executed.
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
            // The caller receives the rule's error; the statement's failure decides on a retry.
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

    /// Returns the rows of a statement with typed values.
    pub(super) fn query(
        &self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<PostgresRow>> {
        self.wait(self.line.client.query_typed(sql, values))
    }
}

/// Values whose types the server infers.
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

/// Reads the next rows. Fewer than `ROWS_AT_ONCE` are the last.
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

    fn upsert(
        &self,
        upsert: &Upsert,
        rows: &[Value<'_>],
        replaced: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<Vec<Upserted>> {
        upsert::upsert(self, upsert, rows, replaced)
    }
}
