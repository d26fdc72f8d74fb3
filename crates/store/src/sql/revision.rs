//! Statements for revisions of published points.

use super::Column::{Integer, Text};
use super::Each;

pub(crate) const RECORDING: &str = "SELECT since, edition FROM recording WHERE source = $1";

pub(crate) const KEEP_RECORDING: &str = "INSERT INTO recording (since, edition, source) VALUES ($1, $2, $3)
    ON CONFLICT (source) DO UPDATE SET since = excluded.since, edition = excluded.edition";

pub(crate) const FORGET_RECORDING: &str = "DELETE FROM recording WHERE source = $1";

pub(crate) const FORGET_REVISIONS: &str = "DELETE FROM revision WHERE source = $1";

/// Inserts a draft, whose edition has no number yet. If a point is written twice, its first old value is kept.
pub(crate) const INSERT_REVISION: Each = Each {
    one: "INSERT INTO revision (old_value, old_sell, new_value, new_sell, changed_at, source, day, pair, edition)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) ON CONFLICT (source, edition, day, pair)
        DO UPDATE SET new_value = excluded.new_value, new_sell = excluded.new_sell",
    columns: &[Text, Text, Text, Text, Integer, Text, Integer, Text],
    key_columns: 3,
    many: "INSERT INTO revision (old_value, old_sell, new_value, new_sell, changed_at, source, day, pair, edition)
        SELECT *, 0 FROM UNNEST($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (source, edition, day, pair)
        DO UPDATE SET new_value = excluded.new_value, new_sell = excluded.new_sell",
};

/// Deletes drafts of points that ended with their original value.
pub(crate) const FORGET_FALSE_REVISIONS: &str = "DELETE FROM revision WHERE source = $1 AND edition = 0
    AND old_value = new_value AND old_sell IS NOT DISTINCT FROM new_sell";

/// Turns drafts into revisions of an edition.
pub(crate) const ISSUE_REVISIONS: &str = "UPDATE revision SET edition = $1 WHERE source = $2 AND edition = 0";

/// Newest first.
pub(crate) const REVISIONS: &str =
    "SELECT pair, day, old_value, old_sell, new_value, new_sell, edition, changed_at FROM revision
    WHERE source = $1 ORDER BY edition DESC, day DESC, pair DESC LIMIT $2";
