//! The one binary. It reads its settings, starts logging, and runs a command.

use std::process::ExitCode;

use lastro::commands::{demo, keys, serve};
use lastro::config::{self, Cli, Command};
use lastro::telemetry;

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match config::from_environment() {
        Ok(cli) => {
            telemetry::start(cli.common.log_format);
            run(cli).await
        }
        Err(error) => {
            telemetry::start(telemetry::LogFormat::Text);
            Err(error)
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        None => serve::run(&cli.common, cli.serve).await,
        Some(Command::Serve(options)) => serve::run(&cli.common, options).await,
        Some(Command::Keys { json, command }) => keys::run(&cli.common, command, json).await,
        Some(Command::Demo(options)) => demo::run(&cli.common, options).await,
    }
}
