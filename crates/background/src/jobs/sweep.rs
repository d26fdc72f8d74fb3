//! Removes expired state of clients, so that memory follows the clients of the last minute.

use std::sync::Arc;
use std::time::Duration;

use lastro_model::Clock;
use tokio::sync::watch;

use crate::access::Access;
use crate::wait::{stopped, tick};

const INTERVAL: Duration = Duration::from_secs(5);

pub(super) async fn run(access: Arc<Access>, clock: Arc<dyn Clock>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(INTERVAL) => access.sweep(clock.now().monotonic_ns),
        }
    }
}
