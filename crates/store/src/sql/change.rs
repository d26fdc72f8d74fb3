//! Statements for the log of changes.

/// The editions of the log after this one, oldest first.
pub(crate) const EDITIONS: &str = "SELECT edition, source, published_at, change_count FROM change_edition
    WHERE edition > $1 ORDER BY edition LIMIT $2";

/// The edition at which the log starts. Its own changes may be gone.
pub(crate) const OLDEST: &str =
    "SELECT edition, source, published_at, change_count FROM change_edition ORDER BY edition LIMIT 1";

pub(crate) const EDITION: &str =
    "SELECT edition, source, published_at, change_count FROM change_edition WHERE edition = $1";

pub(crate) const INSERT_EDITION: &str =
    "INSERT INTO change_edition (source, published_at, change_count, edition) VALUES ($1, $2, $3, $4)";

/// Under a negative edition until the publication has its number.
pub(crate) const INSERT_BATCH: &str =
    "INSERT INTO change_batch (changes, edition, last_position) VALUES ($1, $2, $3)";

pub(crate) const ISSUE_BATCHES: &str = "UPDATE change_batch SET edition = $1 WHERE edition = $2";

pub(crate) const FORGET_BATCHES_OF: &str = "DELETE FROM change_batch WHERE edition = $1";

/// The batches that hold changes after a position, up to an edition.
pub(crate) const BATCHES: &str = "SELECT change_batch.edition, last_position, source, published_at, changes
    FROM change_batch JOIN change_edition ON change_edition.edition = change_batch.edition
    WHERE (change_batch.edition, last_position) > ($1, $2) AND change_batch.edition <= $3
    ORDER BY change_batch.edition, last_position LIMIT $4";

/// The last edition before the first one that was not published before a time. The one that the log starts after does
/// not count: its changes are gone. Later editions with earlier times were written with a clock that was behind.
pub(crate) const LAST_BEFORE: &str = "SELECT MAX(edition) FROM change_edition WHERE edition < COALESCE(
    (SELECT MIN(edition) FROM change_edition
        WHERE published_at >= $1 AND edition > (SELECT MIN(edition) FROM change_edition)),
    (SELECT MAX(edition) + 1 FROM change_edition))";

pub(crate) const FORGET_BATCHES: &str = "DELETE FROM change_batch WHERE edition BETWEEN 0 AND $1";

pub(crate) const FORGET_EDITIONS: &str = "DELETE FROM change_edition WHERE edition < $1";

pub(crate) const SHAPE: &str = "SELECT digest FROM shown_as WHERE source = $1";

pub(crate) const KEEP_SHAPE: &str = "INSERT INTO shown_as (digest, source) VALUES ($1, $2)
    ON CONFLICT (source) DO UPDATE SET digest = excluded.digest";

/// Gives a source its next edition without changing its rows.
pub(crate) const REISSUE: &str = "UPDATE source_state SET edition = $1, published_at = $2 WHERE source = $3";
