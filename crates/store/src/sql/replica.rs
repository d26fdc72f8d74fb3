//! Statements for the processes that serve the database, in the database of accounts.

pub(crate) const BEAT: &str =
    "INSERT INTO replica (name, version, started_at, seen_at, editions, boot) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (boot) DO UPDATE SET name = excluded.name, version = excluded.version,
        started_at = excluded.started_at, seen_at = excluded.seen_at, editions = excluded.editions";

pub(crate) const REPLICAS: &str =
    "SELECT boot, name, version, started_at, seen_at, editions FROM replica ORDER BY boot";

pub(crate) const LEAVE: &str = "DELETE FROM replica WHERE boot = $1";

pub(crate) const FORGET_REPLICAS: &str = "DELETE FROM replica WHERE seen_at < $1";
