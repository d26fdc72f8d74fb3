//! Maintains the connections to Redis and checks whether it is reachable.

use std::sync::Arc;

use lastro_quota::Quota;
use tokio::sync::watch;

use crate::wait::stopped;

pub(super) async fn run(quota: Arc<Quota>, mut stop: watch::Receiver<bool>) {
    tokio::select! {
        () = stopped(&mut stop) => {}
        () = quota.watch() => {}
    }
}
