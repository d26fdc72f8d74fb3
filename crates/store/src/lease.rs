//! Leases on work that only one process may do at a time.
//!
//! A lease ends by itself, so a holder that dies is replaced automatically; a live holder renews it in time. Every
//! process passes the time in, read from the clock that all of them share.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::Result;

/// The longest lease. One that ends later than this from now was taken by a clock that was ahead, and has no holder.
pub const LONGEST_LEASE: Duration = Duration::from_secs(3600);

#[async_trait]
pub trait LeaseStore: Send + Sync {
    /// Takes the lease `name` until `until`, unless another holder's lease has not ended at `now`. The end is limited
    /// to [`LONGEST_LEASE`] from now.
    ///
    /// Returns the lease that is in force afterwards; the caller compares its holder.
    async fn take_lease(&self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<Lease>;

    /// Extends a lease that no other holder took meanwhile. Returns whether `holder` still holds it.
    async fn renew_lease(&self, name: &str, holder: &str, until: Timestamp) -> Result<bool>;

    /// Releases a lease before its end. Another holder's lease is left alone.
    async fn release_lease(&self, name: &str, holder: &str) -> Result<()>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// A readable name, unique to the process.
    pub holder: String,
    pub until: Timestamp,
}
