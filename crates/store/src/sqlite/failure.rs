//! Translation of SQLite's errors, without statement texts and values.

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};

use crate::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error() {
            Some(failure) => of_code(failure),
            None => Self::Backend(of_driver(&error).to_owned()),
        }
    }
}

fn of_code(failure: &rusqlite::ffi::Error) -> StoreError {
    let io = |sentence: &str| StoreError::Io(sentence.to_owned());
    match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy,
        ErrorCode::DatabaseCorrupt => StoreError::damaged("a part of it cannot be read"),
        ErrorCode::NotADatabase => StoreError::damaged("it does not read as a database"),
        ErrorCode::DiskFull => StoreError::unwritable("its disk is full"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
            StoreError::unwritable("its files or their directory are read-only for this user")
        }
        // SQLite says that a disk is full when it writes the database or its log, and not when it makes room for the index
        // of the log, which is the first thing that a start needs.
        ErrorCode::SystemIoFailure
            if matches!(failure.extended_code, SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_SHMOPEN) =>
        {
            StoreError::unwritable("its disk is full")
        }
        ErrorCode::SystemIoFailure if failure.extended_code == SQLITE_IOERR_WRITE => {
            StoreError::unwritable("its disk fails, or a quota on it is used up")
        }
        ErrorCode::CannotOpen => io("the database file cannot be opened"),
        ErrorCode::SystemIoFailure => io("reading or writing the database file failed"),
        _ => StoreError::Backend(format!("SQLite reports code {}", failure.extended_code)),
    }
}

fn of_driver(error: &rusqlite::Error) -> &'static str {
    match error {
        rusqlite::Error::QueryReturnedNoRows => "a row that must exist is missing",
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => "a value has an unexpected form",
        _ => "a statement could not be run",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn a_disk_without_room_is_named_wherever_it_is_noticed() {
        for (code, sentence) in [
            (ffi::SQLITE_FULL, "its disk is full"),
            (ffi::SQLITE_IOERR_SHMSIZE, "its disk is full"),
            (ffi::SQLITE_IOERR_SHMOPEN, "its disk is full"),
            (ffi::SQLITE_IOERR_WRITE, "a quota on it is used up"),
            (ffi::SQLITE_IOERR_READ, "reading or writing the database file failed"),
        ] {
            let told = of_code(&ffi::Error::new(code)).to_string();
            assert!(told.contains(sentence), "{code}: {told}");
        }
    }
}
