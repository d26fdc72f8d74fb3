//! The job that empties the outbox: it fans out announcements, claims messages, starts deliveries and records results.
//!
//! Any number of processes may run it on one database. A claimed message is closed to other processes for [`LEASE`],
//! so a process that dies delays its messages by no more than that, and loses none.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use lastro_config::WebhookSettings;
use lastro_store::{Claim, Settlement};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::MissedTickBehavior;

use super::delivery::deliver;
use super::served_everywhere::Waiting;
use super::{Webhooks, entitled_plans, fan_out};
use crate::wait::{stopped, tick};

/// Concurrent deliveries, each to a different webhook. A receiver that hangs occupies one for the deadline at most.
const WORKERS: usize = 256;
/// Lease of a claim: longer than a delivery and the following wait for a busy database can take.
const LEASE: SignedDuration = SignedDuration::from_secs(40);
/// Time that a shutdown waits for running deliveries. Another process, or the next start, repeats unfinished ones.
const LAST_TIMEOUT: Duration = Duration::from_secs(5);

/// Updates of the outbox's metrics that are skipped in a row while there is nothing to deliver.
const IDLE_STATES_SKIPPED: u32 = 5;

pub async fn run(webhooks: Arc<Webhooks>, mut stop: watch::Receiver<bool>) {
    let WebhookSettings { poll_interval, state_interval, .. } = webhooks.settings;
    let mut dispatcher =
        Dispatcher { webhooks, waiting: Waiting::default(), running: JoinSet::new(), settled: Vec::new() };
    let mut state_is_old = tokio::time::interval(state_interval);
    state_is_old.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut skipped = 0;
    loop {
        let has_work = dispatcher.has_work();
        let more = has_work && dispatcher.round().await;
        tokio::select! {
            () = stopped(&mut stop) => break,
            Some(done) = dispatcher.running.join_next() => dispatcher.take_in(done),
            _ = state_is_old.tick() => {
                let is_idle = !has_work && dispatcher.is_noted_empty();
                skipped = if is_idle && skipped < IDLE_STATES_SKIPPED { skipped + 1 } else { 0 };
                if skipped == 0 {
                    dispatcher.note_state().await;
                }
            }
            () = tick(poll_interval), if !more => {}
            () = tokio::task::yield_now(), if more => {}
        }
    }
    dispatcher.finish().await;
}

struct Dispatcher {
    webhooks: Arc<Webhooks>,
    waiting: Waiting,
    running: JoinSet<Settlement>,
    /// Results not written yet. They are kept for the next write when one fails.
    settled: Vec<Settlement>,
}

impl Dispatcher {
    /// Whether there are deliveries, or the store has announcements or messages. While it has none, nothing is read.
    fn has_work(&self) -> bool {
        !self.running.is_empty()
            || !self.settled.is_empty()
            || self
                .webhooks
                .served
                .may_have(|counters| counters.has_announcements || counters.has_pending_messages)
    }

    /// Fans out, settles and claims once. The store logs its outages itself. Returns whether more announcements may be waiting.
    async fn round(&mut self) -> bool {
        let now = self.webhooks.clock.now();
        let addressed = fan_out::fan_out(&self.webhooks, &mut self.waiting, now).await;
        let addressed = addressed.unwrap_or_else(|error| {
            tracing::debug!(%error, "announcements could not be fanned out; retrying shortly");
            false
        });
        if let Err(error) = self.exchange(WORKERS.saturating_sub(self.running.len())).await {
            tracing::debug!(%error, "the outbox cannot be written; deliveries are paused");
            return false;
        }
        addressed
    }

    /// Writes finished deliveries and starts those that are due.
    async fn exchange(&mut self, most: usize) -> lastro_store::Result<()> {
        let now = self.webhooks.clock.now().timestamp();
        let until = now.checked_add(LEASE).unwrap_or(now);
        let claim = Claim { now, holder: self.webhooks.boot.clone(), until, most, plans: entitled_plans() };
        let claimed = self.webhooks.store.settle_and_claim(self.settled.clone(), claim).await?;
        self.settled.clear();
        for message in claimed {
            self.running.spawn(deliver(Arc::clone(&self.webhooks), message));
        }
        Ok(())
    }

    /// Collects a finished delivery and all others finished by now, to write them together.
    fn take_in(&mut self, done: Result<Settlement, JoinError>) {
        let more = std::iter::from_fn(|| self.running.try_join_next());
        for done in std::iter::once(done).chain(more) {
            match done {
                Ok(settlement) => self.settled.push(settlement),
                Err(error) => {
                    tracing::error!(%error, "a delivery stopped unexpectedly; it will be retried");
                }
            }
        }
    }

    /// Whether the metrics show an empty outbox.
    fn is_noted_empty(&self) -> bool {
        let state = self.webhooks.state.load();
        state.pending == 0 && state.announcements == 0
    }

    /// Reads the state of the outbox for the metrics.
    async fn note_state(&self) {
        match self.webhooks.store.outbox_state().await {
            Ok(state) => self.webhooks.state.store(Arc::new(state)),
            Err(error) => tracing::debug!(%error, "the state of the outbox could not be read"),
        }
    }

    /// Waits briefly for running deliveries and records them, so that they are not repeated.
    async fn finish(mut self) {
        let _ = tokio::time::timeout(LAST_TIMEOUT, async {
            while let Some(done) = self.running.join_next().await {
                self.take_in(done);
            }
        })
        .await;
        if !self.settled.is_empty()
            && let Err(error) = self.exchange(0).await
        {
            tracing::warn!(%error, "the last deliveries could not be recorded; they will be repeated");
        }
    }
}
