//! How much each account used.

use async_trait::async_trait;
use lastro_model::{AccountId, Day, UsageCount};

use crate::Result;

#[async_trait]
pub trait UsageStore: Send + Sync {
    /// Keeps the counts of one running process, named `boot`. They are absolute and only grow, so a flush that is
    /// repeated or arrives late does no harm. A boot has a name: the empty one stands for folded days.
    async fn add_usage(&self, boot: &str, counts: &[UsageCount]) -> Result<()>;

    /// The counts of all boots together, for `from` to `to` inclusive, by day, endpoint and outcome.
    async fn usage(&self, account: AccountId, from: Day, to: Day) -> Result<Vec<UsageCount>>;

    /// Merges the counts of all boots for the days before `before` into one row each, and says how many rows it merged.
    ///
    /// A boot's absolute counts for a folded day are closed: what the boot flushes for that day later is ignored,
    /// for it holds the requests already merged. So nothing is ever counted twice; and for nothing to be lost,
    /// `before` leaves out the days that a running process may still have to flush.
    async fn fold_usage(&self, before: Day) -> Result<u64>;

    /// The last day with a request of the account.
    async fn last_used(&self, account: AccountId) -> Result<Option<Day>>;
}
