//! Carries flights to Redis: those about rings many in one call, one about a block by itself. A call that has begun goes on
//! when the requests that began it are over, be they answered or gone: others may wait for it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use lastro_access::EXACT_LIMIT;

use crate::Quota;
use crate::answer::Reply;
use crate::block::BUCKET_US;
use crate::connection::CallError;
use crate::departures::Departures;
use crate::flights::{Answers, Flight, Unheard};
use crate::mode::Decision;
use crate::names::Class;
use crate::question::{Known, Question};

/// How long an answer is of use to whoever could not wait for it: what it counted is put right then.
const LATEST: Duration = Duration::from_secs(2);
const MOMENT: Duration = Duration::from_millis(1);

/// What is carried to Redis in a call about rings.
#[derive(Debug)]
pub(crate) enum Passenger {
    Flight(Flight),
    /// Units that are given back. Nobody waits for an answer.
    Return(Question),
}

/// Sends a flight on its way.
pub(crate) fn depart(quota: &Arc<Quota>, flight: Flight) {
    if flight.limit > EXACT_LIMIT {
        tokio::spawn(ask_for_blocks(Arc::clone(quota), flight));
        return;
    }
    let class = flight.name().class();
    if quota.departures(class).add(Passenger::Flight(flight)) {
        tokio::spawn(go_to_and_fro(Arc::clone(quota), class));
    }
}

/// Gives units back. Where that is lost, units too many were charged, which is the safe side.
pub(crate) fn give_back(quota: &Arc<Quota>, question: Question) {
    let class = question.name.class();
    if quota.departures(class).add_if_room(Passenger::Return(question)) {
        tokio::spawn(go_to_and_fro(Arc::clone(quota), class));
    }
}

/// Lets go who waits when the one who would have carried them ends by a panic.
struct Carrier<'a>(&'a Departures<Passenger>);

impl Drop for Carrier<'_> {
    fn drop(&mut self) {
        self.0.break_off();
    }
}

/// One call after the other, for as long as somebody waits.
async fn go_to_and_fro(quota: Arc<Quota>, class: Class) {
    let departures = quota.departures(class);
    let carrier = Carrier(departures);
    // Requests that were read already come along. With none the runtime comes back here at once.
    tokio::task::yield_now().await;
    while let Some(passengers) = departures.next() {
        let call = Call::of(&quota, class, passengers);
        if !call.questions.is_empty() && !call.make(&quota).await && is_away(&quota, class) {
            departures.let_go();
        }
    }
    // By now its place may be another's.
    std::mem::forget(carrier);
}

fn is_away(quota: &Quota, class: Class) -> bool {
    quota.side(class).decide(0, quota.clock.monotonic_ns()) == Decision::Share
}

/// One call about rings.
struct Call {
    class: Class,
    sent_ns: u64,
    questions: Vec<Question>,
    /// Whose questions they are.
    flights: Vec<Option<Flight>>,
}

impl Call {
    fn of(quota: &Arc<Quota>, class: Class, passengers: Vec<Passenger>) -> Self {
        let sent_ns = quota.clock.monotonic_ns();
        let (mut questions, mut flights) =
            (Vec::with_capacity(passengers.len()), Vec::with_capacity(passengers.len()));
        for passenger in passengers {
            let (question, flight) = match passenger {
                Passenger::Return(question) => (Some(question), None),
                // Whoever waited that long decides by its share.
                Passenger::Flight(flight) if flight.has_waited(quota.budget, sent_ns) => continue,
                Passenger::Flight(mut flight) => (question(quota, &mut flight, sent_ns), Some(flight)),
            };
            match question {
                Some(question) => {
                    questions.push(question);
                    flights.push(flight);
                }
                None => flight.into_iter().for_each(|flight| land(quota, flight, sent_ns)),
            }
        }
        Self { class, sent_ns, questions, flights }
    }

    /// Says whether Redis answers.
    async fn make(self, quota: &Arc<Quota>) -> bool {
        let Self { class, sent_ns, questions, flights } = self;
        let side = quota.side(class);
        let mut calling = Box::pin(count(Arc::clone(quota), class, questions));
        match heard_in_time(&mut calling, quota.budget).await {
            Some(Ok(counted)) => {
                counted.iter().take(1).for_each(|(_, reply)| side.answered(reply));
                tell(quota, flights, &counted, sent_ns);
                return true;
            }
            Some(Err(error)) => side.failed(error, sent_ns),
            None => {
                side.failed(CallError::Late, sent_ns);
                let unheard: Vec<_> = flights.into_iter().map(|flight| flight.map(Flight::let_go)).collect();
                tokio::spawn(put_right(Arc::clone(quota), calling, unheard));
            }
        }
        false
    }
}

/// What a flight asks; `None` where it is over.
fn question(quota: &Quota, flight: &mut Flight, now_ns: u64) -> Option<Question> {
    let units = flight.wanted(quota, now_ns)?;
    let (name, limit, window_us) = (flight.name(), flight.limit, flight.window_ns / 1_000);
    let known = quota.notes.known(name, window_us, quota.side(name.class()).connected_ns());
    Some(Question { name, limit, window_us, units, given_back_us: None, known })
}

/// A flight is over, and the next of its ring departs, if somebody waits for it.
fn land(quota: &Arc<Quota>, flight: Flight, now_ns: u64) {
    if let Some(next) = flight.next(now_ns) {
        depart(quota, next);
    }
}

type Counted = Vec<(Question, Reply)>;

async fn count(quota: Arc<Quota>, class: Class, questions: Vec<Question>) -> Result<Counted, CallError> {
    let replies = quota.side(class).count_rings(&quota.scripts.ring, &quota.prefix, &questions).await?;
    Ok(questions.into_iter().zip(replies).collect())
}

fn tell(quota: &Arc<Quota>, flights: Vec<Option<Flight>>, counted: &Counted, sent_ns: u64) {
    let heard_ns = quota.clock.monotonic_ns();
    for (flight, (question, reply)) in flights.into_iter().zip(counted) {
        let Some(mut flight) = flight else { continue };
        flight.tell(quota, &Answers::new(*reply, question.limit, question.units, (sent_ns, heard_ns)));
        land(quota, flight, heard_ns);
    }
}

async fn heard_in_time<F: Future + Unpin>(calling: &mut F, budget: Duration) -> Option<F::Output> {
    if let Ok(heard) = tokio::time::timeout(budget, &mut *calling).await {
        return Some(heard);
    }
    // It may have come and wait for its turn, like us.
    tokio::task::yield_now().await;
    calling.now_or_never()
}

/// An answer that nobody waited for: units of it that nobody was admitted for are given back.
async fn put_right<F>(quota: Arc<Quota>, calling: F, unheard: Vec<Option<Unheard>>)
where
    F: Future<Output = Result<Counted, CallError>>,
{
    let Ok(Ok(counted)) = tokio::time::timeout(LATEST, calling).await else { return };
    for (unheard, (question, reply)) in unheard.into_iter().zip(counted) {
        let Some(unheard) = unheard else { continue };
        let admitted = tokio::time::timeout(LATEST, admitted(unheard)).await.unwrap_or(u32::MAX);
        let units = reply.granted.saturating_sub(admitted);
        if units > 0 {
            let given_back_us = Some(reply.place);
            give_back(&quota, Question { units, given_back_us, known: Known::default(), ..question });
        }
    }
}

/// Who was told a moment ago that there is no answer may still have to decide.
async fn admitted(mut unheard: Unheard) -> u32 {
    loop {
        match unheard.admitted() {
            Ok(admitted) => return admitted,
            Err(undecided) => unheard = undecided,
        }
        tokio::time::sleep(MOMENT).await;
    }
}

/// One call for a block. Where it is late there is nothing to put right: its units end with their half second.
async fn ask_for_blocks(quota: Arc<Quota>, mut flight: Flight) {
    let side = quota.side(flight.name().class());
    // Who waits is let go where this one is given up.
    let turn = tokio::time::timeout(quota.budget, side.turns.acquire()).await;
    let Ok(Ok(_turn)) = turn else { return };
    let sent_ns = quota.clock.monotonic_ns();
    if let Some(wanted) = flight.wanted(&quota, sent_ns) {
        let mut counting = Box::pin(count_block(&quota, &flight, wanted, sent_ns));
        let heard = heard_in_time(&mut counting, quota.budget).await.unwrap_or(Err(CallError::Late));
        drop(counting);
        match heard {
            Ok(reply) => {
                side.answered(&reply);
                let times = (sent_ns, quota.clock.monotonic_ns());
                flight.tell(&quota, &Answers::new(reply, flight.limit, wanted, times));
            }
            Err(error) => return side.failed(error, sent_ns),
        }
    }
    land(&quota, flight, quota.clock.monotonic_ns());
}

async fn count_block(quota: &Quota, flight: &Flight, wanted: u32, sent_ns: u64) -> Result<Reply, CallError> {
    let name = flight.name();
    let (key, wish) = (format!("{}:block", name.key(&quota.prefix)), quota.wish(name, wanted, sent_ns));
    let (units, limit, window_us) = (wish.units.into(), flight.limit.into(), flight.window_ns / 1_000);
    let numbers = [units, limit, window_us, BUCKET_US, wish.unused.into(), wish.earlier];
    let told = quota.side(name.class()).count_block(&quota.scripts.block, &key, &numbers).await?;
    Reply::read(&told, wish.units).ok_or(CallError::Failed)
}
