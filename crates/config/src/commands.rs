//! The commands other than `serve`, with their arguments.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use lastro_model::{Plan, Source};

use super::serve::{AdminListen, FIRST_YEAR, PublisherSettings, Serve};
use super::{StripeAccess, SyncTimeouts, timeouts};

#[derive(Debug, Clone, Args)]
pub struct SyncArgs {
    /// Only these sources
    #[arg(long, value_delimiter = ',', value_parser = parse_source, value_name = "SOURCE,…")]
    pub source: Vec<Source>,
    /// The first year of filings to fetch
    #[arg(long, env = "LASTRO_SINCE", default_value_t = FIRST_YEAR, value_name = "YYYY", value_parser = clap::value_parser!(i16).range(1990..=2100))]
    pub since: i16,
    /// Request everything again, including days and years long past
    #[arg(long)]
    pub full: bool,
    /// Accept these sources this once, even if they lost rows, and release everything withheld of them
    #[arg(long, value_delimiter = ',', value_parser = parse_source, value_name = "SOURCE,…")]
    pub accept: Vec<Source>,
    /// Time to wait for another process that is synchronising the same source
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = timeouts::duration)]
    pub wait: Duration,
    /// Also list every rejected row with its file and line, and every withheld point
    #[arg(long)]
    pub verbose: bool,
    /// Directory for the downloads of an unfinished synchronisation [default: the SQLite file's name and `.spool`, else
    /// none]
    #[arg(long, env = "LASTRO_SPOOL_DIR", value_name = "DIRECTORY")]
    pub spool_dir: Option<PathBuf>,
    #[command(flatten)]
    pub publishers: PublisherSettings,
    #[command(flatten)]
    pub timeouts: SyncTimeouts,
}

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Create a key and print it; it is shown only this once
    Create {
        /// free, bronze, gold or platinum
        #[arg(long, value_parser = parse_plan)]
        plan: Plan,
        /// Name of the holder
        #[arg(long)]
        name: String,
        /// E-mail address of the holder
        #[arg(long)]
        email: String,
        /// Requests a minute instead of the plan's limit
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
        rate_limit: Option<u32>,
    },
    /// List all keys, without their secrets
    List,
    /// Move a key's account to another plan
    SetPlan {
        /// The key's id, as `lastro keys list` shows it
        id: String,
        /// free, bronze, gold or platinum
        #[arg(value_parser = parse_plan)]
        plan: Plan,
        /// Requests a minute instead of the plan's limit; 0 returns to the plan's
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
        rate_limit: Option<u32>,
    },
    /// Replace a key with a new one of the same account and print it. An account whose last key was revoked or has ended
    /// gets a new one
    Rotate {
        /// The key's id, as `lastro keys list` shows it
        id: String,
        /// Time the old key keeps working
        #[arg(long, default_value_t = 3600, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=86_400))]
        grace_seconds: u32,
    },
    /// Revoke a key
    Revoke {
        /// The key's id, as `lastro keys list` shows it
        id: String,
    },
    /// Erase the holder of a key: name, address, all keys and webhooks; usage counts stay, without a name. The keys are
    /// revoked and a subscription is canceled first
    Erase {
        /// The key's id, as `lastro keys list` shows it
        id: String,
        #[command(flatten)]
        stripe: StripeAccess,
    },
}

#[derive(Debug, Subcommand)]
pub enum BillingCommand {
    /// List the accounts that have paid, or have begun to
    List,
    /// Show the payments of one account
    Show {
        /// The id of one of its keys, as `lastro keys list` shows it
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum WebhooksCommand {
    /// List all webhooks
    List,
    /// Show a webhook and its last deliveries
    Show {
        /// The webhook's id, as `lastro webhooks list` shows it
        id: String,
    },
    /// Enable a webhook and send everything it has not received
    Retry {
        /// The webhook's id, as `lastro webhooks list` shows it
        id: String,
    },
    /// Disable a webhook; its owner cannot enable it again
    Disable {
        /// The webhook's id, as `lastro webhooks list` shows it
        id: String,
    },
}

#[derive(Clone, Args)]
pub struct MigrateArgs {
    /// Database to move, which is only read: sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE
    #[arg(long, value_name = "URL", required_unless_present = "from_file", conflicts_with = "from_file")]
    pub from: Option<String>,
    /// File with that URL in its first line, instead of --from, for URLs with a password
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// Database to fill: an empty one, or that of an interrupted migration, which is continued
    #[arg(long, value_name = "URL", required_unless_present = "to_file", conflicts_with = "to_file")]
    pub to: Option<String>,
    /// File with that URL in its first line, instead of --to, for URLs with a password
    #[arg(long, value_name = "FILE")]
    pub to_file: Option<PathBuf>,
}

/// Omits the URLs, which may hold passwords.
impl fmt::Debug for MigrateArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MigrateArgs").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Args)]
pub struct Demo {
    /// Number of companies
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub companies: u32,
    /// Number of filings
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=50_000_000))]
    pub filings: u32,
    /// Seed of the data set
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub serve: Serve,
}

#[derive(Debug, Clone, Args)]
pub struct Health {
    /// Address of the server's /readyz; for an unspecified address such as 0.0.0.0 the local machine is asked
    #[arg(long, env = "LASTRO_ADMIN_LISTEN", default_value = "127.0.0.1:9090", value_name = "ADDRESS")]
    pub admin_listen: AdminListen,
    /// Timeout of the response
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = timeouts::duration)]
    pub timeout: Duration,
}

fn parse_source(text: &str) -> Result<Source, String> {
    Source::parse(text).map_err(|reason| reason.to_string())
}

fn parse_plan(text: &str) -> Result<Plan, String> {
    Plan::parse(text).map_err(|reason| reason.to_string())
}
