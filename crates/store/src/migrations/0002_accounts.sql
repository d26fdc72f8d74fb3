-- Keys, their holders, what they used, and settings shared by all processes.

CREATE TABLE account (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    plan TEXT NOT NULL,
    rate_limit BIGINT
);

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    created_at BIGINT NOT NULL,
    ends_at BIGINT,
    revision BIGINT NOT NULL
);

CREATE INDEX api_key_by_account ON api_key (account);
CREATE UNIQUE INDEX api_key_by_revision ON api_key (revision);

-- No reference to account: one odd row must not make a whole flush fail. The boot '' holds the sum of folded ones.
CREATE TABLE usage_count (
    account TEXT NOT NULL,
    day INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    outcome TEXT NOT NULL,
    boot TEXT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (account, day, endpoint, outcome, boot)
);

-- Folding reads what is left to fold and not the years before it.
CREATE INDEX usage_count_to_fold ON usage_count (day) WHERE boot <> '';

-- Days of boots that were folded: their counts are in the sum, and a late flush must not add them again.
CREATE TABLE folded_usage (
    boot TEXT NOT NULL,
    day INTEGER NOT NULL,
    PRIMARY KEY (boot, day)
);

CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
