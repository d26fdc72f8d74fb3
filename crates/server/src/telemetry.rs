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

/// The driver of PostgreSQL would tell every statement, also where somebody wants to hear everything.
const NO_STATEMENTS: &str = "tokio_postgres=warn";

fn filter(chosen: Option<EnvFilter>) -> EnvFilter {
    let filter = chosen.unwrap_or_else(|| EnvFilter::new(USUAL));
    match NO_STATEMENTS.parse() {
        Ok(directive) => filter.add_directive(directive),
        Err(_) => filter,
    }
}

/// Starts logging. `RUST_LOG` chooses what is said (`RUST_LOG=lastro::access=debug` adds a line for each request).
pub fn start(format: LogFormat) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(EnvFilter::try_from_default_env().ok()))
        .with_writer(std::io::stderr)
        // Colours are for people; a file or a pipe gets plain text.
        .with_ansi(std::io::stderr().is_terminal());
    // A second start (tests in one process) keeps the first logger.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_choice_makes_the_driver_tell_statements() {
        for chosen in [None, Some("trace"), Some("tokio_postgres=debug,info")] {
            let filter = filter(chosen.map(EnvFilter::new)).to_string();
            assert!(filter.split(',').any(|directive| directive == NO_STATEMENTS), "{filter}");
            assert_eq!(filter.matches("tokio_postgres").count(), 1, "{filter}");
        }
    }
}
