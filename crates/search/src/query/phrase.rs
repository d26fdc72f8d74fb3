//! Words that stand next to each other in a row.

use super::clause::{Clause, ClauseCursor};
use crate::index::Index;
use crate::index::positions::Positions;
use crate::index::row_set::RowSet;
use crate::text::is_stop_word;

/// The words of a phrase. Offsets count from its first word.
#[derive(Default)]
pub(super) struct Phrase<'a> {
    pub words: Vec<Clause<'a>>,
    /// Optional for a match, required for the phrase.
    pub stop_words: Vec<Clause<'a>>,
}

impl<'a> Phrase<'a> {
    pub(super) fn of(index: &'a Index, words: &[String]) -> Self {
        let mut phrase = Self::default();
        for (place, word) in words.iter().enumerate() {
            if is_stop_word(word) {
                phrase.stop_words.push(Clause::exactly(index, word, place));
            } else {
                phrase.words.push(Clause::forms(index, word, place));
            }
        }
        phrase
    }

    pub(super) fn cursor(&self) -> PhraseCursor<'_> {
        PhraseCursor::of(&self.words, &self.stop_words)
    }
}

/// The rows that have all phrases.
pub(super) fn rows_with_all(phrases: &[Phrase<'_>], below: u32) -> RowSet {
    let words = || phrases.iter().flat_map(|phrase| phrase.words.iter().chain(&phrase.stop_words));
    let Some(first) = words().next() else { return RowSet::below(below) };
    let mut rows = first.rows(below).into_owned();
    words().skip(1).for_each(|word| rows.intersect(&word.rows(below)));
    keep_rows_with(phrases, &mut rows);
    rows
}

/// Removes the rows that lack one of the phrases.
pub(super) fn keep_rows_with(phrases: &[Phrase<'_>], rows: &mut RowSet) {
    for phrase in phrases {
        let mut cursor = phrase.cursor();
        let lacking: Vec<u32> = rows.iter().filter(|row| cursor.starts(*row).is_empty()).collect();
        lacking.into_iter().for_each(|row| rows.remove(row));
    }
}

/// Finds phrases in ascending rows.
pub(super) struct PhraseCursor<'a> {
    /// The rarest word first.
    words: Vec<ClauseCursor<'a>>,
    stop_words: Vec<ClauseCursor<'a>>,
}

/// The words of a query in one row.
pub(super) struct Seen {
    /// Whether the row has every word; otherwise it has a longer one than the last.
    pub all: bool,
    /// Whether every word is in a text of the row itself.
    pub own: bool,
    /// The starts of the phrase.
    pub starts: Positions,
}

impl<'a> PhraseCursor<'a> {
    pub(super) fn of(words: &'a [Clause<'a>], stop_words: &'a [Clause<'a>]) -> Self {
        let mut words: Vec<&Clause<'a>> = words.iter().collect();
        words.sort_by_cached_key(|clause| clause.max_rows());
        Self {
            words: words.into_iter().map(ClauseCursor::of).collect(),
            stop_words: stop_words.iter().map(ClauseCursor::of).collect(),
        }
    }

    /// The starts of the phrase in a row that has all words.
    pub(super) fn starts(&mut self, row: u32) -> Positions {
        let mut starts = Positions::ALL;
        for word in self.words.iter_mut().chain(&mut self.stop_words) {
            let positions = word.positions(row, true);
            starts = word.narrow(starts, positions);
            if starts.is_empty() {
                break;
            }
        }
        starts
    }

    /// Looks at a row that has all words, or a longer one than the last.
    pub(super) fn look(&mut self, row: u32) -> Seen {
        let mut seen = Seen { all: true, own: true, starts: Positions::ALL };
        for word in &mut self.words {
            // Without a phrase, the first position is enough: it tells whether the word is in an own text.
            let positions = word.positions(row, !seen.starts.is_empty());
            if positions.is_empty() {
                seen.all = false;
                continue;
            }
            seen.own &= positions.has_own();
            seen.starts = word.narrow(seen.starts, positions);
        }
        if seen.starts != Positions::ALL {
            self.narrow_by_stop_words(row, &mut seen.starts);
        }
        seen
    }

    fn narrow_by_stop_words(&mut self, row: u32, starts: &mut Positions) {
        for word in &mut self.stop_words {
            if starts.is_empty() {
                return;
            }
            let positions = word.positions(row, true);
            *starts = word.narrow(*starts, positions);
        }
    }
}
