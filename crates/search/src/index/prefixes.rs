//! The rows that have a word with a given prefix. They are collected per query, except for short prefixes of so many
//! words that reading all their lists would take too long.

use std::borrow::Cow;
use std::ops::Range;

use hashbrown::HashMap;

use super::lexicon::Lexicon;
use super::lists::Lists;
use super::row_set::RowSet;
use crate::text::label::is_whole_label;

#[derive(Debug, Default)]
pub(super) struct Prefixes {
    sets: HashMap<Box<str>, RowSet>,
}

impl Prefixes {
    /// Collects the rows of those prefixes of one and two letters that have more entries than there are rows.
    pub(super) fn heaviest(rows: Range<u32>, lexicon: &Lexicon, lists: &Lists) -> Self {
        let mut sets = HashMap::new();
        let words = (0..lexicon.len()).map(|number| lexicon.word(number));
        for word in words.filter(|word| !is_whole_label(word)) {
            for prefix in
                short_prefixes(word).filter(|prefix| !sets.contains_key(*prefix)).collect::<Vec<_>>()
            {
                let words = lexicon.starting_with(prefix);
                let heavy = lists.entries_of(words.clone()) > rows.len();
                sets.insert(Box::from(prefix), heavy.then(|| union(rows.end, lists, words)));
            }
        }
        Self { sets: sets.into_iter().filter_map(|(prefix, set)| Some((prefix, set?))).collect() }
    }

    /// The rows that have any of `words`, the words that start with `prefix`.
    pub(super) fn rows(&self, prefix: &str, rows: u32, lists: &Lists, words: Range<u32>) -> Cow<'_, RowSet> {
        match self.sets.get(prefix) {
            Some(set) => Cow::Borrowed(set),
            None => Cow::Owned(union(rows, lists, words)),
        }
    }
}

fn short_prefixes(word: &str) -> impl Iterator<Item = &str> {
    let ends = word.char_indices().map(|(start, _)| start).skip(1).chain([word.len()]);
    ends.take(2).map(|end| &word[..end])
}

fn union(rows: u32, lists: &Lists, words: Range<u32>) -> RowSet {
    let mut set = RowSet::below(rows);
    lists.add_rows_of(words, &mut set);
    set
}
