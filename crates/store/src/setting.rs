//! Small values that are chosen once and must stay the same for every process on the database.

use async_trait::async_trait;

use crate::Result;

/// The setting that names the database, unlike any other: made when it is opened for the first time.
pub const DATABASE_ID: &str = "database_id";

#[async_trait]
pub trait SettingStore: Send + Sync {
    async fn setting(&self, name: &str) -> Result<Option<String>>;

    /// The setting, which becomes `value` if nobody set it before.
    async fn setting_or(&self, name: &str, value: &str) -> Result<String>;
}
