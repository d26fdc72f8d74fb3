//! What waits to be carried to Redis, and how many calls carry it: who is ready together travels together.
//!
//! Nobody waits for company. While few calls are under way a call begins for whoever comes; who comes while enough of
//! them are goes with the next that is back. So the busier it is, the more travel in one call, and the less each costs.
//! Where Redis is far away, so that many come in the time of a round trip, full calls do not wait for others.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// How many travel in one call: Redis does nothing else meanwhile.
const MOST_IN_CALL: usize = 64;

/// Calls under way at once, however few they carry.
const CALLS: usize = 2;
/// Calls under way at once where all are full.
const MOST_CALLS: usize = 8;

/// What nobody waits for is not kept beyond this.
const MOST_KEPT: usize = 4_096;

#[derive(Debug)]
pub(crate) struct Departures<T>(Mutex<Queue<T>>);

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<T>,
    under_way: usize,
}

impl<T> Default for Departures<T> {
    fn default() -> Self {
        Self(Mutex::new(Queue { waiting: VecDeque::new(), under_way: 0 }))
    }
}

impl<T> Departures<T> {
    /// Says whether one more call has to begin, which has to ask for [`Departures::next`] until there is nothing.
    #[must_use]
    pub(crate) fn add(&self, passenger: T) -> bool {
        let mut queue = self.0.lock();
        queue.waiting.push_back(passenger);
        let is_full = queue.waiting.len() >= MOST_IN_CALL;
        let begins = queue.under_way < if is_full { MOST_CALLS } else { CALLS };
        queue.under_way += usize::from(begins);
        begins
    }

    /// The same for what nobody waits for: it is lost where too much waits already.
    #[must_use]
    pub(crate) fn add_if_room(&self, passenger: T) -> bool {
        let has_room = self.0.lock().waiting.len() < MOST_KEPT;
        has_room && self.add(passenger)
    }

    /// Who goes with the next call. Where there is nobody, the call that asked is under way no more.
    pub(crate) fn next(&self) -> Option<Vec<T>> {
        let mut queue = self.0.lock();
        let most = queue.waiting.len().min(MOST_IN_CALL);
        if most == 0 {
            queue.under_way -= 1;
            return None;
        }
        Some(queue.waiting.drain(..most).collect())
    }

    /// A call has ended without asking for the next. Who waits is let go, for perhaps nobody else comes.
    pub(crate) fn break_off(&self) {
        let mut queue = self.0.lock();
        queue.under_way -= 1;
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(waiting);
    }

    /// Lets go who waits.
    pub(crate) fn let_go(&self) {
        let waiting = std::mem::take(&mut self.0.lock().waiting);
        drop(waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_depart_at_once_and_who_comes_meanwhile_goes_with_the_next() {
        let departures = Departures::default();
        let begun: Vec<bool> = (0..5).map(|passenger| departures.add(passenger)).collect();
        assert_eq!(begun, [true, true, false, false, false]);
        assert_eq!(departures.next(), Some(vec![0, 1, 2, 3, 4]));
        assert!(!departures.add(5));
        assert_eq!(departures.next(), Some(vec![5]));
        assert_eq!((departures.next(), departures.next()), (None, None));
        assert!(departures.add(6), "nothing is under way");
    }

    #[test]
    fn full_calls_do_not_wait_for_others_and_are_bounded_too() {
        let departures = Departures::default();
        let mut begun = 0;
        for passenger in 0..10_000 {
            begun += usize::from(departures.add(passenger));
        }
        assert_eq!(begun, MOST_CALLS);
        assert!(!departures.add_if_room(0), "what nobody waits for is not kept without bound");
        assert_eq!(departures.next().map(|call| call.len()), Some(MOST_IN_CALL));
    }

    #[test]
    fn a_call_that_breaks_off_leaves_nobody_waiting() {
        let departures = Departures::default();
        assert!(departures.add(1) && departures.add(2));
        assert!(!departures.add(3));
        departures.break_off();
        assert_eq!(departures.next(), None);
        assert!(departures.add(4));
    }
}
