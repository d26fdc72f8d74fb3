-- The database of the SQLite peers, made from Lastro's, which is attached as `lastro`.
--
-- It is designed for these questions only: every value in the form of the response, an index for each page that also
-- serves its count, and full-text search that folds case and accents.

PRAGMA main.journal_mode = OFF;
PRAGMA main.synchronous = OFF;

CREATE TABLE selic (date TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
INSERT INTO selic
    SELECT date(day * 86400, 'unixepoch'), CAST(value AS REAL) FROM lastro.rate WHERE series = 'selic';

CREATE TABLE company (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    cnpj TEXT NOT NULL,
    status TEXT NOT NULL,
    sector TEXT,
    trading_name TEXT,
    registered_on TEXT
) WITHOUT ROWID;
INSERT INTO company
    SELECT id, name,
        substr(cnpj, 1, 2) || '.' || substr(cnpj, 3, 3) || '.' || substr(cnpj, 6, 3) || '/' || substr(cnpj, 9, 4)
            || '-' || substr(cnpj, 13, 2),
        status, sector, trading_name, date(registered_on * 86400, 'unixepoch')
    FROM lastro.company ORDER BY CAST(id AS TEXT);

CREATE TABLE filing (
    id INTEGER PRIMARY KEY,
    company_id TEXT NOT NULL,
    company_name TEXT NOT NULL,
    category TEXT NOT NULL,
    date TEXT NOT NULL,
    description TEXT NOT NULL,
    type TEXT,
    reference_date TEXT,
    version INTEGER NOT NULL,
    url TEXT NOT NULL
);
INSERT INTO filing
    SELECT CAST(id AS INTEGER), company_id, company_name, category,
        date(delivered_on * 86400, 'unixepoch') || 'T00:00:00-03:00', description, kind,
        date(reference_day * 86400, 'unixepoch'), version, url
    FROM lastro.filing ORDER BY CAST(id AS INTEGER);

CREATE INDEX filing_by_category ON filing (category, date, id);
CREATE INDEX filing_by_date ON filing (date, id);

CREATE VIRTUAL TABLE filing_words USING fts5 (
    company_name, category, type, description,
    content = 'filing', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO filing_words (filing_words) VALUES ('rebuild');
INSERT INTO filing_words (filing_words) VALUES ('optimize');

ANALYZE;
