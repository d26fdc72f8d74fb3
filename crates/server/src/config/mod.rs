//! What can be set, where: a flag, its environment twin, the optional file, the default; the first that speaks wins.
//!
//! Each setting is declared here once, and the service is built from these groups as they are. A field that is marked
//! `skip` is no setting of the operator: tests take other numbers there than the world.

mod commands;
mod connections;
mod redis;
mod serve;
mod timeouts;
mod webhooks;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
pub use commands::{Demo, KeysCommand, SyncArgs, WebhooksCommand};
pub use connections::{ConnectionSettings, LONGEST_SEND_TIMEOUT};
pub use redis::{RedisSettings, RedisUrl};
pub use serve::{AdminListen, PublisherSettings, RegistrationSettings, Serve, Switch};
pub use timeouts::SyncTimeouts;
pub use webhooks::WebhookSettings;

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
    Serve(Box<Serve>),
    /// Make, list, change, revoke and erase API keys; in force on a running server within a second
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
        assert_eq!(cli.serve.registrations.registrations_per_hour, 5);
        assert_eq!(cli.common.database, "sqlite:x.db");
        let cli = parse(file, &["lastro", "serve"]).unwrap();
        let Some(Command::Serve(serve)) = cli.command else { panic!("not serve") };
        assert_eq!((serve.listen.port(), serve.registrations.registrations_per_hour), (1, 5));
        assert_eq!(cli.common.database, "sqlite:x.db");
    }

    #[test]
    fn a_switch_that_is_off_may_be_named_alone() {
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
    fn every_setting_has_an_environment_twin() {
        for argument in
            Cli::command().get_arguments().filter(|a| !["help", "version"].contains(&a.get_id().as_str()))
        {
            let twin = format!("LASTRO_{}", argument.get_id().as_str().to_uppercase());
            assert_eq!(argument.get_env().and_then(|env| env.to_str()), Some(twin.as_str()));
        }
    }
}
