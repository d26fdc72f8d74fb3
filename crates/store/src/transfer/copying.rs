//! Copies tables from one database to another, and compares them.

use lastro_model::hex;

use super::page::{self, Summary, Values};
use super::statements::CopiedTable;
use crate::engine::Runner;
use crate::transaction::Reading;
use crate::{Result, StoreError};

/// Receives the progress of a transfer.
pub(super) type Report<'a> = &'a (dyn Fn(TransferProgress) + Send + Sync);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferProgress {
    pub step: TransferStep,
    pub table: &'static str,
    /// Number of rows so far, including those of an interrupted run.
    pub rows: u64,
    /// Number of rows of the source.
    pub total: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStep {
    Copy,
    Compare,
}

/// A table that is the same in both databases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferredTable {
    pub name: &'static str,
    pub rows: u64,
    /// SHA-256 of all its values, in hexadecimal digits.
    pub digest: String,
}

/// The two databases, and the receiver of the progress.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub(super) source: &'a Runner,
    pub(super) target: &'a Runner,
    pub(super) report: Report<'a>,
}

impl Ends<'_> {
    /// Copies the rows that the target does not hold yet: those after its last key.
    pub(super) async fn copy(&self, table: &'static CopiedTable) -> Result<()> {
        let total = count(self.source, table).await?;
        let report = |rows| self.report(TransferStep::Copy, table, rows, total);
        if table.is_whole {
            self.replace(table).await?;
            report(total);
            return Ok(());
        }
        // From one state: an interrupted run may still write.
        let held = move |target: &dyn Reading| {
            Ok((page::count(target, table)?, page::last_key_held(target, table)?))
        };
        let (mut rows, held) = self.target.read(table.database, held).await?;
        report(rows);
        let mut values = read(self.source, table, held).await?;
        while !values.is_empty() {
            rows += page::rows(table, &values);
            let after = page::last_key(table, &values).map(<[_]>::to_vec);
            // The next rows are read while these are written.
            let (next, written) = tokio::join!(read(self.source, table, after), self.write(table, values));
            written?;
            report(rows);
            values = next?;
        }
        Ok(())
    }

    fn report(&self, step: TransferStep, table: &CopiedTable, rows: u64, total: u64) {
        (self.report)(TransferProgress { step, table: table.name, rows, total });
    }

    async fn write(&self, table: &'static CopiedTable, values: Values) -> Result<()> {
        self.target.change(table.database, move |target| page::write(target, table, &values)).await
    }

    async fn replace(&self, table: &'static CopiedTable) -> Result<()> {
        let values = self.source.read(table.database, move |source| page::read_all(source, table)).await?;
        self.target.change(table.database, move |target| page::replace(target, table, &values)).await
    }

    /// Reads the table of both databases, and fails if they differ.
    pub(super) async fn compare(&self, table: &'static CopiedTable) -> Result<TransferredTable> {
        let total = count(self.source, table).await?;
        let report = |rows| self.report(TransferStep::Compare, table, rows, total);
        let (ours, theirs) =
            tokio::try_join!(summary(self.source, table, &report), summary(self.target, table, &|_| {}))?;
        let (rows, found) = (ours.rows, theirs.rows);
        let digest = ours.digest();
        if digest != theirs.digest() {
            return Err(StoreError::Transfer(format!(
                "the table {} is not the same in both databases ({rows} rows in the source, {found} in the target): \
                 one of them was written to meanwhile; remove the target and start again",
                table.name
            )));
        }
        Ok(TransferredTable { name: table.name, rows, digest: hex::encode(&digest) })
    }
}

async fn count(database: &Runner, table: &'static CopiedTable) -> Result<u64> {
    database.read(table.database, move |reading| page::count(reading, table)).await
}

async fn read(database: &Runner, table: &'static CopiedTable, after: Option<Values>) -> Result<Values> {
    database.read(table.database, move |reading| page::read(reading, table, after.as_deref())).await
}

/// Reads a whole table, page by page: no database has to sort it or to keep a long transaction.
async fn summary(
    database: &Runner,
    table: &'static CopiedTable,
    report: &(dyn Fn(u64) + Send + Sync),
) -> Result<Summary> {
    let mut summary = Summary::default();
    let mut after = None;
    loop {
        report(summary.rows);
        let values = read(database, table, after).await?;
        if values.is_empty() {
            return Ok(summary);
        }
        summary.add(table, &values);
        after = page::last_key(table, &values).map(<[_]>::to_vec);
    }
}
