//! Parsing of `postgres://` addresses: server, user, and how the server's certificate is verified.
//!
//! The driver parses the address, but does not support `sslmode=verify-full` or `sslrootcert`, which operators paste
//! from elsewhere. These are removed first. No error repeats any part that may hold a password.

use std::error::Error as _;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::{Options, Result, StoreError};

/// Timeout of one attempt at one address of the host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout of the acknowledgement of sent data. The connection counts as lost after it.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(10);

/// Idle time before keepalive probes. A dead idle server is detected after this plus three probes at a third of it.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(15);

#[derive(Clone)]
pub(crate) struct ServerAddress {
    pub(super) config: Config,
    pub(super) trust: Trust,
    /// Certificates of the authorities that sign the server's certificate, in PEM.
    pub(super) ca: Option<PathBuf>,
    name: String,
}

/// Level of verification of the server's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// No TLS.
    Disable,
    /// TLS if the server supports it, without verification: protects against eavesdroppers, not against impostors.
    Prefer,
    /// The certificate must be signed by a trusted authority, whatever its name.
    VerifyCa,
    /// The certificate must also match the host's name.
    VerifyFull,
}

/// Shows neither user nor password.
impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl ServerAddress {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let (bare, parameters) = split(url);
        let mut ours = TlsParameters::default();
        let mut rest = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            if !ours.take(parameter)? {
                rest.push(parameter);
            }
        }
        let mut config: Config =
            format!("{bare}?{}", rest.join("&")).parse().map_err(|error| unparsed(&error, parameters))?;
        let name = name(&config)?;
        let trust = ours.trust();
        config.ssl_mode(match trust {
            Trust::Disable => SslMode::Disable,
            Trust::Prefer => SslMode::Prefer,
            Trust::VerifyCa | Trust::VerifyFull => SslMode::Require,
        });
        be_prompt(&mut config, &rest);
        Ok(Self { config, trust, ca: ours.root, name })
    }

    /// Applies the options. A configured authority replaces `Prefer` with full verification.
    pub(crate) fn with(mut self, options: &Options) -> Self {
        if let Some(ca) = &options.ca {
            self.ca = Some(ca.clone());
            if self.trust == Trust::Prefer {
                self.trust = Trust::VerifyFull;
                self.config.ssl_mode(SslMode::Require);
            }
        }
        self
    }
}

const UNREADABLE: &str = "the database address cannot be read; write postgres://user:password@host:5432/database, with \
    signs such as @ / ? # in the password as %40 %2F %3F %23";

const NO_HOST: &str = "the database address names no host; write postgres://user:password@host:5432/database, or \
    ?host=/run/postgresql for a socket";

fn unreadable(sentence: &str) -> StoreError {
    StoreError::Unsupported(sentence.to_owned())
}

/// Names a parameter that the driver does not support, unless an `@` follows: then it may be part of an unescaped
/// password.
fn unparsed(error: &tokio_postgres::Error, parameters: &str) -> StoreError {
    let reason = error.source().map(ToString::to_string).unwrap_or_default();
    let unknown = reason.strip_prefix("unknown option `").and_then(|rest| rest.strip_suffix('`'));
    let is_word = |name: &&str| name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_');
    match unknown.filter(|_| !parameters.contains('@')).filter(is_word) {
        Some(name) => {
            unreadable(&format!("the database address has a parameter that is not known here: {name}"))
        }
        None => unreadable(UNREADABLE),
    }
}

/// Splits the address from its parameters. A password may contain a question mark.
fn split(url: &str) -> (&str, &str) {
    let after_credentials = url.find('@').unwrap_or(0);
    match url.get(after_credentials..).and_then(|rest| rest.find('?')) {
        Some(at) => (&url[..after_credentials + at], &url[after_credentials + at + 1..]),
        None => (url, ""),
    }
}

/// The parameters that the driver does not support.
#[derive(Default)]
struct TlsParameters {
    mode: Option<Trust>,
    root: Option<PathBuf>,
    /// `sslrootcert=system`: use the roots that are compiled in.
    any_root: bool,
}

impl TlsParameters {
    /// Returns whether the parameter is one of them.
    fn take(&mut self, parameter: &str) -> Result<bool> {
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = percent_decode_str(value).decode_utf8().map_err(|_| unreadable(UNREADABLE))?;
        match key {
            "sslmode" => self.mode = Some(mode(&value)?),
            "sslrootcert" if value == "system" => self.any_root = true,
            "sslrootcert" => self.root = Some(PathBuf::from(value.into_owned())),
            "sslcert" | "sslkey" => {
                return Err(unreadable("certificates of the client (sslcert, sslkey) are not supported"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn trust(&self) -> Trust {
        let named = self.root.is_some() || self.any_root;
        self.mode.unwrap_or(if named { Trust::VerifyFull } else { Trust::Prefer })
    }
}

/// `require` verifies the server too: TLS with an unknown server is no protection.
fn mode(value: &str) -> Result<Trust> {
    match value {
        "disable" => Ok(Trust::Disable),
        "allow" | "prefer" => Ok(Trust::Prefer),
        "verify-ca" => Ok(Trust::VerifyCa),
        "require" | "verify-full" => Ok(Trust::VerifyFull),
        _ => Err(unreadable("sslmode is one of disable, prefer, require, verify-ca, verify-full")),
    }
}

/// The database and its host, for messages. Part of an unescaped password would end up in one of them, so such an
/// address is rejected.
fn name(config: &Config) -> Result<String> {
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    if hosts.is_empty() {
        return Err(unreadable(NO_HOST));
    }
    let database = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
    let name = format!("{database} on {}", hosts.join(", "));
    if name.contains('@') || database.contains(['/', '?']) {
        return Err(unreadable(UNREADABLE));
    }
    Ok(name)
}

fn host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    }
}

/// Sets timeouts that detect a lost server while a request waits, unless the address sets them.
fn be_prompt(config: &mut Config, parameters: &[&str]) {
    let says = |name: &str| parameters.iter().any(|parameter| parameter.starts_with(name));
    if !says("connect_timeout=") {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if !says("tcp_user_timeout=") {
        config.tcp_user_timeout(ACKNOWLEDGED_WITHIN);
    }
    if !says("keepalives") {
        config.keepalives_idle(KEEPALIVE_AFTER);
        config.keepalives_interval(KEEPALIVE_AFTER / 3);
        config.keepalives_retries(3);
    }
    if !says("application_name=") {
        config.application_name("lastro");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> ServerAddress {
        ServerAddress::parse(url).unwrap()
    }

    #[test]
    fn an_address_is_named_without_user_and_password() {
        for (url, name) in [
            ("postgres://ana:hunter2@db.example.org/lastro", "lastro on db.example.org"),
            ("postgresql://ana:hun?ter2@db:6432/lastro?sslmode=disable", "lastro on db"),
            ("postgres://ana:hunter2%40x@one,two:5433/l?target_session_attrs=read-write", "l on one, two"),
            ("postgres://ana@localhost", "ana on localhost"),
            ("postgres:///lastro?host=/run/postgresql&user=ana", "lastro on /run/postgresql"),
        ] {
            let address = parse(url);
            assert_eq!(address.to_string(), name);
            assert!(!format!("{address:?}").contains("hunter"));
        }
    }

    #[test]
    fn unreadable_addresses_are_not_repeated() {
        for url in [
            "postgres://",
            "postgres:///lastro",
            "postgres://u:hunter2@host:port/lastro",
            "postgres://u:pa@hunter2@host/lastro",
            "postgres://u:p@hunter2/x@host/lastro",
            "postgres://u:hunter2@host/lastro?unknown=hunter2",
            "postgres://u:p@x?hunter2=1@host/lastro",
            "postgres://u:hunter2@host/lastro?sslmode=hunter2",
            "postgres://u:hunter2@host/lastro?sslcert=a",
            "postgres://u:hunter2@host/lastro?sslrootcert=%ff",
        ] {
            let Err(StoreError::Unsupported(sentence)) = ServerAddress::parse(url) else {
                panic!("{url} was taken");
            };
            assert!(!sentence.contains("hunter2"), "{sentence}");
        }
    }

    #[test]
    fn unknown_parameters_are_named() {
        let url = "postgres://u:hunter2@host/lastro?connect_timeout=3&pool_mode=hunter2";
        let refusal = ServerAddress::parse(url).unwrap_err().to_string();
        assert!(refusal.contains("pool_mode") && !refusal.contains("hunter2"), "{refusal}");
    }

    #[test]
    fn trust_follows_the_address_and_the_authority() {
        let trust = |parameters: &str| parse(&format!("postgres://u@h/d?{parameters}")).trust;
        assert_eq!(trust(""), Trust::Prefer);
        assert_eq!(trust("sslmode=disable"), Trust::Disable);
        assert_eq!(trust("sslmode=require"), Trust::VerifyFull);
        assert_eq!(trust("sslmode=verify-ca&sslrootcert=/a%20b.pem"), Trust::VerifyCa);
        assert_eq!(trust("sslrootcert=system"), Trust::VerifyFull);
        assert_eq!(parse("postgres://u@h/d?sslrootcert=/a%20b.pem").ca, Some(PathBuf::from("/a b.pem")));
        let options = Options { ca: Some(PathBuf::from("ca.pem")), ..Options::default() };
        assert_eq!(parse("postgres://u@h/d").with(&options).trust, Trust::VerifyFull);
        assert_eq!(parse("postgres://u@h/d?sslmode=disable").with(&options).trust, Trust::Disable);
    }
}
