//! What a `postgres://` address says: where the server is, who we are, and how far the connection is trusted.
//!
//! The driver reads the address, but knows nothing of `sslmode=verify-full` or `sslrootcert`, which operators paste from
//! elsewhere. These are taken off first. No sentence repeats any part that may hold a password.

use std::error::Error as _;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::{Options, Result, StoreError};

/// For one attempt at one address of the host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// What was sent and is not acknowledged after this is lost, and the connection with it.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(10);

/// A server that vanished while nothing was sent is found out after so long, and three more times a third of it.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(15);

#[derive(Clone)]
pub(crate) struct ServerAddress {
    pub(super) config: Config,
    pub(super) trust: Trust,
    /// Whoever signs the server's certificate, in PEM.
    pub(super) ca: Option<PathBuf>,
    name: String,
}

/// How sure we want to be of whom we talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// No TLS.
    Disable,
    /// TLS where the server has it, and no question who it is: a listener is kept out, an impostor is not.
    Prefer,
    /// The certificate must be signed by whom we believe, whatever name it has.
    VerifyCa,
    /// And it must be that of the host.
    VerifyFull,
}

/// Nothing of the user or the password.
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

    /// What is set apart from the address. Who names an authority wants it asked.
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

/// Names a parameter that the driver does not know, unless it may be a part of a password that was not escaped: an `@`
/// follows that.
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

/// The address without its parameters, and these. A password may hold a question mark.
fn split(url: &str) -> (&str, &str) {
    let after_credentials = url.find('@').unwrap_or(0);
    match url.get(after_credentials..).and_then(|rest| rest.find('?')) {
        Some(at) => (&url[..after_credentials + at], &url[after_credentials + at + 1..]),
        None => (url, ""),
    }
}

/// The parameters that the driver does not know.
#[derive(Default)]
struct TlsParameters {
    mode: Option<Trust>,
    root: Option<PathBuf>,
    /// `sslrootcert=system`: the roots that are compiled in.
    any_root: bool,
}

impl TlsParameters {
    /// Says whether the parameter is one of them.
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

/// `require` asks who it is, too: TLS with anybody is no protection.
fn mode(value: &str) -> Result<Trust> {
    match value {
        "disable" => Ok(Trust::Disable),
        "allow" | "prefer" => Ok(Trust::Prefer),
        "verify-ca" => Ok(Trust::VerifyCa),
        "require" | "verify-full" => Ok(Trust::VerifyFull),
        _ => Err(unreadable("sslmode is one of disable, prefer, require, verify-ca, verify-full")),
    }
}

/// The database and its host, as they may stand in a sentence. A sign of a password that was not escaped ends up in
/// either: such an address is refused.
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

/// A server that is gone is noticed while somebody waits, unless the address says otherwise.
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
    fn an_address_that_cannot_be_read_is_not_repeated() {
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
    fn a_parameter_that_is_not_known_is_named() {
        let url = "postgres://u:hunter2@host/lastro?connect_timeout=3&pool_mode=hunter2";
        let refusal = ServerAddress::parse(url).unwrap_err().to_string();
        assert!(refusal.contains("pool_mode") && !refusal.contains("hunter2"), "{refusal}");
    }

    #[test]
    fn trust_is_what_the_address_or_an_authority_asks_for() {
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
