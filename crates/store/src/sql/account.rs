//! Statements for keys, accounts, usage, settings and leases.

use super::Column::{Integer, Text};
use super::Each;

pub(crate) const NEXT_KEY_REVISION: &str =
    "UPDATE counter SET value = value + 1 WHERE name = 'key_revision' RETURNING value";

pub(crate) const INSERT_ACCOUNT: &str =
    "INSERT INTO account (id, name, email, plan, rate_limit, unused_since)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING";

pub(crate) const INSERT_KEY: &str = "INSERT INTO api_key (id, digest, account, created_at, revoked, revision)
    VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT (id) DO NOTHING";

macro_rules! select_keys {
    ($rest:literal) => {
        concat!(
            "SELECT api_key.id, digest, created_at, ends_at, revoked, revision, ",
            "account.id, name, email, plan, rate_limit ",
            "FROM api_key JOIN account ON account.id = api_key.account ",
            $rest
        )
    };
}

pub(crate) const KEY: &str = select_keys!("WHERE api_key.id = $1");
pub(crate) const KEYS_OF_ACCOUNT: &str = select_keys!("WHERE account.id = $1 ORDER BY revision");
pub(crate) const KEYS_SINCE: &str = select_keys!("WHERE revision > $1 ORDER BY revision LIMIT $2");
pub(crate) const ALL_KEYS: &str = select_keys!("ORDER BY created_at, api_key.id");
pub(crate) const ENDED_KEYS: &str =
    select_keys!("WHERE revoked = 0 AND ends_at <= $1 ORDER BY ends_at LIMIT $2");

pub(crate) const PLAN_OF_ACCOUNT: &str = "SELECT plan FROM account WHERE id = $1";

pub(crate) const SET_TERMS: &str = "UPDATE account SET plan = $1, rate_limit = $2 WHERE id = $3";

pub(crate) const SET_PLAN: &str = "UPDATE account SET plan = $1 WHERE id = $2";

pub(crate) const SET_REVISION: &str = "UPDATE api_key SET revision = $1 WHERE id = $2";

pub(crate) const END_KEY: &str = "UPDATE api_key SET ends_at = $1, revoked = $2, revision = $3 WHERE id = $4";

pub(crate) const REMOVED_KEYS_SINCE: &str =
    "SELECT id, revision FROM removed_key WHERE revision > $1 ORDER BY revision LIMIT $2";

pub(crate) const INSERT_REMOVED_KEY: &str =
    "INSERT INTO removed_key (id, revision, removed_at) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, removed_at = excluded.removed_at";

pub(crate) const FORGET_REMOVED_KEYS: &str = "DELETE FROM removed_key WHERE removed_at < $1";

/// Also deletes the account's keys and webhooks, and everything sent to these.
pub(crate) const DELETE_ACCOUNT: &str = "DELETE FROM account WHERE id = $1";

pub(crate) const UNUSED_ACCOUNTS: &str = "SELECT id FROM account WHERE unused_since < $1 AND plan = 'free'
        AND NOT EXISTS (SELECT 1 FROM api_key WHERE api_key.account = account.id AND created_at >= $1)
        AND NOT EXISTS (SELECT 1 FROM usage_count WHERE usage_count.account = account.id)
        AND NOT EXISTS (SELECT 1 FROM billing_customer WHERE billing_customer.account = account.id)
    ORDER BY unused_since LIMIT $2";

/// Both forms lock rows in the order of their ids; a plain update of many rows would lock them in any order.
pub(crate) const MARK_USED: Each = Each {
    one: "UPDATE account SET unused_since = NULL WHERE id = $1 AND unused_since IS NOT NULL",
    columns: &[Text],
    key_columns: 1,
    many: "UPDATE account SET unused_since = NULL
        FROM (SELECT id FROM account WHERE id = ANY($1) AND unused_since IS NOT NULL
            ORDER BY id FOR NO KEY UPDATE) AS used
        WHERE account.id = used.id",
};

/// Does nothing if this batch was written before.
pub(crate) const NOTE_USAGE_FLUSH: &str =
    "INSERT INTO usage_flush (boot, sequence, flushed_at) VALUES ($1, $2, $3) ON CONFLICT (boot)
    DO UPDATE SET sequence = excluded.sequence, flushed_at = excluded.flushed_at
        WHERE usage_flush.sequence < excluded.sequence";

pub(crate) const FORGET_USAGE_FLUSHES: &str = "DELETE FROM usage_flush WHERE flushed_at < $1";

pub(crate) const ADD_USAGE: Each = Each {
    one: "INSERT INTO usage_count (requests, account, day, endpoint, outcome) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (account, day, endpoint, outcome)
        DO UPDATE SET requests = usage_count.requests + excluded.requests",
    columns: &[Integer, Text, Integer, Text, Text],
    key_columns: 4,
    many: "INSERT INTO usage_count (requests, account, day, endpoint, outcome)
        SELECT * FROM UNNEST($1, $2, $3, $4, $5) ON CONFLICT (account, day, endpoint, outcome)
        DO UPDATE SET requests = usage_count.requests + excluded.requests",
};

pub(crate) const USAGE: &str = "SELECT day, endpoint, outcome, requests FROM usage_count
    WHERE account = $1 AND day BETWEEN $2 AND $3 ORDER BY day, endpoint, outcome";

pub(crate) const LAST_USED: &str = "SELECT MAX(day) FROM usage_count WHERE account = $1";

pub(crate) const SETTING: &str = "SELECT value FROM setting WHERE name = $1";

pub(crate) const INSERT_SETTING: &str =
    "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";

pub(crate) const DELETE_SETTING: &str = "DELETE FROM setting WHERE name = $1";

/// The holders of leases in force between two times, the second being the latest end of any lease.
pub(crate) const LEASE_HOLDERS: &str =
    "SELECT DISTINCT holder FROM lease WHERE ends_at > $1 AND ends_at <= $2 ORDER BY holder";

/// Takes a lease that has ended, is the taker's own, or ends later than any lease can. Returns the lease in force.
pub(crate) const TAKE_LEASE: &str = "INSERT INTO lease (holder, ends_at, name) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO UPDATE SET
        holder = CASE WHEN lease.ends_at <= $4 OR lease.ends_at > $5 THEN excluded.holder ELSE lease.holder END,
        ends_at = CASE WHEN lease.ends_at <= $4 OR lease.ends_at > $5 OR lease.holder = excluded.holder
            THEN excluded.ends_at ELSE lease.ends_at END
    RETURNING holder, ends_at";

pub(crate) const RENEW_LEASE: &str = "UPDATE lease SET ends_at = $1 WHERE name = $2 AND holder = $3";

pub(crate) const RELEASE_LEASE: &str = "DELETE FROM lease WHERE name = $1 AND holder = $2";
