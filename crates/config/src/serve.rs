//! The settings of `lastro serve`, and those shared with `lastro sync`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use lastro_access::{RegistrationLimits, TrustedProxies};
use lastro_ingest::sync::Publishers;
use lastro_model::text::has_control;

use super::{
    BillingSettings, ConnectionSettings, PageSettings, RedisSettings, SyncTimeouts, TlsSettings,
    WebhookSettings, timeouts,
};

#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Address of the API
    #[arg(long, env = "LASTRO_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Address of the operator's /livez, /readyz and /metrics, or `off`
    #[arg(long, env = "LASTRO_ADMIN_LISTEN", default_value = "127.0.0.1:9090", value_name = "ADDRESS")]
    pub admin_listen: AdminListen,
    /// Networks whose X-Forwarded-For is trusted, such as `10.0.0.0/8,::1`
    #[arg(
        long,
        env = "LASTRO_TRUSTED_PROXIES",
        default_value = "",
        hide_default_value = true,
        value_name = "CIDR,…"
    )]
    pub trusted_proxies: String,
    #[command(flatten)]
    pub registrations: RegistrationSettings,
    /// Maximum number of client addresses with a limit of their own; further ones share a limit per network
    #[arg(long, env = "LASTRO_LIMITER_CAPACITY", default_value_t = 200_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limiter_capacity: u32,
    #[command(flatten)]
    pub redis: RedisSettings,
    /// Maximum number of recently used keys in memory; others are read from the database
    #[arg(long, env = "LASTRO_KEY_CACHE", default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u32).range(8..))]
    pub key_cache: u32,
    /// Keep the data up to date in the background
    #[arg(long, env = "LASTRO_SYNC", default_value = "on", value_name = "on|off")]
    pub sync: Switch,
    #[command(flatten)]
    pub publishers: PublisherSettings,
    #[command(flatten)]
    pub timeouts: SyncTimeouts,
    /// The first year of filings to keep
    #[arg(long, env = "LASTRO_SINCE", default_value_t = FIRST_YEAR, value_name = "YYYY", value_parser = clap::value_parser!(i16).range(1990..=2100))]
    pub since: i16,
    /// Name of this process in `lastro replicas` [default: the host's name]
    #[arg(long, env = "LASTRO_REPLICA_NAME", value_name = "NAME", value_parser = replica_name)]
    pub replica_name: Option<String>,
    /// Directory that keeps the search index between runs [default: the SQLite file's name and `.index`, else none]
    #[arg(long, env = "LASTRO_INDEX_DIR", value_name = "DIRECTORY")]
    pub index_dir: Option<PathBuf>,
    /// Directory for the downloads of an unfinished synchronisation [default: the SQLite file's name and `.spool`, else
    /// none]
    #[arg(long, env = "LASTRO_SPOOL_DIR", value_name = "DIRECTORY")]
    pub spool_dir: Option<PathBuf>,
    #[command(flatten)]
    pub pages: PageSettings,
    #[command(flatten)]
    pub connections: ConnectionSettings,
    #[command(flatten)]
    pub tls: TlsSettings,
    /// Time to keep accepting requests after the stop signal while /readyz returns 503, for load balancers, such as 5s
    #[arg(long, env = "LASTRO_DRAIN", default_value = "0s", value_name = "TIME", value_parser = timeouts::drain)]
    pub drain: Duration,
    /// Days for which changes are kept, so that a copy can be kept true without taking all of it again
    #[arg(long, env = "LASTRO_CHANGES_DAYS", default_value_t = 30, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub changes_days: u32,
    #[command(flatten)]
    pub webhooks: WebhookSettings,
    #[command(flatten)]
    pub billing: BillingSettings,
    /// Interval of checking the store for changes by other processes.
    #[arg(skip = Duration::from_millis(500))]
    pub poll_interval: Duration,
    /// Interval of heartbeats to the other replicas.
    #[arg(skip = Duration::from_secs(3))]
    pub beat_interval: Duration,
    /// Interval of checking whether a synchronisation is due.
    #[arg(skip = Duration::from_secs(1))]
    pub sync_poll_interval: Duration,
}

impl Serve {
    /// The default settings, ignoring the environment.
    pub fn defaults() -> anyhow::Result<Self> {
        super::defaults()
    }

    /// The human-readable name of this process: the one that was set, or the host's.
    pub fn replica_name(&self) -> String {
        let host = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        self.replica_name.clone().unwrap_or_else(host)
    }

    pub fn trusted_proxies(&self) -> anyhow::Result<TrustedProxies> {
        TrustedProxies::parse(&self.trusted_proxies)
            .map_err(|reason| anyhow::anyhow!("--trusted-proxies: {reason}"))
    }
}

/// Checks a replica name, which must fit in one line of a table.
fn replica_name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > 100 || has_control(text) {
        return Err("must be 1 to 100 bytes without control characters".to_owned());
    }
    Ok(text.to_owned())
}

/// The first year for which the regulator publishes filings.
pub(super) const FIRST_YEAR: i16 = 2003;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// Limits on registrations.
#[derive(Debug, Clone, Args)]
pub struct RegistrationSettings {
    /// Registrations an hour from one client address
    #[arg(long, env = "LASTRO_REGISTRATIONS_PER_HOUR", default_value_t = RegistrationLimits::USUAL.per_address_an_hour, value_name = "N")]
    pub registrations_per_hour: u32,
    /// Registrations an hour from one network (/24, or /48 of IPv6)
    #[arg(long, env = "LASTRO_REGISTRATIONS_PER_NETWORK", default_value_t = RegistrationLimits::USUAL.per_network_an_hour, value_name = "N")]
    pub registrations_per_network: u32,
    /// Registrations an hour in total, on average
    #[arg(long, env = "LASTRO_REGISTRATIONS_IN_ALL", default_value_t = RegistrationLimits::USUAL.in_all_an_hour, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub registrations_in_all: u32,
    /// Registrations at once after a quiet time; half of them only from networks that are new in this hour
    #[arg(long, env = "LASTRO_REGISTRATIONS_BURST", default_value_t = RegistrationLimits::USUAL.burst, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub registrations_burst: u32,
}

impl From<&RegistrationSettings> for RegistrationLimits {
    fn from(arguments: &RegistrationSettings) -> Self {
        Self {
            per_address_an_hour: arguments.registrations_per_hour,
            per_network_an_hour: arguments.registrations_per_network,
            in_all_an_hour: arguments.registrations_in_all,
            burst: arguments.registrations_burst,
        }
    }
}

/// Mirrors and tests stand in for the official hosts.
#[derive(Debug, Clone, Args)]
pub struct PublisherSettings {
    /// Scheme and host of the central bank's series API
    #[arg(long, env = "LASTRO_SGS_URL", default_value = lastro_sources::sgs::OFFICIAL_BASE, value_name = "URL")]
    pub sgs_url: String,
    /// Scheme and host of the central bank's exchange rate API
    #[arg(long, env = "LASTRO_PTAX_URL", default_value = lastro_sources::ptax::OFFICIAL_BASE, value_name = "URL")]
    pub ptax_url: String,
    /// Scheme and host of the regulator's files
    #[arg(long, env = "LASTRO_CVM_URL", default_value = lastro_sources::cvm::OFFICIAL_BASE, value_name = "URL")]
    pub cvm_url: String,
}

impl From<PublisherSettings> for Publishers {
    fn from(arguments: PublisherSettings) -> Self {
        Self { sgs: arguments.sgs_url, ptax: arguments.ptax_url, cvm: arguments.cvm_url }
    }
}

/// The address of the operator's listener; `None` if it is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdminListen(pub Option<SocketAddr>);

impl FromStr for AdminListen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self(None)),
            address => address
                .parse()
                .map(|address| Self(Some(address)))
                .map_err(|_| "must be an address such as 127.0.0.1:9090, or off".to_owned()),
        }
    }
}
