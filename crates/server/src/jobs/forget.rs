//! Forgets deliveries of webhooks that are older than their log is promised to reach back.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::watch;

use super::stopped;
use crate::state::App;
use crate::webhooks::delivery::timestamp;

const INTERVAL: Duration = Duration::from_secs(3600);
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        let before = timestamp(&*app.clock).checked_sub(KEPT).unwrap_or_default();
        match app.store.forget_deliveries(before).await {
            Ok(0) => {}
            Ok(deliveries) => tracing::debug!(deliveries, "old deliveries were forgotten"),
            Err(error) => {
                tracing::warn!(%error, "old deliveries could not be forgotten; tried again in an hour");
            }
        }
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}
