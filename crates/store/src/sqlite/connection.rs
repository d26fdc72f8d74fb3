//! Opening and configuration of connections.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::file::{Kind, log_of};
use crate::{Result, StoreError};

/// Timeout of a small statement that waits for another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout of a publication, longer than another publication takes: much work preceded it, so a long wait is worth it.
pub(super) const PUBLICATION_TIMEOUT: Duration = Duration::from_secs(300);

/// Capacity of the statement cache: more than all our statements, so that none is parsed twice.
const STATEMENTS_KEPT: usize = 96;

/// Writer's cache: a publication should not spill pages repeatedly. Memory is allocated on demand, then released.
const WRITER_CACHE_KIB: i64 = 64 * 1024;

/// Reader's cache: lookups read few pages, and whole editions each page once. The system's cache has them as well.
const READER_CACHE_KIB: i64 = 256;

/// Size that the log is truncated to when it restarts, however large a publication made it.
const LOG_KEPT_BYTES: i64 = 64 * 1024 * 1024;

/// Largest file that is checked when it is opened: a megabyte takes six milliseconds, so this much a fifth of a
/// second. Rows of larger files are checked when they are loaded, one by one and by their number.
const LOOKED_THROUGH_BYTES: u64 = 32 * 1024 * 1024;

pub(super) fn open_writer(path: &Path) -> Result<Connection> {
    let connection = open(path)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES)?;
    Ok(connection)
}

/// [`open_reader`] or [`open_untouched`].
pub(super) type OpenReader = fn(&Path) -> Result<Connection>;

/// Not opened with SQLite's read-only flag: the last connection to close must be able to remove the log.
pub(super) fn open_reader(path: &Path) -> Result<Connection> {
    let connection = open(path)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    Ok(connection)
}

/// Like [`open_reader`], but closing it does not move the log of a killed process into the file. An empty log is
/// removed as usual.
pub(super) fn open_untouched(path: &Path) -> Result<Connection> {
    let has_log = std::fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0);
    let connection = open_reader(path)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    Ok(connection)
}

fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Restores the settings for small statements after a publication.
pub(super) fn be_prompt(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
    connection.release_memory()?;
    Ok(())
}

/// Marks the file as ours and switches it to write-ahead logging. Does nothing if both are done already.
///
/// The mark comes first, so that it is in the file itself and never only in the log.
pub(super) fn claim(connection: &Connection, kind: Kind) -> Result<()> {
    let mark: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if mark != kind.application_id {
        connection.pragma_update(None, "application_id", kind.application_id)?;
    }
    let mode = retry_while_busy(|| journal_mode_wal(connection))?;
    if mode == "wal" { Ok(()) } else { Err(StoreError::Unsupported(NO_WAL.to_owned())) }
}

const NO_WAL: &str =
    "the database file lies on a file system that cannot share memory; move it to a local disk";

fn journal_mode_wal(connection: &Connection) -> Result<String> {
    Ok(connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?)
}

/// Retries while busy: SQLite does not wait by itself when two processes switch a new file at the same moment.
fn retry_while_busy<T>(attempt: impl Fn() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    loop {
        match attempt() {
            Err(StoreError::Busy) if started.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

/// Fails if the pages of a small file are inconsistent.
pub(super) fn look_through(connection: &Connection, path: &Path) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|file| file.len() > LOOKED_THROUGH_BYTES) {
        return Ok(());
    }
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::damaged("its pages do not fit together")) }
}

/// Moves the log into the file, then truncates it if it has no readers.
///
/// The passive step comes first and blocks no writer; it leaves next to nothing for the exclusive step.
pub(super) fn fold_log(path: &Path) -> Result<()> {
    let connection = open(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    for mode in ["PASSIVE", "TRUNCATE"] {
        connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()))?;
    }
    Ok(())
}

/// Rewrites the file without the remains of deleted rows, and truncates the log. Returns false if readers use the log
/// for too long: the next checkpoint then removes the bytes.
pub(super) fn rewrite(connection: &Connection) -> Result<bool> {
    connection.execute_batch("VACUUM")?;
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}
