//! Background work on its own low-priority threads, so that it does not slow down requests.
//!
//! The scheduler's idle class looks suitable for this and is not (decision 0008).

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use lastro_model::Edition;
use tokio::sync::oneshot;

/// Niceness of background threads. Beside one other thread such a thread gets a quarter of the core: requests come first,
/// and new data still comes into service on a machine that is busy with something else.
const NICENESS: i32 = 5;

/// Interval of checking whether a retired value is still in use.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Priority of work, depending on whether requests are being served meanwhile.
#[derive(Debug, Clone, Copy)]
pub enum Priority {
    /// Nothing is served yet, and clients may be waiting.
    Foreground,
    Background,
}

impl Priority {
    /// The priority of rebuilding a part that is served in this edition; the default edition means not served yet.
    pub fn beside(served: Edition) -> Self {
        if served == Edition::default() { Self::Foreground } else { Self::Background }
    }

    /// Runs `work` and waits for it. Background work gets its own thread: a pool thread would keep the low priority.
    pub async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        let (done, result) = oneshot::channel();
        // The caller may have stopped waiting.
        let work = move || drop(done.send(work()));
        match self {
            Self::Foreground => drop(tokio::task::spawn_blocking(work)),
            Self::Background => spawn(work)?,
        }
        result.await.context("a background thread stopped early")
    }
}

/// Runs `work` at low priority without waiting for it.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let nicely = move || {
        // On Linux this affects the calling thread only. If it fails, the work runs at normal priority.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        work();
    };
    thread::Builder::new().name("background".to_owned()).spawn(nicely).context("cannot start a thread")?;
    Ok(())
}

/// Drops a value no longer in service after its last user has released it, so that no request has to: freeing hundreds
/// of megabytes takes longer than answering.
pub async fn retire<T: Send + Sync + 'static>(retired: Arc<T>) -> anyhow::Result<()> {
    while Arc::strong_count(&retired) > 1 {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    spawn(move || drop(retired))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn only_background_work_has_low_priority() {
        let niceness = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            // The name before the last parenthesis may hold anything; niceness is the 19th field.
            let mut after_name = stat.rsplit_once(')').unwrap().1.split_whitespace();
            after_name.nth(16).unwrap().parse::<i32>().unwrap()
        };
        let own = niceness();
        assert_eq!(Priority::Foreground.run(niceness).await.unwrap(), own);
        // A test process with a higher niceness may not be allowed to lower it.
        let beside = Priority::Background.run(niceness).await.unwrap();
        assert!(beside == NICENESS || own > NICENESS, "{beside}");
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_panics_is_an_error() {
        let panics = || -> u8 { panic!("on purpose") };
        assert!(Priority::Background.run(panics).await.is_err());
        assert!(Priority::Foreground.run(panics).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_retired_value_is_dropped_after_its_last_user() {
        let (dropped, seen) = mpsc::channel();
        struct Part(mpsc::Sender<()>);
        impl Drop for Part {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        let part = Arc::new(parking_lot::Mutex::new(Part(dropped)));
        let user = Arc::clone(&part);
        let retiring = tokio::spawn(retire(part));
        tokio::time::sleep(10 * POLL_INTERVAL).await;
        assert!(seen.try_recv().is_err() && !retiring.is_finished());
        drop(user);
        retiring.await.unwrap().unwrap();
        seen.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}
