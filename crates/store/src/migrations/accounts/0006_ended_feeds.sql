-- Feeds that were deleted, or whose account was: their addresses are told that they are gone. Nothing leads from here to
-- an account.
CREATE TABLE ended_feed (
    token_digest TEXT PRIMARY KEY,
    -- Days since 1970 UTC.
    ended_on BIGINT NOT NULL
);

CREATE INDEX ended_feed_by_age ON ended_feed (ended_on);
