//! Work that must not slow down requests: on threads of its own that yield the processor to all others.
//!
//! A thread of low priority still keeps a core for a few milliseconds once it has it, and a request that wakes up
//! meanwhile waits. One that runs only when nobody else wants to is interrupted at once. But on a machine that is never
//! idle it does not get on, and whoever needs a lock that it holds waits with it. So idle work is for machines with time
//! to spare, and for what can be begun again otherwise.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use lastro_model::Edition;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// At this niceness a thread gets a quarter of a core that one other thread wants: requests come first, and new data
/// still comes into service on a machine that is busy with something else.
const NICENESS: i32 = 5;

/// Idle work that is not done by then is begun again as niceness allows: new data should not have to wait for longer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Long enough to be interrupted by whoever else is at work.
const PROBE: Duration = Duration::from_millis(10);

/// How often is looked whether a retired one is still in use.
const LOOK: Duration = Duration::from_millis(100);

/// Whether requests are being answered meanwhile.
#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// Nobody is served yet, somebody may be waiting.
    Start,
    BesideRequests,
}

impl Pace {
    /// The pace of work on what is served in this edition.
    pub fn beside(served: Edition) -> Self {
        if served == Edition::default() { Self::Start } else { Self::BesideRequests }
    }

    /// Runs `work` and waits for it. A thread of the runtime's pool would keep the low priority for whatever it does next.
    pub async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        let (done, result) = oneshot::channel();
        // Whoever waited may be gone.
        let work = move || drop(done.send(work()));
        match self {
            Self::Start => drop(tokio::task::spawn_blocking(work)),
            Self::BesideRequests => spawn(work)?,
        }
        result.await.context("a background thread stopped early")
    }

    /// Like [`Pace::run`], for work that changes nothing: it may be done twice at once, and the first outcome counts.
    pub async fn run_patiently<T: Send + 'static>(
        self,
        work: impl Fn() -> T + Send + Sync + 'static,
    ) -> anyhow::Result<T> {
        if let Self::Start = self {
            return self.run(work).await;
        }
        let (done, mut result) = oneshot::channel();
        let done = Mutex::new(Some(done));
        let attempt = Arc::new(move || {
            let outcome = work();
            // Whoever comes second drops what it has made, here and not where it would be in the way.
            if let Some(done) = done.lock().take() {
                drop(done.send(outcome));
            }
        });
        spawn_idle(Arc::clone(&attempt))?;
        if let Ok(outcome) = tokio::time::timeout(PATIENCE, &mut result).await {
            return outcome.context("a background thread stopped early");
        }
        spawn(move || attempt())?;
        result.await.context("a background thread stopped early")
    }
}

/// Runs `work` and waits for nothing.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    thread_of_its_own(move || {
        be_nice();
        work();
    })
}

fn spawn_idle(work: Arc<impl Fn() + Send + Sync + 'static>) -> anyhow::Result<()> {
    thread_of_its_own(move || {
        if be_idle() && is_time_to_spare() {
            return work();
        }
        // A thread that was idle cannot become a nice one.
        if let Err(error) = spawn(move || work()) {
            tracing::error!(%error, "work beside requests could not be begun");
        }
    })
}

/// Whether the calling thread, at its priority, gets on about as fast as if it were alone.
fn is_time_to_spare() -> bool {
    let began = (Instant::now(), processor_time());
    while processor_time() - began.1 < PROBE {
        if began.0.elapsed() > 4 * PROBE {
            return false;
        }
    }
    true
}

/// How long the calling thread has run so far.
fn processor_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// Whether the calling thread runs from now on only when no other wants to.
#[cfg(target_os = "linux")]
fn be_idle() -> bool {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
        thread_native_id,
    };
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn be_idle() -> bool {
    false
}

/// On Linux the calling thread alone. Where it fails the work is as urgent as any other.
fn be_nice() {
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

fn thread_of_its_own(work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    thread::Builder::new().name("lowly".to_owned()).spawn(work).context("cannot start a thread")?;
    Ok(())
}

/// Drops what is no longer in service when its last user has let go of it, so that no request has to: giving back
/// hundreds of megabytes takes longer than answering.
pub async fn retire<T: Send + Sync + 'static>(retired: Arc<T>) -> anyhow::Result<()> {
    while Arc::strong_count(&retired) > 1 {
        tokio::time::sleep(LOOK).await;
    }
    spawn(move || drop(retired))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn only_idle_work_is_idle_to_the_system() {
        const SCHED_IDLE: &str = "5";
        let policy = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            // The name before the last parenthesis may hold anything; the policy is the 41st field.
            let after_name = stat.rsplit_once(')').unwrap().1.split_whitespace();
            after_name.into_iter().nth(38).unwrap().to_owned()
        };
        let idle = move || be_idle().then(policy);
        assert_eq!(Pace::BesideRequests.run(idle).await.unwrap().as_deref(), Some(SCHED_IDLE));
        assert_ne!(Pace::Start.run_patiently(policy).await.unwrap(), SCHED_IDLE);
        assert_ne!(Pace::BesideRequests.run(policy).await.unwrap(), SCHED_IDLE);
    }

    /// The clock stands still for everybody but those who wait.
    #[tokio::test(start_paused = true)]
    async fn patient_work_that_does_not_get_on_is_begun_again_and_the_first_outcome_counts() {
        let (release, held_up) = mpsc::channel::<()>();
        let (held_up, attempts) = (Mutex::new(held_up), AtomicUsize::new(0));
        let work = move || {
            let attempt = attempts.fetch_add(1, Ordering::SeqCst) + 1;
            if attempt == 1 {
                // Fails when the sender is gone, which is as good.
                let _ = held_up.lock().recv();
            }
            attempt
        };
        assert_eq!(Pace::BesideRequests.run_patiently(work).await.unwrap(), 2);
        drop(release);
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_panics_is_an_error() {
        let panics = || -> u8 { panic!("on purpose") };
        assert!(Pace::BesideRequests.run(panics).await.is_err());
        assert!(Pace::Start.run(panics).await.is_err());
        assert!(Pace::BesideRequests.run_patiently(panics).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_retired_is_dropped_after_its_last_user_has_let_go() {
        let (dropped, seen) = mpsc::channel();
        struct Part(mpsc::Sender<()>);
        impl Drop for Part {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        let part = Arc::new(Mutex::new(Part(dropped)));
        let user = Arc::clone(&part);
        let retiring = tokio::spawn(retire(part));
        tokio::time::sleep(10 * LOOK).await;
        assert!(seen.try_recv().is_err() && !retiring.is_finished());
        drop(user);
        retiring.await.unwrap().unwrap();
        seen.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}
