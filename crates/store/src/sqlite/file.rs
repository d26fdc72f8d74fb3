//! A database file before SQLite sees it: whose is it?
//!
//! Only the first bytes are read, with plain file calls, so a file of somebody else keeps its bytes and gets no
//! companion files.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::migration::{self, Migration};
use crate::{Result, StoreError};

/// One of the two files of a database.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Marks the file as ours in SQLite's own header.
    pub(super) application_id: i32,
    pub(super) migrations: &'static [Migration],
}

/// The published data.
pub(super) const DATA: Kind =
    Kind { application_id: i32::from_be_bytes(*b"LSTR"), migrations: migration::DATA };

/// What must be quick, and never waits for a publication.
pub(super) const ACCOUNTS: Kind =
    Kind { application_id: i32::from_be_bytes(*b"LSTA"), migrations: migration::ACCOUNTS };

/// The file with the accounts that belongs to a file of data.
pub(super) fn accounts_beside(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".accounts");
    PathBuf::from(name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// There is no file, or an empty one.
    Nothing,
    Ours,
}

const HEADER_LENGTH: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_ID_AT: std::ops::Range<usize> = 68..72;

/// What is there. A file of somebody else is an error.
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

/// Makes an empty file, unless there is one: another process may be starting as well.
pub(super) fn create(path: &Path) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    // The files hold names and addresses of people; SQLite gives their companions the same mode.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io("create", path, &error)),
        _ => Ok(()),
    }
}

/// Removes a file if it is there.
pub(super) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Puts a finished file in its place, so that it is there after a power cut too.
pub(super) fn put_in_place(draft: &Path, path: &Path) -> Result<()> {
    let put = || {
        File::open(draft)?.sync_all()?;
        std::fs::rename(draft, path)?;
        // The rename itself is on disk when the directory is.
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
