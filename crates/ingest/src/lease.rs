//! Leases: only the process that holds a source's lease in the store sends requests for it.
//!
//! `serve` and `lastro sync` on one database, or two servers, take turns this way. A lease is short and renewed
//! during the work, so that the work of a crashed process is soon taken over. It protects the publishers, not the
//! data: concurrent publications stay consistent, because each is one transaction.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lastro_model::Source;
use lastro_sources::Fault;
use lastro_store::LONGEST_LEASE;

use crate::result::SyncError;
use crate::sync::Synchronizer;

/// Number of renewals within the duration of a lease.
const RENEWALS: u32 = 4;

/// Shortest lease; a shorter one would be spent on renewals.
const SHORTEST: Duration = Duration::from_millis(100);

/// The identity of this process as lease holder, and the lease duration.
#[derive(Debug, Clone)]
pub struct LeaseHolder {
    name: String,
    lease: Duration,
}

impl LeaseHolder {
    /// `command` is a readable name of this process, `token` makes it unique.
    pub fn new(command: &str, token: &str, lease: Duration) -> Self {
        let name = format!("{command} (process {}, {token})", std::process::id());
        Self { name, lease: lease.clamp(SHORTEST, LONGEST_LEASE) }
    }
}

fn lease_of(source: Source) -> String {
    format!("sync:{source}")
}

impl Synchronizer {
    /// Does the work under the lease, or returns the name of the process that holds it.
    pub(super) async fn alone<T>(
        &self,
        source: Source,
        work: impl Future<Output = Result<T, SyncError>>,
    ) -> Result<T, SyncError> {
        let standing = self
            .store
            .take_lease(&lease_of(source), &self.lease_holder.name, self.now()?, self.lease_end()?)
            .await?;
        if standing.holder != self.lease_holder.name {
            return Err(SyncError::Elsewhere(standing.holder));
        }
        let result = tokio::select! {
            result = work => result,
            error = self.keep_lease(source) => Err(error),
        };
        self.release(source).await;
        result
    }

    /// Releases the lease early, for work that was aborted. Otherwise it expires.
    pub async fn release(&self, source: Source) {
        if let Err(error) = self.store.release_lease(&lease_of(source), &self.lease_holder.name).await {
            tracing::debug!(%error, %source, "the lease could not be given up; it ends by itself");
        }
    }

    /// Renews the lease until another process holds it, and then returns.
    async fn keep_lease(&self, source: Source) -> SyncError {
        loop {
            tokio::time::sleep(self.lease_holder.lease / RENEWALS).await;
            let until = match self.lease_end() {
                Ok(until) => until,
                Err(error) => return error,
            };
            match self.store.renew_lease(&lease_of(source), &self.lease_holder.name, until).await {
                Ok(true) => {}
                Ok(false) => return SyncError::Elsewhere("another process".to_owned()),
                // A large publication keeps the store busy, also for other processes that want the lease.
                Err(error) => tracing::debug!(%error, %source, "the lease could not be renewed now"),
            }
        }
    }

    fn lease_end(&self) -> Result<Timestamp, SyncError> {
        let now = self.now()?;
        let end = SignedDuration::try_from(self.lease_holder.lease).and_then(|lease| now.checked_add(lease));
        end.map_err(|_| Fault::Internal("the lease is out of bounds".to_owned()).into())
    }
}
