//! Work that must not slow down requests: on a thread of its own that yields the processor to all others.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use lastro_model::Edition;
use tokio::sync::oneshot;

/// At this niceness a thread gets a quarter of a core that one other thread wants: requests come first, and new data
/// still comes into service on a machine that is busy with something else.
const NICENESS: i32 = 5;

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

    pub async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        match self {
            Self::Start => {
                tokio::task::spawn_blocking(work).await.context("a thread of the pool stopped early")
            }
            Self::BesideRequests => run(work).await,
        }
    }
}

/// Runs `work` and waits for it. A thread of the runtime's pool would keep the low priority for whatever it does next.
async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
    let (done, result) = oneshot::channel();
    spawn(move || {
        // Whoever waited may be gone.
        let _ = done.send(work());
    })?;
    result.await.context("a background thread stopped early")
}

/// Runs `work` and waits for nothing.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let yielding = move || {
        // On Linux the calling thread alone. Where it fails the work is as urgent as any other.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        work();
    };
    thread::Builder::new().name("lowly".to_owned()).spawn(yielding).context("cannot start a thread")?;
    Ok(())
}

/// How often is looked whether a retired one is still in use.
const LOOK: Duration = Duration::from_millis(100);

/// Drops what is no longer in service when its last user has let go of it, so that no request has to: giving back
/// hundreds of megabytes takes longer than answering.
pub async fn retire<T: Send + Sync + 'static>(retired: Arc<T>) -> anyhow::Result<()> {
    while Arc::strong_count(&retired) > 1 {
        tokio::time::sleep(LOOK).await;
    }
    spawn(move || drop(retired))
}
