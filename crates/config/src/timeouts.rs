//! Timeouts of a synchronisation, for slow or unreachable publishers and for other processes.

use std::time::Duration;

use clap::Args;
use lastro_ingest::fetch::RetryPolicy;
use lastro_store::LONGEST_LEASE;

#[derive(Debug, Clone, Args)]
pub struct SyncTimeouts {
    /// Timeout of one whole response of a publisher, such as 90s or 3m
    #[arg(long, env = "LASTRO_SYNC_TIMEOUT", default_value = "120s", value_name = "TIME", value_parser = duration)]
    pub sync_timeout: Duration,
    /// Attempts of one request to a publisher before it fails until the next synchronisation
    #[arg(long, env = "LASTRO_SYNC_ATTEMPTS", default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub sync_attempts: u32,
    /// Pause before the second attempt; doubled for each further one
    #[arg(long, env = "LASTRO_SYNC_PAUSE", default_value = "2s", value_name = "TIME", value_parser = duration)]
    pub sync_pause: Duration,
    /// Time after which another process may take over from one that died while synchronising; at most an hour
    #[arg(long, env = "LASTRO_SYNC_LEASE", default_value = "60s", value_name = "TIME", value_parser = lease)]
    pub sync_lease: Duration,
    /// Pause between the starts of two requests to one host.
    #[arg(skip = Duration::from_millis(300))]
    pub spacing: Duration,
}

impl From<&SyncTimeouts> for RetryPolicy {
    fn from(arguments: &SyncTimeouts) -> Self {
        Self {
            timeout: arguments.sync_timeout,
            attempts: arguments.sync_attempts,
            first_pause: arguments.sync_pause,
            spacing: arguments.spacing,
        }
    }
}

/// Upper bound that no sensible value exceeds, so that a wrong unit is rejected.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Parses a time such as `1500ms`, `90s` or `3m`, from a millisecond to a day.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    match parsed {
        Some(time) if time >= Duration::from_millis(1) && time <= LONGEST => Ok(time),
        _ => Err("must be a time such as 1500ms, 90s or 3m, at most a day".to_owned()),
    }
}

/// Parses a time that may be zero, at most an hour: nobody waits longer for a process to end.
pub(super) fn drain(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    parsed
        .filter(|time| *time <= Duration::from_secs(3600))
        .ok_or_else(|| "must be a time such as 5s or 1m, or 0s, at most an hour".to_owned())
}

fn lease(text: &str) -> Result<Duration, String> {
    let lease = duration(text)?;
    if lease > LONGEST_LEASE { Err("must be at most an hour".to_owned()) } else { Ok(lease) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_and_bounds() {
        for (text, milliseconds) in [("1500ms", 1_500), ("90s", 90_000), ("3m", 180_000), ("24h", 86_400_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert_eq!(drain("0s"), Ok(Duration::ZERO));
        assert_eq!(drain("1500ms"), Ok(Duration::from_millis(1500)));
        assert!(drain("61m").is_err() && drain("-1s").is_err() && drain("5").is_err());
        for bad in ["", "5", "-3s", "0s", "25h", "1us", "soon", "3s4"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
