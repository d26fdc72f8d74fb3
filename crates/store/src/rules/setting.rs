//! Settings: the first value is kept.

use async_trait::async_trait;

use super::SqlStore;
use crate::engine::Database;
use crate::sql::account as sql;
use crate::transaction::{Query, Reading, values};
use crate::{Result, SettingStore, StoreError};

#[async_trait]
impl SettingStore for SqlStore {
    async fn setting(&self, name: &str) -> Result<Option<String>> {
        let name = name.to_owned();
        self.engine.read(Database::Accounts, move |accounts| find(accounts, &name)).await
    }

    async fn setting_or(&self, name: &str, value: &str) -> Result<String> {
        // Settings are written once and read often: most calls need no write lock.
        if let Some(stored) = self.setting(name).await? {
            return Ok(stored);
        }
        let (name, value) = (name.to_owned(), value.to_owned());
        self.engine
            .change(Database::Accounts, move |accounts| {
                accounts.execute(sql::INSERT_SETTING, values![&name, &value])?;
                find(accounts, &name)?.ok_or_else(|| StoreError::damaged("a setting vanished"))
            })
            .await
    }
}

pub(crate) fn find(accounts: &dyn Reading, name: &str) -> Result<Option<String>> {
    accounts.first(sql::SETTING, values![name], |row| row.string(0))
}
