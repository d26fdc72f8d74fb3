//! The list of all tables: the columns of each, and how a transfer to another database copies it.
//!
//! The migrations create the tables. A test compares them with this list in every database, so that no table, column
//! or counter is added without a decision here.

use crate::engine::Database::{self, Accounts, Data};
use crate::sql::Column::{self, Integer, Text};
use crate::sql::{self, Upsert};

#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub database: Database,
    /// In the order of the statements in `sql`, with the key last. Checksums, which only SQLite keeps, are not listed:
    /// they are computed again.
    pub columns: &'static [(&'static str, Column)],
    /// Number of columns at the end that form the key.
    pub key_columns: usize,
    pub copying: Copying,
    /// The condition of the rows that this entry is about; `None` for all.
    pub rows: Option<&'static str>,
    /// The statements for published rows, which have checksums.
    pub(crate) upsert: Option<Upsert>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copying {
    /// In batches, in the order of the key.
    Batches,
    /// In one transaction, in place of the rows that a new database has. They meet this condition.
    Whole { new: &'static str },
    /// Not copied, for this reason.
    Never(&'static str),
}

type Columns = &'static [(&'static str, Column)];

const fn published(name: &'static str, columns: Columns, upsert: Upsert) -> Table {
    Table { upsert: Some(upsert), ..batches(Data, name, columns, upsert.key_columns) }
}

const fn batches(database: Database, name: &'static str, columns: Columns, key_columns: usize) -> Table {
    Table { name, database, columns, key_columns, copying: Copying::Batches, rows: None, upsert: None }
}

const fn whole(database: Database, name: &'static str, columns: Columns, new: &'static str) -> Table {
    Table { copying: Copying::Whole { new }, ..batches(database, name, columns, 1) }
}

const fn never(database: Database, name: &'static str, reason: &'static str) -> Table {
    Table { copying: Copying::Never(reason), ..batches(database, name, &[], 0) }
}

/// A counter belongs to one of the two databases, which PostgreSQL keeps in one table.
const fn counters(database: Database, rows: &'static str) -> Table {
    Table {
        rows: Some(rows),
        ..whole(database, "counter", &[("value", Integer), ("name", Text)], "value = 0")
    }
}

/// A table comes after those that its rows refer to.
pub const TABLES: &[Table] = &[
    published("rate", &[("value", Text), ("series", Text), ("day", Integer)], sql::RATE),
    published("fx", &[("buy", Text), ("sell", Text), ("pair", Text), ("day", Integer)], sql::FX),
    published(
        "company",
        &[
            ("first_seen_at", Integer),
            ("withdrawn_at", Integer),
            ("name", Text),
            ("cnpj", Text),
            ("status", Text),
            ("sector", Text),
            ("trading_name", Text),
            ("registered_on", Integer),
            ("id", Integer),
        ],
        sql::COMPANY,
    ),
    published(
        "filing",
        &[
            ("first_seen_at", Integer),
            ("withdrawn_at", Integer),
            ("company_id", Integer),
            ("company_name", Text),
            ("category", Text),
            ("kind", Text),
            ("delivered_on", Integer),
            ("reference_day", Integer),
            ("description", Text),
            ("version", Integer),
            ("url", Text),
            ("id", Text),
        ],
        sql::FILING,
    ),
    published(
        "traded_security",
        &[
            ("kind", Text),
            ("class", Text),
            ("segment", Text),
            ("trading_from", Integer),
            ("trading_to", Integer),
            ("reference_day", Integer),
            ("version", Integer),
            ("ticker", Text),
            ("company_id", Integer),
        ],
        sql::TRADED_SECURITY,
    ),
    published(
        "former_name",
        &[("reference_day", Integer), ("company_id", Integer), ("name", Text)],
        sql::FORMER_NAME,
    ),
    batches(
        Data,
        "read_file",
        &[
            ("etag", Text),
            ("last_modified", Text),
            ("sha256", Text),
            ("row_count", Integer),
            ("reject_count", Integer),
            ("withheld_count", Integer),
            ("read_at", Integer),
            ("source", Text),
            ("url", Text),
        ],
        2,
    ),
    batches(
        Data,
        "reject",
        &[
            ("file", Text),
            ("line", Integer),
            ("reason", Text),
            ("source", Text),
            ("url", Text),
            ("position", Integer),
        ],
        3,
    ),
    batches(
        Data,
        "withheld",
        &[
            ("value", Text),
            ("sell", Text),
            ("first_seen", Integer),
            ("reason", Text),
            ("source", Text),
            ("pair", Text),
            ("day", Integer),
        ],
        3,
    ),
    batches(
        Data,
        "filing_edition",
        &[
            ("row_count", Integer),
            ("newest_day", Integer),
            ("published_at", Integer),
            ("change_count", Integer),
            ("edition", Integer),
        ],
        1,
    ),
    batches(Data, "filing_change", &[("edition", Integer), ("id", Text)], 2),
    batches(Data, "recording", &[("since", Integer), ("edition", Integer), ("source", Text)], 1),
    batches(
        Data,
        "revision",
        &[
            ("old_value", Text),
            ("old_sell", Text),
            ("new_value", Text),
            ("new_sell", Text),
            ("changed_at", Integer),
            ("source", Text),
            ("edition", Integer),
            ("day", Integer),
            ("pair", Text),
        ],
        4,
    ),
    batches(Data, "listed_elsewhere", &[("id", Text), ("year", Integer)], 2),
    batches(Data, "unread_year", &[("year", Integer)], 1),
    // A new database has the edition that an empty log starts after.
    whole(
        Data,
        "change_edition",
        &[("source", Text), ("published_at", Integer), ("change_count", Integer), ("edition", Integer)],
        "edition = 0",
    ),
    batches(Data, "change_batch", &[("changes", Text), ("edition", Integer), ("last_position", Integer)], 2),
    batches(Data, "shown_as", &[("digest", Text), ("source", Text)], 1),
    batches(
        Data,
        "announcement",
        &[
            ("source", Text),
            ("event", Text),
            ("edition", Integer),
            ("announced_at", Integer),
            ("rows_as_json", Text),
            ("number", Integer),
        ],
        1,
    ),
    whole(
        Data,
        "source_state",
        &[
            ("edition", Integer),
            ("sample", Integer),
            ("row_count", Integer),
            ("newest_day", Integer),
            ("last_success", Integer),
            ("last_attempt", Integer),
            ("last_error", Text),
            ("published_at", Integer),
            ("source", Text),
        ],
        "edition = 0 AND last_attempt IS NULL",
    ),
    counters(Data, "name IN ('announcement', 'edition')"),
    batches(
        Accounts,
        "account",
        &[
            ("name", Text),
            ("email", Text),
            ("plan", Text),
            ("rate_limit", Integer),
            ("unused_since", Integer),
            ("id", Text),
        ],
        1,
    ),
    batches(
        Accounts,
        "api_key",
        &[
            ("digest", Text),
            ("account", Text),
            ("created_at", Integer),
            ("ends_at", Integer),
            ("revoked", Integer),
            ("revision", Integer),
            ("id", Text),
        ],
        1,
    ),
    batches(
        Accounts,
        "billing_customer",
        &[
            ("customer", Text),
            ("checkout", Text),
            ("subscription", Text),
            ("status", Text),
            ("price", Text),
            ("period_end", Integer),
            ("cancel_at_period_end", Integer),
            ("applied", Text),
            ("checked_at", Integer),
            ("version", Integer),
            ("account", Text),
        ],
        1,
    ),
    batches(Accounts, "billing_event", &[("received_at", Integer), ("id", Text)], 1),
    batches(Accounts, "removed_key", &[("revision", Integer), ("removed_at", Integer), ("id", Text)], 1),
    batches(
        Accounts,
        "usage_count",
        &[("requests", Integer), ("account", Text), ("day", Integer), ("endpoint", Text), ("outcome", Text)],
        4,
    ),
    batches(Accounts, "usage_flush", &[("sequence", Integer), ("flushed_at", Integer), ("boot", Text)], 1),
    // The lease of a delivery is copied, too: without a holder it is a pause that the receiver asked for.
    batches(
        Accounts,
        "webhook",
        &[
            ("account", Text),
            ("url", Text),
            ("description", Text),
            ("events", Text),
            ("filters", Text),
            ("created_at", Integer),
            ("disabled_by", Text),
            ("failing_since", Integer),
            ("last_failure", Integer),
            ("lease_holder", Text),
            ("leased_until", Integer),
            ("series_updated", Integer),
            ("series_ids", Text),
            ("more_events", Text),
            ("q", Text),
            ("id", Text),
        ],
        1,
    ),
    batches(Accounts, "ended_feed", &[("ended_on", Integer), ("token_digest", Text)], 1),
    batches(
        Accounts,
        "feed",
        &[
            ("account", Text),
            ("token_digest", Text),
            ("name", Text),
            ("search", Text),
            ("created_at", Integer),
            ("id", Text),
        ],
        1,
    ),
    batches(
        Accounts,
        "webhook_secret",
        &[("made_at", Integer), ("ends_at", Integer), ("webhook", Text), ("seed", Text)],
        2,
    ),
    batches(
        Accounts,
        "message",
        &[
            ("webhook", Text),
            ("number", Integer),
            ("event", Text),
            ("body", Text),
            ("created_at", Integer),
            ("tries", Integer),
            ("due_at", Integer),
            ("delivered", Integer),
            ("asked", Integer),
            ("id", Text),
        ],
        1,
    ),
    batches(
        Accounts,
        "attempt",
        &[
            ("attempted_at", Integer),
            ("status", Integer),
            ("error", Text),
            ("duration_ms", Integer),
            ("message", Text),
            ("number", Integer),
        ],
        2,
    ),
    counters(Accounts, "name IN ('addressed', 'key_revision', 'message')"),
    // A database keeps its own name: tags of responses and kept indexes must not be valid for two databases. Everything
    // else is copied, such as the fingerprint of the pepper.
    Table {
        rows: Some("name NOT IN ('database_id', 'unfinished_migration')"),
        ..whole(Accounts, "setting", &[("value", Text), ("name", Text)], "FALSE")
    },
    never(Data, "setting", "in SQLite, the name of the database, as the file of the accounts has it"),
    never(Accounts, "lease", "the right of a process that has stopped"),
    never(Accounts, "replica", "a process that has stopped"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn types(table: &Table) -> Vec<Column> {
        table.columns.iter().map(|(_, column)| *column).collect()
    }

    #[test]
    fn published_rows_have_the_columns_of_their_statements() {
        for table in TABLES {
            let Some(upsert) = table.upsert else { continue };
            assert_eq!(types(table), upsert.columns, "{}", table.name);
            let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
            let insert = upsert.insert.split_whitespace().collect::<Vec<_>>().join(" ");
            let begin = format!("INSERT INTO {} ({}, checksum) VALUES", table.name, names.join(", "));
            assert!(insert.starts_with(&begin), "{insert}");
        }
    }
}
