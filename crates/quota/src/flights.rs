//! One call under way for each ring: who comes meanwhile rides on the next. A busy ring so costs one call a round trip,
//! however many requests it has, and the limit stays exact in both directions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lastro_access::EXACT_LIMIT;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::Quota;
use crate::answer::{Answer, Reply};
use crate::block::BUCKET_US;
use crate::connection::Argument;
use crate::names::RingName;

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
    told: oneshot::Sender<Answer>,
}

impl Flights {
    pub(crate) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, hasher: RandomState::new() }
    }

    fn shard(&self, name: RingName) -> &Mutex<Waiting> {
        &self.shards[self.hasher.hash_one(name) as usize % SHARDS]
    }

    /// Those who came meanwhile; where there are none, the ring is left alone.
    fn next(&self, name: RingName) -> Option<Vec<Rider>> {
        let mut shard = self.shard(name).lock();
        let waiting = shard.get_mut(&name).map(std::mem::take).unwrap_or_default();
        if waiting.is_empty() {
            shard.remove(&name);
            return None;
        }
        Some(waiting)
    }
}

/// Leaves the ring to the next who comes, also when a flight ends by a panic. Who waits is let go.
struct Landing<'a>(&'a Flights, RingName);

impl Drop for Landing<'_> {
    fn drop(&mut self) {
        self.0.shard(self.1).lock().remove(&self.1);
    }
}

/// There was no answer within the budget, and perhaps there will be one.
#[derive(Debug)]
pub(crate) struct Unheard(pub(crate) Option<oneshot::Receiver<Answer>>);

/// Asks Redis, together with whoever asks for the same ring.
pub(crate) async fn ask(
    quota: &Arc<Quota>,
    name: RingName,
    limit: u32,
    window_ns: u64,
    wants_unit: bool,
) -> Result<Answer, Unheard> {
    let (told, mut answer) = oneshot::channel();
    let rider = Rider { wants_unit, limit, told };
    {
        let mut shard = quota.flights.shard(name).lock();
        match shard.entry(name) {
            Entry::Occupied(mut waiting) => waiting.get_mut().push(rider),
            Entry::Vacant(place) => {
                place.insert(Vec::new());
                tokio::spawn(fly(Arc::clone(quota), name, window_ns, rider));
            }
        }
    }
    match tokio::time::timeout(quota.budget, &mut answer).await {
        Ok(heard) => heard.map_err(|_| Unheard(None)),
        Err(_) => {
            quota.side(name.class()).calls.late.fetch_add(1, Ordering::Relaxed);
            Err(Unheard(Some(answer)))
        }
    }
}

async fn fly(quota: Arc<Quota>, name: RingName, window_ns: u64, first: Rider) {
    let landing = Landing(&quota.flights, name);
    let mut waiting = vec![first];
    loop {
        let Ok(_turn) = quota.side(name.class()).turns.acquire().await else { return };
        waiting.retain(|rider| !rider.told.is_closed());
        // Those of another limit, after a change of plan, go with the next call.
        let limit = waiting.first().map(|rider| rider.limit);
        let (riders, others): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|rider| Some(rider.limit) == limit);
        waiting = others;
        if let Some(limit) = limit {
            let wanted = riders.iter().filter(|rider| rider.wants_unit).count();
            let Some(answers) = call(&quota, name, limit, window_ns, wanted as u32).await else { return };
            tell(riders, &answers);
        }
        if waiting.is_empty() {
            match quota.flights.next(name) {
                Some(next) => waiting = next,
                None => break,
            }
        }
    }
    // The place was given up when nobody waited any more; by now it may be another's.
    std::mem::forget(landing);
}

/// Units go to who came first; who only wants to know sees what is left after them.
fn tell(riders: Vec<Rider>, answers: &Answers) {
    let mut place = 0;
    for rider in riders {
        let answer = if rider.wants_unit {
            place += 1;
            answers.of(place)
        } else {
            Answer { is_admitted: answers.last().remaining > 0, ..answers.last() }
        };
        // Who has gone needs no answer; the unit was counted.
        let _ = rider.told.send(answer);
    }
}

/// What Redis answered to some who came together.
struct Answers {
    reply: Reply,
    limit: u32,
    /// Units of the reply that are not for them.
    kept: u32,
    times: (u64, u64),
}

impl Answers {
    /// For the one at this place, counted from 1.
    fn of(&self, place: u32) -> Answer {
        let given = self.reply.granted - self.kept;
        let used = self.reply.used.saturating_add(place.min(given));
        self.reply.answer(place <= given, self.limit, used, self.times)
    }

    /// The state after all of them.
    fn last(&self) -> Answer {
        let used = self.reply.used.saturating_add(self.reply.granted);
        self.reply.answer(self.reply.granted > 0, self.limit, used, self.times)
    }
}

async fn call(quota: &Quota, name: RingName, limit: u32, window_ns: u64, wanted: u32) -> Option<Answers> {
    let side = quota.side(name.class());
    let (sent_ns, key) = (quota.clock.monotonic_ns(), name.key(&quota.prefix));
    let window_us = window_ns / 1_000;
    let (asked, numbers) = if limit <= EXACT_LIMIT {
        let numbers = [wanted.into(), limit.into(), window_us, 0];
        (wanted, side.count(&quota.scripts.ring, &key, &numbers).await)
    } else {
        let (key, wish) = (format!("{key}:block"), quota.wish(name, wanted, sent_ns));
        let numbers =
            [wish.units.into(), limit.into(), window_us, BUCKET_US, wish.unused.into(), wish.earlier];
        (wish.units, side.count(&quota.scripts.block, &key, &numbers).await)
    };
    let reply = Reply::read(&numbers.ok()?, asked)?;
    side.answered(reply.epoch_age_us, reply.epoch);
    let kept = reply.granted.saturating_sub(wanted);
    let answers = Answers { reply, limit, kept, times: (sent_ns, quota.clock.monotonic_ns()) };
    if limit > EXACT_LIMIT {
        quota.blocks.put(name, &reply, wanted, answers.last());
    }
    quota.notes.write(name, answers.last());
    Some(answers)
}
