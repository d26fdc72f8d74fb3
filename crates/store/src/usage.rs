//! How much each account used.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, UsageCount};

use crate::Result;

#[async_trait]
pub trait UsageStore: Send + Sync {
    /// Adds a batch of counts of one running process, named `boot`. Its batches are numbered upwards; one with a number
    /// that was written already changes nothing, so a batch whose fate is unknown can be handed over again.
    async fn add_usage(&self, boot: &str, sequence: u64, at: Timestamp, counts: &[UsageCount]) -> Result<()>;

    /// The counts for `from` to `to` inclusive, by day, endpoint and outcome.
    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>>;

    /// The last day with a request of the account.
    async fn last_used(&self, account: AccountId) -> Result<Option<Day>>;

    /// Forgets the numbers of processes that wrote nothing since then. Says how many.
    async fn forget_usage_flushes(&self, before: Timestamp) -> Result<u64>;
}
