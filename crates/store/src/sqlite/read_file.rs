//! The files that rows came from, in SQLite.

use async_trait::async_trait;
use lastro_model::{ReadFile, Reject, Source};
use rusqlite::{Row, Transaction, params};

use super::SqliteStore;
use super::column::{self, stored_count};
use crate::read_file::REJECTS_KEPT;
use crate::{FileStore, RememberedFile, Result, sql};

#[async_trait]
impl FileStore for SqliteStore {
    async fn read_files(&self, source: Source) -> Result<Vec<RememberedFile>> {
        self.data
            .readers
            .ask(move |connection| {
                let mut statement = connection.prepare_cached(sql::READ_FILES)?;
                statement.query_and_then([source.name()], remembered)?.collect()
            })
            .await
    }

    async fn rejects(&self, source: Source, limit: usize) -> Result<Vec<Reject>> {
        self.data
            .readers
            .ask(move |connection| {
                let bounds = params![source.name(), stored_count(limit as u64)];
                connection.prepare_cached(sql::REJECTS)?.query_and_then(bounds, reject)?.collect()
            })
            .await
    }
}

/// Puts this file in the place of the one that was known at its address.
pub(super) fn remember(transaction: &Transaction<'_>, source: Source, file: &ReadFile) -> Result<()> {
    let source = source.name();
    transaction.prepare_cached(sql::FORGET_FILE)?.execute(params![source, file.url])?;
    transaction.prepare_cached(sql::INSERT_FILE)?.execute(params![
        source,
        file.url,
        file.etag,
        file.last_modified,
        file.sha256,
        stored_count(file.rows),
        stored_count(file.rejects.len() as u64),
        file.read_at.as_millisecond()
    ])?;
    let mut statement = transaction.prepare_cached(sql::INSERT_REJECT)?;
    for (position, reject) in (0i64..).zip(file.rejects.iter().take(REJECTS_KEPT)) {
        let line = stored_count(reject.line);
        statement.execute(params![source, file.url, position, reject.file, line, reject.reason])?;
    }
    Ok(())
}

pub(super) fn forget_all(transaction: &Transaction<'_>, source: Source) -> Result<()> {
    transaction.execute(sql::FORGET_FILES, [source.name()])?;
    Ok(())
}

fn remembered(row: &Row<'_>) -> Result<RememberedFile> {
    Ok(RememberedFile {
        url: column::string(row, 0)?,
        etag: column::optional_string(row, 1)?,
        last_modified: column::optional_string(row, 2)?,
        sha256: column::string(row, 3)?,
        rows: column::number(row, 4)?,
        reject_count: column::number(row, 5)?,
        read_at: column::time(row, 6)?,
    })
}

fn reject(row: &Row<'_>) -> Result<Reject> {
    Ok(Reject {
        file: column::string(row, 0)?,
        line: column::number(row, 1)?,
        reason: column::string(row, 2)?,
    })
}
