//! The time limit of a connection's header, at next to no cost for a request.
//!
//! hyper sets a limit for each header it waits for and drops it when the header comes. With the runtime's timer that is
//! an entry made and removed for each request, in a table that all cores share. Here a connection has one entry, which is
//! left standing when a header comes in time. When it goes off, whoever waits by then has it set to his own deadline.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use parking_lot::Mutex;

/// hyper's timer for one connection. All its waits share one entry, so one of them at a time is polled.
#[derive(Debug, Default)]
pub struct StandingAlarm(Arc<Mutex<Option<Entry>>>);

type Entry = Pin<Box<tokio::time::Sleep>>;

impl Timer for StandingAlarm {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Wait { deadline: deadline.into(), entry: Arc::clone(&self.0) })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

#[derive(Debug)]
struct Wait {
    deadline: tokio::time::Instant,
    entry: Arc<Mutex<Option<Entry>>>,
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut entry = self.entry.lock();
        let entry = entry.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(self.deadline)));
        if entry.deadline() > self.deadline {
            entry.as_mut().reset(self.deadline);
        }
        loop {
            ready!(entry.as_mut().poll(cx));
            if entry.deadline() >= self.deadline {
                return Poll::Ready(());
            }
            entry.as_mut().reset(self.deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_at_its_own_deadline_whatever_the_entry_stands_at() {
        let (alarm, began) = (StandingAlarm::default(), tokio::time::Instant::now());
        alarm.sleep(3 * SECOND).await;
        assert_eq!(began.elapsed().as_secs(), 3);
        alarm.sleep(2 * SECOND).await;
        assert_eq!(began.elapsed().as_secs(), 5, "after an entry that went off");

        let mut dropped = alarm.sleep(4 * SECOND);
        assert!((&mut dropped).now_or_never().is_none());
        drop(dropped);
        tokio::time::sleep(SECOND).await;
        alarm.sleep(10 * SECOND).await;
        assert_eq!(began.elapsed().as_secs(), 16, "beyond an entry left standing");

        let mut dropped = alarm.sleep(100 * SECOND);
        assert!((&mut dropped).now_or_never().is_none());
        drop(dropped);
        alarm.sleep(SECOND).await;
        assert_eq!(began.elapsed().as_secs(), 17, "before an entry left standing");
    }
}
