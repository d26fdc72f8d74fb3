//! The rows of common words that stand in several lists: those of their forms, and of what means the same.
//!
//! Combined when the index is built, so that a query reads one set for such a word instead of two or three and some lists.
//! Questions of many common words wait for memory and for nothing else.

use hashbrown::HashMap;

use super::TextIndex;
use super::clause::{Clause, ListId};
use super::dense_list::{DENSE, SHORTEST};
use super::query::SearchQuery;
use super::row_set::RowSet;

#[derive(Default)]
pub(super) struct Unions {
    sets: HashMap<Box<[ListId]>, Union>,
}

/// All rows of a word.
pub(super) struct Union {
    pub rows: RowSet,
    pub count: usize,
}

/// Words are looked at if they have so much of what makes a list dense; the rest is that of other forms.
const PART: usize = 8;

impl Unions {
    /// Of the words of an index that has none yet.
    pub(super) fn of(index: &TextIndex) -> Self {
        let rows = index.words.rows;
        let common = SHORTEST.max(rows as usize / DENSE);
        let mut sets = HashMap::new();
        for number in 0..index.words.lexicon.len() {
            if index.words.lists.of(number).len() < common / PART {
                continue;
            }
            let word = [index.words.lexicon.word(number).to_owned()];
            for clause in SearchQuery::new(&word, false, index).words() {
                let lists = lists_of(clause);
                if lists.len() > 1 && clause.most_rows() >= common {
                    sets.entry(lists).or_insert_with(|| Union::of(clause.rows(rows).into_owned()));
                }
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

impl Union {
    fn of(rows: RowSet) -> Self {
        Self { count: rows.len(), rows }
    }
}

/// The lists that have rows, each once.
fn lists_of(clause: &Clause<'_>) -> Box<[ListId]> {
    let lists = clause.lists.iter().filter(|one| !one.list.is_empty());
    let mut lists: Vec<ListId> = lists.map(|one| one.id).collect();
    lists.sort_unstable();
    lists.dedup();
    lists.into()
}
