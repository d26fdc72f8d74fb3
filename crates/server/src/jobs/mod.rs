//! What runs beside the requests. Each job is one loop that ends when the service stops; [`supervisor`] starts it, and starts it
//! again should it end before.

pub mod flush;
pub mod forget;
pub mod shared_limits;
pub mod supervisor;
pub mod sweep;
pub mod synchronise;

use tokio::sync::watch;

/// Waits until the service stops.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that whoever could say so is gone, which is a stop too.
    let _ = stop.wait_for(|stop| *stop).await;
}
