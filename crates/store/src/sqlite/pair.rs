//! The two files of a database, opened or rejected together.
//!
//! One holds the published data, the other the latency-sensitive data. Both hold the name of the database, so that
//! files of two databases are never combined. Data can be synchronised again, so a lost data file is recreated; keys
//! cannot, so nothing starts without the account file.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::connection::OpenReader;
use super::file::{self, ACCOUNTS, DATA, Found, Kind};
use super::{connection, schema, separation};
use crate::engine::Presence;
use crate::migration::{Applied, check_current, pending};
use crate::transaction::{Query, Value};
use crate::{DATABASE_ID, Result, StoreError, rules, sql};

/// The connections of both files.
pub(super) struct Pair {
    pub(super) data: Connection,
    pub(super) accounts: Connection,
}

/// The paths of both files.
pub(super) struct Paths {
    pub(super) data: PathBuf,
    pub(super) accounts: PathBuf,
}

impl Paths {
    pub(super) fn of(data: PathBuf) -> Self {
        Self { accounts: file::accounts_beside(&data), data }
    }
}

/// Checks before it writes: another program's file is rejected before SQLite opens it, and one that this version does
/// not support before anything is written.
pub(super) fn open(paths: &Paths, presence: Presence) -> Result<Pair> {
    let Paths { data: path, accounts: beside } = paths;
    let found = [file::examine(path, DATA)?, file::examine(beside, ACCOUNTS)?];
    if found == [Found::Nothing; 2] && presence == Presence::Required {
        return Err(StoreError::Missing { database: path.display().to_string() });
    }
    file::create(path)?;
    let mut data = naming(path, connection::open_writer(path))?;
    let applied = naming(path, known_schema(&data, DATA, path))?;
    naming(path, connection::look_through(&data, path))?;
    naming(beside, check_accounts(&data, &applied, paths, connection::open_reader))?;
    naming(path, bring_up_to_date(&mut data, DATA, path))?;
    naming(path, separation::separate(&mut data, paths))?;
    let accounts = naming(beside, open_accounts(beside))?;
    skip_addressed_numbers(&data, &accounts)?;
    Ok(Pair { data, accounts })
}

/// Opens both files for reading only. Nothing is created, brought up to date or divided.
pub(super) fn open_untouched(paths: &Paths) -> Result<Pair> {
    let Paths { data: path, accounts: beside } = paths;
    let database = path.display().to_string();
    if file::examine(path, DATA)? == Found::Nothing {
        return Err(StoreError::Missing { database });
    }
    let data = naming(path, connection::open_untouched(path))?;
    let applied = naming(path, known_schema(&data, DATA, path))?;
    naming(path, connection::look_through(&data, path))?;
    naming(beside, check_accounts(&data, &applied, paths, connection::open_untouched))?;
    check_current(DATA.migrations, &applied, &database)?;
    if separation::is_due(&data)? {
        return Err(StoreError::Outdated { database });
    }
    let accounts = naming(beside, connection::open_untouched(beside))?;
    check_current(ACCOUNTS.migrations, &schema::applied(&accounts, beside)?, &database)?;
    Ok(Pair { data, accounts })
}

/// Adds the file's path to an error about damage.
fn naming<T>(path: &Path, outcome: Result<T>) -> Result<T> {
    outcome.map_err(|error| match error {
        StoreError::Corrupt { what } => StoreError::Corrupt { what: format!("{} ({what})", path.display()) },
        other => other,
    })
}

/// The applied migrations of the file, if this version supports its schema.
fn known_schema(connection: &Connection, kind: Kind, path: &Path) -> Result<Vec<Applied>> {
    let applied = schema::applied(connection, path)?;
    pending(kind.migrations, &applied)?;
    Ok(applied)
}

pub(super) fn bring_up_to_date(connection: &mut Connection, kind: Kind, path: &Path) -> Result<()> {
    connection::claim(connection, kind)?;
    schema::bring_up_to_date(connection, kind, path)
}

/// Opens the account file with secure deletion: it holds personal data, so deleted bytes are overwritten.
pub(super) fn open_accounts(path: &Path) -> Result<Connection> {
    let mut accounts = connection::open_writer(path)?;
    accounts.pragma_update(None, "secure_delete", true)?;
    bring_up_to_date(&mut accounts, ACCOUNTS, path)?;
    Ok(accounts)
}

/// Checks that the account file exists if the data requires it, and belongs to the same database.
///
/// The data was read first: a process that moves the accounts out puts their file in place before dropping them.
fn check_accounts(data: &Connection, applied: &[Applied], paths: &Paths, open: OpenReader) -> Result<()> {
    if file::examine(&paths.accounts, ACCOUNTS)? == Found::Nothing {
        let moved_out = applied.len() >= separation::MADE_BY && !separation::is_due(data)?;
        let path = paths.accounts.clone();
        return if moved_out { Err(StoreError::AccountsMissing { path }) } else { Ok(()) };
    }
    let accounts = open(&paths.accounts)?;
    known_schema(&accounts, ACCOUNTS, &paths.accounts)?;
    connection::look_through(&accounts, &paths.accounts)?;
    let theirs = name_of(&accounts)?.ok_or_else(|| StoreError::damaged("it names no database"))?;
    let is_pair = match name_of(data)? {
        Some(ours) => ours == theirs,
        None => !separation::holds_keys(data)?,
    };
    if is_pair {
        return Ok(());
    }
    Err(StoreError::ForeignPair { data: paths.data.clone(), accounts: paths.accounts.clone() })
}

/// The name of the database that a file belongs to; `None` if the file is new.
pub(super) fn name_of(connection: &Connection) -> Result<Option<String>> {
    if !schema::has_table(connection, "setting")? {
        return Ok(None);
    }
    rules::find_setting(connection, DATABASE_ID)
}

/// Prevents data that is older than the accounts (restored or recreated) from reusing announcement numbers.
fn skip_addressed_numbers(data: &Connection, accounts: &Connection) -> Result<()> {
    let addressed = rules::addressed(accounts)?;
    let given: u64 = data.number(sql::ANNOUNCEMENT_NUMBER, &[])?;
    if given < addressed {
        data.execute(sql::SKIP_ANNOUNCEMENTS, [Value::from(addressed)])?;
    }
    Ok(())
}
