//! The database file before SQLite sees it: whose is it?
//!
//! Only the first bytes are read, with plain file calls, so a file of somebody else keeps its bytes and gets no
//! companion files.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::{Result, StoreError};

/// Whether the caller wants a database made where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Optional,
    Required,
}

/// Marks a file as ours in SQLite's own header.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"LSTR");

const HEADER_LENGTH: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_ID_AT: std::ops::Range<usize> = 68..72;

/// Makes sure that a file is there and that it is ours or empty.
pub(super) fn examine(path: &Path, presence: Presence) -> Result<()> {
    let header = match read_header(path) {
        Ok(header) => header,
        Err(error) if error.kind() == ErrorKind::NotFound => return create(path, presence),
        Err(error) => return Err(io("read", path, &error)),
    };
    if header.is_empty() {
        return if presence == Presence::Required { Err(missing(path)) } else { Ok(()) };
    }
    if is_ours(&header) { Ok(()) } else { Err(StoreError::Foreign { path: path.to_owned() }) }
}

fn read_header(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(HEADER_LENGTH);
    File::open(path)?.take(HEADER_LENGTH as u64).read_to_end(&mut header)?;
    Ok(header)
}

fn is_ours(header: &[u8]) -> bool {
    header.len() == HEADER_LENGTH
        && header.starts_with(MAGIC)
        && header.get(APPLICATION_ID_AT).is_some_and(|id| *id == APPLICATION_ID.to_be_bytes())
}

fn create(path: &Path, presence: Presence) -> Result<()> {
    if presence == Presence::Required {
        return Err(missing(path));
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    // The file will hold names and addresses of people; SQLite gives its companions the same mode.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io("create", path, &error)),
        // Another process may be starting as well.
        _ => Ok(()),
    }
}

fn missing(path: &Path) -> StoreError {
    StoreError::Missing { path: path.to_owned() }
}

fn io(verb: &str, path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Io(format!("cannot {verb} the database file {}: {error}", path.display()))
}
