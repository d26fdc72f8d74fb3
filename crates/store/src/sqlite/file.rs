//! Checks of a database file before SQLite opens it.
//!
//! Only the first bytes are read, with plain file calls, so another program's file stays unchanged and gets no
//! companion files.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::migration::{self, Migration};
use crate::{Result, StoreError};

/// One of the two files of a database.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// The mark in SQLite's own header that identifies our files.
    pub(super) application_id: i32,
    pub(super) migrations: &'static [Migration],
}

/// The published data.
pub(super) const DATA: Kind =
    Kind { application_id: i32::from_be_bytes(*b"LSTR"), migrations: migration::DATA };

/// The latency-sensitive account data, which never waits for a publication.
pub(super) const ACCOUNTS: Kind =
    Kind { application_id: i32::from_be_bytes(*b"LSTA"), migrations: migration::ACCOUNTS };

/// The path of the account file that belongs to a data file.
pub(super) fn accounts_beside(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".accounts");
    PathBuf::from(name)
}

/// The path of the write-ahead log of a database file.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// The file is missing or empty.
    Nothing,
    Ours,
}

const HEADER_LENGTH: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_ID_AT: std::ops::Range<usize> = 68..72;

/// Checks for a file of ours. Another program's file is an error.
pub(super) fn examine(path: &Path, kind: Kind) -> Result<Found> {
    match read_header(path) {
        Ok(header) if header.is_empty() => Ok(Found::Nothing),
        Ok(header) if is_of(kind, &header) => Ok(Found::Ours),
        Ok(_) => Err(StoreError::Foreign { database: path.display().to_string() }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(io("read", path, &error)),
    }
}

fn read_header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(HEADER_LENGTH);
    File::open(path)?.take(HEADER_LENGTH as u64).read_to_end(&mut header)?;
    Ok(header)
}

fn is_of(kind: Kind, header: &[u8]) -> bool {
    header.len() == HEADER_LENGTH
        && header.starts_with(MAGIC)
        && header.get(APPLICATION_ID_AT).is_some_and(|id| *id == kind.application_id.to_be_bytes())
}

/// Creates an empty file unless it exists: another process may be starting as well.
pub(super) fn create(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    // The files hold personal names and addresses. SQLite gives their companion files the same mode.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io("create", path, &error)),
        _ => Ok(()),
    }
}

/// Removes a file if it exists.
pub(super) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Renames a finished file to its final path durably, so that it survives a power cut.
pub(super) fn put_in_place(draft: &Path, path: &Path) -> Result<()> {
    let put = || {
        File::open(draft)?.sync_all()?;
        std::fs::rename(draft, path)?;
        // The rename is on disk only once the directory is synced.
        match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(directory) => File::open(directory)?.sync_all(),
            None => File::open(".")?.sync_all(),
        }
    };
    put().map_err(|error| io("create", path, &error))
}

fn io(verb: &str, path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Io(format!("cannot {verb} the database file {}: {error}", path.display()))
}
