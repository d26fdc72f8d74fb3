//! The rows of common words that stand in several lists: those of their forms, and of what means the same.
//!
//! Combined when the index is built, so that a query reads one set for such a word instead of two or three and some lists.
//! Questions of many common words wait for memory and for nothing else.

use hashbrown::HashMap;

use super::clause::{Clause, ListId, Union};
use super::dense_list::{DENSE, SHORTEST};

#[derive(Default)]
pub(super) struct Unions {
    sets: HashMap<Box<[ListId]>, Union>,
}

/// Words are looked at if they have so much of what makes a list dense; the rest is that of other forms.
const PART: usize = 8;

impl Unions {
    /// Whether a word with so many entries may be common together with its other forms, in a part of so many rows.
    pub(super) fn may_have(entries: usize, rows: u32) -> bool {
        entries >= common(rows) / PART
    }

    /// Of what words ask for, in a part of so many rows.
    pub(super) fn of<'a>(clauses: impl Iterator<Item = Clause<'a>>, rows: u32) -> Self {
        let mut sets = HashMap::new();
        for clause in clauses.filter(|clause| clause.most_rows() >= common(rows)) {
            let lists = lists_of(&clause);
            if lists.len() > 1 {
                sets.entry(lists).or_insert_with(|| Union::of(clause.rows(rows).into_owned()));
            }
        }
        Self { sets }
    }

    /// All rows of a clause, if they are known.
    pub(super) fn of_clause(&self, clause: &Clause<'_>) -> Option<&Union> {
        if clause.lists.len() < 2 || self.sets.is_empty() {
            return None;
        }
        self.sets.get(&lists_of(clause))
    }
}

fn common(rows: u32) -> usize {
    SHORTEST.max(rows as usize / DENSE)
}

/// The lists that have rows, each once.
fn lists_of(clause: &Clause<'_>) -> Box<[ListId]> {
    let lists = clause.lists.iter().filter(|one| !one.list.is_empty());
    let mut lists: Vec<ListId> = lists.map(|one| one.id).collect();
    lists.sort_unstable();
    lists.dedup();
    lists.into()
}
