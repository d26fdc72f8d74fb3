//! Turns to send requests to a publisher: a few sources at a time, the most used first, and none while it is down.

use std::collections::BTreeMap;
use std::sync::Arc;

use lastro_model::{Clock, Source};
use lastro_sources::Fault;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::breaker::{Admission, Breaker};
use crate::result::SyncError;

/// Sources at a time: equal to the requests per host, so that one hanging source does not hold up the next.
const AT_ONCE: usize = 3;

/// The queues of all publishers.
#[derive(Debug, Default)]
pub struct Turns {
    sgs: Arc<Queue>,
    ptax: Arc<Queue>,
    cvm: Arc<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    breaker: Mutex<Breaker>,
}

#[derive(Debug, Default)]
struct Waiting {
    active: usize,
    /// Waiting callers by source, then by number for those of the same source.
    next: BTreeMap<(Source, u64), oneshot::Sender<Place>>,
    number: u64,
}

/// A slot, passed on to the next waiting source when dropped.
#[derive(Debug)]
struct Place(Arc<Queue>);

/// A source's turn. [`Turn::end`] records its result; without it the breaker learns nothing.
pub(super) struct Turn<'a> {
    place: Place,
    source: Source,
    clock: &'a dyn Clock,
    /// This source probes for all.
    tries: bool,
}

impl Turns {
    fn of(&self, source: Source) -> &Arc<Queue> {
        match source {
            Source::Series(_) => &self.sgs,
            Source::Fx => &self.ptax,
            Source::Companies | Source::Filings | Source::Tickers => &self.cvm,
        }
    }

    /// Whether a source would be skipped now.
    pub(super) fn is_down(&self, source: Source, clock: &dyn Clock) -> bool {
        self.of(source).breaker.lock().is_open(clock.now().monotonic_ns)
    }

    /// Waits until the source may send requests, or returns the reason why it is skipped.
    pub(super) async fn wait<'a>(&self, source: Source, clock: &'a dyn Clock) -> Result<Turn<'a>, String> {
        let place = self.of(source).place(source).await;
        let admission = place.0.breaker.lock().admit(clock.now().monotonic_ns);
        match admission {
            Admission::Ask => Ok(Turn { place, source, clock, tries: false }),
            Admission::Try => Ok(Turn { place, source, clock, tries: true }),
            Admission::Leave(sentence) => Err(sentence),
        }
    }
}

impl Queue {
    async fn place(self: &Arc<Self>, source: Source) -> Place {
        let receiver = {
            let mut waiting = self.waiting.lock();
            if waiting.active < AT_ONCE {
                waiting.active += 1;
                return Place(Arc::clone(self));
            }
            let (sender, receiver) = oneshot::channel();
            waiting.number += 1;
            let number = waiting.number;
            waiting.next.insert((source, number), sender);
            receiver
        };
        // Senders are only dropped with the queue, which is alive here.
        receiver.await.unwrap_or_else(|_| Place(Arc::clone(self)))
    }
}

impl Drop for Place {
    /// A receiver that is gone passes the slot on, because `send` then drops it.
    fn drop(&mut self) {
        let next = {
            let mut waiting = self.0.waiting.lock();
            let next = waiting.next.pop_first();
            if next.is_none() {
                waiting.active = waiting.active.saturating_sub(1);
            }
            next
        };
        if let Some((_, sender)) = next {
            let _ = sender.send(Place(Arc::clone(&self.0)));
        }
    }
}

impl Turn<'_> {
    /// Updates the breaker from the result.
    pub(super) fn end(mut self, result: Result<(), &SyncError>) {
        let now_ns = self.clock.now().monotonic_ns;
        let mut breaker = self.place.0.breaker.lock();
        match result {
            Err(SyncError::Publisher(Fault::Transient(sentence))) => {
                breaker.failed(self.source, reason(sentence), self.tries, now_ns);
            }
            Ok(())
            | Err(
                SyncError::Suspicious(_) | SyncError::Partly(_) | SyncError::Publisher(Fault::NotData(_)),
            ) => {
                breaker.heard(self.source, now_ns);
            }
            // The fault is ours: it says nothing about the publisher.
            Err(_) => return,
        }
        drop(breaker);
        self.tries = false;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.tries {
            self.place.0.breaker.lock().tried_in_vain();
        }
    }
}

/// The sentence without its prefix, which names the request and differs each time.
fn reason(sentence: &str) -> &str {
    sentence.split_once(": ").map_or(sentence, |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use lastro_model::{ManualClock, Series};
    use std::time::Duration;

    fn down(series: &str) -> SyncError {
        Fault::Transient(format!("{series} from 2026-01-01 to 2026-11-02: no connection")).into()
    }

    #[tokio::test]
    async fn next_turn_goes_to_the_first_source_of_the_table() {
        let (turns, clock) = (Turns::default(), ManualClock::starting_at(0));
        let first = turns.wait(Series::Reserves.into(), &clock).await;
        let others =
            [turns.wait(Series::Tr.into(), &clock).await, turns.wait(Series::Tr.into(), &clock).await];
        let mut late = Box::pin(turns.wait(Series::Credit.into(), &clock));
        let mut gone = Box::pin(turns.wait(Series::Cdi.into(), &clock));
        let mut early = Box::pin(turns.wait(Series::Ipca.into(), &clock));
        for waits in [&mut late, &mut gone, &mut early] {
            assert!(waits.now_or_never().is_none());
        }
        assert!(turns.wait(Source::Fx, &clock).now_or_never().is_some(), "another publisher");
        drop(gone);
        drop(first);
        let early = early.now_or_never();
        assert!(early.is_some(), "it is the first that still waits");
        assert!((&mut late).now_or_never().is_none());
        drop(others);
        assert!(late.now_or_never().is_some());
    }

    #[tokio::test]
    async fn unclaimed_slot_is_passed_on() {
        let (turns, clock) = (Turns::default(), ManualClock::starting_at(0));
        for _ in 0..2 {
            let all =
                [Series::Selic, Series::Cdi, Series::Ipca].map(|series| turns.wait(series.into(), &clock));
            let held = futures_util::future::join_all(all).await;
            let mut gone = Box::pin(turns.wait(Series::Selic.into(), &clock));
            assert!((&mut gone).now_or_never().is_none());
            drop(held);
            drop(gone);
        }
    }

    #[tokio::test]
    async fn sources_are_skipped_until_a_probe_succeeds() {
        let (turns, clock) = (Turns::default(), ManualClock::starting_at(0));
        let left = |series: Series| turns.wait(series.into(), &clock).map(Result::err);
        for series in [Series::Selic, Series::Cdi, Series::Ipca] {
            let turn = turns.wait(series.into(), &clock).await.ok().unwrap();
            turn.end(Err(&down(series.about().label)));
        }
        assert_eq!(
            left(Series::Tr).await.unwrap(),
            "no request was sent, because the publisher is down: no connection"
        );
        assert!(turns.is_down(Series::Tr.into(), &clock) && !turns.is_down(Source::Fx, &clock));
        clock.advance(Duration::from_secs(5 * 60));
        let tries = turns.wait(Series::Tr.into(), &clock).await.ok().unwrap();
        assert!(left(Series::Selic).await.is_some());
        drop(tries);
        let tries = turns.wait(Series::Selic.into(), &clock).await.ok().unwrap();
        tries.end(Ok(()));
        assert!(left(Series::Cdi).await.is_none());
    }
}
