//! The rows that have something, and which of them have it in a text of their own.

use super::row_set::RowSet;

#[derive(Clone)]
pub(super) struct TextRows {
    rows: RowSet,
    own: Own,
}

/// Which of the rows have it in a text of their own, not only in the name of the company.
#[derive(Clone)]
enum Own {
    All,
    None,
    Some(RowSet),
}

impl TextRows {
    /// Of all rows, and those of them that have it in a text of their own.
    pub(super) fn new(rows: RowSet, own: RowSet) -> Self {
        let own = match own.len() {
            0 => Own::None,
            count if count == rows.len() => Own::All,
            _ => Own::Some(own),
        };
        Self { rows, own }
    }

    pub(super) fn all(&self) -> &RowSet {
        &self.rows
    }

    /// The rows that have it in a text of their own, if there are any.
    pub(super) fn own(&self) -> Option<&RowSet> {
        match &self.own {
            Own::All => Some(&self.rows),
            Own::None => None,
            Own::Some(rows) => Some(rows),
        }
    }
}
