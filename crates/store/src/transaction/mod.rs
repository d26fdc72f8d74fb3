//! The database interface of the store's rules: statements in, values out.
//!
//! The traits are blocking: a rule is a plain function, and the [`Engine`](crate::engine::Engine) runs it where it may
//! block. Statements are constants in [`sql`](crate::sql), so an engine may cache prepared ones by text.

mod checksum;
mod lock;
mod row;
mod value;

use std::ops::ControlFlow;

pub(crate) use checksum::{checksum, feed};
pub(crate) use lock::Lock;
pub(crate) use row::{Row, unreadable};
pub(crate) use value::{Value, values};

use crate::sql::{Each, Upsert};
use crate::{Result, StoreError};

/// Reads one state of the database, the same for all its statements.
pub(crate) trait Reading {
    /// Passes the rows of a statement to `each` until it breaks.
    fn visit(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// Whether each published row has a checksum. A database server protects its own pages.
    fn keeps_checksums(&self) -> bool {
        false
    }
}

/// Changes the database completely or not at all.
pub(crate) trait Transaction: Reading {
    /// Returns the number of rows inserted, updated or deleted.
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<u64>;

    /// Runs a statement for each row and returns the total number of rows inserted, updated or deleted. `rows` holds
    /// the values of one row after the other. Rows with the same key are processed in order.
    fn execute_each(&self, each: &Each, rows: &[Value<'_>]) -> Result<u64>;

    /// Waits for a lock and holds it until the transaction ends. A database with one writer does nothing here.
    fn lock(&self, lock: Lock) -> Result<()>;

    /// Takes a lock if it is free, and returns whether it did. It never waits, so it may come in any order.
    fn try_lock(&self, lock: Lock) -> Result<bool>;

    /// Upserts rows and returns the result of each. `rows` holds the values of one row after the other. Of rows with
    /// the same key the last one wins. `replaced` gets the number of each changed row, and the row before.
    fn upsert(
        &self,
        upsert: &Upsert,
        rows: &[Value<'_>],
        replaced: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<Vec<Upserted>>;
}

/// The result of upserting one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upserted {
    Added,
    Changed,
    /// The row existed unchanged.
    Known,
}

/// Helpers that read the rows of a statement into typed values.
pub(crate) trait Query: Reading {
    fn rows<T>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.visit(sql, values, &mut |row| {
            found.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    fn first<T>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.visit(sql, values, &mut |row| {
            found = Some(read(row)?);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Reads the first row of a statement that always returns one.
    fn one<T>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        read: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<T> {
        self.first(sql, values, read)?
            .ok_or_else(|| StoreError::Backend("a row that must exist is missing".to_owned()))
    }

    /// Reads the number returned by a statement that always returns one.
    fn number<T: TryFrom<i64>>(&self, sql: &'static str, values: &[Value<'_>]) -> Result<T> {
        self.one(sql, values, |row| row.number(0))
    }
}

impl<R: Reading + ?Sized> Query for R {}
