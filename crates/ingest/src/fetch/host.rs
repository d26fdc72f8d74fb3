//! Rate limit per host: few requests at once, with a pause between their starts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

const AT_ONCE: usize = 3;

/// All hosts in use, each with its own queue.
#[derive(Debug)]
pub(super) struct Hosts {
    known: Mutex<HashMap<String, Arc<Host>>>,
    pause: Duration,
}

#[derive(Debug)]
pub(super) struct Host {
    places: Semaphore,
    next_start: Mutex<Instant>,
    pause: Duration,
}

impl Hosts {
    pub(super) fn new(pause: Duration) -> Self {
        Self { known: Mutex::default(), pause }
    }

    pub(super) fn of(&self, url: &reqwest::Url) -> Arc<Host> {
        let name = format!("{}:{}", url.host_str().unwrap_or(""), url.port_or_known_default().unwrap_or(0));
        let new = || Host {
            places: Semaphore::new(AT_ONCE),
            next_start: Mutex::new(Instant::now()),
            pause: if is_this_machine(url) { Duration::ZERO } else { self.pause },
        };
        Arc::clone(self.known.lock().entry(name).or_insert_with(|| Arc::new(new())))
    }
}

/// Whether the host is this machine: a local mirror needs no rate limit.
fn is_this_machine(url: &reqwest::Url) -> bool {
    let address = url.host_str().map(|host| host.trim_matches(['[', ']']).parse::<std::net::IpAddr>());
    matches!(address, Some(Ok(address)) if address.is_loopback())
}

impl Host {
    /// Waits for a permit and for this request's start time. The permit is held until the response is complete.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let place = self.places.acquire().await.ok()?;
        let start = {
            let mut next = self.next_start.lock();
            let start = (*next).max(Instant::now());
            *next = start + self.pause;
            start
        };
        tokio::time::sleep_until(start).await;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn starts_are_spaced_and_concurrency_limited() {
        let hosts = Hosts::new(Duration::from_millis(250));
        let url = reqwest::Url::parse("https://example.test/a").unwrap();
        let began = Instant::now();
        let (host, same) =
            (hosts.of(&url), hosts.of(&reqwest::Url::parse("https://example.test/b").unwrap()));
        assert!(Arc::ptr_eq(&host, &same));
        let first = host.turn().await;
        let second = host.turn().await;
        let third = host.turn().await;
        assert_eq!(began.elapsed(), Duration::from_millis(500));
        assert!(
            tokio::time::timeout(Duration::from_secs(60), host.turn()).await.is_err(),
            "a fourth at once"
        );
        drop((first, second, third));
        assert!(host.turn().await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn local_mirror_has_no_pauses() {
        let hosts = Hosts::new(Duration::from_millis(250));
        for (url, pause) in [("http://127.0.0.1:8000/", 0), ("http://[::1]/", 0), ("https://10.0.0.1/", 250)]
        {
            let host = hosts.of(&reqwest::Url::parse(url).unwrap());
            let began = Instant::now();
            host.turn().await;
            host.turn().await;
            assert_eq!(began.elapsed(), Duration::from_millis(pause), "{url}");
        }
    }
}
