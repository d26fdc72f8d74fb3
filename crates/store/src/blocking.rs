//! Work that would block the async runtime.

use crate::{Result, StoreError};

/// Runs work that may wait for the disk or for a lock on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Backend("its thread stopped unexpectedly".to_owned())))
}
