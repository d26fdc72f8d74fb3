//! The settings. The first that is given wins: the flag, its environment variable, the optional file, the default.
//!
//! Each setting is declared once, and the service is built directly from these groups. A field marked `skip` is not
//! available to the operator: it exists so that tests can use other values than production.

mod billing;
mod commands;
mod connections;
mod loading;
mod names;
mod pages;
mod redis;
mod secret_file;
mod serve;
pub mod telemetry;
mod timeouts;
mod tls;
mod webhooks;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

pub use billing::{BillingSecrets, BillingSettings, PlanPrices, STRIPE_TIMEOUT, StripeAccess, is_stripe_id};
use clap::{Args, Parser, Subcommand};
pub use commands::{
    BillingCommand, CheckArgs, Demo, Health, KeysCommand, MigrateArgs, SyncArgs, WebhooksCommand,
};
pub use connections::{ClientMemory, ConnectionSettings, LONGEST_SEND_TIMEOUT};
use lastro_store::Store;
pub use loading::{Loaded, from_environment, read_again};
pub use names::{Given, unknown_variables};
pub use pages::{PageSettings, PublicUrl};
pub use redis::{RedisSettings, RedisUrl};
pub use secret_file::secret_from_file;
pub use serve::{AdminListen, PublisherSettings, RegistrationSettings, Serve, Switch};
use telemetry::LogFormat;
pub use timeouts::SyncTimeouts;
pub use tls::{CertificateFiles, TlsSettings};
pub use webhooks::WebhookSettings;

/// Brazilian market rates, companies and filings over HTTP.
///
/// Without a command, `lastro` serves. An empty database is filled with a small made-up sample first,
/// so that it can be tried at once.
#[derive(Debug, Parser)]
#[command(name = "lastro")]
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
    /// Show the payments of accounts, as last reported by Stripe
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
    /// Check settings, files, certificate, database and Redis without starting; the exit status is 0 if a server could
    /// start with them. Changes nothing
    Check(Box<CheckArgs>),
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
    /// Lines to log, such as `info,lastro::access=debug` [default: RUST_LOG, or `info`]
    #[arg(long, env = "LASTRO_LOG", global = true, value_name = "FILTER", value_parser = log_filter)]
    pub log: Option<String>,
    /// Format of log lines
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

fn log_filter(text: &str) -> Result<String, String> {
    telemetry::parse(text).map(|_| text.to_owned())
}

impl Cli {
    /// The settings of `serve`, if that is the command.
    pub fn serve_settings(&mut self) -> Option<&mut Serve> {
        match &mut self.command {
            None => Some(&mut self.serve),
            Some(Command::Serve(serve)) => Some(serve),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
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
