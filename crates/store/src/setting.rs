//! Small values that are chosen once and must stay the same for every process on the database.

use async_trait::async_trait;

use crate::Result;

/// The setting that holds the database's unique name, generated when it is first opened.
pub const DATABASE_ID: &str = "database_id";

/// The setting of a database that is being filled from another one, whose name is its value.
pub(crate) const UNFINISHED: &str = "unfinished_migration";

#[async_trait]
pub trait SettingStore: Send + Sync {
    async fn setting(&self, name: &str) -> Result<Option<String>>;

    /// Returns the setting, which becomes `value` if it was never set.
    async fn setting_or(&self, name: &str, value: &str) -> Result<String>;
}
