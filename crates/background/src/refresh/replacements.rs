//! Records sources as replaced in the log of changes, without making anybody wait: a publication that is under way may last for minutes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::follow::Follower;
use super::marks;
use crate::wait::{stopped, tick};

const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Brings the log of changes up to date whenever that is needed, until the service stops. The editions of the
/// replacements come into service like all others.
pub async fn run(follower: Arc<Follower>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = follower.unlogged.notified() => {}
        }
        while let Err(error) = marks::log_replacements(&*follower.access.store, follower.clock.now()).await {
            tracing::debug!(%error, "replaced sources cannot be logged yet; retrying shortly");
            tokio::select! {
                () = stopped(&mut stop) => return,
                () = tick(RETRY_DELAY) => {}
            }
        }
    }
}
