//! Whether the database accepts writes, as the last attempt of each regular writer showed.
//!
//! Reads are answered from memory whatever happens to the database, so a disk that is full or a server that became a
//! standby would go unnoticed until counts are lost. Every change is logged once; `/health`, `/readyz` and the metrics
//! show the state.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use lastro_model::Clock;
use parking_lot::Mutex;

use crate::metrics::prometheus::Exposition;

/// A part of the service that writes regularly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// The heartbeat, every few seconds.
    Heartbeat,
    /// The usage counts. They may need room on the disk where a heartbeat needs none.
    Usage,
}

/// A failed write, with the reason in a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFailure {
    pub since: Timestamp,
    pub reason: String,
}

pub struct WriteState {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The failures of [`Writer::Heartbeat`] and [`Writer::Usage`].
    heartbeat: Option<WriteFailure>,
    usage: Option<WriteFailure>,
}

impl State {
    fn failure(&self) -> Option<&WriteFailure> {
        self.heartbeat.iter().chain(&self.usage).min_by_key(|failure| failure.since)
    }
}

impl WriteState {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// Records the outcome of a write. The first failure and the end of all failures are logged.
    pub fn note(&self, writer: Writer, outcome: Result<(), String>) {
        let mut state = self.state.lock();
        let was_failing = state.failure().is_some();
        let slot = match writer {
            Writer::Heartbeat => &mut state.heartbeat,
            Writer::Usage => &mut state.usage,
        };
        *slot = outcome.err().map(|reason| {
            let since = slot.as_ref().map_or_else(|| self.clock.now().timestamp(), |before| before.since);
            WriteFailure { since, reason }
        });
        match state.failure() {
            Some(WriteFailure { reason, .. }) if !was_failing => tracing::error!(
                "{reason}; requests are answered from memory, and counts are kept until they can be written"
            ),
            None if was_failing => tracing::info!("the database is written again"),
            _ => {}
        }
    }

    /// The failure that lasts longest; `None` if the last writes succeeded.
    pub fn failure(&self) -> Option<WriteFailure> {
        self.state.lock().failure().cloned()
    }

    /// Writes the metrics.
    pub fn render(&self, out: &mut Exposition) {
        let help = "Whether the last writes to the database succeeded.";
        out.gauge("lastro_store_writable", help, u8::from(self.failure().is_none()));
    }
}

impl fmt::Debug for WriteState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteState").field("state", &*self.state.lock()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::ManualClock;
    use std::time::Duration;

    #[test]
    fn either_writer_shows_that_writes_fail() {
        let clock = Arc::new(ManualClock::starting_at(1_000));
        let writes = WriteState::new(Arc::clone(&clock) as Arc<dyn Clock>);
        assert_eq!(writes.failure(), None);
        writes.note(Writer::Heartbeat, Ok(()));
        writes.note(Writer::Usage, Err("full".to_owned()));
        clock.advance(Duration::from_secs(5));
        writes.note(Writer::Heartbeat, Ok(()));
        writes.note(Writer::Usage, Err("still full".to_owned()));
        let failure = writes.failure().unwrap();
        assert_eq!((failure.since.as_millisecond(), failure.reason.as_str()), (1_000, "still full"));
        writes.note(Writer::Heartbeat, Err("full".to_owned()));
        writes.note(Writer::Usage, Ok(()));
        assert_eq!(writes.failure().unwrap().since.as_millisecond(), 6_000);
        writes.note(Writer::Heartbeat, Ok(()));
        assert_eq!(writes.failure(), None);
    }
}
