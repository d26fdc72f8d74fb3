//! The statements, in the subset of SQL that SQLite and PostgreSQL share.
//!
//! Parameters are `$1` to `$n` in the order of their first use: SQLite numbers them by appearance. Key columns
//! therefore come last in an insert, so that insert and update of a table take the same values.
//!
//! Statements here and in [`change`], [`revision`] and [`withdrawal`] are for the published data; those in [`account`],
//! [`billing`], [`feed`], [`webhook`] and [`replica`] are for the latency-sensitive accounts. No statement mixes the
//! two, except one of [`counters`]: SQLite keeps them in separate files.

pub(crate) mod account;
pub(crate) mod billing;
pub(crate) mod change;
pub(crate) mod counters;
mod each;
pub(crate) mod feed;
pub(crate) mod replica;
pub(crate) mod revision;
mod upsert;
pub(crate) mod webhook;
pub(crate) mod withdrawal;

pub(crate) use each::Each;
pub use upsert::Column;
pub(crate) use upsert::{COMPANY, FILING, FORMER_NAME, FX, RATE, TRADED_SECURITY, Upsert};

use Column::{Integer, Text};

/// Reads rows, without or with the checksum that each was written with as the last column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Select {
    pub(crate) rows: &'static str,
    pub(crate) with_checksum: &'static str,
}

macro_rules! select {
    ($columns:literal, $rest:literal) => {
        Select {
            rows: concat!("SELECT ", $columns, " ", $rest),
            with_checksum: concat!("SELECT ", $columns, ", checksum ", $rest),
        }
    };
}

/// The statements for all rows of a source. Those of `rate` take the series, the others no parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) select: Select,
    pub(crate) delete: &'static str,
    /// Reads the number of rows, and the latest day of those that the publisher lists.
    pub(crate) extent: &'static str,
}

pub(crate) const RATES: Whole = Whole {
    select: select!("day, value", "FROM rate WHERE series = $1 ORDER BY day DESC"),
    delete: "DELETE FROM rate WHERE series = $1",
    extent: "SELECT COUNT(*), MAX(day) FROM rate WHERE series = $1",
};

pub(crate) const FX_QUOTES: Whole = Whole {
    select: select!("day, pair, buy, sell", "FROM fx ORDER BY pair, day DESC"),
    delete: "DELETE FROM fx",
    extent: "SELECT COUNT(*), MAX(day) FROM fx",
};

pub(crate) const COMPANIES: Whole = Whole {
    select: select!(
        "id, name, cnpj, status, sector, trading_name, registered_on, first_seen_at, withdrawn_at",
        "FROM company ORDER BY id"
    ),
    delete: "DELETE FROM company",
    extent: "SELECT COUNT(*), (SELECT MAX(registered_on) FROM company WHERE withdrawn_at IS NULL) FROM company",
};

pub(crate) const FILINGS: Whole = Whole {
    select: select!(
        "id, company_id, company_name, category, kind, delivered_on, reference_day, description, version, url,
            first_seen_at, withdrawn_at",
        "FROM filing"
    ),
    delete: "DELETE FROM filing",
    extent: "SELECT COUNT(*), (SELECT MAX(delivered_on) FROM filing WHERE withdrawn_at IS NULL) FROM filing",
};

pub(crate) const TRADED_SECURITIES: Whole = Whole {
    select: select!(
        "ticker, company_id, kind, class, segment, trading_from, trading_to, reference_day, version",
        "FROM traded_security ORDER BY ticker, company_id"
    ),
    delete: "DELETE FROM traded_security",
    extent: "SELECT COUNT(*), MAX(reference_day) FROM traded_security",
};

pub(crate) const FORMER_NAMES: Whole = Whole {
    select: select!("company_id, name, reference_day", "FROM former_name ORDER BY company_id, name"),
    delete: "DELETE FROM former_name",
    extent: "SELECT COUNT(*), MAX(reference_day) FROM former_name",
};

/// The filings changed by editions after this one, in their current state, each once.
pub(crate) const CHANGED_FILINGS: Select = select!(
    "id, company_id, company_name, category, kind, delivered_on, reference_day, description, version, url,
        first_seen_at, withdrawn_at",
    "FROM filing WHERE id IN (SELECT id FROM filing_change WHERE edition > $1)"
);

pub(crate) const DAY_OF_FILING: &str =
    "SELECT delivered_on FROM filing WHERE id = $1 AND withdrawn_at IS NULL";

pub(crate) const FILING_EDITIONS: &str = "SELECT edition, row_count, newest_day, published_at, change_count FROM filing_edition ORDER BY edition DESC";

pub(crate) const IS_FILING_EDITION: &str = "SELECT COUNT(*) FROM filing_edition WHERE edition = $1";

pub(crate) const INSERT_FILING_EDITION: &str =
    "INSERT INTO filing_edition (edition, row_count, newest_day, published_at, change_count)
    SELECT edition, row_count, newest_day, $1, $2 FROM source_state WHERE source = 'filings'";

pub(crate) const INSERT_FILING_CHANGE: Each = Each {
    one: "INSERT INTO filing_change (edition, id) VALUES ($1, $2) ON CONFLICT (edition, id) DO NOTHING",
    columns: &[Integer, Text],
    key_columns: 2,
    many: "INSERT INTO filing_change (edition, id) SELECT * FROM UNNEST($1, $2)
        ON CONFLICT (edition, id) DO NOTHING",
};

/// Deletes the changes of editions up to the oldest one that readers can start from: they are no longer needed.
pub(crate) const FORGET_FILING_CHANGES: &str = "DELETE FROM filing_change WHERE edition <= $1";

pub(crate) const FORGET_FILING_EDITIONS: &str = "DELETE FROM filing_edition WHERE edition < $1";

/// Does nothing if the source already has a state.
pub(crate) const INSERT_SOURCE_STATE: &str =
    "INSERT INTO source_state (source, edition, sample, row_count, published_at) VALUES ($1, 0, 0, 0, 0)
    ON CONFLICT (source) DO NOTHING";

pub(crate) const SOURCES: &str = "SELECT source FROM source_state";

pub(crate) const NEXT_EDITION: &str =
    "UPDATE counter SET value = value + 1 WHERE name = 'edition' RETURNING value";

/// The number of rows that are shown. Those withdrawn are few, and counted from an index of their own; the number that
/// is stored includes them, because it shows whether all rows are still there.
macro_rules! rows_shown {
    () => {
        "row_count - CASE source
            WHEN 'companies' THEN (SELECT COUNT(*) FROM company WHERE withdrawn_at IS NOT NULL)
            WHEN 'filings' THEN (SELECT COUNT(*) FROM filing WHERE withdrawn_at IS NOT NULL)
            ELSE 0 END"
    };
}

pub(crate) const SOURCE_STATES: &str = concat!(
    "SELECT source, edition, sample, ",
    rows_shown!(),
    ", newest_day, last_success, last_attempt, last_error,
    CAST((SELECT COALESCE(SUM(reject_count), 0) FROM read_file
        WHERE read_file.source = source_state.source) AS BIGINT),
    CAST((SELECT COUNT(*) FROM withheld WHERE withheld.source = source_state.source)
        + (SELECT COALESCE(SUM(withheld_count), 0) FROM read_file
            WHERE read_file.source = source_state.source) AS BIGINT)
    FROM source_state"
);

pub(crate) const ROWS_SHOWN: &str = concat!("SELECT ", rows_shown!(), " FROM source_state WHERE source = $1");

/// The number of stored rows, and the latest day of those that are listed.
pub(crate) const EXTENT_HELD: &str = "SELECT row_count, newest_day FROM source_state WHERE source = $1";

pub(crate) const EDITION_OF: &str =
    "SELECT edition, published_at, sample FROM source_state WHERE source = $1";

/// Whether the source was ever read completely.
pub(crate) const EVER_WHOLE: &str = "SELECT last_success IS NOT NULL FROM source_state WHERE source = $1";

pub(crate) const PUBLISH: &str = "UPDATE source_state SET edition = $1, published_at = $2, sample = $3,
    row_count = $4, newest_day = $5 WHERE source = $6";

pub(crate) const SUCCEED: &str = "UPDATE source_state
    SET last_success = $1, last_attempt = $1, last_error = NULL WHERE source = $2";

pub(crate) const FAIL: &str = "UPDATE source_state SET last_attempt = $1, last_error = $2 WHERE source = $3";

pub(crate) const READ_FILES: &str =
    "SELECT url, etag, last_modified, sha256, row_count, reject_count, read_at
    FROM read_file WHERE source = $1 ORDER BY url";

pub(crate) const REJECTS: &str = "SELECT file, line, reason FROM reject WHERE source = $1
    ORDER BY url, position LIMIT $2";

/// Also deletes the rejects of the file.
pub(crate) const FORGET_FILE: &str = "DELETE FROM read_file WHERE source = $1 AND url = $2";

pub(crate) const FORGET_FILES: &str = "DELETE FROM read_file WHERE source = $1";

pub(crate) const INSERT_FILE: &str = "INSERT INTO read_file (source, url, etag, last_modified, sha256,
        row_count, reject_count, withheld_count, read_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Makes all files of the source differ from those of the publisher.
pub(crate) const READ_FILES_AGAIN: &str =
    "UPDATE read_file SET etag = NULL, last_modified = NULL, sha256 = '' WHERE source = $1";

pub(crate) const INSERT_REJECT: Each = Each {
    one: "INSERT INTO reject (file, line, reason, source, url, position) VALUES ($1, $2, $3, $4, $5, $6)",
    columns: &[Text, Integer, Text, Text, Text, Integer],
    key_columns: 3,
    many: "INSERT INTO reject (file, line, reason, source, url, position)
        SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6)",
};

/// Newest days first.
pub(crate) const WITHHELD: &str = "SELECT pair, day, value, sell, first_seen, reason FROM withheld
    WHERE source = $1 ORDER BY day DESC, pair LIMIT $2";

pub(crate) const FORGET_WITHHELD: &str = "DELETE FROM withheld WHERE source = $1";

pub(crate) const INSERT_WITHHELD: &str =
    "INSERT INTO withheld (source, pair, day, value, sell, first_seen, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Takes `$1` numbers at once and returns the last of them.
pub(crate) const NEXT_ANNOUNCEMENTS: &str =
    "UPDATE counter SET value = value + $1 WHERE name = 'announcement' RETURNING value";

pub(crate) const INSERT_ANNOUNCEMENT: &str =
    "INSERT INTO announcement (number, source, event, edition, announced_at, rows_as_json)
    VALUES ($1, $2, $3, 0, $4, $5)";

/// Turns drafts, given by their first and last provisional number, into announcements of an edition.
pub(crate) const ISSUE_ANNOUNCEMENTS: &str = "UPDATE announcement SET number = number + $1, edition = $2
    WHERE number BETWEEN $3 AND $4";

/// Announcements after the last one that was fanned out.
pub(crate) const ANNOUNCEMENTS: &str = "SELECT number, source, event, edition, announced_at, rows_as_json
    FROM announcement WHERE number > $1 ORDER BY number LIMIT $2";

pub(crate) const COUNT_ANNOUNCEMENTS: &str =
    "SELECT COUNT(*) FROM announcement WHERE number > $1 OR number < 0";

/// Makes the number negative: the announcement is kept for inspection and not read again.
pub(crate) const SET_ANNOUNCEMENT_ASIDE: &str = "UPDATE announcement SET number = -number WHERE number = $1";

pub(crate) const FORGET_ANNOUNCEMENTS: &str = "DELETE FROM announcement WHERE number BETWEEN 1 AND $1";

pub(crate) const ANNOUNCEMENT_NUMBER: &str = "SELECT value FROM counter WHERE name = 'announcement'";

/// Ensures that no number is used for a second announcement, even if the data is older than the accounts.
pub(crate) const SKIP_ANNOUNCEMENTS: &str =
    "UPDATE counter SET value = $1 WHERE name = 'announcement' AND value < $1";
