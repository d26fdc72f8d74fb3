//! Writes the usage counters to the store, often enough that a killed process loses less than a second.
//!
//! Whoever needs the store to have everything (a report of usage) waits for a flush that began after it asked. Many who
//! ask at once share one.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use lastro_access::Batch;
use tokio::sync::{Mutex, watch};

use super::stopped;
use crate::state::App;

const INTERVAL: Duration = Duration::from_millis(500);
/// How often the last flush is tried before the process gives up.
const LAST_TRIES: usize = 10;

/// Whose turn it is to flush, and which flush was the last. They are numbered in the order in which they begin.
#[derive(Debug, Default)]
pub struct Flushes {
    turn: Mutex<()>,
    begun: AtomicU64,
    succeeded: AtomicU64,
}

pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            // A failure is told where it happens, and what could not be written is kept.
            () = tokio::time::sleep(INTERVAL) => { let _ = now(&app).await; }
        }
    }
}

/// After the last response: nothing that was counted is lost by a stop.
pub async fn last(app: &App) -> anyhow::Result<()> {
    for _ in 0..LAST_TRIES {
        let written = AssertUnwindSafe(now(app)).catch_unwind().await;
        if written.is_ok_and(|written| written.is_ok()) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    anyhow::bail!("{} counted requests could not be written to the store", app.usage.unflushed())
}

/// Returns when everything that was counted before this call is in the store.
pub async fn now(app: &App) -> lastro_store::Result<()> {
    let begun_before = app.flushes.begun.load(Ordering::Acquire);
    let _turn = app.flushes.turn.lock().await;
    if app.flushes.succeeded.load(Ordering::Acquire) > begun_before {
        return Ok(());
    }
    let number = app.flushes.begun.fetch_add(1, Ordering::AcqRel) + 1;
    // One that failed before, or was given up half-way, goes first and unchanged.
    if let Some(batch) = app.usage.under_way() {
        write(app, &batch).await?;
    }
    if let Some(batch) = app.usage.take() {
        write(app, &batch).await?;
    }
    app.flushes.succeeded.store(number, Ordering::Release);
    Ok(())
}

async fn write(app: &App, batch: &Batch) -> lastro_store::Result<()> {
    let written =
        app.store.add_usage(&app.boot, batch.sequence, app.clock.now().timestamp(), &batch.rows).await;
    match &written {
        Ok(()) => app.usage.settle(batch),
        Err(error) => {
            tracing::warn!(%error, "usage could not be written; it is kept and tried again");
            app.metrics.flush_failures.fetch_add(1, Ordering::Relaxed);
        }
    }
    written
}
