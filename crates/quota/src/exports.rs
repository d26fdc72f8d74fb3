//! Running exports: so many at a time for one account, over all replicas.
//!
//! A slot in Redis expires if it is not renewed, so the slots of a replica that dies are free within half a minute. If
//! Redis is unavailable an export runs all the same: the server also counts those of its own process.

use std::sync::Arc;
use std::time::Duration;

use lastro_model::{AccountId, Now};
use tokio::task::AbortHandle;

use crate::{Quota, scripts};

/// Time a slot is held without a renewal.
const HELD_US: u64 = 30_000_000;
const RENEWAL: Duration = Duration::from_secs(10);
/// Redis learns that an export has ended within this time.
const END_DELAY: Duration = Duration::from_millis(20);

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
    /// Takes a slot for an export with this unique name, unless all replicas together run `most` for the account.
    pub async fn begin_export(
        self: &Arc<Self>,
        account: AccountId,
        name: String,
        most: usize,
        came: Now,
    ) -> Option<RunningExport> {
        let slot = Slot { key: format!("{}:{{x:{account}}}", self.keys.prefix), name };
        let renewing = tokio::spawn(renew(Arc::clone(self), slot.clone(), most)).abort_handle();
        // Made before the call: a client that disconnects meanwhile must not leave a slot behind.
        let running = RunningExport { quota: Arc::clone(self), slot, renewing };
        let is_refused = !self.keys.is_away() && self.is_refused(&running.slot, most, came).await;
        (!is_refused).then_some(running)
    }

    /// Redis learns of the end of an export a moment after its client has the last byte, so a refusal is checked once
    /// more. No reply in time is no refusal.
    async fn is_refused(&self, slot: &Slot, most: usize, came: Now) -> bool {
        let asking = async {
            if self.call_slot("begin", slot, most).await != Some(0) {
                return false;
            }
            tokio::time::sleep(END_DELAY).await;
            self.call_slot("begin", slot, most).await == Some(0)
        };
        let waited = Duration::from_nanos(self.clock.monotonic_ns().saturating_sub(came.monotonic_ns));
        let time_left = self.keys.budget.saturating_sub(waited) + END_DELAY;
        tokio::time::timeout(time_left, asking).await.unwrap_or(false)
    }

    async fn call_slot(&self, verb: &str, slot: &Slot, most: usize) -> Option<i64> {
        let mut command = self.keys.command(&scripts::SLOT, [&slot.key].into_iter());
        command.arg(verb).arg(&slot.name).arg(most).arg(HELD_US);
        self.keys.call(command).await.ok()?.first().copied()
    }
}

/// Renews a slot. This also counts an export that began while Redis was away.
async fn renew(quota: Arc<Quota>, slot: Slot, most: usize) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        quota.call_slot("renew", &slot, most).await;
    }
}

impl Drop for RunningExport {
    fn drop(&mut self) {
        self.renewing.abort();
        // Without a runtime the process is ending, and the slot expires.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (quota, slot) = (Arc::clone(&self.quota), self.slot.clone());
            runtime.spawn(async move { quota.call_slot("end", &slot, 0).await });
        }
    }
}
