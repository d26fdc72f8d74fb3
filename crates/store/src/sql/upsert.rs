//! Upserts of rows: one at a time, or many in one statement if the database is remote.

/// All statements take the values of a row in the order of `columns`, with the key last. Those for one row, used only
/// by SQLite, take the checksum of the values after them: a server's pages have their own checksums.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upsert {
    /// Does nothing if the key exists.
    pub(crate) insert: &'static str,
    /// Reads the stored row if it differs, in the columns of the table's `Select`. A row with a wrong checksum differs,
    /// one without a checksum does not for that.
    pub(crate) stored: &'static str,
    /// Overwrites the row, except the time at which it was first seen.
    pub(crate) update: &'static str,
    pub(crate) columns: &'static [Column],
    /// Number of columns at the end that form the key.
    pub(crate) key_columns: usize,
    /// Number of columns at the beginning that are not part of the checksum: the history of the row.
    pub(crate) unchecked: usize,
    /// `insert` for many rows with distinct keys: an array per column, of `BIGINT` or `TEXT`. Returns the positions of
    /// the inserted rows, counted from one.
    pub(crate) insert_many: &'static str,
    /// `stored` for the same arrays. After the columns of a row comes its position.
    pub(crate) stored_many: &'static str,
    /// Number of columns before that position.
    pub(crate) stored_columns: usize,
    /// `update` for the same arrays.
    pub(crate) update_many: &'static str,
}

/// The type of a column, regardless of its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Integer,
    Text,
}

use Column::{Integer, Text};

pub(crate) const RATE: Upsert = Upsert {
    insert: "INSERT INTO rate (value, series, day, checksum) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (series,
        day) DO NOTHING",
    stored: "SELECT day, value FROM rate WHERE series = ?2 AND day = ?3 AND (value <> ?1 OR checksum <> ?4)",
    update: "UPDATE rate SET value = ?1, checksum = ?4 WHERE series = ?2 AND day = ?3",
    columns: &[Text, Text, Integer],
    key_columns: 2,
    unchecked: 0,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3) WITH ORDINALITY AS entry (value, series,
        day, place)), added AS (INSERT INTO rate (value, series, day) SELECT value, series, day FROM given ON
        CONFLICT (series, day) DO NOTHING RETURNING series, day) SELECT place FROM given JOIN added ON
        added.series = given.series AND added.day = given.day",
    stored_many: "SELECT rate.day, rate.value, place FROM UNNEST($1, $2, $3) WITH ORDINALITY AS given (value,
        series, day, place) JOIN rate ON rate.series = given.series AND rate.day = given.day WHERE (rate.value)
        IS DISTINCT FROM (given.value)",
    stored_columns: 2,
    update_many: "UPDATE rate SET value = given.value FROM UNNEST($1, $2, $3) AS given (value, series, day)
        WHERE rate.series = given.series AND rate.day = given.day",
};

pub(crate) const FX: Upsert = Upsert {
    insert: "INSERT INTO fx (buy, sell, pair, day, checksum) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (pair,
        day) DO NOTHING",
    stored: "SELECT day, pair, buy, sell FROM fx WHERE pair = ?3 AND day = ?4 AND ((buy, sell) IS DISTINCT
        FROM (?1, ?2) OR checksum <> ?5)",
    update: "UPDATE fx SET buy = ?1, sell = ?2, checksum = ?5 WHERE pair = ?3 AND day = ?4",
    columns: &[Text, Text, Text, Integer],
    key_columns: 2,
    unchecked: 0,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4) WITH ORDINALITY AS entry (buy, sell,
        pair, day, place)), added AS (INSERT INTO fx (buy, sell, pair, day) SELECT buy, sell, pair, day FROM
        given ON CONFLICT (pair, day) DO NOTHING RETURNING pair, day) SELECT place FROM given JOIN added ON
        added.pair = given.pair AND added.day = given.day",
    stored_many: "SELECT fx.day, fx.pair, fx.buy, fx.sell, place FROM UNNEST($1, $2, $3, $4) WITH ORDINALITY
        AS given (buy, sell, pair, day, place) JOIN fx ON fx.pair = given.pair AND fx.day = given.day WHERE
        (fx.buy, fx.sell) IS DISTINCT FROM (given.buy, given.sell)",
    stored_columns: 4,
    update_many: "UPDATE fx SET buy = given.buy, sell = given.sell FROM UNNEST($1, $2, $3, $4) AS given (buy,
        sell, pair, day) WHERE fx.pair = given.pair AND fx.day = given.day",
};

pub(crate) const COMPANY: Upsert = Upsert {
    insert: "INSERT INTO company (first_seen_at, withdrawn_at, name, cnpj, status, sector, trading_name,
        registered_on, id, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO
        NOTHING",
    stored: "SELECT id, name, cnpj, status, sector, trading_name, registered_on, first_seen_at, withdrawn_at
        FROM company WHERE id = ?9 AND ((withdrawn_at, name, cnpj, status, sector, trading_name, registered_on)
        IS DISTINCT FROM (?2, ?3, ?4, ?5, ?6, ?7, ?8) OR checksum <> ?10)",
    update: "UPDATE company SET withdrawn_at = ?2, name = ?3, cnpj = ?4, status = ?5, sector = ?6,
        trading_name = ?7, registered_on = ?8, checksum = ?10 WHERE id = ?9",
    columns: &[Integer, Integer, Text, Text, Text, Text, Text, Integer, Integer],
    key_columns: 1,
    unchecked: 2,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS
        entry (first_seen_at, withdrawn_at, name, cnpj, status, sector, trading_name, registered_on, id,
        place)), added AS (INSERT INTO company (first_seen_at, withdrawn_at, name, cnpj, status, sector,
        trading_name, registered_on, id) SELECT first_seen_at, withdrawn_at, name, cnpj, status, sector,
        trading_name, registered_on, id FROM given ON CONFLICT (id) DO NOTHING RETURNING id) SELECT place FROM
        given JOIN added ON added.id = given.id",
    stored_many: "SELECT company.id, company.name, company.cnpj, company.status, company.sector,
        company.trading_name, company.registered_on, company.first_seen_at, company.withdrawn_at, place FROM
        UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS given (first_seen_at, withdrawn_at, name,
        cnpj, status, sector, trading_name, registered_on, id, place) JOIN company ON company.id = given.id
        WHERE (company.withdrawn_at, company.name, company.cnpj, company.status, company.sector,
        company.trading_name, company.registered_on) IS DISTINCT FROM (given.withdrawn_at, given.name,
        given.cnpj, given.status, given.sector, given.trading_name, given.registered_on)",
    stored_columns: 9,
    update_many: "UPDATE company SET withdrawn_at = given.withdrawn_at, name = given.name, cnpj = given.cnpj,
        status = given.status, sector = given.sector, trading_name = given.trading_name, registered_on =
        given.registered_on FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) AS given (first_seen_at,
        withdrawn_at, name, cnpj, status, sector, trading_name, registered_on, id) WHERE company.id = given.id",
};

pub(crate) const FILING: Upsert = Upsert {
    insert: "INSERT INTO filing (first_seen_at, withdrawn_at, company_id, company_name, category, kind,
        delivered_on, reference_day, description, version, url, id, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6,
        ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (id) DO NOTHING",
    stored: "SELECT id, company_id, company_name, category, kind, delivered_on, reference_day, description,
        version, url, first_seen_at, withdrawn_at FROM filing WHERE id = ?12 AND ((withdrawn_at, company_id,
        company_name, category, kind, delivered_on, reference_day, description, version, url) IS DISTINCT FROM
        (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) OR checksum <> ?13)",
    update: "UPDATE filing SET withdrawn_at = ?2, company_id = ?3, company_name = ?4, category = ?5, kind =
        ?6, delivered_on = ?7, reference_day = ?8, description = ?9, version = ?10, url = ?11, checksum = ?13
        WHERE id = ?12",
    columns: &[Integer, Integer, Integer, Text, Text, Text, Integer, Integer, Text, Integer, Text, Text],
    key_columns: 1,
    unchecked: 2,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) WITH
        ORDINALITY AS entry (first_seen_at, withdrawn_at, company_id, company_name, category, kind,
        delivered_on, reference_day, description, version, url, id, place)), added AS (INSERT INTO filing
        (first_seen_at, withdrawn_at, company_id, company_name, category, kind, delivered_on, reference_day,
        description, version, url, id) SELECT first_seen_at, withdrawn_at, company_id, company_name, category,
        kind, delivered_on, reference_day, description, version, url, id FROM given ON CONFLICT (id) DO NOTHING
        RETURNING id) SELECT place FROM given JOIN added ON added.id = given.id",
    stored_many: "SELECT filing.id, filing.company_id, filing.company_name, filing.category, filing.kind,
        filing.delivered_on, filing.reference_day, filing.description, filing.version, filing.url,
        filing.first_seen_at, filing.withdrawn_at, place FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
        $11, $12) WITH ORDINALITY AS given (first_seen_at, withdrawn_at, company_id, company_name, category,
        kind, delivered_on, reference_day, description, version, url, id, place) JOIN filing ON filing.id =
        given.id WHERE (filing.withdrawn_at, filing.company_id, filing.company_name, filing.category,
        filing.kind, filing.delivered_on, filing.reference_day, filing.description, filing.version, filing.url)
        IS DISTINCT FROM (given.withdrawn_at, given.company_id, given.company_name, given.category, given.kind,
        given.delivered_on, given.reference_day, given.description, given.version, given.url)",
    stored_columns: 12,
    update_many: "UPDATE filing SET withdrawn_at = given.withdrawn_at, company_id = given.company_id,
        company_name = given.company_name, category = given.category, kind = given.kind, delivered_on =
        given.delivered_on, reference_day = given.reference_day, description = given.description, version =
        given.version, url = given.url FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS given
        (first_seen_at, withdrawn_at, company_id, company_name, category, kind, delivered_on, reference_day,
        description, version, url, id) WHERE filing.id = given.id",
};

pub(crate) const TRADED_SECURITY: Upsert = Upsert {
    insert: "INSERT INTO traded_security (kind, class, segment, trading_from, trading_to, reference_day,
        version, ticker, company_id, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT
        (ticker, company_id) DO NOTHING",
    stored: "SELECT ticker, company_id, kind, class, segment, trading_from, trading_to, reference_day,
        version FROM traded_security WHERE ticker = ?8 AND company_id = ?9 AND ((kind, class, segment,
        trading_from, trading_to, reference_day, version) IS DISTINCT FROM (?1, ?2, ?3, ?4, ?5, ?6, ?7) OR
        checksum <> ?10)",
    update: "UPDATE traded_security SET kind = ?1, class = ?2, segment = ?3, trading_from = ?4, trading_to =
        ?5, reference_day = ?6, version = ?7, checksum = ?10 WHERE ticker = ?8 AND company_id = ?9",
    columns: &[Text, Text, Text, Integer, Integer, Integer, Integer, Text, Integer],
    key_columns: 2,
    unchecked: 0,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS
        entry (kind, class, segment, trading_from, trading_to, reference_day, version, ticker, company_id,
        place)), added AS (INSERT INTO traded_security (kind, class, segment, trading_from, trading_to,
        reference_day, version, ticker, company_id) SELECT kind, class, segment, trading_from, trading_to,
        reference_day, version, ticker, company_id FROM given ON CONFLICT (ticker, company_id) DO NOTHING
        RETURNING ticker, company_id) SELECT place FROM given JOIN added ON added.ticker = given.ticker AND
        added.company_id = given.company_id",
    stored_many: "SELECT traded_security.ticker, traded_security.company_id, traded_security.kind,
        traded_security.class, traded_security.segment, traded_security.trading_from,
        traded_security.trading_to, traded_security.reference_day, traded_security.version, place FROM
        UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS given (kind, class, segment, trading_from,
        trading_to, reference_day, version, ticker, company_id, place) JOIN traded_security ON
        traded_security.ticker = given.ticker AND traded_security.company_id = given.company_id WHERE
        (traded_security.kind, traded_security.class, traded_security.segment, traded_security.trading_from,
        traded_security.trading_to, traded_security.reference_day, traded_security.version) IS DISTINCT FROM
        (given.kind, given.class, given.segment, given.trading_from, given.trading_to, given.reference_day,
        given.version)",
    stored_columns: 9,
    update_many: "UPDATE traded_security SET kind = given.kind, class = given.class, segment = given.segment,
        trading_from = given.trading_from, trading_to = given.trading_to, reference_day = given.reference_day,
        version = given.version FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) AS given (kind, class, segment,
        trading_from, trading_to, reference_day, version, ticker, company_id) WHERE traded_security.ticker =
        given.ticker AND traded_security.company_id = given.company_id",
};

pub(crate) const FORMER_NAME: Upsert = Upsert {
    insert: "INSERT INTO former_name (reference_day, company_id, name, checksum) VALUES (?1, ?2, ?3, ?4) ON
        CONFLICT (company_id, name) DO NOTHING",
    stored: "SELECT company_id, name, reference_day FROM former_name WHERE company_id = ?2 AND name = ?3 AND
        (reference_day <> ?1 OR checksum <> ?4)",
    update: "UPDATE former_name SET reference_day = ?1, checksum = ?4 WHERE company_id = ?2 AND name = ?3",
    columns: &[Integer, Integer, Text],
    key_columns: 2,
    unchecked: 0,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3) WITH ORDINALITY AS entry (reference_day,
        company_id, name, place)), added AS (INSERT INTO former_name (reference_day, company_id, name) SELECT
        reference_day, company_id, name FROM given ON CONFLICT (company_id, name) DO NOTHING RETURNING
        company_id, name) SELECT place FROM given JOIN added ON added.company_id = given.company_id AND
        added.name = given.name",
    stored_many: "SELECT former_name.company_id, former_name.name, former_name.reference_day, place FROM
        UNNEST($1, $2, $3) WITH ORDINALITY AS given (reference_day, company_id, name, place) JOIN former_name
        ON former_name.company_id = given.company_id AND former_name.name = given.name WHERE
        (former_name.reference_day) IS DISTINCT FROM (given.reference_day)",
    stored_columns: 3,
    update_many: "UPDATE former_name SET reference_day = given.reference_day FROM UNNEST($1, $2, $3) AS given
        (reference_day, company_id, name) WHERE former_name.company_id = given.company_id AND
        former_name.name = given.name",
};
