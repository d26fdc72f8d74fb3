//! Moves the accounts of an older database, stored in the data file, into their own file.
//!
//! A new database takes the same path, without accounts. A process that dies on the way leaves the old layout, or the
//! accounts in both files: the next one to open the database finishes, and none uses either file before.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};

use super::connection::{self, PUBLICATION_TIMEOUT};
use super::file::{self, ACCOUNTS, Found};
use super::pair::{self, Paths};
use super::schema;
use crate::{DATABASE_ID, Result, StoreError};

/// Number of data migrations after which a data file holds account tables.
pub(super) const MADE_BY: usize = 2;

/// Generates the database's name unless the account file already has one.
const NAME: &str = "INSERT INTO setting (name, value) VALUES ($1, COALESCE($2, lower(hex(randomblob(8)))))
    ON CONFLICT (name) DO NOTHING";

/// Sums the counts of several processes. Older versions did not record which accounts were self-registered.
const COPY: &str = "
    INSERT INTO account (id, name, email, plan, rate_limit)
        SELECT id, name, email, plan, rate_limit FROM old.account;
    INSERT INTO api_key (id, digest, account, created_at, ends_at, revoked, revision)
        SELECT id, digest, account, created_at, ends_at, 0, revision FROM old.api_key;
    INSERT INTO usage_count (account, day, endpoint, outcome, requests)
        SELECT account, day, endpoint, outcome, SUM(requests) FROM old.usage_count
        GROUP BY account, day, endpoint, outcome;
    INSERT INTO setting (name, value) SELECT name, value FROM old.setting;
    INSERT INTO lease (name, holder, ends_at) SELECT name, holder, ends_at FROM old.lease;
    INSERT INTO webhook (id, account, url, description, events, filters, created_at, disabled_by, failing_since,
            last_failure, lease_holder, leased_until)
        SELECT id, account, url, description, events, filters, created_at, disabled_by, failing_since,
            last_failure, lease_holder, leased_until
        FROM old.webhook;
    INSERT INTO webhook_secret (webhook, seed, made_at, ends_at)
        SELECT webhook, seed, made_at, ends_at FROM old.webhook_secret;
    INSERT INTO message (id, webhook, number, event, body, created_at, tries, due_at, delivered, asked)
        SELECT id, webhook, number, event, body, created_at, tries, due_at, delivered, asked FROM old.message;
    INSERT INTO attempt (message, number, attempted_at, status, error, duration_ms)
        SELECT message, number, attempted_at, status, error, duration_ms FROM old.attempt;
    UPDATE counter SET value = (SELECT before.value FROM old.counter AS before WHERE before.name = counter.name)
        WHERE name IN (SELECT name FROM old.counter);";

const DROP: &str = "
    DROP TABLE attempt;
    DROP TABLE message;
    DROP TABLE webhook_secret;
    DROP TABLE webhook;
    DROP TABLE api_key;
    DROP TABLE account;
    DROP TABLE usage_count;
    DROP TABLE folded_usage;
    DROP TABLE lease;
    DELETE FROM setting WHERE name <> 'database_id';
    DELETE FROM counter WHERE name IN ('key_revision', 'message');";

/// Whether the data file still holds the account tables.
pub(super) fn is_due(data: &Connection) -> Result<bool> {
    schema::has_table(data, "api_key")
}

pub(super) fn holds_keys(data: &Connection) -> Result<bool> {
    Ok(is_due(data)? && data.query_row("SELECT EXISTS (SELECT 1 FROM api_key)", [], |row| row.get(0))?)
}

/// Moves the accounts out of the data file if needed. Names and addresses are overwritten in the old place.
pub(super) fn separate(data: &mut Connection, paths: &Paths) -> Result<()> {
    if !is_due(data)? {
        return Ok(());
    }
    name(data, &paths.accounts)?;
    data.busy_timeout(PUBLICATION_TIMEOUT)?;
    data.pragma_update(None, "secure_delete", true)?;
    move_out(data, paths)?;
    data.pragma_update(None, "secure_delete", false)?;
    connection::be_prompt(data)?;
    if let Err(error) = connection::fold_log(&paths.data) {
        tracing::debug!(%error, "the write-ahead log could not be checkpointed");
    }
    Ok(())
}

/// Names the data before the second file exists, so that the two match even if the process dies in between.
fn name(data: &Connection, accounts: &Path) -> Result<()> {
    let theirs = match file::examine(accounts, ACCOUNTS)? {
        Found::Ours => pair::name_of(&connection::open_reader(accounts)?)?,
        Found::Nothing => None,
    };
    data.execute(NAME, params![DATABASE_ID, theirs])?;
    Ok(())
}

/// Holds the write lock from the first check to the end, so that no account is added without being copied.
fn move_out(data: &mut Connection, paths: &Paths) -> Result<()> {
    let transaction = data.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if is_due(&transaction)? {
        if file::examine(&paths.accounts, ACCOUNTS)? == Found::Nothing {
            copy(paths)?;
        }
        transaction.execute_batch(DROP)?;
    }
    Ok(transaction.commit()?)
}

/// Writes the accounts into a draft, which is then renamed in one step. Only the holder of the lock does this, so all
/// drafts share one name, and the remains of a killed process are overwritten.
fn copy(paths: &Paths) -> Result<()> {
    let mut draft = paths.accounts.clone().into_os_string();
    draft.push(".draft");
    let mut journal = draft.clone();
    journal.push("-journal");
    let draft = Path::new(&draft);
    file::remove(draft)?;
    file::remove(Path::new(&journal))?;
    file::create(draft)?;
    fill(draft, &paths.data)?;
    file::put_in_place(draft, &paths.accounts)
}

fn fill(draft: &Path, data: &Path) -> Result<()> {
    let mut accounts = connection::open_writer(draft)?;
    accounts.pragma_update(None, "application_id", ACCOUNTS.application_id)?;
    schema::bring_up_to_date(&mut accounts, ACCOUNTS, draft)?;
    let old =
        data.to_str().ok_or_else(|| StoreError::Io("the name of the database file is no text".to_owned()))?;
    accounts.execute("ATTACH DATABASE $1 AS old", [old])?;
    let transaction = accounts.transaction()?;
    transaction.execute_batch(COPY)?;
    Ok(transaction.commit()?)
}
