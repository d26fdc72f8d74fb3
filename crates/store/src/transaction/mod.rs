//! What the rules of the store need of a database: statements in, values out.
//!
//! The traits are blocking: a rule is a plain function, and the [`Engine`](crate::engine::Engine) runs it where it may
//! wait. Statements stand in [`sql`](crate::sql), so an engine may keep them prepared by their text.

mod checksum;
mod lock;
mod row;
mod value;

use std::ops::ControlFlow;

pub(crate) use checksum::checksum;
pub(crate) use lock::Lock;
pub(crate) use row::{Row, unreadable};
pub(crate) use value::{Value, values};

use crate::sql::{Each, Upsert};
use crate::{Result, StoreError};

/// Reads one state of the database, from its first statement to its last.
pub(crate) trait Reading {
    /// Hands on the rows that a statement gives, until `each` wants no more.
    fn visit(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// Whether published rows have a checksum each. A server sees to its own disks.
    fn keeps_checksums(&self) -> bool {
        false
    }
}

/// Changes the database: all of it, or nothing.
pub(crate) trait Transaction: Reading {
    /// Says how many rows were inserted, updated or deleted.
    fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<u64>;

    /// Runs a statement for each row, their values one row after the other, and says how many rows were inserted, updated
    /// or deleted in all. Rows with the same key follow each other.
    fn execute_each(&self, each: &Each, rows: &[Value<'_>]) -> Result<u64>;

    /// Waits until nobody else holds this, and holds it to the end. A database with one writer has nothing to do.
    fn lock(&self, lock: Lock) -> Result<()>;

    /// The same where nobody holds it; says no where somebody does. It never waits, so it may come in any order.
    fn try_lock(&self, lock: Lock) -> Result<bool>;

    /// Puts rows into a table, their values one row after the other, and says of each what became of it. Of rows with
    /// the same key the last one stands.
    fn upsert(&self, upsert: &Upsert, rows: &[Value<'_>]) -> Result<Vec<Upserted>>;
}

/// What became of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upserted {
    Added,
    Changed,
    /// It was there as it is.
    Known,
}

/// The rows of a statement, read into what they stand for.
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

    /// For statements that always give a row.
    fn one<T>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        read: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<T> {
        self.first(sql, values, read)?
            .ok_or_else(|| StoreError::Backend("a row that must exist is missing".to_owned()))
    }

    /// For statements that always give one number.
    fn number<T: TryFrom<i64>>(&self, sql: &'static str, values: &[Value<'_>]) -> Result<T> {
        self.one(sql, values, |row| row.number(0))
    }
}

impl<R: Reading + ?Sized> Query for R {}
