//! Who does a piece of work that only one process may do at a time.
//!
//! A lease ends by itself, so a holder that dies is succeeded without anybody's help; a holder that lives renews it in
//! time. Every process on the database passes the time in, by the clock that they have in common.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::Result;

/// No lease is longer. One that ends later than this from now was taken by a clock that was ahead, and is nobody's.
pub const LONGEST_LEASE: Duration = Duration::from_secs(3600);

#[async_trait]
pub trait LeaseStore: Send + Sync {
    /// Takes the lease of this name until then, unless somebody else's has not ended `now`; until [`LONGEST_LEASE`] from
    /// now at most.
    ///
    /// Gives the lease as it stands afterwards: it is ours if it names us.
    async fn take_lease(&self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<Lease>;

    /// Prolongs a lease that nobody else took meanwhile; tells whether it is still ours.
    async fn renew_lease(&self, name: &str, holder: &str, until: Timestamp) -> Result<bool>;

    /// Gives a lease up before its end. One that is not ours is left alone.
    async fn release_lease(&self, name: &str, holder: &str) -> Result<()>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// A name for people, unlike that of any other process.
    pub holder: String,
    pub until: Timestamp,
}
