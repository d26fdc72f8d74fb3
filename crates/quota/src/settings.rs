//! Which Redis, and under which names: what the operator said, checked before anything is served.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};

/// How long anybody waits for Redis.
pub const BUDGET: Duration = Duration::from_millis(50);

/// Long enough for any name, short enough for a key.
const LONGEST_PREFIX: usize = 64;

/// Why a setting is refused. None of these repeats the address, for it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error(
        "the address of Redis must look like redis://host:6379 or rediss://user:password@host:6379/0; it is not repeated \
         here, since it may hold a password"
    )]
    Address,
    #[error("a file of certificate authorities is of use only with rediss://")]
    NeedlessAuthorities,
    #[error("cannot read certificates in {0}")]
    Authorities(String),
    #[error("the prefix of keys in Redis must be 1 to 64 letters, digits, `-`, `_`, `.` or `:`")]
    Prefix,
    #[error("TLS cannot be used: {0}")]
    Tls(String),
}

/// How to reach Redis. It shows no password.
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
    /// `authorities` are those that a server's certificate is checked with, instead of the public ones.
    pub fn new(url: &str, authorities: Option<&Path>, prefix: &str) -> Result<Self, SettingsError> {
        let (plain, encrypted) = match url.split_once("://") {
            Some(("redis", rest)) => (rest, false),
            Some(("rediss", rest)) => (rest, true),
            _ => return Err(SettingsError::Address),
        };
        // Whether it is encrypted is ours to see to; the library reads the rest.
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

    /// Another time to wait for an answer: tests of exact counts run on machines that are busy.
    pub fn with_budget(self, budget: Duration) -> Self {
        Self { budget, ..self }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, tls, prefix, .. } = self;
        f.debug_struct("Settings")
            .field("host", host)
            .field("port", port)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_never_shown() {
        let settings = Settings::new("rediss://user:s3cret@redis.example:6380/2", None, "lastro").unwrap();
        assert_eq!((settings.host.as_str(), settings.port), ("redis.example", 6380));
        assert_eq!((settings.login.db(), settings.login.password()), (2, Some("s3cret")));
        assert!(settings.tls.is_some());
        assert!(!format!("{settings:?}").contains("s3cret"));
        assert!(Settings::new("redis://127.0.0.1", None, "lastro").unwrap().tls.is_none());
        assert!(Settings::new("rediss://[::1]:6379", None, "lastro").is_ok());
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_repeated() {
        for bad in
            ["", "s3cret", "http://s3cret@host", "redis://", "redis://:s3cret@host:port", "unix:///s3cret"]
        {
            let error = Settings::new(bad, None, "lastro").unwrap_err();
            assert_eq!(error, SettingsError::Address, "{bad}");
            assert!(!error.to_string().contains("s3cret"));
        }
    }

    #[test]
    fn a_prefix_is_a_plain_word() {
        for bad in ["", "a b", "a{b}", "é", &"x".repeat(65)] {
            assert_eq!(Settings::new("redis://h", None, bad).unwrap_err(), SettingsError::Prefix, "{bad}");
        }
    }

    #[test]
    fn authorities_are_read_from_a_file_of_certificates() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let with = |url| Settings::new(url, Some(file.path()), "lastro").unwrap_err();
        assert_eq!(with("redis://h"), SettingsError::NeedlessAuthorities);
        assert!(matches!(with("rediss://h"), SettingsError::Authorities(_)));
    }
}
