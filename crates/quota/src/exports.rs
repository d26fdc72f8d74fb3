//! Exports that run, over all replicas: so many at a time for one account.
//!
//! A slot in Redis ends by itself when nobody renews it, so that a replica that dies frees its own within half a minute.
//! Where Redis is away an export runs all the same: the server counts those of its own process too.

use std::sync::Arc;
use std::time::Duration;

use lastro_model::{AccountId, Now};
use tokio::task::AbortHandle;

use crate::connection::Evaluation;
use crate::mode::Decision;
use crate::{Class, Quota};

/// How long a slot is held without being renewed, and how often it is.
const HELD_US: u64 = 30_000_000;
/// How soon Redis knows that an export has ended, and a little more.
const GIVEN_BACK: Duration = Duration::from_millis(20);
const RENEWAL: Duration = Duration::from_secs(10);

/// An export that is counted in Redis. Dropping it ends it there.
#[derive(Debug)]
pub struct RunningExport {
    quota: Arc<Quota>,
    slot: Slot,
    renewing: AbortHandle,
}

#[derive(Debug, Clone)]
struct Slot {
    key: String,
    name: String,
}

impl Quota {
    /// A slot for one more export of the account, unless all replicas together run `most` of them. `name` is the export's,
    /// unlike any other.
    pub async fn begin_export(
        self: &Arc<Self>,
        account: AccountId,
        name: String,
        most: usize,
        came: Now,
    ) -> Option<RunningExport> {
        let slot = Slot { key: format!("{}:{{x:{account}}}", self.prefix), name };
        let renewing = tokio::spawn(renew(Arc::clone(self), slot.clone(), most)).abort_handle();
        // Before it is asked for: a client that goes meanwhile must not leave a slot behind.
        let running = RunningExport { quota: Arc::clone(self), slot, renewing };
        let is_away = self.keys.decide(0, self.clock.monotonic_ns()) == Decision::Share;
        let is_refused = !is_away && self.is_refused(&running.slot, most, came).await;
        (!is_refused).then_some(running)
    }

    /// The slot of an export that has just ended is given back a moment after its client has the last byte, so who is
    /// refused is asked for once more. No answer in time is no refusal.
    async fn is_refused(&self, slot: &Slot, most: usize, came: Now) -> bool {
        let asking = async {
            if self.call_slot("begin", slot, most).await != Some(0) {
                return false;
            }
            tokio::time::sleep(GIVEN_BACK).await;
            self.call_slot("begin", slot, most).await == Some(0)
        };
        let time = self.time_left(came).saturating_add(GIVEN_BACK);
        tokio::time::timeout(time, asking).await.unwrap_or(false)
    }

    async fn call_slot(&self, verb: &str, slot: &Slot, most: usize) -> Option<i64> {
        let evaluation = Evaluation::of(&self.scripts.slot, 1).key(&slot.key).text(verb).text(&slot.name);
        let evaluation = evaluation.number(most as u64).number(HELD_US);
        let called = self.side(Class::Keys).call(evaluation).await;
        called.ok().and_then(|numbers| numbers.first().copied())
    }
}

/// Also tells a Redis of it that was away when it began.
async fn renew(quota: Arc<Quota>, slot: Slot, most: usize) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        quota.call_slot("renew", &slot, most).await;
    }
}

impl Drop for RunningExport {
    fn drop(&mut self) {
        self.renewing.abort();
        // A process that ends leaves it to Redis.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (quota, slot) = (Arc::clone(&self.quota), self.slot.clone());
            runtime.spawn(async move { quota.call_slot("end", &slot, 0).await });
        }
    }
}
