//! One process at a time asks the publishers for a source: the one that holds the source's lease in the store.
//!
//! `serve` and `lastro sync` on one database, or two servers, take turns here. A lease is short and renewed while the work
//! goes on, so that the work of a process that died is taken over soon. It guards the publishers, not the data: what two
//! processes publish stays whole, because a publication is one transaction.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lastro_model::Source;
use lastro_sources::Fault;
use lastro_store::LONGEST_LEASE;

use crate::result::SyncError;
use crate::sync::Sync;

/// A lease is renewed so many times before it would end.
const RENEWALS: u32 = 4;

/// A shorter lease would be all renewing.
const SHORTEST: Duration = Duration::from_millis(100);

/// Who takes leases, and for how long.
#[derive(Debug, Clone)]
pub struct LeaseHolder {
    name: String,
    lease: Duration,
}

impl LeaseHolder {
    /// `command` is what people know this process by, `token` what tells it from all others.
    pub fn new(command: &str, token: &str, lease: Duration) -> Self {
        let name = format!("{command} (process {}, {token})", std::process::id());
        Self { name, lease: lease.clamp(SHORTEST, LONGEST_LEASE) }
    }
}

fn lease_of(source: Source) -> String {
    format!("sync:{source}")
}

impl Sync {
    /// Does the work while no other process does it, or says which one does.
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

    /// Gives the lease up early, for work that was broken off. Otherwise it ends by itself.
    pub async fn release(&self, source: Source) {
        if let Err(error) = self.store.release_lease(&lease_of(source), &self.lease_holder.name).await {
            tracing::debug!(%error, %source, "the lease could not be given up; it ends by itself");
        }
    }

    /// Returns when somebody else has the lease, which then must be respected.
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
                // A large publication keeps the store busy, also for whoever would take the lease.
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
