//! Settings of a database beside its address.

use std::path::PathBuf;
use std::time::Duration;

/// Connection settings for a database server. A SQLite file needs none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Size of the pool for small reads and changes. Publications and whole editions have their own connections.
    pub connections: usize,
    /// A PEM file with the certificates of the authorities that sign the server's certificate.
    pub ca: Option<PathBuf>,
    /// Overrides every timeout for a server's reply, so that tests do not wait as long as a service does.
    #[doc(hidden)]
    pub answered_within: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self { connections: 8, ca: None, answered_within: None }
    }
}
