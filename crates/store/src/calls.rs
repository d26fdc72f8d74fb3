//! Measurements of the calls to a database, and the log of its outages.
//!
//! Callers log a failed call at most at debug level: the outage is logged here, once for all of them.

use std::future::Future;

use lastro_model::{Distribution, Histogram, Outage, OutageChange, OutageExtent};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{Result, StoreError};

/// Measurements that a store makes of itself.
pub trait MeasuredStore: Send + Sync {
    fn calls(&self) -> &Calls;

    /// The shared connections to a database server. `None` for a database that is a file.
    fn pool(&self) -> Option<PoolState>;
}

/// The connections of a pool, and the calls that wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolState {
    pub limit: usize,
    pub in_use: usize,
    pub idle: usize,
    pub waiting: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// A small read.
    Read,
    /// A small change.
    Change,
    /// The publication of an edition.
    Publish,
    /// The begin of reading a whole edition, or the changes to one.
    Load,
}

impl CallKind {
    pub const ALL: [Self; 4] = [Self::Read, Self::Change, Self::Publish, Self::Load];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Change => "change",
            Self::Publish => "publish",
            Self::Load => "load",
        }
    }
}

/// Durations of calls, with retries and the wait for a connection.
#[derive(Debug)]
pub struct Calls {
    started: Instant,
    kinds: [Outcomes; CallKind::ALL.len()],
    reading: Mutex<Outage>,
    writing: Mutex<Outage>,
}

#[derive(Debug, Default)]
struct Outcomes {
    completed: Histogram,
    failed: Histogram,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            kinds: Default::default(),
            reading: Mutex::default(),
            writing: Mutex::default(),
        }
    }

    /// Durations of the calls that the database carried out.
    pub fn completed(&self, kind: CallKind) -> Distribution {
        self.kinds[kind as usize].completed.read()
    }

    /// Durations of the calls that the database failed.
    pub fn failed(&self, kind: CallKind) -> Distribution {
        self.kinds[kind as usize].failed.read()
    }

    /// Awaits a call and records it. A call that is cancelled is not recorded.
    pub(crate) async fn measure<T>(
        &self,
        kind: CallKind,
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let begun = Instant::now();
        let result = call.await;
        let failure = result.as_ref().err().filter(|error| error.is_database_failure());
        let outcomes = &self.kinds[kind as usize];
        let histogram = if failure.is_some() { &outcomes.failed } else { &outcomes.completed };
        histogram.record_ns(nanoseconds(begun.elapsed()));
        self.note(kind, failure, nanoseconds(self.started.elapsed()));
        result
    }

    /// Logs what changes: reads and writes have outages of their own.
    fn note(&self, kind: CallKind, failure: Option<&StoreError>, now_ns: u64) {
        let (outage, work) = match kind {
            CallKind::Read | CallKind::Load => (&self.reading, "read"),
            CallKind::Change | CallKind::Publish => (&self.writing, "written"),
        };
        let change = match failure {
            Some(_) => outage.lock().failed(now_ns),
            None => outage.lock().succeeded(now_ns),
        };
        if let Some(change) = change {
            log(change, work, failure);
        }
    }
}

fn log(change: OutageChange, work: &str, error: Option<&StoreError>) {
    let error = error.map(tracing::field::display);
    match change {
        OutageChange::Began => {
            tracing::warn!(error, "the database cannot be {work}; data is served from memory meanwhile");
        }
        OutageChange::Lasts(OutageExtent { failures, seconds }) => {
            tracing::warn!(error, failures, seconds, "the database still cannot be {work}");
        }
        OutageChange::Ended(OutageExtent { failures, seconds }) => {
            tracing::info!(failures, seconds, "the database can be {work} again");
        }
    }
}

fn nanoseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Captured(Arc<Mutex<Vec<u8>>>);

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// The log of two minutes in which writes fail every half second and reads go on.
    fn log_of_two_minutes() -> String {
        let captured = Captured::default();
        let writer = captured.clone();
        let logging = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let (calls, full) = (Calls::new(), StoreError::Io("the disk of the database is full".to_owned()));
        tracing::subscriber::with_default(logging, || {
            for half in 0..300 {
                let now_ns = half * 500_000_000;
                calls.note(CallKind::Change, Some(&full).filter(|_| half < 240), now_ns);
                calls.note(CallKind::Read, None, now_ns);
            }
        });
        String::from_utf8(captured.0.lock().clone()).unwrap()
    }

    #[test]
    fn an_outage_is_logged_when_it_begins_and_when_it_ends() {
        let log = log_of_two_minutes();
        let lines: Vec<&str> = log.lines().collect();
        assert_eq!(lines.len(), 2, "{log}");
        assert!(lines[0].contains("cannot be written") && lines[0].contains("disk of the database is full"));
        assert!(lines[1].contains("can be written again failures=240 seconds=119"), "{log}");
    }

    #[tokio::test]
    async fn a_refusal_by_a_rule_is_no_failure_of_the_database() {
        let calls = Calls::new();
        for error in [StoreError::KeyIdTaken, StoreError::Busy] {
            let _: Result<()> = calls.measure(CallKind::Change, async { Err(error) }).await;
        }
        let counts = |kind| (calls.completed(kind).count(), calls.failed(kind).count());
        assert_eq!((counts(CallKind::Change), counts(CallKind::Read)), ((1, 1), (0, 0)));
    }
}
