//! The entry point of the binary: reads the settings, starts logging and runs a command. It is in the library, so that
//! the code of all commands is generated there and not once more in the binary.

use std::process::ExitCode;
use std::time::Duration;

use lastro_config::telemetry::{self, LogFilter, LogFormat};
use lastro_config::{Command, Loaded};

use super::reload::Reloader;
use super::{
    billing, check, completions, demo, health, keys, manual, migrate, replicas, serve, sync, webhooks,
};

/// Time for background work to end after a command, such as building a catalog that is no longer needed.
const AFTERMATH: Duration = Duration::from_millis(100);

/// Runs the command given by the arguments and the environment.
pub fn from_environment() -> ExitCode {
    let loaded = lastro_config::from_environment(super::VERSION);
    let (format, filter) = match &loaded {
        Ok(Loaded { cli, .. }) => (cli.common.log_format, cli.common.log.as_deref()),
        Err(_) => (LogFormat::Text, None),
    };
    let log = telemetry::start(format, filter);
    for sentence in lastro_config::unknown_variables(std::env::vars_os().map(|(name, _)| name)) {
        tracing::warn!("{sentence}");
    }
    match loaded.and_then(|loaded| run_to_end(loaded, log)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_to_end(loaded: Loaded, log: LogFilter) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let outcome = runtime.block_on(run(loaded, log));
    runtime.shutdown_timeout(AFTERMATH);
    outcome
}

async fn run(Loaded { cli, given }: Loaded, log: LogFilter) -> anyhow::Result<()> {
    match cli.command {
        None => serve::run(&cli.common, cli.serve, Reloader { given, log }).await,
        Some(Command::Serve(options)) => serve::run(&cli.common, *options, Reloader { given, log }).await,
        Some(Command::Check(options)) => check::run(&cli.common, &options).await,
        Some(Command::Keys { json, command }) => keys::run(&cli.common, command, json).await,
        Some(Command::Webhooks { json, command }) => webhooks::run(&cli.common, command, json).await,
        Some(Command::Billing { json, command }) => billing::run(&cli.common, command, json).await,
        Some(Command::Replicas { json }) => replicas::run(&cli.common, json).await,
        Some(Command::Sync(options)) => sync::run(&cli.common, options).await,
        Some(Command::Demo(options)) => demo::run(&cli.common, options).await,
        Some(Command::Migrate(options)) => migrate::run(&cli.common, options).await,
        Some(Command::Health(options)) => health::run(&options).await,
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man) => manual::run(),
    }
}
