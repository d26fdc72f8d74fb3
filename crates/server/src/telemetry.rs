//! Logs: one line an event, to standard error, as text or as JSON. No line holds a key or an address of a person.

use std::io::IsTerminal;

use tracing::{Level, Metadata};
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

/// The log lines to write: those that `RUST_LOG` names by target and level, or the usual ones. The protocol libraries warn of
/// every mistake of a client, a line for each: a client could fill the disk with them.
fn filter(chosen: Option<&str>) -> Targets {
    let usual = || {
        let quiet = ["h2", "hyper", "hyper_util"].map(|library| (library, LevelFilter::ERROR));
        Targets::new().with_default(LevelFilter::INFO).with_targets(quiet)
    };
    chosen.and_then(|text| text.parse().ok()).unwrap_or_else(usual)
}

/// The driver of PostgreSQL would tell every statement, also where somebody wants to hear everything; and the pool would
/// warn of every connection that was lost, which the store deals with or tells itself. No choice overrules this.
fn may_be_told(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let loudest = match target.split("::").next() {
        Some("tokio_postgres") => Level::WARN,
        Some("deadpool.postgres") => Level::ERROR,
        _ => return true,
    };
    *metadata.level() <= loudest
}

/// Starts logging. `RUST_LOG` chooses what is said (`RUST_LOG=lastro::access=debug` adds a line for each request).
pub fn start(format: LogFormat) {
    // Colours are for people; a file or a pipe gets plain text.
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let chosen = std::env::var("RUST_LOG").ok();
    let logging = registry().with(lines).with(filter(chosen.as_deref())).with(filter_fn(may_be_told));
    // A second start (tests in one process) keeps the first logger.
    let _ = logging.try_init();
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Captured(Arc<Mutex<Vec<u8>>>);

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is said of a few events.
    fn told(chosen: Option<&str>) -> String {
        let captured = Captured::default();
        let writer = captured.clone();
        let lines = fmt::layer().with_writer(move || writer.clone());
        let logging = registry().with(lines).with(filter(chosen)).with(filter_fn(may_be_told));
        tracing::subscriber::with_default(logging, || {
            tracing::debug!(target: "tokio_postgres", "a secret");
            tracing::info!(target: "tokio_postgres::connection", "a secret");
            tracing::debug!(target: "tokio_postgres::simple_query", "a secret");
            tracing::warn!(target: "deadpool.postgres", "a connection was lost");
            tracing::warn!(target: "tokio_postgres::connection", "a warning");
            tracing::info!(target: "tokio_postgres_other", "another library");
        });
        let bytes = captured.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn no_choice_makes_the_driver_tell_statements() {
        let deep =
            "tokio_postgres::simple_query=debug,tokio_postgres::connection=trace,deadpool.postgres=trace";
        for chosen in [None, Some("trace"), Some("tokio_postgres=debug,info"), Some(deep)] {
            let told = told(chosen);
            assert!(!told.contains("a secret") && !told.contains("was lost"), "{chosen:?}: {told}");
            assert!(told.contains("a warning"), "{chosen:?}: {told}");
        }
        assert!(told(Some("trace")).contains("another library"));
    }
}
