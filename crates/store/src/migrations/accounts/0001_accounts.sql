-- What must be quick: keys and their holders, usage, settings, leases, webhooks and what is sent to them. Days are day
-- numbers since 1970-01-01, times are milliseconds since 1970 UTC.

CREATE TABLE account (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    plan TEXT NOT NULL,
    rate_limit BIGINT,
    -- When its holder registered it, until it is used for the first time; never set for those the operator made.
    unused_since BIGINT
);

CREATE INDEX account_unused ON account (unused_since) WHERE unused_since IS NOT NULL;

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
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
    id TEXT PRIMARY KEY,
    revision BIGINT NOT NULL,
    removed_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX removed_key_by_revision ON removed_key (revision);

-- No reference to account: what was used stays when its account is erased, without a name.
CREATE TABLE usage_count (
    account TEXT NOT NULL,
    day INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    outcome TEXT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (account, day, endpoint, outcome)
);

-- The last batch of counts that each process wrote, so that none is added twice.
CREATE TABLE usage_flush (
    boot TEXT PRIMARY KEY,
    sequence BIGINT NOT NULL,
    flushed_at BIGINT NOT NULL
);

CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    ends_at BIGINT NOT NULL
);

CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    description TEXT,
    -- Names, separated by commas.
    events TEXT NOT NULL,
    -- JSON: the companies, then the categories.
    filters TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_by TEXT,
    failing_since BIGINT,
    last_failure BIGINT,
    -- Whoever delivers to this webhook, alone until then.
    lease_holder TEXT NOT NULL,
    leased_until BIGINT NOT NULL
);

CREATE INDEX webhook_by_account ON webhook (account);

-- What secrets are derived from; the other half is not in the database.
CREATE TABLE webhook_secret (
    webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    seed TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    ends_at BIGINT,
    PRIMARY KEY (webhook, seed)
);

CREATE TABLE message (
    id TEXT PRIMARY KEY,
    webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    -- The order in which messages were written.
    number BIGINT NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
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
    message TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    attempted_at BIGINT NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms BIGINT NOT NULL,
    PRIMARY KEY (message, number)
);

-- Numbers that only grow. Announcements up to the one addressed last have become messages.
CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);

INSERT INTO counter (name, value) VALUES ('key_revision', 0), ('message', 0), ('addressed', 0);
