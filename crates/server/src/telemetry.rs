//! Logs: one line an event, to standard error, as text or as JSON. No line holds a key or an address of a person.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

/// What is said unless `RUST_LOG` says otherwise. The protocol libraries warn of what clients do wrong, a line for each: a
/// client could fill the disk with them.
const USUAL: &str = "info,h2=error,hyper=error,hyper_util=error";

/// Starts logging. `RUST_LOG` chooses what is said (`RUST_LOG=lastro::access=debug` adds a line for each request).
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(USUAL));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // Colours are for people; a file or a pipe gets plain text.
        .with_ansi(std::io::stderr().is_terminal());
    // A second start (tests in one process) keeps the first logger.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
}
