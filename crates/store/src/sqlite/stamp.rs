//! Detects from the files alone that a database was not written to: four calls of `stat`, no statement, no thread.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::file::log_of;
use crate::engine::Stamp;

/// Minimum age of a stamped file. Two writes within one tick of the file system's clock, ten milliseconds at most,
/// look alike, so a more recently written file has no stamp.
const SETTLED_AFTER: Duration = Duration::from_millis(100);

/// The stamp of a database file and its log. Every commit of any process is first written to the log.
pub(super) fn stamp(database: &Path, now: SystemTime) -> Option<Stamp> {
    Some([file_stamp(database, now)?, file_stamp(&log_of(database), now)?])
}

fn file_stamp(path: &Path, now: SystemTime) -> Option<(u64, SystemTime)> {
    let metadata = fs::metadata(path).ok()?;
    let written = metadata.modified().ok()?;
    let is_settled = now.duration_since(written).is_ok_and(|age| age >= SETTLED_AFTER);
    is_settled.then_some((metadata.len(), written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_change_with_commits_and_recent_writes_have_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let now = SystemTime::now();
        let later = now + Duration::from_secs(60);
        assert_eq!(stamp(&path, later), None, "no log");
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").unwrap();
        assert_eq!(stamp(&path, now), None, "just written");
        assert_eq!(stamp(&path, now - Duration::from_secs(3_600)), None, "a clock that was set back");
        let mut before = stamp(&path, later).unwrap();
        assert_eq!(stamp(&path, later), Some(before));
        for _ in 0..3 {
            // Longer than a tick of the file system's clock.
            std::thread::sleep(Duration::from_millis(20));
            connection.execute_batch("INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(RESTART)").unwrap();
            let after = stamp(&path, later).unwrap();
            assert_ne!(after, before);
            before = after;
        }
    }
}
