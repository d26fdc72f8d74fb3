//! Translation of SQLite's errors, without statement texts and values.

use rusqlite::ErrorCode;

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
