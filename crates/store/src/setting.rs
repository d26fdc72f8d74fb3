//! Small values that are chosen once and must stay the same for every process on the database.

use async_trait::async_trait;

use crate::Result;

#[async_trait]
pub trait SettingStore: Send + Sync {
    async fn setting(&self, name: &str) -> Result<Option<String>>;

    /// The setting, which becomes `value` if nobody set it before.
    async fn setting_or(&self, name: &str, value: &str) -> Result<String>;
}
