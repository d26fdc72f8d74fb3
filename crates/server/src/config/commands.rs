//! The commands other than `serve`, with their arguments.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use lastro_model::{Plan, Source};

use super::serve::{AdminListen, FIRST_YEAR, PublisherSettings};
use super::{SyncTimeouts, timeouts};

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
    /// Believe these sources this once, also where they lost rows, and let in all that is withheld of them
    #[arg(long, value_delimiter = ',', value_parser = parse_source, value_name = "SOURCE,…")]
    pub accept: Vec<Source>,
    /// How long to wait for another process that is synchronising the same source
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = timeouts::duration)]
    pub wait: Duration,
    /// Also list every row that could not be read, with its file and line, and every point that is withheld
    #[arg(long)]
    pub verbose: bool,
    /// Where the downloads of an unfinished synchronisation are kept [default: the SQLite file's name and `.spool`, else
    /// nowhere]
    #[arg(long, env = "LASTRO_SPOOL_DIR", value_name = "DIRECTORY")]
    pub spool_dir: Option<PathBuf>,
    #[command(flatten)]
    pub publishers: PublisherSettings,
    #[command(flatten)]
    pub timeouts: SyncTimeouts,
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
        /// The key's id, as `lastro keys list` shows it
        id: String,
        /// free, bronze, gold or platinum
        #[arg(value_parser = parse_plan)]
        plan: Plan,
        /// Requests a minute agreed in place of the plan's; 0 returns to the plan's
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
        rate_limit: Option<u32>,
    },
    /// Replace a key by a new one of the same account and print the new one
    Rotate {
        /// The key's id, as `lastro keys list` shows it
        id: String,
        /// How long the old key still works
        #[arg(long, default_value_t = 3600, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=86_400))]
        grace_seconds: u32,
    },
    /// Refuse a key from now on
    Revoke {
        /// The key's id, as `lastro keys list` shows it
        id: String,
    },
    /// Remove the person behind a key: name, address, all keys and webhooks; what was used stays, without a name
    Erase {
        /// The key's id, as `lastro keys list` shows it
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
    /// Enable a webhook and make everything that it has not received due now
    Retry {
        /// The webhook's id, as `lastro webhooks list` shows it
        id: String,
    },
    /// Send nothing to a webhook any more; its owner cannot enable it
    Disable {
        /// The webhook's id, as `lastro webhooks list` shows it
        id: String,
    },
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

#[derive(Debug, Clone, Args)]
pub struct Health {
    /// Address of the server's /readyz; one that means every address of the machine is asked on the machine itself
    #[arg(long, env = "LASTRO_ADMIN_LISTEN", default_value = "127.0.0.1:9090", value_name = "ADDRESS")]
    pub admin_listen: AdminListen,
    /// How long to wait for the answer
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = timeouts::duration)]
    pub timeout: Duration,
}

fn parse_source(text: &str) -> Result<Source, String> {
    Source::parse(text).map_err(|reason| reason.to_string())
}

fn parse_plan(text: &str) -> Result<Plan, String> {
    Plan::parse(text).map_err(|reason| reason.to_string())
}
