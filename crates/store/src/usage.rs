//! How much each account used.

use async_trait::async_trait;
use lastro_model::{AccountId, Day, UsageCount};

use crate::Result;

#[async_trait]
pub trait UsageStore: Send + Sync {
    /// Keeps the counts of one running process, named `boot`. They are absolute and only grow, so a flush that is
    /// repeated or arrives late does no harm.
    async fn add_usage(&self, boot: &str, counts: &[UsageCount]) -> Result<()>;

    /// The counts of all boots together, for `from` to `to` inclusive, by day, endpoint and outcome.
    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>>;

    /// The last day with a request of the account.
    async fn last_used(&self, account: AccountId) -> Result<Option<Day>>;
}
