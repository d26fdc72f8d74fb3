//! Writes the usage counters to the store, often enough that a killed process loses less than a second.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use lastro_access::{Changed, Usage};
use tokio::sync::watch;

use super::stopped;
use crate::state::App;

const INTERVAL: Duration = Duration::from_millis(500);
/// How often the last flush is tried before the process gives up.
const LAST_TRIES: usize = 10;

pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tokio::time::sleep(INTERVAL) => { flush(&app).await; }
        }
    }
}

/// After the last response: nothing that was counted is lost by a stop.
pub async fn last(app: &App) -> anyhow::Result<()> {
    for _ in 0..LAST_TRIES {
        if AssertUnwindSafe(flush(app)).catch_unwind().await.unwrap_or(false) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    anyhow::bail!("{} counted requests could not be written to the store", app.usage.pending())
}

/// Absolute counts, so writing them twice does no harm; a failed write keeps them for the next.
async fn flush(app: &App) -> bool {
    let mut taken = Taken { usage: &app.usage, changed: Some(app.usage.take_changed()) };
    let rows = taken.changed.as_ref().map_or(&[][..], |changed| &changed.rows);
    if rows.is_empty() {
        return true;
    }
    match app.store.add_usage(&app.boot, rows).await {
        Ok(()) => {
            taken.changed = None;
            true
        }
        Err(error) => {
            tracing::warn!(%error, "usage could not be written; it is kept and tried again");
            app.metrics.flush_failures.fetch_add(1, Ordering::Relaxed);
            false
        }
    }
}

/// Counts on their way to the store. Unless they arrive they are put back, also when a panic ends the way.
struct Taken<'a> {
    usage: &'a Usage,
    changed: Option<Changed>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(changed) = self.changed.take() {
            self.usage.put_back(changed);
        }
    }
}
