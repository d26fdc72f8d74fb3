//! Logs: one line per event, to standard error, as text or JSON. No line contains a key or a person's address.

use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;

use tracing::{Level, Metadata};
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{registry, reload};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

/// The filter of the running log, which can be replaced.
#[derive(Clone)]
pub struct LogFilter(Arc<dyn Fn(Targets) + Send + Sync>);

impl LogFilter {
    /// Selects the lines by this filter, or else by `RUST_LOG`, or else by the default.
    pub fn set(&self, chosen: Option<&str>) {
        let (filter, complaint) = filter(chosen, std::env::var("RUST_LOG").ok().as_deref());
        self.0(filter);
        complain(complaint);
    }
}

impl fmt::Debug for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFilter").finish_non_exhaustive()
    }
}

/// The default filter. It silences the warnings of the protocol libraries: they log a line for every mistake of a
/// client, so a client could fill the disk.
fn usual() -> Targets {
    let quiet = ["h2", "hyper", "hyper_util"].map(|library| (library, LevelFilter::ERROR));
    Targets::new().with_default(LevelFilter::INFO).with_targets(quiet)
}

/// The chosen filter, and a sentence about one that cannot be read.
fn filter(chosen: Option<&str>, rust_log: Option<&str>) -> (Targets, Option<String>) {
    let named = [("--log", chosen), ("RUST_LOG", rust_log)];
    let given = named.into_iter().find_map(|(name, text)| Some((name, text?.trim())));
    match given.filter(|(_, text)| !text.is_empty()) {
        None => (usual(), None),
        Some((name, text)) => match parse(text) {
            Ok(filter) => (filter, None),
            Err(reason) => (usual(), Some(format!("{name} has no effect: {reason}"))),
        },
    }
}

/// A sentence about a `RUST_LOG` that cannot be read.
pub fn complaint() -> Option<String> {
    filter(None, std::env::var("RUST_LOG").ok().as_deref()).1
}

fn complain(complaint: Option<String>) {
    if let Some(complaint) = complaint {
        tracing::warn!("{complaint}");
    }
}

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Number of typing mistakes up to which a word is taken for a level.
const MOST_MISTAKES: usize = 2;

/// Parses a filter such as `info,lastro::access=debug`.
pub fn parse(text: &str) -> Result<Targets, String> {
    text.split(',').map(str::trim).filter(|directive| !directive.is_empty()).try_for_each(check)?;
    text.parse().map_err(|_| format!("`{text}` is no filter such as `info,lastro::access=debug`"))
}

/// Rejects a level that is none. A word alone may also be a target, but one that is nearly a level is a typo: as a
/// target it would silence everything else.
fn check(directive: &str) -> Result<(), String> {
    let (is_alone, word) = match directive.rsplit_once('=') {
        Some((_, level)) => (false, level.trim()),
        None => (true, directive),
    };
    if word.parse::<LevelFilter>().is_ok() {
        return Ok(());
    }
    let mistakes = |level: &&str| strsim::damerau_levenshtein(&word.to_lowercase(), level);
    match LEVELS.iter().min_by_key(|level| mistakes(level)).filter(|level| mistakes(level) <= MOST_MISTAKES) {
        Some(level) => Err(format!("`{word}` is not a level; did you mean `{level}`?")),
        None if is_alone => Ok(()),
        None => Err(format!("`{word}` is not a level; the levels are {}", LEVELS.join(", "))),
    }
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

/// Starts logging. `chosen`, or else `RUST_LOG`, selects the lines (`lastro::access=debug` adds one for each request).
pub fn start(format: LogFormat, chosen: Option<&str>) -> LogFilter {
    // Only a terminal gets colours; a file or a pipe gets plain text.
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let (first, complaint) = filter(chosen, std::env::var("RUST_LOG").ok().as_deref());
    let (first, handle) = reload::Layer::new(first);
    // A second start (tests in one process) keeps the first logger.
    let _ = registry().with(lines).with(first).with(filter_fn(may_be_told)).try_init();
    complain(complaint);
    // It fails only if the logger is gone.
    LogFilter(Arc::new(move |filter| drop(handle.reload(filter))))
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
        let lines = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
        let logging = registry().with(lines).with(filter(chosen, None).0).with(filter_fn(may_be_told));
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

    #[test]
    fn a_typo_in_a_filter_is_answered_with_the_nearest_level() {
        for (text, level) in [("inof", "info"), ("info,lastro=debgu", "debug"), ("WARNN", "warn")] {
            let (filter, complaint) = filter(None, Some(text));
            let complaint = complaint.unwrap_or_default();
            assert!(complaint.starts_with("RUST_LOG has no effect: "), "{text}: {complaint}");
            assert!(complaint.ends_with(&format!("did you mean `{level}`?")), "{complaint}");
            assert_eq!(filter.to_string(), usual().to_string(), "{text}");
        }
        for good in
            ["info", "INFO,lastro::access=debug", "lastro", "hyper", "off", "3", "", " trace , h2=off"]
        {
            assert_eq!(filter(Some(good), Some("inof")).1, None, "{good}");
        }
    }
}
