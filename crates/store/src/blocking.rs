//! Work that would hold up the async runtime.

use crate::{Result, StoreError};

/// Runs what may wait for the disk or for a lock away from the async runtime.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Backend("its thread stopped unexpectedly".to_owned())))
}
