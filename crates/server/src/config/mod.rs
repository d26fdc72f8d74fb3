//! The settings. The first that is given wins: the flag, its environment variable, the optional file, the default.
//!
//! Each setting is declared once, and the service is built directly from these groups. A field marked `skip` is not
//! available to the operator: it exists so that tests can use other values than production.

mod billing;
mod commands;
mod connections;
mod pages;
mod redis;
mod secret_file;
mod serve;
mod timeouts;
mod tls;
mod webhooks;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
pub use billing::{BillingSecrets, BillingSettings, PlanPrices, STRIPE_TIMEOUT, StripeAccess, is_stripe_id};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
pub use commands::{BillingCommand, Demo, Health, KeysCommand, MigrateArgs, SyncArgs, WebhooksCommand};
pub use connections::{ClientMemory, ConnectionSettings, LONGEST_SEND_TIMEOUT};
use lastro_store::Store;
pub use pages::{PageSettings, PublicUrl};
pub use redis::{RedisSettings, RedisUrl};
pub use secret_file::secret_from_file;
pub use serve::{AdminListen, PublisherSettings, RegistrationSettings, Serve, Switch};
pub use timeouts::SyncTimeouts;
pub use tls::{CertificateFiles, TlsSettings};
pub use webhooks::WebhookSettings;

use crate::telemetry::LogFormat;

/// Brazilian market rates, companies and filings over HTTP.
///
/// Without a command, `lastro` serves. An empty database is filled with a small made-up sample first,
/// so that there is something to ask at once.
#[derive(Debug, Parser)]
#[command(name = "lastro", version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("SOURCE_COMMIT"), ")"))]
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
    Serve(Box<Serve>),
    /// Create, list, change, revoke and erase API keys; takes effect on a running server within a second
    Keys {
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Show webhooks and their deliveries, enable or disable one; takes effect on a running server at once
    Webhooks {
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        command: WebhooksCommand,
    },
    /// Show the payments of accounts, as last heard of Stripe
    Billing {
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        command: BillingCommand,
    },
    /// List the processes that serve the database: which are alive, and the data they do not serve yet
    Replicas {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Synchronise with the official sources now; the exit status is 0 if every source succeeded
    Sync(SyncArgs),
    /// Fill a database without official data with made-up data of any size; the same seed gives the same data
    Demo(Demo),
    /// Move everything to another database, such as from SQLite to PostgreSQL, while both are out of service. Run again
    /// after an interruption, it continues
    Migrate(MigrateArgs),
    /// Check whether a server on this machine is ready; the exit status is 0 if it is. For containers without curl
    Health(Health),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of all commands: `lastro man > lastro.1`
    Man,
}

impl Command {
    fn opens_the_database(&self) -> bool {
        !matches!(self, Self::Migrate(_) | Self::Health(_) | Self::Completions { .. } | Self::Man)
    }
}

/// Settings of every command.
#[derive(Clone, Args)]
pub struct Common {
    /// Database for data and keys: sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE
    #[arg(
        long,
        env = "LASTRO_DATABASE",
        hide_env_values = true,
        default_value = "sqlite:lastro.db",
        global = true,
        value_name = "URL"
    )]
    pub database: String,
    /// File with that URL in its first line, instead of --database, for URLs with a password
    #[arg(long, env = "LASTRO_DATABASE_FILE", global = true, value_name = "FILE")]
    pub database_file: Option<PathBuf>,
    /// Certificate authorities (PEM) of the PostgreSQL server [default: the public ones]
    #[arg(long, env = "LASTRO_DATABASE_CA", global = true, value_name = "FILE")]
    pub database_ca: Option<PathBuf>,
    /// Connections to PostgreSQL shared by small queries; publications and loads have their own
    #[arg(
        long,
        env = "LASTRO_DATABASE_CONNECTIONS",
        default_value_t = 8,
        global = true,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    pub database_connections: u16,
    /// File with the secret of the key hashes [default: the SQLite file's name and `.pepper`; required with PostgreSQL]
    #[arg(long, env = "LASTRO_PEPPER_FILE", global = true, value_name = "FILE")]
    pub pepper_file: Option<PathBuf>,
    /// TOML file with any of these settings, named like the flags without the leading dashes
    #[arg(long, env = "LASTRO_CONFIG", global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Format of log lines; RUST_LOG chooses what is logged
    #[arg(long, env = "LASTRO_LOG_FORMAT", default_value = "text", global = true, value_name = "FORMAT")]
    pub log_format: LogFormat,
}

/// Omits the URL of the database, which may hold a password.
impl fmt::Debug for Common {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Common").field("pepper_file", &self.pepper_file).finish_non_exhaustive()
    }
}

impl Common {
    /// The default settings, ignoring the environment.
    pub fn defaults() -> anyhow::Result<Self> {
        defaults()
    }

    /// Opens the database, creating or migrating it if needed.
    pub async fn open_store(&self) -> lastro_store::Result<Arc<dyn Store>> {
        lastro_store::open_with(&self.database, &self.store_options()).await
    }

    /// Opens the database, which must exist.
    pub async fn open_existing_store(&self) -> lastro_store::Result<Arc<dyn Store>> {
        lastro_store::open_existing_with(&self.database, &self.store_options()).await
    }

    /// The connection settings of a database server.
    pub fn store_options(&self) -> lastro_store::Options {
        let connections = usize::from(self.database_connections);
        lastro_store::Options { connections, ca: self.database_ca.clone(), ..Default::default() }
    }
}

fn defaults<T: Args>() -> anyhow::Result<T> {
    let command = T::augment_args(clap::Command::new("defaults")).no_binary_name(true);
    let command = command.mut_args(|argument| argument.env(None));
    Ok(T::from_arg_matches(&command.try_get_matches_from(std::iter::empty::<&str>())?)?)
}

/// Reads the command line, the environment and the file. An invalid command line ends the program with a message.
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
    let mut cli = Cli::from_arg_matches(&matches)?;
    if cli.command.as_ref().is_none_or(Command::opens_the_database)
        && let Some(url) = secret_file::chosen(&matches, "database", cli.common.database_file.as_deref())?
    {
        cli.common.database = url;
    }
    if let Some((serve, matches)) = serving(&mut cli, &matches)
        && let Some(url) = secret_file::chosen(matches, "redis", serve.redis.redis_file.as_deref())?
    {
        serve.redis.redis = Some(RedisUrl(url));
    }
    Ok(cli)
}

/// The settings of `serve` and the matches they were parsed from, if that is the command.
fn serving<'a>(cli: &'a mut Cli, matches: &'a ArgMatches) -> Option<(&'a mut Serve, &'a ArgMatches)> {
    match (&mut cli.command, matches.subcommand()) {
        (None, _) => Some((&mut cli.serve, matches)),
        (Some(Command::Serve(serve)), Some((_, matches))) => Some((serve, matches)),
        _ => None,
    }
}

/// Rejects a setting of `serve` before another command, where it would be silently ignored.
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

/// Finds `--config` before the rest is parsed, because the file changes the defaults.
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

/// Makes the values of the file the defaults of the flags of those names, here and in the commands that have them. A
/// name that is not a flag is an error.
fn with_file(mut command: clap::Command, text: &str) -> anyhow::Result<clap::Command> {
    let table = text.parse::<toml::Table>().map_err(|error| without_its_line(text, &error))?;
    if let Some(name) = table.keys().find(|name| table.contains_key(&format!("{name}-file"))) {
        bail!("`{name}` and `{name}-file` say the same; one of them must go");
    }
    for (name, value) in table {
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
        // A value hidden when it comes from the environment is hidden when it comes from the file too.
        let said = |argument: Arg| {
            let hidden = argument.is_hide_env_values_set();
            argument.default_value(value.clone()).hide_default_value(hidden)
        };
        command = command.mut_arg(&id, said);
        for name in ["serve", "sync", "health"] {
            if command.find_subcommand(name).is_some_and(&known) {
                command = command.mut_subcommand(name, |command| command.mut_arg(&id, said));
            }
        }
        let erase = command.find_subcommand("keys").and_then(|keys| keys.find_subcommand("erase"));
        if erase.is_some_and(&known) {
            command = command.mut_subcommand("keys", |keys| {
                keys.mut_subcommand("erase", |erase| erase.mut_arg(&id, said))
            });
        }
    }
    Ok(command)
}

/// The error with its line number but without the line itself, which may hold a password.
fn without_its_line(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let before = error.span().and_then(|span| text.as_bytes().get(..span.start)).unwrap_or_default();
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    anyhow::anyhow!("line {line}: {}", error.message())
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
    fn the_file_sets_values_that_no_flag_sets() {
        let file = "listen = \"127.0.0.1:1\"\ndatabase = \"sqlite:x.db\"\nregistrations-per-hour = 5";
        let cli = parse(file, &["lastro", "--listen", "127.0.0.1:2"]).unwrap();
        assert_eq!(cli.serve.listen.port(), 2);
        assert_eq!(cli.serve.registrations.registrations_per_hour, 5);
        assert_eq!(cli.common.database, "sqlite:x.db");
        let cli = parse(file, &["lastro", "serve"]).unwrap();
        let Some(Command::Serve(serve)) = cli.command else { panic!("not serve") };
        assert_eq!((serve.listen.port(), serve.registrations.registrations_per_hour), (1, 5));
        assert_eq!(cli.common.database, "sqlite:x.db");
    }

    #[test]
    fn a_switch_flag_without_a_value_turns_it_on() {
        let switched =
            |arguments: &[&str]| parse("", arguments).unwrap().serve.webhooks.webhooks_allow_private;
        assert_eq!(switched(&["lastro"]), Switch::Off);
        assert_eq!(switched(&["lastro", "--webhooks-allow-private"]), Switch::On);
        assert_eq!(switched(&["lastro", "--webhooks-allow-private", "off"]), Switch::Off);
        let cli = parse("webhooks-allow-private = \"on\"", &["lastro"]).unwrap();
        assert_eq!(cli.serve.webhooks.webhooks_allow_private, Switch::On);
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
    fn a_password_in_the_file_is_never_shown() {
        let mut command = with_file(Cli::command(), "database = \"postgres://a:hunter2@b/c\"").unwrap();
        assert!(!command.render_long_help().to_string().contains("hunter2"));
        let broken = with_file(Cli::command(), "sync = \"off\"\ndatabase = \"postgres://a:hunter2@b/c\n");
        let refusal = format!("{:#}", broken.unwrap_err());
        assert!(refusal.starts_with("line 2: ") && !refusal.contains("hunter2"), "{refusal}");
        let cli = parse("database = \"postgres://a:hunter2@b/c\"", &["lastro"]).unwrap();
        assert!(!format!("{cli:?}").contains("hunter2"));
    }

    #[test]
    fn a_file_that_names_the_database_twice_is_refused() {
        let twice =
            with_file(Cli::command(), "database = \"sqlite:x.db\"\ndatabase-file = \"url\"").unwrap_err();
        assert!(twice.to_string().contains("`database` and `database-file`"), "{twice}");
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
