//! The one binary. It reads its settings, starts logging, and runs a command.

use std::process::ExitCode;
use std::time::Duration;

use lastro::commands::{completions, demo, health, keys, manual, replicas, serve, sync, webhooks};
use lastro::config::{self, Cli, Command};
use lastro::telemetry::{self, LogFormat};

/// What still computes when a command is over, such as a catalog that nobody will ask, is not waited for.
const AFTERMATH: Duration = Duration::from_millis(100);

/// Gives memory back to the system some seconds after a flood has passed (decision 0005).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = config::from_environment();
    telemetry::start(cli.as_ref().map_or(LogFormat::Text, |cli| cli.common.log_format));
    match cli.and_then(run_to_end) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_to_end(cli: Cli) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let outcome = runtime.block_on(run(cli));
    runtime.shutdown_timeout(AFTERMATH);
    outcome
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        None => serve::run(&cli.common, cli.serve).await,
        Some(Command::Serve(options)) => serve::run(&cli.common, *options).await,
        Some(Command::Keys { json, command }) => keys::run(&cli.common, command, json).await,
        Some(Command::Webhooks { json, command }) => webhooks::run(&cli.common, command, json).await,
        Some(Command::Replicas { json }) => replicas::run(&cli.common, json).await,
        Some(Command::Sync(options)) => sync::run(&cli.common, options).await,
        Some(Command::Demo(options)) => demo::run(&cli.common, options).await,
        Some(Command::Health(options)) => health::run(&options).await,
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man) => manual::run(),
    }
}
