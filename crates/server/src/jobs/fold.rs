//! Merges the usage of days that are over, so that restarts do not leave a row each behind for ever.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::stopped;
use crate::state::App;

const INTERVAL: Duration = Duration::from_secs(3600);
/// No process still counts for a day that ended this many days ago.
const LEFT_ALONE_DAYS: i32 = 2;

pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        let before = app.clock.now().utc_day().plus_days(-LEFT_ALONE_DAYS);
        match app.store.fold_usage(before).await {
            Ok(0) => {}
            Ok(rows) => tracing::debug!(rows, "usage of past days was merged"),
            Err(error) => {
                tracing::warn!(%error, "usage of past days could not be merged; tried again in an hour");
            }
        }
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}
