//! Writes the usage counters to the store, often enough that a killed process loses less than a second.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

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
        if flush(app).await {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    anyhow::bail!("{} counted requests could not be written to the store", app.usage.pending())
}

/// Absolute counts, so writing them twice does no harm; a failed write keeps them for the next.
async fn flush(app: &App) -> bool {
    let changed = app.usage.take_changed();
    if changed.rows.is_empty() {
        return true;
    }
    match app.store.add_usage(&app.boot, &changed.rows).await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "usage could not be written; it is kept and tried again");
            app.metrics.flush_failures.fetch_add(1, Ordering::Relaxed);
            app.usage.put_back(changed);
            false
        }
    }
}
