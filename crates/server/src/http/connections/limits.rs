//! What connections may hold on to.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections at once.
    pub most: usize,
    /// The same from one client address.
    pub most_per_address: usize,
    /// How long a connection may be silent: before its first whole header, and between requests.
    pub idle_timeout: Duration,
    /// How long an answer may make no progress.
    pub send_timeout: Duration,
    /// Bytes of all answers that no socket has taken. One connection may have an eighth of it.
    pub most_unsent: usize,
    /// How often the sweep looks at all connections.
    pub sweep_interval: Duration,
}

impl Limits {
    /// One address may have a tenth of all connections, or a few where that is next to none.
    pub fn usual_per_address(most: usize) -> usize {
        (most / 10).max(16).min(most)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most: 10_000,
            most_per_address: Self::usual_per_address(10_000),
            idle_timeout: Duration::from_secs(30),
            send_timeout: Duration::from_secs(60),
            most_unsent: 32 * 1024 * 1024,
            sweep_interval: Duration::from_secs(1),
        }
    }
}
