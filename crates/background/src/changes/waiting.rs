//! Requests that wait for changes: how they are woken, and how many one account may have.
//!
//! A waiting request is in two lists: one that is woken when new changes come into service, and one for the second in which
//! its time is over. One job wakes the lists second by second, so that no request has a timer of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};

use crate::wait::{stopped, tick};

/// Longer than any wait.
const SECONDS: usize = 64;

/// Waiting and streaming requests that one account may have, over all of its keys.
pub const SLOTS_PER_ACCOUNT: usize = 4;

#[derive(Debug)]
pub struct Wakeups {
    changed: Notify,
    seconds: [Notify; SECONDS],
    second: AtomicU64,
    /// Whether the service is about to stop.
    closing: AtomicBool,
}

impl Default for Wakeups {
    fn default() -> Self {
        Self {
            changed: Notify::new(),
            seconds: std::array::from_fn(|_| Notify::new()),
            second: AtomicU64::new(0),
            closing: AtomicBool::new(false),
        }
    }
}

/// The end of a wait, by the seconds of [`Wakeups`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(pub u64);

impl Wakeups {
    /// Wakes all requests: there are new changes.
    pub fn wake_all(&self) {
        self.changed.notify_waiters();
    }

    /// Ends all waits, now and from now on.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.wake_all();
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// The time in this many seconds, rounded up.
    pub fn deadline(&self, seconds: u64) -> Deadline {
        Deadline(self.second.load(Ordering::Acquire) + seconds.min(SECONDS as u64 - 2) + 1)
    }

    /// Seconds after which a wait until this time is certainly over. One more than the clock of the lists has to go: its
    /// seconds are a little longer, and the end takes a moment.
    pub fn seconds_until(&self, deadline: Deadline) -> u64 {
        deadline.0.saturating_sub(self.second.load(Ordering::Acquire)) + 1
    }

    pub fn is_over(&self, deadline: Deadline) -> bool {
        self.second.load(Ordering::Acquire) >= deadline.0
    }

    /// Waits until `is_done`, which is checked after every wake-up, or until the deadline or the end of the service.
    pub async fn wait(&self, deadline: Deadline, is_done: impl Fn() -> bool) {
        let over = &self.seconds[(deadline.0 % SECONDS as u64) as usize];
        loop {
            let (changed, over) = (self.changed.notified(), over.notified());
            tokio::pin!(changed, over);
            // Wake-ups from here on count, so none between the checks and the wait is lost.
            changed.as_mut().enable();
            over.as_mut().enable();
            if is_done() || self.is_closing() || self.is_over(deadline) {
                return;
            }
            futures_util::future::select(changed, over).await;
        }
    }

    fn next_second(&self) {
        let second = self.second.fetch_add(1, Ordering::AcqRel) + 1;
        self.seconds[(second % SECONDS as u64) as usize].notify_waiters();
    }
}

/// Wakes the requests whose time is over, until the service stops.
pub async fn run(changes: Arc<super::Changes>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(Duration::from_secs(1)) => changes.wakeups.next_second(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wait_ends_in_its_second_with_changes_or_on_closing() {
        let wakeups = Arc::new(Wakeups::default());
        let waiting = |deadline| {
            let wakeups = Arc::clone(&wakeups);
            tokio::spawn(async move { wakeups.wait(deadline, || false).await })
        };
        let soon = waiting(wakeups.deadline(1));
        let late = waiting(wakeups.deadline(25));
        tokio::task::yield_now().await;
        wakeups.next_second();
        tokio::task::yield_now().await;
        assert!(!soon.is_finished(), "the second had begun before");
        assert_eq!(wakeups.seconds_until(Deadline(2)), 2);
        wakeups.next_second();
        soon.await.unwrap();
        wakeups.wake_all();
        tokio::task::yield_now().await;
        assert!(!late.is_finished(), "nothing for it");
        wakeups.close();
        late.await.unwrap();
    }
}
