//! Upserts of rows: one at a time, or many in one statement if the database is remote.

/// All statements take the values of a row in the order of `columns`, with the key last. Those for one row, used only
/// by SQLite, take the checksum of the values after them: a server's pages have their own checksums.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upsert {
    /// Does nothing if the key exists.
    pub(crate) insert: &'static str,
    /// Does nothing if the row is the same. Corrects a wrong checksum; leaves a missing one missing.
    pub(crate) update: &'static str,
    pub(crate) columns: &'static [Column],
    /// Number of columns at the end that form the key.
    pub(crate) key_columns: usize,
    /// `insert` for many rows with distinct keys: an array per column, of `BIGINT` or `TEXT`. Returns the positions of
    /// the inserted rows, counted from one.
    pub(crate) insert_many: &'static str,
    /// `update` for the same arrays. Returns the positions of the rows that differed.
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
    insert: "INSERT INTO rate (value, series, day, checksum) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (series, day) DO NOTHING",
    update: "UPDATE rate SET value = ?1, checksum = ?4
        WHERE series = ?2 AND day = ?3 AND (value <> ?1 OR checksum <> ?4)",
    columns: &[Text, Text, Integer],
    key_columns: 2,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3) WITH ORDINALITY AS entry (value, series, day, place)),
        added AS (INSERT INTO rate (value, series, day) SELECT value, series, day FROM given
            ON CONFLICT (series, day) DO NOTHING RETURNING series, day)
        SELECT place FROM given JOIN added ON added.series = given.series AND added.day = given.day",
    update_many: "UPDATE rate SET value = given.value
        FROM UNNEST($1, $2, $3) WITH ORDINALITY AS given (value, series, day, place)
        WHERE rate.series = given.series AND rate.day = given.day AND rate.value <> given.value
        RETURNING place",
};

pub(crate) const FX: Upsert = Upsert {
    insert: "INSERT INTO fx (buy, sell, pair, day, checksum) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (pair, day) DO NOTHING",
    update: "UPDATE fx SET buy = ?1, sell = ?2, checksum = ?5
        WHERE pair = ?3 AND day = ?4 AND (buy <> ?1 OR sell <> ?2 OR checksum <> ?5)",
    columns: &[Text, Text, Text, Integer],
    key_columns: 2,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4) WITH ORDINALITY
            AS entry (buy, sell, pair, day, place)),
        added AS (INSERT INTO fx (buy, sell, pair, day) SELECT buy, sell, pair, day FROM given
            ON CONFLICT (pair, day) DO NOTHING RETURNING pair, day)
        SELECT place FROM given JOIN added ON added.pair = given.pair AND added.day = given.day",
    update_many: "UPDATE fx SET buy = given.buy, sell = given.sell
        FROM UNNEST($1, $2, $3, $4) WITH ORDINALITY AS given (buy, sell, pair, day, place)
        WHERE fx.pair = given.pair AND fx.day = given.day AND (fx.buy <> given.buy OR fx.sell <> given.sell)
        RETURNING place",
};

pub(crate) const COMPANY: Upsert = Upsert {
    insert: "INSERT INTO company (name, cnpj, status, sector, trading_name, registered_on, id, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
    update: "UPDATE company
        SET name = ?1, cnpj = ?2, status = ?3, sector = ?4, trading_name = ?5, registered_on = ?6, checksum = ?8
        WHERE id = ?7 AND ((name, cnpj, status, sector, trading_name, registered_on)
            IS DISTINCT FROM (?1, ?2, ?3, ?4, ?5, ?6) OR checksum <> ?8)",
    columns: &[Text, Text, Text, Text, Text, Integer, Integer],
    key_columns: 1,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7) WITH ORDINALITY
            AS entry (name, cnpj, status, sector, trading_name, registered_on, id, place)),
        added AS (INSERT INTO company (name, cnpj, status, sector, trading_name, registered_on, id)
            SELECT name, cnpj, status, sector, trading_name, registered_on, id FROM given
            ON CONFLICT (id) DO NOTHING RETURNING id)
        SELECT place FROM given JOIN added ON added.id = given.id",
    update_many: "UPDATE company
        SET name = given.name, cnpj = given.cnpj, status = given.status, sector = given.sector,
            trading_name = given.trading_name, registered_on = given.registered_on
        FROM UNNEST($1, $2, $3, $4, $5, $6, $7) WITH ORDINALITY
            AS given (name, cnpj, status, sector, trading_name, registered_on, id, place)
        WHERE company.id = given.id
            AND (company.name, company.cnpj, company.status, company.sector, company.trading_name,
                company.registered_on)
            IS DISTINCT FROM (given.name, given.cnpj, given.status, given.sector, given.trading_name,
                given.registered_on)
        RETURNING place",
};

pub(crate) const FILING: Upsert = Upsert {
    insert: "INSERT INTO filing (company_id, company_name, category, kind, delivered_on, reference_day,
            description, version, url, id, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (id) DO NOTHING",
    update: "UPDATE filing
        SET company_id = ?1, company_name = ?2, category = ?3, kind = ?4, delivered_on = ?5, reference_day = ?6,
            description = ?7, version = ?8, url = ?9, checksum = ?11
        WHERE id = ?10 AND ((company_id, company_name, category, kind, delivered_on, reference_day,
                description, version, url)
            IS DISTINCT FROM (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) OR checksum <> ?11)",
    columns: &[Integer, Text, Text, Text, Integer, Integer, Text, Integer, Text, Text],
    key_columns: 1,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) WITH ORDINALITY
            AS entry (company_id, company_name, category, kind, delivered_on, reference_day, description, version,
                url, id, place)),
        added AS (INSERT INTO filing (company_id, company_name, category, kind, delivered_on, reference_day,
                description, version, url, id)
            SELECT company_id, company_name, category, kind, delivered_on, reference_day, description, version,
                url, id FROM given
            ON CONFLICT (id) DO NOTHING RETURNING id)
        SELECT place FROM given JOIN added ON added.id = given.id",
    update_many: "UPDATE filing
        SET company_id = given.company_id, company_name = given.company_name, category = given.category,
            kind = given.kind, delivered_on = given.delivered_on, reference_day = given.reference_day,
            description = given.description, version = given.version, url = given.url
        FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) WITH ORDINALITY
            AS given (company_id, company_name, category, kind, delivered_on, reference_day, description, version,
                url, id, place)
        WHERE filing.id = given.id
            AND (filing.company_id, filing.company_name, filing.category, filing.kind, filing.delivered_on,
                filing.reference_day, filing.description, filing.version, filing.url)
            IS DISTINCT FROM (given.company_id, given.company_name, given.category, given.kind, given.delivered_on,
                given.reference_day, given.description, given.version, given.url)
        RETURNING place",
};

pub(crate) const TRADED_SECURITY: Upsert = Upsert {
    insert: "INSERT INTO traded_security (kind, class, segment, trading_from, trading_to, reference_day, version,
            ticker, company_id, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (ticker, company_id) DO NOTHING",
    update: "UPDATE traded_security
        SET kind = ?1, class = ?2, segment = ?3, trading_from = ?4, trading_to = ?5, reference_day = ?6, version = ?7,
            checksum = ?10
        WHERE ticker = ?8 AND company_id = ?9
            AND ((kind, class, segment, trading_from, trading_to, reference_day, version)
            IS DISTINCT FROM (?1, ?2, ?3, ?4, ?5, ?6, ?7) OR checksum <> ?10)",
    columns: &[Text, Text, Text, Integer, Integer, Integer, Integer, Text, Integer],
    key_columns: 2,
    insert_many: "WITH given AS (SELECT * FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY
            AS entry (kind, class, segment, trading_from, trading_to, reference_day, version, ticker, company_id,
                place)),
        added AS (INSERT INTO traded_security (kind, class, segment, trading_from, trading_to, reference_day, version,
                ticker, company_id)
            SELECT kind, class, segment, trading_from, trading_to, reference_day, version, ticker, company_id FROM given
            ON CONFLICT (ticker, company_id) DO NOTHING RETURNING ticker, company_id)
        SELECT place FROM given
            JOIN added ON added.ticker = given.ticker AND added.company_id = given.company_id",
    update_many: "UPDATE traded_security
        SET kind = given.kind, class = given.class, segment = given.segment, trading_from = given.trading_from,
            trading_to = given.trading_to, reference_day = given.reference_day, version = given.version
        FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY
            AS given (kind, class, segment, trading_from, trading_to, reference_day, version, ticker, company_id, place)
        WHERE traded_security.ticker = given.ticker AND traded_security.company_id = given.company_id
            AND (traded_security.kind, traded_security.class, traded_security.segment, traded_security.trading_from,
                traded_security.trading_to, traded_security.reference_day, traded_security.version)
            IS DISTINCT FROM (given.kind, given.class, given.segment, given.trading_from, given.trading_to,
                given.reference_day, given.version)
        RETURNING place",
};

pub(crate) const FORMER_NAME: Upsert = Upsert {
    insert: "INSERT INTO former_name (reference_day, company_id, name, checksum) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (company_id, name) DO NOTHING",
    update: "UPDATE former_name SET reference_day = ?1, checksum = ?4
        WHERE company_id = ?2 AND name = ?3 AND (reference_day <> ?1 OR checksum <> ?4)",
    columns: &[Integer, Integer, Text],
    key_columns: 2,
    insert_many:
        "WITH given AS (SELECT * FROM UNNEST($1, $2, $3) WITH ORDINALITY
            AS entry (reference_day, company_id, name, place)),
        added AS (INSERT INTO former_name (reference_day, company_id, name)
            SELECT reference_day, company_id, name FROM given
            ON CONFLICT (company_id, name) DO NOTHING RETURNING company_id, name)
        SELECT place FROM given JOIN added ON added.company_id = given.company_id AND added.name = given.name",
    update_many: "UPDATE former_name SET reference_day = given.reference_day
        FROM UNNEST($1, $2, $3) WITH ORDINALITY AS given (reference_day, company_id, name, place)
        WHERE former_name.company_id = given.company_id AND former_name.name = given.name
            AND former_name.reference_day <> given.reference_day
        RETURNING place",
};
