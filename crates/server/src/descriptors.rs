//! File descriptors: every connection needs one, and so does everything else that must not fail under many clients.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors reserved for everything but client connections: 64 connections to the operator's listener, 256
/// deliveries to webhooks and 16 test deliveries, 32 files of the database (writer, readers, whole editions; three
/// files each), 16 for synchronisation, 32 for listeners, the runtime's own queues, logs, and briefly open files.
const RESERVED: u64 = 64 + 256 + 16 + 32 + 16 + 32;
/// Minimum limit to start with.
const FEWEST: u64 = 64;

/// Raises the limit as far as the system allows and returns the number of connections that it leaves.
pub fn connections() -> anyhow::Result<usize> {
    let raised = raise(getrlimit(Resource::Nofile));
    let left = connections_within(raised);
    left.ok_or_else(|| {
        anyhow::anyhow!("this process may open only {raised} files (ulimit -n); it needs at least {FEWEST}")
    })
}

fn raise(limit: Rlimit) -> u64 {
    let (soft, hard) = (limit.current.unwrap_or(u64::MAX), limit.maximum.unwrap_or(u64::MAX));
    if soft == hard {
        return soft;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        Ok(()) => hard,
        Err(error) => {
            tracing::warn!(%error, soft, hard, "the limit of open files could not be raised");
            soft
        }
    }
}

/// The connections within a limit. Clients get at least a quarter of it, so that the reserve does not starve them.
fn connections_within(limit: u64) -> Option<usize> {
    let left = limit.saturating_sub(RESERVED).max(limit / 4);
    (limit >= FEWEST).then(|| usize::try_from(left).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_the_reserve_leaves() {
        assert_eq!(connections_within(u64::MAX), usize::try_from(u64::MAX - RESERVED).ok());
        assert_eq!(connections_within(20_000), Some(19_584));
        assert_eq!(connections_within(1024), Some(608));
        assert_eq!(connections_within(256), Some(64));
        assert_eq!(connections_within(64), Some(16));
        assert_eq!(connections_within(63), None);
    }
}
