-- Events that earlier versions do not know, beside the others, and the words that a filing must have.

ALTER TABLE webhook ADD COLUMN more_events TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook ADD COLUMN q TEXT;

-- Saved searches that are read as feeds. The token that names one is kept as a digest.
CREATE TABLE feed (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    token_digest TEXT NOT NULL,
    name TEXT NOT NULL,
    -- JSON: the words, the companies, the categories.
    search TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX feed_by_account ON feed (account);
CREATE UNIQUE INDEX feed_by_token ON feed (token_digest);
