//! One call under way for each ring: who comes meanwhile rides on the next. A busy ring so costs one call a round trip,
//! however many requests it has, and the limit stays exact in both directions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, select};
use lastro_access::EXACT_LIMIT;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::Quota;
use crate::answer::{Answer, Reply};
use crate::block::BUCKET_US;
use crate::connection::CallError;
use crate::names::RingName;

const SHARDS: usize = 64;

/// How long an answer is of use to whoever could not wait for it: what it counted is put right then.
const LATEST: Duration = Duration::from_secs(2);

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

/// Asks Redis, together with whoever asks for the same ring. A call has its budget; who rides on the next waits for both.
pub(crate) async fn ask(
    quota: &Arc<Quota>,
    name: RingName,
    limit: u32,
    window_ns: u64,
    wants_unit: bool,
) -> Result<Answer, Unheard> {
    let (told, answer) = oneshot::channel();
    let rider = Rider { wants_unit, limit, told };
    let first = match quota.flights.shard(name).lock().entry(name) {
        Entry::Occupied(mut waiting) => {
            waiting.get_mut().push(rider);
            None
        }
        Entry::Vacant(place) => {
            place.insert(Vec::new());
            Some(rider)
        }
    };
    let heard = match first {
        Some(rider) => Flight::of(fly(Arc::clone(quota), name, window_ns, rider)).carry(answer).await,
        None => answer.await,
    };
    // A flight that fails lets go all who wait for the next, too.
    heard.unwrap_or_else(|_| Err(Unheard::default()))
}

/// A flight that goes on when the request that began it is over, be it answered or gone: others may wait for the next call.
/// Until then it needs no task of its own, which would cost each request two changes of task.
struct Flight(Option<BoxFuture<'static, ()>>);

impl Flight {
    fn of(flying: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Some(flying.boxed()))
    }

    /// Flies until the answer is there.
    async fn carry<T>(mut self, answer: oneshot::Receiver<T>) -> Result<T, oneshot::error::RecvError> {
        let Some(flying) = &mut self.0 else { return answer.await };
        match select(answer, flying).await {
            Either::Left((heard, _)) => heard,
            Either::Right(((), answer)) => {
                self.0 = None;
                answer.await
            }
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if let (Some(flying), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(flying);
        }
    }
}

async fn fly(quota: Arc<Quota>, name: RingName, window_ns: u64, first: Rider) {
    let landing = Landing(&quota.flights, name);
    let mut waiting = vec![first];
    loop {
        // Who waits for the next is let go where this one is given up.
        let turn = tokio::time::timeout(quota.budget, quota.side(name.class()).turns.acquire()).await;
        let Ok(Ok(_turn)) = turn else { return };
        waiting.retain(|rider| !rider.told.is_closed());
        // Those of one limit: it may have been changed between two requests.
        let limit = waiting.first().map(|rider| rider.limit);
        let others = waiting.extract_if(.., |rider| Some(rider.limit) != limit).collect();
        let riders = std::mem::replace(&mut waiting, others);
        if let Some(limit) = limit
            && !answer_riders(&quota, name, limit, window_ns, riders).await
        {
            return;
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

/// Says whether Redis answers.
async fn answer_riders(
    quota: &Arc<Quota>,
    name: RingName,
    limit: u32,
    window_ns: u64,
    riders: Vec<Rider>,
) -> bool {
    let side = quota.side(name.class());
    let sent_ns = quota.clock.monotonic_ns();
    // The call before may have said all there is to say.
    if let Some(refusal) = quota.notes.closed(name, limit, sent_ns) {
        riders.into_iter().for_each(|rider| drop(rider.told.send(Ok(refusal))));
        return true;
    }
    let wanted = riders.iter().filter(|rider| rider.wants_unit).count() as u32;
    let mut calling = Box::pin(call(Arc::clone(quota), name, limit, window_ns, wanted));
    match heard_in_time(&mut calling, quota.budget).await {
        Some(Ok(answers)) => {
            side.answered(&answers.reply);
            answers.note(quota, name);
            tell(riders, &answers);
            return true;
        }
        Some(Err(error)) => side.failed(error, sent_ns),
        None => {
            side.failed(CallError::Late, sent_ns);
            let admitted = let_go(riders);
            let quota = Arc::clone(quota);
            tokio::spawn(async move {
                if let Ok(Ok(answers)) = tokio::time::timeout(LATEST, calling).await {
                    put_right(&quota, name, window_ns, &answers, admitted.load(Ordering::Relaxed)).await;
                }
            });
        }
    }
    false
}

async fn heard_in_time<F: Future + Unpin>(calling: &mut F, budget: Duration) -> Option<F::Output> {
    if let Ok(heard) = tokio::time::timeout(budget, &mut *calling).await {
        return Some(heard);
    }
    // It may have come and wait for its turn, like us.
    tokio::task::yield_now().await;
    calling.now_or_never()
}

/// They decide by their share, and say how many of them were admitted.
fn let_go(riders: Vec<Rider>) -> Arc<AtomicU32> {
    let admitted = Arc::new(AtomicU32::new(0));
    for rider in riders {
        let _ = rider.told.send(Err(Unheard(Some(Arc::clone(&admitted)))));
    }
    admitted
}

/// An answer that nobody waited for: units of it that nobody was admitted for are given back.
async fn put_right(quota: &Quota, name: RingName, window_ns: u64, answers: &Answers, admitted: u32) {
    let unused = answers.reply.granted.saturating_sub(admitted);
    // Those of a block end with its half second.
    if unused > 0 && answers.limit <= EXACT_LIMIT {
        quota.return_to_ring(name, answers.limit, window_ns / 1_000, (answers.reply.place, unused)).await;
    }
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
        let _ = rider.told.send(Ok(answer));
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

async fn call(
    quota: Arc<Quota>,
    name: RingName,
    limit: u32,
    window_ns: u64,
    wanted: u32,
) -> Result<Answers, CallError> {
    let side = quota.side(name.class());
    let (sent_ns, key) = (quota.clock.monotonic_ns(), name.key(&quota.prefix));
    let window_us = window_ns / 1_000;
    let (asked, numbers) = if limit <= EXACT_LIMIT {
        let numbers = [wanted.into(), limit.into(), window_us, 0];
        (wanted, side.count(&quota.scripts.ring, &key, &numbers).await?)
    } else {
        let (key, wish) = (format!("{key}:block"), quota.wish(name, wanted, sent_ns));
        let numbers =
            [wish.units.into(), limit.into(), window_us, BUCKET_US, wish.unused.into(), wish.earlier];
        (wish.units, side.count(&quota.scripts.block, &key, &numbers).await?)
    };
    let reply = Reply::read(&numbers, asked).ok_or(CallError::Failed)?;
    let kept = reply.granted.saturating_sub(wanted);
    Ok(Answers { reply, limit, kept, times: (sent_ns, quota.clock.monotonic_ns()) })
}
