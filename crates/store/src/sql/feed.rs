//! Statements for saved feeds.

pub(crate) const COUNT_FEEDS_OF: &str = "SELECT COUNT(*) FROM feed WHERE account = $1";

pub(crate) const INSERT_FEED: &str =
    "INSERT INTO feed (id, account, token_digest, name, search, created_at) VALUES ($1, $2, $3, $4, $5, $6)";

pub(crate) const FEEDS_OF: &str = "SELECT id, account, name, search, created_at FROM feed
    WHERE account = $1 ORDER BY created_at, id";

/// The last column says whether the account has a key that is not revoked.
pub(crate) const FEED_BY_TOKEN: &str =
    "SELECT feed.id, feed.account, feed.name, search, feed.created_at, account.plan,
        CASE WHEN EXISTS (SELECT 1 FROM api_key WHERE api_key.account = feed.account AND revoked = 0) THEN 1 ELSE 0 END
    FROM feed JOIN account ON account.id = feed.account WHERE token_digest = $1";

pub(crate) const FEED_HAS_ENDED: &str =
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM ended_feed WHERE token_digest = $1) THEN 1 ELSE 0 END";

pub(crate) const NOTE_ENDED_FEED: &str = "INSERT INTO ended_feed (token_digest, ended_on)
    SELECT token_digest, CAST($1 AS BIGINT) FROM feed WHERE account = $2 AND id = $3
    ON CONFLICT (token_digest) DO NOTHING";

pub(crate) const NOTE_ENDED_FEEDS_OF: &str = "INSERT INTO ended_feed (token_digest, ended_on)
    SELECT token_digest, CAST($1 AS BIGINT) FROM feed WHERE account = $2
    ON CONFLICT (token_digest) DO NOTHING";

pub(crate) const FORGET_ENDED_FEEDS: &str = "DELETE FROM ended_feed WHERE ended_on < $1";

pub(crate) const DELETE_FEED: &str = "DELETE FROM feed WHERE account = $1 AND id = $2";
