//! What can be set, where: a flag, its environment twin, the optional file, the default; the first that speaks wins.

mod patience;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use lastro_model::{Plan, Source};
pub use patience::PatienceArgs;

use crate::ingest::sync::Publishers;
use crate::telemetry::LogFormat;

/// Brazilian market rates, companies and filings over HTTP.
///
/// Without a command, `lastro` serves. An empty database is filled with a small made-up sample first,
/// so that there is something to ask at once.
#[derive(Debug, Parser)]
#[command(name = "lastro", version)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub serve: Serve,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API (the default)
    Serve(Serve),
    /// Make, list, change and revoke API keys; in force on a running server within a second
    Keys {
        /// Print JSON, for programs
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Look at the customers' webhooks, deliver again, or disable one; in force on a running server at once
    Webhooks {
        /// Print JSON, for programs
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        command: WebhooksCommand,
    },
    /// Synchronise with the official sources now; the exit status tells whether every source succeeded
    Sync(SyncArgs),
    /// Fill a database that holds no official data with a made-up data set of any size, the same for the same seed
    Demo(Demo),
}

/// Settings of every command.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Where data and keys are kept
    #[arg(
        long,
        env = "LASTRO_DATABASE",
        default_value = "sqlite:lastro.db",
        global = true,
        value_name = "URL"
    )]
    pub database: String,
    /// The secret that key hashes are made with [default: the database's file name and `.pepper`]
    #[arg(long, env = "LASTRO_PEPPER_FILE", global = true, value_name = "FILE")]
    pub pepper_file: Option<PathBuf>,
    /// A TOML file with any of these settings, named as the flags without dashes in front
    #[arg(long, env = "LASTRO_CONFIG", global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How log lines look; what is logged is chosen by RUST_LOG
    #[arg(long, env = "LASTRO_LOG_FORMAT", default_value = "text", global = true, value_name = "FORMAT")]
    pub log_format: LogFormat,
}

#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Address of the API
    #[arg(long, env = "LASTRO_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Address of the operator's /livez, /readyz and /metrics, or `off`
    #[arg(long, env = "LASTRO_ADMIN_LISTEN", default_value = "127.0.0.1:9090", value_name = "ADDRESS")]
    pub admin_listen: AdminListen,
    /// Networks whose X-Forwarded-For is believed, such as `10.0.0.0/8,::1`
    #[arg(
        long,
        env = "LASTRO_TRUSTED_PROXIES",
        default_value = "",
        hide_default_value = true,
        value_name = "CIDR,…"
    )]
    pub trusted_proxies: String,
    /// How many keys one client address may register in an hour
    #[arg(long, env = "LASTRO_REGISTRATIONS_PER_HOUR", default_value_t = 30, value_name = "N")]
    pub registrations_per_hour: u32,
    /// How many client addresses are limited one by one; beyond that newcomers share by network
    #[arg(long, env = "LASTRO_LIMITER_CAPACITY", default_value_t = 200_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limiter_capacity: u32,
    /// Whether the data is kept fresh in the background
    #[arg(long, env = "LASTRO_SYNC", default_value = "on", value_name = "on|off")]
    pub sync: Switch,
    #[command(flatten)]
    pub publishers: PublisherArgs,
    #[command(flatten)]
    pub patience: PatienceArgs,
    /// The first year of filings to keep
    #[arg(long, env = "LASTRO_SINCE", default_value_t = FIRST_YEAR, value_name = "YYYY", value_parser = clap::value_parser!(i16).range(1990..=2100))]
    pub since: i16,
    /// Where the search index is kept between runs [default: the database's file name and `.index`]
    #[arg(long, env = "LASTRO_INDEX_DIR", value_name = "DIRECTORY")]
    pub index_dir: Option<PathBuf>,
    /// How many connections may be open at once
    #[arg(long, env = "LASTRO_MAX_CONNECTIONS", default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// Whether webhooks may lead to private addresses and plain HTTP: for tests and intranets only
    #[arg(long, env = "LASTRO_WEBHOOKS_ALLOW_PRIVATE", default_value = "off", default_missing_value = "on", num_args = 0..=1, value_name = "on|off")]
    pub webhooks_allow_private: Switch,
}

/// The first year that the regulator declares filings for.
const FIRST_YEAR: i16 = 2003;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Switch {
    On,
    Off,
}

/// Mirrors and tests stand in for the official hosts.
#[derive(Debug, Clone, Args)]
pub struct PublisherArgs {
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

impl From<PublisherArgs> for Publishers {
    fn from(arguments: PublisherArgs) -> Self {
        Self { sgs: arguments.sgs_url, ptax: arguments.ptax_url, cvm: arguments.cvm_url }
    }
}

#[derive(Debug, Clone, Args)]
pub struct SyncArgs {
    /// Only these sources
    #[arg(long, value_delimiter = ',', value_parser = parse_source, value_name = "SOURCE,…")]
    pub source: Vec<Source>,
    /// The first year of filings to fetch
    #[arg(long, env = "LASTRO_SINCE", default_value_t = FIRST_YEAR, value_name = "YYYY", value_parser = clap::value_parser!(i16).range(1990..=2100))]
    pub since: i16,
    /// Ask for everything again, also for days and years that are long past
    #[arg(long)]
    pub full: bool,
    /// Believe these sources this once, also where they lost rows or changed a published value beyond belief
    #[arg(long, value_delimiter = ',', value_parser = parse_source, value_name = "SOURCE,…")]
    pub accept: Vec<Source>,
    /// How long to wait for another process that is synchronising the same source
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = patience::duration)]
    pub wait: Duration,
    /// Also list every row that could not be read, with its file and line
    #[arg(long)]
    pub verbose: bool,
    #[command(flatten)]
    pub publishers: PublisherArgs,
    #[command(flatten)]
    pub patience: PatienceArgs,
}

/// The operator's listener can be left out.
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

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key and print it alone: it is shown only this once
    Create {
        /// free, bronze, gold or platinum
        #[arg(long, value_parser = parse_plan)]
        plan: Plan,
        /// Whose key it is
        #[arg(long)]
        name: String,
        /// Where its holder is reached
        #[arg(long)]
        email: String,
        /// Requests a minute agreed in place of the plan's
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
        rate_limit: Option<u32>,
    },
    /// List all keys, without their secrets
    List,
    /// Move a key's account to another plan
    SetPlan {
        id: String,
        #[arg(value_parser = parse_plan)]
        plan: Plan,
        /// Requests a minute agreed in place of the plan's; 0 returns to the plan's
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
        rate_limit: Option<u32>,
    },
    /// Replace a key by a new one of the same account and print the new one
    Rotate {
        id: String,
        /// How long the old key still works
        #[arg(long, default_value_t = 3600, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=86_400))]
        grace_seconds: u32,
    },
    /// Refuse a key from now on
    Revoke { id: String },
}

#[derive(Debug, Subcommand)]
pub enum WebhooksCommand {
    /// List all webhooks
    List,
    /// Show a webhook and its last deliveries
    Show { id: String },
    /// Enable a webhook and make everything that it has not received due now
    Retry { id: String },
    /// Send nothing to a webhook any more; its owner cannot enable it
    Disable { id: String },
}

#[derive(Debug, Clone, Args)]
pub struct Demo {
    /// How many companies
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub companies: u32,
    /// How many filings
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=50_000_000))]
    pub filings: u32,
    /// Another seed makes another data set
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

fn parse_source(text: &str) -> Result<Source, String> {
    Source::parse(text).map_err(|reason| reason.to_string())
}

fn parse_plan(text: &str) -> Result<Plan, String> {
    Plan::parse(text).map_err(|reason| reason.to_string())
}

/// Reads the command line, the environment and the file. A wrong command line ends the program with a message.
pub fn from_environment() -> anyhow::Result<Cli> {
    let mut command = Cli::command();
    if let Some(path) =
        config_path(std::env::args_os()).or_else(|| std::env::var_os("LASTRO_CONFIG").map(PathBuf::from))
    {
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        command = with_file(command, &text).with_context(|| format!("in {}", path.display()))?;
    }
    let matches = command.get_matches();
    refuse_misplaced(&matches)?;
    Ok(Cli::from_arg_matches(&matches)?)
}

/// A setting of `serve` before another command would be lost without a word.
fn refuse_misplaced(matches: &ArgMatches) -> anyhow::Result<()> {
    let settings = Serve::augment_args(clap::Command::new("serve"));
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    match settings.get_arguments().map(|argument| argument.get_id().as_str()).find(|id| given(id)) {
        Some(id) if matches.subcommand().is_some() => {
            bail!("--{} is a setting of `serve` and stands after that word", id.replace('_', "-"))
        }
        _ => Ok(()),
    }
}

/// The file must be known before the rest is read, for it changes the defaults.
fn config_path(mut arguments: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    while let Some(argument) = arguments.next() {
        if argument == "--config" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix("--config=")) {
            return Some(PathBuf::from(path));
        }
    }
    None
}

/// What the file says becomes the default of the flag of that name, here and in the commands that know it; a name that is no
/// flag is an error.
fn with_file(mut command: clap::Command, text: &str) -> anyhow::Result<clap::Command> {
    for (name, value) in text.parse::<toml::Table>()? {
        let id = name.replace('-', "_");
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            _ => bail!("`{name}` must be a text or a whole number"),
        };
        let known = |command: &clap::Command| {
            command.get_arguments().any(|a| a.get_id() == id.as_str() && id != "config")
        };
        if !known(&command) {
            bail!("`{name}` is not a setting; `lastro --help` lists them");
        }
        command = command.mut_arg(&id, |argument| argument.default_value(value.clone()));
        for name in ["serve", "sync"] {
            if command.find_subcommand(name).is_some_and(&known) {
                command = command.mut_subcommand(name, |command| {
                    command.mut_arg(&id, |argument| argument.default_value(value.clone()))
                });
            }
        }
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(file: &str, arguments: &[&str]) -> anyhow::Result<Cli> {
        let matches = with_file(Cli::command(), file)?.try_get_matches_from(arguments)?;
        Ok(Cli::from_arg_matches(&matches)?)
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_file_speaks_where_the_flags_are_silent() {
        let file = "listen = \"127.0.0.1:1\"\ndatabase = \"sqlite:x.db\"\nregistrations-per-hour = 5";
        let cli = parse(file, &["lastro", "--listen", "127.0.0.1:2"]).unwrap();
        assert_eq!(cli.serve.listen.port(), 2);
        assert_eq!(cli.serve.registrations_per_hour, 5);
        assert_eq!(cli.common.database, "sqlite:x.db");
        let cli = parse(file, &["lastro", "serve"]).unwrap();
        let Some(Command::Serve(serve)) = cli.command else { panic!("not serve") };
        assert_eq!((serve.listen.port(), serve.registrations_per_hour), (1, 5));
        assert_eq!(cli.common.database, "sqlite:x.db");
    }

    #[test]
    fn a_switch_that_is_off_may_be_named_alone() {
        let switched = |arguments: &[&str]| parse("", arguments).unwrap().serve.webhooks_allow_private;
        assert_eq!(switched(&["lastro"]), Switch::Off);
        assert_eq!(switched(&["lastro", "--webhooks-allow-private"]), Switch::On);
        assert_eq!(switched(&["lastro", "--webhooks-allow-private", "off"]), Switch::Off);
        let cli = parse("webhooks-allow-private = \"on\"", &["lastro"]).unwrap();
        assert_eq!(cli.serve.webhooks_allow_private, Switch::On);
    }

    #[test]
    fn a_file_with_a_mistake_is_refused() {
        for bad in
            ["listne = \"x\"", "listen = true", "listen = \"nowhere\"", "not toml", "config = \"other.toml\""]
        {
            assert!(parse(bad, &["lastro"]).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_setting_has_an_environment_twin() {
        for argument in
            Cli::command().get_arguments().filter(|a| !["help", "version"].contains(&a.get_id().as_str()))
        {
            let twin = format!("LASTRO_{}", argument.get_id().as_str().to_uppercase());
            assert_eq!(argument.get_env().and_then(|env| env.to_str()), Some(twin.as_str()));
        }
    }
}
