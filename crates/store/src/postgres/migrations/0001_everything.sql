-- Everything that this database holds: the published data, and the accounts with what they use and are sent. The history
-- of this schema is its own; the statements that work on it are those that SQLite's files know, too.
--
-- Texts compare byte by byte, whatever language the server speaks: orders are the same everywhere, and no update of a
-- C library breaks an index. Days are day numbers since 1970-01-01, times are milliseconds since 1970 UTC, decimals are
-- text with the digits as published.

CREATE TABLE rate (
    series TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (series, day)
);

CREATE TABLE fx (
    pair TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL,
    buy TEXT COLLATE "C" NOT NULL,
    sell TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (pair, day)
);

CREATE TABLE company (
    id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    cnpj TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    sector TEXT COLLATE "C",
    trading_name TEXT COLLATE "C",
    registered_on INTEGER
);

CREATE TABLE filing (
    id TEXT COLLATE "C" PRIMARY KEY,
    company_id BIGINT NOT NULL,
    company_name TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C",
    delivered_on INTEGER NOT NULL,
    reference_day INTEGER,
    description TEXT COLLATE "C" NOT NULL,
    version INTEGER NOT NULL,
    url TEXT COLLATE "C" NOT NULL
);

-- One row per source. Rows of sources that a version does not know are passed over.
CREATE TABLE source_state (
    source TEXT COLLATE "C" PRIMARY KEY,
    edition BIGINT NOT NULL,
    sample SMALLINT NOT NULL,
    row_count BIGINT NOT NULL,
    newest_day INTEGER,
    last_success BIGINT,
    last_attempt BIGINT,
    last_error TEXT COLLATE "C",
    -- A database that was restored from a copy comes to the same editions again, but not at the same times.
    published_at BIGINT NOT NULL
);

-- The upstream files that the rows came from, and the rows in them that could not be read.

CREATE TABLE read_file (
    source TEXT COLLATE "C" NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    etag TEXT COLLATE "C",
    last_modified TEXT COLLATE "C",
    sha256 TEXT COLLATE "C" NOT NULL,
    row_count BIGINT NOT NULL,
    -- Exact, also where only the first rejects are kept.
    reject_count BIGINT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (source, url)
);

CREATE TABLE reject (
    source TEXT COLLATE "C" NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    position INTEGER NOT NULL,
    file TEXT COLLATE "C" NOT NULL,
    line BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (source, url, position),
    FOREIGN KEY (source, url) REFERENCES read_file (source, url) ON DELETE CASCADE
);

-- Points that a publisher gave and that are not believed yet.

CREATE TABLE withheld (
    source TEXT COLLATE "C" NOT NULL,
    -- Empty for a point of a series.
    pair TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL,
    -- The rate, or what is bid for the currency.
    value TEXT COLLATE "C" NOT NULL,
    -- What is asked for the currency.
    sell TEXT COLLATE "C",
    first_seen BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (source, pair, day)
);

-- Which filings each edition changed, so that whoever has an earlier one need not read them all again.

-- The editions since which the changes are known, up to the one that stands.
CREATE TABLE filing_edition (
    edition BIGINT PRIMARY KEY,
    row_count BIGINT NOT NULL,
    newest_day INTEGER,
    published_at BIGINT NOT NULL,
    -- How many filings it added or changed.
    change_count BIGINT NOT NULL
);

CREATE TABLE filing_change (
    edition BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (edition, id)
);

-- What publications changed, until it is written to whom it is told.
CREATE TABLE announcement (
    number BIGINT PRIMARY KEY,
    source TEXT COLLATE "C" NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    edition BIGINT NOT NULL,
    announced_at BIGINT NOT NULL,
    rows_as_json TEXT COLLATE "C" NOT NULL
);

-- From here on what must be quick.

CREATE TABLE account (
    id TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    rate_limit BIGINT,
    -- When its holder registered it, until it is used for the first time; never set for those the operator made.
    unused_since BIGINT
);

CREATE INDEX account_unused ON account (unused_since) WHERE unused_since IS NOT NULL;

CREATE TABLE api_key (
    id TEXT COLLATE "C" PRIMARY KEY,
    digest TEXT COLLATE "C" NOT NULL,
    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    ends_at BIGINT,
    -- Refused for good, whatever a clock says about its end.
    revoked SMALLINT NOT NULL,
    revision BIGINT NOT NULL
);

CREATE INDEX api_key_by_account ON api_key (account);
CREATE UNIQUE INDEX api_key_by_revision ON api_key (revision);
CREATE INDEX api_key_ending ON api_key (ends_at) WHERE revoked = 0 AND ends_at IS NOT NULL;

-- Keys that are gone, for as long as a running server may not have heard of it.
CREATE TABLE removed_key (
    id TEXT COLLATE "C" PRIMARY KEY,
    revision BIGINT NOT NULL,
    removed_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX removed_key_by_revision ON removed_key (revision);

-- No reference to account: what was used stays when its account is erased, without a name.
CREATE TABLE usage_count (
    account TEXT COLLATE "C" NOT NULL,
    day INTEGER NOT NULL,
    endpoint TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (account, day, endpoint, outcome)
);

-- The last batch of counts that each process wrote, so that none is added twice.
CREATE TABLE usage_flush (
    boot TEXT COLLATE "C" PRIMARY KEY,
    sequence BIGINT NOT NULL,
    flushed_at BIGINT NOT NULL
);

CREATE TABLE setting (
    name TEXT COLLATE "C" PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE lease (
    name TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT COLLATE "C" NOT NULL,
    ends_at BIGINT NOT NULL
);

CREATE TABLE webhook (
    id TEXT COLLATE "C" PRIMARY KEY,
    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    url TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    -- Names, separated by commas.
    events TEXT COLLATE "C" NOT NULL,
    -- JSON: the companies, then the categories.
    filters TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_by TEXT COLLATE "C",
    failing_since BIGINT,
    last_failure BIGINT,
    -- Whoever delivers to this webhook, alone until then.
    lease_holder TEXT COLLATE "C" NOT NULL,
    leased_until BIGINT NOT NULL
);

CREATE INDEX webhook_by_account ON webhook (account);

-- What secrets are derived from; the other half is not in the database.
CREATE TABLE webhook_secret (
    webhook TEXT COLLATE "C" NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    seed TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL,
    ends_at BIGINT,
    PRIMARY KEY (webhook, seed)
);

CREATE TABLE message (
    id TEXT COLLATE "C" PRIMARY KEY,
    webhook TEXT COLLATE "C" NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    -- The order in which messages were written.
    number BIGINT NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    -- Attempts of the schedule that runs, and when its next one is due; no time means that none is.
    tries INTEGER NOT NULL,
    due_at BIGINT,
    delivered SMALLINT NOT NULL,
    -- How often the owner asked for it again: what became of an earlier delivery says nothing about a later request.
    asked BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX message_by_webhook ON message (webhook, number);
CREATE INDEX message_due ON message (webhook, due_at, number) WHERE due_at IS NOT NULL;
CREATE INDEX message_by_age ON message (created_at);

CREATE TABLE attempt (
    message TEXT COLLATE "C" NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    attempted_at BIGINT NOT NULL,
    status INTEGER,
    error TEXT COLLATE "C",
    duration_ms BIGINT NOT NULL,
    PRIMARY KEY (message, number)
);

-- Who runs on this database. A row that was not seen for a while is of nobody who lives.
CREATE TABLE replica (
    boot TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    editions TEXT COLLATE "C" NOT NULL
);

-- Numbers that only grow, each handed out once and in the order of the transactions that took them. Announcements up to
-- the one addressed last have become messages.
CREATE TABLE counter (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BIGINT NOT NULL
);

INSERT INTO counter (name, value) VALUES
    ('edition', 0), ('announcement', 0), ('addressed', 0), ('key_revision', 0), ('message', 0);

-- The name is the database's own: nobody else chooses it.
INSERT INTO setting (name, value)
    VALUES ('database_id', left(replace(gen_random_uuid()::text, '-', ''), 16));
