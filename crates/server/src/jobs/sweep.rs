//! Removes expired rings and expired entries for unknown keys, so that memory follows the clients of the last minute.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::wait::{stopped, tick};
use crate::state::App;

const INTERVAL: Duration = Duration::from_secs(5);

pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = tick(INTERVAL) => {
                let now = app.clock.now().monotonic_ns;
                app.callers.sweep(now);
                app.pages.sweep(now);
                app.site.work.sweep(now);
                app.lookups.sweep(now);
                app.registrations.sweep(now);
                app.keys.sweep(now);
                if let Some(quota) = &app.quota {
                    quota.sweep(now);
                }
            }
        }
    }
}
