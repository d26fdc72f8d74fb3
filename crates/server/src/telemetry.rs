//! Logs: one line per event, to standard error, as text or JSON. No line contains a key or a person's address.

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

/// The log filter from `RUST_LOG`, or the default. The default silences the warnings of the protocol libraries: they
/// log a line for every mistake of a client, so a client could fill the disk.
fn filter(chosen: Option<&str>) -> Targets {
    let usual = || {
        let quiet = ["h2", "hyper", "hyper_util"].map(|library| (library, LevelFilter::ERROR));
        Targets::new().with_default(LevelFilter::INFO).with_targets(quiet)
    };
    chosen.and_then(|text| text.parse().ok()).unwrap_or_else(usual)
}

/// Whether a line may be logged, whatever `RUST_LOG` says. The PostgreSQL driver would log every statement, and the
/// pool would warn of every lost connection, which the store handles or logs itself.
fn may_be_told(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let loudest = match target.split("::").next() {
        Some("tokio_postgres") => Level::WARN,
        Some("deadpool.postgres") => Level::ERROR,
        _ => return true,
    };
    *metadata.level() <= loudest
}

/// Starts logging. `RUST_LOG` selects the lines (`RUST_LOG=lastro::access=debug` adds a line for each request).
pub fn start(format: LogFormat) {
    // Only a terminal gets colours; a file or a pipe gets plain text.
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

    /// The lines logged for a few events.
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
    fn no_setting_makes_the_driver_log_statements() {
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
