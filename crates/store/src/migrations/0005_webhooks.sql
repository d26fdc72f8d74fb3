-- Webhooks, what they are to be told, and what became of it.

CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (id),
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

-- What publications changed, until it is written to whom it is told.
CREATE TABLE announcement (
    number BIGINT PRIMARY KEY,
    source TEXT NOT NULL,
    event TEXT NOT NULL,
    edition BIGINT NOT NULL,
    announced_at BIGINT NOT NULL,
    rows_as_json TEXT NOT NULL
);

INSERT INTO counter (name, value) VALUES ('announcement', 0), ('message', 0);

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
    delivered SMALLINT NOT NULL
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
