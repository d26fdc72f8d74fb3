//! Settings in SQLite.

use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::{SqliteStore, column};
use crate::sql::account as sql;
use crate::{Result, SettingStore, StoreError};

#[async_trait]
impl SettingStore for SqliteStore {
    async fn setting(&self, name: &str) -> Result<Option<String>> {
        let name = name.to_owned();
        self.accounts.readers.ask(move |connection| find(connection, &name)).await
    }

    async fn setting_or(&self, name: &str, value: &str) -> Result<String> {
        // Set once and read often: most calls need no write lock.
        if let Some(stored) = self.setting(name).await? {
            return Ok(stored);
        }
        let (name, value) = (name.to_owned(), value.to_owned());
        self.accounts
            .writer
            .change(move |transaction| {
                transaction.execute(sql::INSERT_SETTING, params![name, value])?;
                find(transaction, &name)?.ok_or_else(|| StoreError::damaged("a setting vanished"))
            })
            .await
    }
}

fn find(connection: &Connection, name: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(sql::SETTING)?;
    let mut rows = statement.query([name])?;
    rows.next()?.map(|row| column::string(row, 0)).transpose()
}
