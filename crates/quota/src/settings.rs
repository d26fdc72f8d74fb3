//! The operator's settings for Redis, checked before anything is served.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};

/// The time that a request waits for Redis at most.
pub const BUDGET: Duration = Duration::from_millis(50);

const LONGEST_PREFIX: usize = 64;

/// An invalid setting. No message repeats the address, since it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error(
        "the address of Redis must look like redis://host:6379 or rediss://user:password@host:6379/0; it is not repeated \
         here, since it may hold a password"
    )]
    Address,
    #[error("a file of certificate authorities is useful only with rediss://")]
    NeedlessAuthorities,
    #[error("cannot read certificates in {0}")]
    Authorities(String),
    #[error("the prefix of keys in Redis must be 1 to 64 letters, digits, `-`, `_`, `.` or `:`")]
    Prefix,
    #[error("TLS cannot be used: {0}")]
    Tls(String),
}

/// The address of Redis, its credentials and the names of keys. `Debug` shows no password.
#[derive(Clone)]
pub struct Settings {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) login: redis::RedisConnectionInfo,
    pub(crate) tls: Option<(Arc<rustls::ClientConfig>, ServerName<'static>)>,
    pub(crate) prefix: String,
    pub(crate) budget: Duration,
}

impl Settings {
    /// `authorities` is a file of certificates that replaces the public authorities.
    pub fn new(url: &str, authorities: Option<&Path>, prefix: &str) -> Result<Self, SettingsError> {
        let (plain, encrypted) = match url.split_once("://") {
            Some(("redis", rest)) => (rest, false),
            Some(("rediss", rest)) => (rest, true),
            _ => return Err(SettingsError::Address),
        };
        // TLS is ours; the library reads the rest of the address.
        let parsed = redis::IntoConnectionInfo::into_connection_info(format!("redis://{plain}"));
        let parsed = parsed.map_err(|_| SettingsError::Address)?;
        let redis::ConnectionAddr::Tcp(host, port) = parsed.addr() else {
            return Err(SettingsError::Address);
        };
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
        if prefix.is_empty() || prefix.len() > LONGEST_PREFIX || !prefix.chars().all(is_plain) {
            return Err(SettingsError::Prefix);
        }
        let tls = match (encrypted, authorities) {
            (true, authorities) => Some(tls(host, authorities)?),
            (false, Some(_)) => return Err(SettingsError::NeedlessAuthorities),
            (false, None) => None,
        };
        let login = parsed.redis_settings().clone().set_skip_set_lib_name();
        Ok(Self { host: host.clone(), port: *port, login, tls, prefix: prefix.to_owned(), budget: BUDGET })
    }

    /// Replaces the budget: tests of exact counts run on busy machines.
    pub fn with_budget(self, budget: Duration) -> Self {
        Self { budget, ..self }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, login, tls, prefix, .. } = self;
        f.debug_struct("Settings")
            .field("host", host)
            .field("port", port)
            .field("database", &login.db())
            .field("tls", &tls.is_some())
            .field("prefix", prefix)
            .finish_non_exhaustive()
    }
}

fn tls(
    host: &str,
    authorities: Option<&Path>,
) -> Result<(Arc<rustls::ClientConfig>, ServerName<'static>), SettingsError> {
    let roots = match authorities {
        Some(path) => read_authorities(path)?,
        None => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SettingsError::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(bare.to_owned()).map_err(|_| SettingsError::Address)?;
    Ok((Arc::new(config), name))
}

fn read_authorities(path: &Path) -> Result<RootCertStore, SettingsError> {
    let refused = || SettingsError::Authorities(path.display().to_string());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|_| refused())? {
        roots.add(certificate.map_err(|_| refused())?).map_err(|_| refused())?;
    }
    if roots.is_empty() { Err(refused()) } else { Ok(roots) }
}
