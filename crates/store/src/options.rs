//! What is said of a database beside its address.

use std::path::PathBuf;
use std::time::Duration;

/// How a database on a server is reached. A file needs none of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Connections that small questions and changes share. Publications and whole editions have their own.
    pub connections: usize,
    /// A file with the certificates, in PEM, of whoever signs that of the server.
    pub ca: Option<PathBuf>,
    /// Takes the place of every time that a server may keep silent: tests do not wait as long as a service does.
    #[doc(hidden)]
    pub answered_within: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self { connections: 8, ca: None, answered_within: None }
    }
}
