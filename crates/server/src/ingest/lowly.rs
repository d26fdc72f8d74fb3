//! Work that must not slow down requests: on a thread of its own that yields the processor to all others.

use std::thread;

use anyhow::Context;
use tokio::sync::oneshot;

/// At this niceness a thread gets a quarter of a core that one other thread wants: requests come first, and new data
/// still comes into service on a machine that is busy with something else.
const NICENESS: i32 = 5;

/// Runs `work` and waits for it. A thread of the runtime's pool would keep the low priority for whatever it does next.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
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
