-- The published data. Days are day numbers since 1970-01-01, times are milliseconds since 1970 UTC,
-- decimals are text with the digits as published.

CREATE TABLE rate (
    series TEXT NOT NULL,
    day INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (series, day)
);

CREATE TABLE fx (
    pair TEXT NOT NULL,
    day INTEGER NOT NULL,
    buy TEXT NOT NULL,
    sell TEXT NOT NULL,
    PRIMARY KEY (pair, day)
);

CREATE TABLE company (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    cnpj TEXT NOT NULL,
    status TEXT NOT NULL,
    sector TEXT,
    trading_name TEXT,
    registered_on INTEGER
);

CREATE TABLE filing (
    id TEXT PRIMARY KEY,
    company_id BIGINT NOT NULL,
    company_name TEXT NOT NULL,
    category TEXT NOT NULL,
    kind TEXT,
    delivered_on INTEGER NOT NULL,
    reference_day INTEGER,
    description TEXT NOT NULL,
    version INTEGER NOT NULL,
    url TEXT NOT NULL
);

-- One row per source, from the start.
CREATE TABLE source_state (
    source TEXT PRIMARY KEY,
    edition BIGINT NOT NULL,
    sample SMALLINT NOT NULL,
    row_count BIGINT NOT NULL,
    newest_day INTEGER,
    last_success BIGINT,
    last_attempt BIGINT,
    last_error TEXT
);

INSERT INTO source_state (source, edition, sample, row_count) VALUES
    ('selic', 0, 0, 0),
    ('cdi', 0, 0, 0),
    ('ipca', 0, 0, 0),
    ('fx', 0, 0, 0),
    ('companies', 0, 0, 0),
    ('filings', 0, 0, 0);

-- Numbers that only grow, each handed out once.
CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);

INSERT INTO counter (name, value) VALUES ('edition', 0), ('key_revision', 0);
