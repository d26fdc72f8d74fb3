//! Limits on connections: number, time and memory.

use std::time::Duration;

use clap::Args;

use super::timeouts::duration;

#[derive(Debug, Clone, Args)]
pub struct ConnectionSettings {
    /// Maximum number of open connections; fewer if the system allows fewer open files, or if fewer fit in half of
    /// `--client-memory` (32 KiB each, 64 with TLS)
    #[arg(long, env = "LASTRO_MAX_CONNECTIONS", default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// Maximum number of open connections per client address, or per /64 of IPv6; trusted proxies are exempt [default: a
    /// tenth of all, at least 16]
    #[arg(long, env = "LASTRO_MAX_CONNECTIONS_PER_ADDRESS", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections_per_address: Option<u32>,
    /// Time a connection may stay idle before its first request and between requests, such as 30s or 2m
    #[arg(long, env = "LASTRO_IDLE_TIMEOUT", default_value = "30s", value_name = "TIME", value_parser = whole_seconds)]
    pub idle_timeout: Duration,
    /// Time a client may read nothing of a response, at most 2m; reading is measured in steps of 16 KiB
    #[arg(long, env = "LASTRO_SEND_TIMEOUT", default_value = "60s", value_name = "TIME", value_parser = send_timeout)]
    pub send_timeout: Duration,
    /// Memory that clients may occupy, in MiB: open connections, pending requests, unread responses. Near this limit idle
    /// and stalled clients are disconnected
    #[arg(long, env = "LASTRO_CLIENT_MEMORY", default_value = "128", value_name = "MIB", value_parser = client_memory)]
    pub client_memory: ClientMemory,
    /// Interval of looking for idle and stalled connections.
    #[arg(skip = Duration::from_secs(1))]
    pub sweep_interval: Duration,
}

impl ConnectionSettings {
    /// Caps the number of connections at what the system allows.
    pub fn within(self, affordable: usize) -> Self {
        let affordable = u32::try_from(affordable).unwrap_or(u32::MAX);
        Self { max_connections: self.max_connections.min(affordable), ..self }
    }

    /// Caps the number of connections at what fits in their share of the memory.
    pub fn within_memory(self, secure: bool) -> Self {
        let cost = if secure { TLS_CONNECTION_BYTES } else { CONNECTION_BYTES };
        let affordable = (self.client_memory.connections / cost).max(1);
        self.within(affordable)
    }

    pub fn most(&self) -> usize {
        self.max_connections as usize
    }

    /// Maximum number of connections per address: as set, or a tenth of all but at least 16; never more than all.
    pub fn most_per_address(&self) -> usize {
        let share = || (self.max_connections / 10).max(16);
        self.max_connections_per_address.unwrap_or_else(share).min(self.max_connections) as usize
    }
}

/// Memory of one connection, measured with thousands of them: buffers, tasks, the queues of HTTP/2.
const CONNECTION_BYTES: usize = 32 * 1024;
/// The same with a TLS session and the part of a response that it may buffer.
const TLS_CONNECTION_BYTES: usize = 64 * 1024;

/// Bytes that clients may make the service hold, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientMemory {
    /// Buffers and tasks of open connections.
    pub connections: usize,
    /// Pending requests: half-sent, waiting for a body, or waiting for something else.
    pub pending: usize,
    /// Responses that no socket has accepted yet. Responses to clients that read may exceed it, up to twice this.
    pub unsent: usize,
}

impl ClientMemory {
    /// Divides the memory: half for connections, the rest for pending requests and, counted twice, unsent responses.
    pub fn of(bytes: usize) -> Self {
        Self { connections: bytes / 2, pending: bytes / 8, unsent: bytes / 8 }
    }
}

fn client_memory(text: &str) -> Result<ClientMemory, String> {
    text.parse()
        .ok()
        .filter(|mib| (16..=1024 * 1024).contains(mib))
        .map(|mib: usize| ClientMemory::of(mib * 1024 * 1024))
        .ok_or_else(|| "must be a number of MiB, from 16 to 1048576".to_owned())
}

/// Longest send timeout. Ages of stalled responses are distinguished up to a little more than this.
pub const LONGEST_SEND_TIMEOUT: Duration = Duration::from_secs(120);

/// Parses a time of at least a second, the resolution of the sweep.
fn whole_seconds(text: &str) -> Result<Duration, String> {
    duration(text)
        .ok()
        .filter(|time| *time >= Duration::from_secs(1))
        .ok_or_else(|| "must be a time such as 30s or 2m, from a second to a day".to_owned())
}

fn send_timeout(text: &str) -> Result<Duration, String> {
    whole_seconds(text)
        .ok()
        .filter(|time| *time <= LONGEST_SEND_TIMEOUT)
        .ok_or_else(|| "must be a time such as 90s, from a second to 2m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Serve;

    #[test]
    fn times_have_a_minimum_and_send_timeouts_a_maximum() {
        assert_eq!(whole_seconds("1s"), Ok(Duration::from_secs(1)));
        assert_eq!(whole_seconds("24h"), Ok(Duration::from_secs(24 * 3600)));
        assert_eq!(send_timeout("2m"), Ok(Duration::from_secs(120)));
        for bad in ["", "0s", "999ms", "25h", "30"] {
            assert!(whole_seconds(bad).is_err() && send_timeout(bad).is_err(), "{bad}");
        }
        assert!(send_timeout("121s").is_err());
    }

    #[test]
    fn client_memory_is_given_in_mib_and_divided() {
        let memory = client_memory("128").unwrap();
        assert_eq!(memory, Serve::defaults().unwrap().connections.client_memory);
        assert!(memory.connections + memory.pending + 2 * memory.unsent < 128 << 20);
        for bad in ["", "15", "1048577", "-1", "128MiB"] {
            assert!(client_memory(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_share_of_one_address_follows_what_the_system_allows() {
        let settings = |affordable, max_connections_per_address| {
            let usual = Serve::defaults().unwrap().connections;
            ConnectionSettings { max_connections_per_address, ..usual }.within(affordable)
        };
        for (affordable, most, most_per_address) in
            [(100_000, 10_000, 1000), (640, 640, 64), (50, 50, 16), (8, 8, 8)]
        {
            let settings = settings(affordable, None);
            assert_eq!((settings.most(), settings.most_per_address()), (most, most_per_address));
        }
        assert_eq!(settings(640, Some(5)).most_per_address(), 5);
        assert_eq!(settings(640, Some(5000)).most_per_address(), 640);
    }
}
