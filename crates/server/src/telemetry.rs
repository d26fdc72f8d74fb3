//! Logs: one line an event, to standard error, as text or as JSON. No line holds a key or an address of a person.

use std::io::IsTerminal;

use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

/// What is said unless `RUST_LOG` says otherwise. The protocol libraries warn of what clients do wrong, a line for each: a
/// client could fill the disk with them.
const USUAL: &str = "info,h2=error,hyper=error,hyper_util=error";

fn filter(chosen: Option<EnvFilter>) -> EnvFilter {
    chosen.unwrap_or_else(|| EnvFilter::new(USUAL))
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
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(EnvFilter::try_from_default_env().ok()))
        .with_writer(std::io::stderr)
        // Colours are for people; a file or a pipe gets plain text.
        .with_ansi(std::io::stderr().is_terminal());
    // A second start (tests in one process) keeps the first logger.
    let _ = match format {
        LogFormat::Text => builder.finish().with(filter_fn(may_be_told)).try_init(),
        LogFormat::Json => builder.json().finish().with(filter_fn(may_be_told)).try_init(),
    };
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
        let builder = tracing_subscriber::fmt()
            .with_env_filter(filter(chosen.map(EnvFilter::new)))
            .with_writer(move || writer.clone());
        tracing::subscriber::with_default(builder.finish().with(filter_fn(may_be_told)), || {
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
