//! The two files of a database: opened together, or refused together.
//!
//! The published data lies in one, in the other what must be quick. Both hold the name of the database, so that files of two
//! databases are never taken for one. The data can be synchronised again, so a lost one is made anew; keys cannot, so
//! nothing starts without them.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::file::{self, ACCOUNTS, DATA, Found, Kind};
use super::{connection, schema, separation};
use crate::engine::Presence;
use crate::migration::{Applied, pending};
use crate::transaction::{Query, Value};
use crate::{DATABASE_ID, Result, StoreError, rules, sql};

/// The writing connections of both files.
pub(super) struct Pair {
    pub(super) data: Connection,
    pub(super) accounts: Connection,
}

/// Where the files lie.
pub(super) struct Paths {
    pub(super) data: PathBuf,
    pub(super) accounts: PathBuf,
}

impl Paths {
    pub(super) fn of(data: PathBuf) -> Self {
        Self { accounts: file::accounts_beside(&data), data }
    }
}

/// Looks before it touches: a file that is not ours is refused before SQLite opens it, and one that this version
/// cannot serve before anything is written.
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
    naming(beside, check_accounts(&data, &applied, paths))?;
    naming(path, bring_up_to_date(&mut data, DATA, path))?;
    naming(path, separation::separate(&mut data, paths))?;
    let accounts = naming(beside, open_accounts(beside))?;
    skip_addressed_numbers(&data, &accounts)?;
    Ok(Pair { data, accounts })
}

/// Damage found while opening names the file.
fn naming<T>(path: &Path, outcome: Result<T>) -> Result<T> {
    outcome.map_err(|error| match error {
        StoreError::Corrupt { what } => StoreError::Corrupt { what: format!("{} ({what})", path.display()) },
        other => other,
    })
}

/// What the file went through, if this version may go on from there.
fn known_schema(connection: &Connection, kind: Kind, path: &Path) -> Result<Vec<Applied>> {
    let applied = schema::applied(connection, path)?;
    pending(kind.migrations, &applied)?;
    Ok(applied)
}

pub(super) fn bring_up_to_date(connection: &mut Connection, kind: Kind, path: &Path) -> Result<()> {
    connection::claim(connection, kind)?;
    schema::bring_up_to_date(connection, kind, path)
}

/// What is deleted here is somebody's: it is overwritten, and not only let go of.
pub(super) fn open_accounts(path: &Path) -> Result<Connection> {
    let mut accounts = connection::open_writer(path)?;
    accounts.pragma_update(None, "secure_delete", true)?;
    bring_up_to_date(&mut accounts, ACCOUNTS, path)?;
    Ok(accounts)
}

/// Makes sure that the accounts are where the data says, and that they are of the same database.
///
/// The data was looked at first: whoever moves the accounts out of it has them in place before it lets go of them.
fn check_accounts(data: &Connection, applied: &[Applied], paths: &Paths) -> Result<()> {
    if file::examine(&paths.accounts, ACCOUNTS)? == Found::Nothing {
        let moved_out = applied.len() >= separation::MADE_BY && !separation::is_due(data)?;
        let path = paths.accounts.clone();
        return if moved_out { Err(StoreError::AccountsMissing { path }) } else { Ok(()) };
    }
    let accounts = connection::open_reader(&paths.accounts)?;
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

/// The database that a file belongs to; none, if it is new.
pub(super) fn name_of(connection: &Connection) -> Result<Option<String>> {
    if !schema::has_table(connection, "setting")? {
        return Ok(None);
    }
    rules::find_setting(connection, DATABASE_ID)
}

/// Data that is older than the accounts, restored or made anew, gives no announcement a number that had its turn.
fn skip_addressed_numbers(data: &Connection, accounts: &Connection) -> Result<()> {
    let addressed = rules::addressed(accounts)?;
    let given: u64 = data.number(sql::ANNOUNCEMENT_NUMBER, &[])?;
    if given < addressed {
        data.execute(sql::SKIP_ANNOUNCEMENTS, [Value::from(addressed)])?;
    }
    Ok(())
}
