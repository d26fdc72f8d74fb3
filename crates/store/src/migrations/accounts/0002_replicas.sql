-- The processes that serve this database, each by its own word. Times are milliseconds since 1970 UTC by the store's clock.

CREATE TABLE replica (
    boot TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    -- What it serves, such as `selic=4 cdi=7`.
    editions TEXT NOT NULL
);
