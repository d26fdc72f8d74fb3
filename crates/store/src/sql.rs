//! The statements, in the subset that SQLite and PostgreSQL share.
//!
//! Parameters are `$1` to `$n` in the order of their first use: SQLite numbers them by appearance. Columns of a
//! key therefore come last in an insert, so that insert and update of a table take the same values.

pub(crate) mod webhook;

/// How a row gets into its table: `insert` does nothing where the key exists, `update` nothing where nothing differs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upsert {
    pub(crate) insert: &'static str,
    pub(crate) update: &'static str,
}

pub(crate) const RATE: Upsert = Upsert {
    insert: "INSERT INTO rate (value, series, day) VALUES ($1, $2, $3) ON CONFLICT (series, day) DO NOTHING",
    update: "UPDATE rate SET value = $1 WHERE series = $2 AND day = $3 AND value <> $1",
};

pub(crate) const FX: Upsert = Upsert {
    insert: "INSERT INTO fx (buy, sell, pair, day) VALUES ($1, $2, $3, $4) ON CONFLICT (pair, day) DO NOTHING",
    update: "UPDATE fx SET buy = $1, sell = $2 WHERE pair = $3 AND day = $4 AND (buy <> $1 OR sell <> $2)",
};

pub(crate) const COMPANY: Upsert = Upsert {
    insert: "INSERT INTO company (name, cnpj, status, sector, trading_name, registered_on, id)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING",
    update: "UPDATE company
        SET name = $1, cnpj = $2, status = $3, sector = $4, trading_name = $5, registered_on = $6
        WHERE id = $7 AND (name, cnpj, status, sector, trading_name, registered_on)
            IS DISTINCT FROM ($1, $2, $3, $4, $5, $6)",
};

pub(crate) const FILING: Upsert = Upsert {
    insert: "INSERT INTO filing (company_id, company_name, category, kind, delivered_on, reference_day,
            description, version, url, id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING",
    update: "UPDATE filing
        SET company_id = $1, company_name = $2, category = $3, kind = $4, delivered_on = $5, reference_day = $6,
            description = $7, version = $8, url = $9
        WHERE id = $10 AND (company_id, company_name, category, kind, delivered_on, reference_day,
                description, version, url)
            IS DISTINCT FROM ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
};

/// The statements about all rows of a source. Those of `rate` take the series, the others no parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) select: &'static str,
    pub(crate) delete: &'static str,
    /// How many rows, and the latest day.
    pub(crate) extent: &'static str,
}

pub(crate) const RATES: Whole = Whole {
    select: "SELECT day, value FROM rate WHERE series = $1 ORDER BY day DESC",
    delete: "DELETE FROM rate WHERE series = $1",
    extent: "SELECT COUNT(*), MAX(day) FROM rate WHERE series = $1",
};

pub(crate) const FX_QUOTES: Whole = Whole {
    select: "SELECT day, pair, buy, sell FROM fx ORDER BY pair, day DESC",
    delete: "DELETE FROM fx",
    extent: "SELECT COUNT(*), MAX(day) FROM fx",
};

pub(crate) const COMPANIES: Whole = Whole {
    select: "SELECT id, name, cnpj, status, sector, trading_name, registered_on FROM company ORDER BY id",
    delete: "DELETE FROM company",
    extent: "SELECT COUNT(*), MAX(registered_on) FROM company",
};

pub(crate) const FILINGS: Whole = Whole {
    select: "SELECT id, company_id, company_name, category, kind, delivered_on, reference_day, description,
            version, url
        FROM filing",
    delete: "DELETE FROM filing",
    extent: "SELECT COUNT(*), MAX(delivered_on) FROM filing",
};

/// The filings that editions after this one changed, as they are now, each once.
pub(crate) const CHANGED_FILINGS: &str =
    "SELECT id, company_id, company_name, category, kind, delivered_on, reference_day, description, version, url
    FROM filing WHERE id IN (SELECT id FROM filing_change WHERE edition > $1)";

pub(crate) const DAY_OF_FILING: &str = "SELECT delivered_on FROM filing WHERE id = $1";

pub(crate) const FILING_EDITIONS: &str = "SELECT edition, row_count, newest_day, published_at, change_count FROM filing_edition ORDER BY edition DESC";

pub(crate) const IS_FILING_EDITION: &str = "SELECT COUNT(*) FROM filing_edition WHERE edition = $1";

pub(crate) const INSERT_FILING_EDITION: &str =
    "INSERT INTO filing_edition (edition, row_count, newest_day, published_at, change_count)
    SELECT edition, row_count, newest_day, $1, $2 FROM source_state WHERE source = 'filings'";

pub(crate) const INSERT_FILING_CHANGE: &str =
    "INSERT INTO filing_change (edition, id) VALUES ($1, $2) ON CONFLICT (edition, id) DO NOTHING";

/// What led up to an edition is of no use once nobody can start from an earlier one.
pub(crate) const FORGET_FILING_CHANGES: &str = "DELETE FROM filing_change WHERE edition <= $1";

pub(crate) const FORGET_FILING_EDITIONS: &str = "DELETE FROM filing_edition WHERE edition < $1";

pub(crate) const COUNTERS: &str = "SELECT source, edition FROM source_state
    UNION ALL SELECT name, value FROM counter WHERE name = 'key_revision'";

pub(crate) const NEXT_EDITION: &str =
    "UPDATE counter SET value = value + 1 WHERE name = 'edition' RETURNING value";

pub(crate) const NEXT_KEY_REVISION: &str =
    "UPDATE counter SET value = value + 1 WHERE name = 'key_revision' RETURNING value";

pub(crate) const SOURCE_STATES: &str = "SELECT source, edition, sample, row_count, newest_day, last_success,
    last_attempt, last_error, CAST((SELECT COALESCE(SUM(reject_count), 0) FROM read_file
        WHERE read_file.source = source_state.source) AS BIGINT),
    (SELECT COUNT(*) FROM withheld WHERE withheld.source = source_state.source)
    FROM source_state";

pub(crate) const EXTENT_HELD: &str = "SELECT row_count, newest_day FROM source_state WHERE source = $1";

pub(crate) const EDITION_OF: &str = "SELECT edition, sample FROM source_state WHERE source = $1";

/// Whether the source was ever read to its end.
pub(crate) const EVER_WHOLE: &str = "SELECT last_success IS NOT NULL FROM source_state WHERE source = $1";

pub(crate) const PUBLISH: &str = "UPDATE source_state SET edition = $1, sample = $2, row_count = $3,
    newest_day = $4 WHERE source = $5";

pub(crate) const SUCCEED: &str = "UPDATE source_state
    SET last_success = $1, last_attempt = $1, last_error = NULL WHERE source = $2";

pub(crate) const FAIL: &str = "UPDATE source_state SET last_attempt = $1, last_error = $2 WHERE source = $3";

pub(crate) const READ_FILES: &str =
    "SELECT url, etag, last_modified, sha256, row_count, reject_count, read_at
    FROM read_file WHERE source = $1 ORDER BY url";

pub(crate) const REJECTS: &str = "SELECT file, line, reason FROM reject WHERE source = $1
    ORDER BY url, position LIMIT $2";

/// The rejects of a file go with it.
pub(crate) const FORGET_FILE: &str = "DELETE FROM read_file WHERE source = $1 AND url = $2";

pub(crate) const FORGET_FILES: &str = "DELETE FROM read_file WHERE source = $1";

pub(crate) const INSERT_FILE: &str = "INSERT INTO read_file (source, url, etag, last_modified, sha256,
        row_count, reject_count, read_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

pub(crate) const INSERT_REJECT: &str = "INSERT INTO reject (source, url, position, file, line, reason)
    VALUES ($1, $2, $3, $4, $5, $6)";

/// The newest days first.
pub(crate) const WITHHELD: &str = "SELECT pair, day, value, sell, first_seen, reason FROM withheld
    WHERE source = $1 ORDER BY day DESC, pair LIMIT $2";

pub(crate) const FORGET_WITHHELD: &str = "DELETE FROM withheld WHERE source = $1";

pub(crate) const INSERT_WITHHELD: &str =
    "INSERT INTO withheld (source, pair, day, value, sell, first_seen, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Takes a lease that has ended, is the taker's own, or ends later than any lease can; gives the one that stands.
pub(crate) const TAKE_LEASE: &str = "INSERT INTO lease (holder, ends_at, name) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO UPDATE SET
        holder = CASE WHEN lease.ends_at <= $4 OR lease.ends_at > $5 THEN excluded.holder ELSE lease.holder END,
        ends_at = CASE WHEN lease.ends_at <= $4 OR lease.ends_at > $5 OR lease.holder = excluded.holder
            THEN excluded.ends_at ELSE lease.ends_at END
    RETURNING holder, ends_at";

pub(crate) const RENEW_LEASE: &str = "UPDATE lease SET ends_at = $1 WHERE name = $2 AND holder = $3";

pub(crate) const RELEASE_LEASE: &str = "DELETE FROM lease WHERE name = $1 AND holder = $2";

pub(crate) const INSERT_ACCOUNT: &str = "INSERT INTO account (id, name, email, plan, rate_limit)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING";

pub(crate) const INSERT_KEY: &str = "INSERT INTO api_key (id, digest, account, created_at, revision)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING";

macro_rules! select_keys {
    ($rest:literal) => {
        concat!(
            "SELECT api_key.id, digest, created_at, ends_at, revision, account.id, name, email, plan, rate_limit ",
            "FROM api_key JOIN account ON account.id = api_key.account ",
            $rest
        )
    };
}

pub(crate) const KEY: &str = select_keys!("WHERE api_key.id = $1");
pub(crate) const KEYS_OF_ACCOUNT: &str = select_keys!("WHERE account.id = $1 ORDER BY revision");
pub(crate) const KEYS_SINCE: &str = select_keys!("WHERE revision > $1 ORDER BY revision LIMIT $2");
pub(crate) const ALL_KEYS: &str = select_keys!("ORDER BY created_at, api_key.id");

pub(crate) const SET_TERMS: &str = "UPDATE account SET plan = $1, rate_limit = $2 WHERE id = $3";

pub(crate) const SET_REVISION: &str = "UPDATE api_key SET revision = $1 WHERE id = $2";

pub(crate) const END_KEY: &str = "UPDATE api_key SET ends_at = $1, revision = $2 WHERE id = $3";

pub(crate) const ADD_USAGE: &str = "INSERT INTO usage_count (account, day, endpoint, outcome, boot, requests)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account, day, endpoint, outcome, boot)
    DO UPDATE SET requests = excluded.requests WHERE excluded.requests > usage_count.requests";

pub(crate) const USAGE: &str = "SELECT day, endpoint, outcome, CAST(SUM(requests) AS BIGINT) FROM usage_count
    WHERE account = $1 AND day BETWEEN $2 AND $3 GROUP BY day, endpoint, outcome ORDER BY day, endpoint, outcome";

/// The days of a boot whose counts are closed, of those from a day on.
pub(crate) const FOLDED_DAYS: &str = "SELECT day FROM folded_usage WHERE boot = $1 AND day >= $2";

pub(crate) const CLOSE_DAYS: &str = "INSERT INTO folded_usage (boot, day)
    SELECT DISTINCT boot, day FROM usage_count WHERE day < $1 AND boot <> ''
    ON CONFLICT (boot, day) DO NOTHING";

pub(crate) const SUM_UP_DAYS: &str =
    "INSERT INTO usage_count (account, day, endpoint, outcome, boot, requests)
    SELECT account, day, endpoint, outcome, '', CAST(SUM(requests) AS BIGINT) FROM usage_count
    WHERE day < $1 AND boot <> '' GROUP BY account, day, endpoint, outcome
    ON CONFLICT (account, day, endpoint, outcome, boot)
    DO UPDATE SET requests = usage_count.requests + excluded.requests";

pub(crate) const DELETE_SUMMED_UP: &str = "DELETE FROM usage_count WHERE day < $1 AND boot <> ''";

pub(crate) const LAST_USED: &str = "SELECT MAX(day) FROM usage_count WHERE account = $1";

pub(crate) const SETTING: &str = "SELECT value FROM setting WHERE name = $1";

pub(crate) const INSERT_SETTING: &str =
    "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
