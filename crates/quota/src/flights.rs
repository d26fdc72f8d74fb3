//! One call under way for each ring: who comes meanwhile rides on the next. A busy ring so costs one call a round trip,
//! however many requests it has, and the limit stays exact in both directions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lastro_access::EXACT_LIMIT;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::answer::{Answer, Reply};
use crate::carrier;
use crate::names::RingName;
use crate::{Claim, Quota};

const SHARDS: usize = 64;

#[derive(Debug)]
pub(crate) struct Flights {
    shards: Box<[Mutex<Waiting>]>,
    hasher: RandomState,
}

/// Who waits for the next call of each ring that has one under way.
type Waiting = HashMap<RingName, Vec<Rider>>;

/// Somebody who waits for an answer. Who has gone meanwhile is asked for no more.
#[derive(Debug)]
struct Rider {
    /// A unit, or only to know.
    wants_unit: bool,
    limit: u32,
    told: oneshot::Sender<Result<Answer, Unheard>>,
}

/// There was no answer within the budget. Perhaps there will be one: then it counts those who were admitted without it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unheard(Option<Arc<AtomicU32>>);

impl Unheard {
    pub(crate) fn was_admitted(&self) {
        if let Some(admitted) = &self.0 {
            admitted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many were, of all who were told the same, when all of them have decided.
    pub(crate) fn admitted(self) -> Result<u32, Self> {
        let Some(admitted) = self.0 else { return Ok(0) };
        Arc::try_unwrap(admitted).map(AtomicU32::into_inner).map_err(|admitted| Self(Some(admitted)))
    }
}

impl Flights {
    pub(crate) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, hasher: RandomState::new() }
    }

    fn shard(&self, name: RingName) -> &Mutex<Waiting> {
        &self.shards[self.hasher.hash_one(name) as usize % SHARDS]
    }

    /// Waits for the next call of the ring, unless none is under way: then it is for this rider to begin one.
    fn wait(&self, name: RingName, rider: Rider) -> Option<Rider> {
        match self.shard(name).lock().entry(name) {
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push(rider);
                None
            }
            Entry::Vacant(place) => {
                place.insert(Vec::new());
                Some(rider)
            }
        }
    }

    /// Those who came meanwhile and have the limit of the first: it may have been changed between two requests. Where
    /// there are none, the ring is left alone.
    fn next(&self, name: RingName) -> Option<Vec<Rider>> {
        let mut shard = self.shard(name).lock();
        let waiting = shard.get_mut(&name)?;
        let Some(limit) = waiting.first().map(|first| first.limit) else {
            shard.remove(&name);
            return None;
        };
        Some(waiting.extract_if(.., |rider| rider.limit == limit).collect())
    }
}

/// The place of a ring that has a call under way. It is left to the next who comes, also when a flight ends by a panic, and
/// then who waits is let go.
#[derive(Debug)]
struct Place {
    name: RingName,
    flights: Option<Arc<Flights>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(flights) = &self.flights {
            flights.shard(self.name).lock().remove(&self.name);
        }
    }
}

/// A call about one ring, and who rides on it. Where it is dropped they are let go, and so are those who wait for the next.
#[derive(Debug)]
pub(crate) struct Flight {
    place: Place,
    pub(crate) limit: u32,
    pub(crate) window_ns: u64,
    riders: Vec<Rider>,
    /// Since when they wait for its departure.
    since_ns: u64,
    /// Whether it follows upon another of this ring.
    follows: bool,
}

/// Asks Redis, together with whoever asks for the same ring. A call has its budget; who rides on the next waits for both.
pub(crate) async fn ask(quota: &Arc<Quota>, claim: &Claim<'_>, wants_unit: bool) -> Result<Answer, Unheard> {
    let Claim { name, limit, window_ns, .. } = *claim;
    let (told, answer) = oneshot::channel();
    if let Some(first) = quota.flights.wait(name, Rider { wants_unit, limit, told }) {
        let place = Place { name, flights: Some(Arc::clone(&quota.flights)) };
        let since_ns = quota.clock.monotonic_ns();
        let flight = Flight { place, limit, window_ns, riders: vec![first], since_ns, follows: false };
        carrier::depart(quota, flight);
    }
    // A flight that fails lets go all who wait for the next, too.
    answer.await.unwrap_or_else(|_| Err(Unheard::default()))
}

impl Flight {
    pub(crate) fn name(&self) -> RingName {
        self.place.name
    }

    /// Whether its departure came too late.
    pub(crate) fn has_waited(&self, budget: Duration, now_ns: u64) -> bool {
        u128::from(now_ns.saturating_sub(self.since_ns)) > budget.as_nanos()
    }

    /// How many units its riders want; `None` where nobody needs an answer of Redis any more, and the flight is over.
    pub(crate) fn wanted(&mut self, quota: &Quota, now_ns: u64) -> Option<u32> {
        self.riders.retain(|rider| !rider.told.is_closed());
        // The call before may have said all there is to say.
        let refusal = if self.follows { quota.notes.closed(self.name(), self.limit, now_ns) } else { None };
        if let Some(refusal) = refusal {
            self.riders.drain(..).for_each(|rider| drop(rider.told.send(Ok(refusal))));
        }
        let wanted = self.riders.iter().filter(|rider| rider.wants_unit).count() as u32;
        (!self.riders.is_empty()).then_some(wanted)
    }

    /// Redis answered. Units go to who came first; who only wants to know sees what is left after them.
    pub(crate) fn tell(&mut self, quota: &Quota, answers: &Answers) {
        answers.note(quota, self.name());
        let mut place = 0;
        for rider in self.riders.drain(..) {
            let answer = if rider.wants_unit {
                place += 1;
                answers.of(place)
            } else {
                Answer { is_admitted: answers.last().remaining > 0, ..answers.last() }
            };
            // Who has gone needs no answer; the unit was counted.
            let _ = rider.told.send(Ok(answer));
        }
    }

    /// The next of this ring, with those who came meanwhile.
    pub(crate) fn next(mut self, now_ns: u64) -> Option<Self> {
        let riders = self.place.flights.as_ref().and_then(|flights| flights.next(self.place.name));
        let Some(riders) = riders else {
            // The place was given up when nobody waited any more; by now it may be another's.
            self.place.flights = None;
            return None;
        };
        self.limit = riders.first().map_or(self.limit, |rider| rider.limit);
        (self.riders, self.since_ns, self.follows) = (riders, now_ns, true);
        Some(self)
    }

    /// They decide by their share, and say how many of them were admitted.
    pub(crate) fn let_go(mut self) -> Unheard {
        let unheard = Unheard(Some(Arc::default()));
        for rider in self.riders.drain(..) {
            let _ = rider.told.send(Err(unheard.clone()));
        }
        unheard
    }
}

/// What Redis answered to some who came together.
pub(crate) struct Answers {
    reply: Reply,
    limit: u32,
    /// Units of the reply that are not for them.
    kept: u32,
    times: (u64, u64),
}

impl Answers {
    /// To so many who want a unit; `times` are when was asked and when it was heard.
    pub(crate) fn new(reply: Reply, limit: u32, wanted: u32, times: (u64, u64)) -> Self {
        Self { kept: reply.granted.saturating_sub(wanted), reply, limit, times }
    }

    /// For the one at this place, counted from 1.
    fn of(&self, place: u32) -> Answer {
        let given = self.reply.granted - self.kept;
        let used = self.reply.used.saturating_add(place.min(given));
        self.reply.answer(place <= given, self.limit, used, self.times)
    }

    /// What they tell those who come later.
    fn note(&self, quota: &Quota, name: RingName) {
        if self.limit > EXACT_LIMIT {
            quota.blocks.put(name, &self.reply, self.reply.granted - self.kept, self.last());
        }
        quota.notes.write(name, self.last());
    }

    /// The state after all of them.
    fn last(&self) -> Answer {
        let used = self.reply.used.saturating_add(self.reply.granted);
        self.reply.answer(self.reply.granted > 0, self.limit, used, self.times)
    }
}
