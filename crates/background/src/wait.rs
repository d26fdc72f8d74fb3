//! Waits of background jobs: until the service stops, and until the next tick.

use std::sync::LazyLock;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Waits until the service stops.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which is a stop too.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Waits for the next multiple of an interval since the first call. This way polling jobs, some eighty with the
/// sources, wake the processor together instead of each at its own moment.
pub async fn tick(interval: Duration) {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let (passed, interval) = (BEGAN.elapsed().as_nanos(), interval.as_nanos().max(1));
    let next = (passed / interval + 1) * interval;
    tokio::time::sleep_until(*BEGAN + Duration::from_nanos(u64::try_from(next).unwrap_or(u64::MAX))).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn ticks_started_apart_end_together() {
        const INTERVAL: Duration = Duration::from_secs(1);
        tick(INTERVAL).await;
        let after = async |delay: u64| {
            tokio::time::sleep(Duration::from_millis(delay)).await;
            tick(INTERVAL).await;
            Instant::now()
        };
        let began = Instant::now();
        let ended = tokio::join!(after(1), after(400), after(900));
        assert_eq!(ended, (ended.0, ended.0, ended.0));
        assert_eq!(ended.0 - began, INTERVAL);
    }
}
