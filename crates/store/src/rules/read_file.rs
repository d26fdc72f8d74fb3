//! The files that rows came from, written in the publication's transaction.

use async_trait::async_trait;
use lastro_model::{ReadFile, Reject, Source};

use super::SqlStore;
use crate::engine::Database;
use crate::read_file::REJECTS_KEPT;
use crate::transaction::{Query, Row, Transaction, Value, values};
use crate::{FileStore, RememberedFile, Result, sql};

#[async_trait]
impl FileStore for SqlStore {
    async fn read_files(&self, source: Source) -> Result<Vec<RememberedFile>> {
        self.engine
            .read(Database::Data, move |data| data.rows(sql::READ_FILES, values![source.name()], remembered))
            .await
    }

    async fn rejects(&self, source: Source, limit: usize) -> Result<Vec<Reject>> {
        self.engine
            .read(Database::Data, move |data| data.rows(sql::REJECTS, values![source.name(), limit], reject))
            .await
    }
}

/// Stores this file, replacing the one known at its address.
pub(super) fn remember(data: &dyn Transaction, source: Source, file: &ReadFile) -> Result<()> {
    let source = source.name();
    data.execute(sql::FORGET_FILE, values![source, &file.url])?;
    let values = values![
        source,
        &file.url,
        &file.etag,
        &file.last_modified,
        &file.sha256,
        file.rows,
        file.rejects.len(),
        file.withheld.len(),
        file.read_at
    ];
    data.execute(sql::INSERT_FILE, values)?;
    let mut rejects = Vec::new();
    let listed = file.rejects.iter().chain(&file.withheld).take(REJECTS_KEPT);
    for (position, Reject { file: name, line, reason }) in listed.enumerate() {
        let url = Value::from(&file.url);
        rejects.extend([name.into(), (*line).into(), reason.into(), source.into(), url, position.into()]);
    }
    data.execute_each(&sql::INSERT_REJECT, &rejects)?;
    Ok(())
}

/// Makes the next synchronisation read all files of the source, whether they have changed or not.
pub(super) fn read_again(data: &dyn Transaction, source: Source) -> Result<()> {
    data.execute(sql::READ_FILES_AGAIN, values![source.name()]).map(drop)
}

pub(super) fn forget_all(data: &dyn Transaction, source: Source) -> Result<()> {
    data.execute(sql::FORGET_FILES, values![source.name()])?;
    Ok(())
}

fn remembered(row: &dyn Row) -> Result<RememberedFile> {
    Ok(RememberedFile {
        url: row.string(0)?,
        etag: row.optional_string(1)?,
        last_modified: row.optional_string(2)?,
        sha256: row.string(3)?,
        rows: row.number(4)?,
        reject_count: row.number(5)?,
        read_at: row.time(6)?,
    })
}

fn reject(row: &dyn Row) -> Result<Reject> {
    Ok(Reject { file: row.string(0)?, line: row.number(1)?, reason: row.string(2)? })
}
