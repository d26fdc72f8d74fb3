//! Usage counts of the accounts.

use async_trait::async_trait;
use jiff::Timestamp;
use lastro_model::{AccountId, Day, UsageCount};

use crate::Result;

#[async_trait]
pub trait UsageStore: Send + Sync {
    /// Adds a batch of counts of one running process, named `boot`. Its batches are numbered upwards. A number that
    /// was already written changes nothing, so a batch whose outcome is unknown can be retried.
    async fn add_usage(&self, boot: &str, sequence: u64, at: Timestamp, counts: &[UsageCount]) -> Result<()>;

    /// Returns the counts for `from` to `to` inclusive, ordered by day, endpoint and outcome.
    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>>;

    /// Returns the last day on which the account made a request.
    async fn last_used(&self, account: AccountId) -> Result<Option<Day>>;

    /// Forgets the batch numbers of processes that wrote nothing since then. Returns the number of processes.
    async fn forget_usage_flushes(&self, before: Timestamp) -> Result<u64>;
}
