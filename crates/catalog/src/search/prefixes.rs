//! The rows that have a word which starts with given letters. Found when asked for, but for short prefixes of so many
//! words that reading all their lists would take long.

use std::borrow::Cow;
use std::ops::Range;

use hashbrown::HashMap;

use super::label::is_whole_label;
use super::lexicon::Lexicon;
use super::postings::Lists;
use super::row_set::RowSet;

#[derive(Default)]
pub(super) struct Prefixes {
    sets: HashMap<Box<str>, RowSet>,
}

impl Prefixes {
    /// Of the prefixes of one and two letters, keeps those with more entries in their lists than there are rows.
    pub(super) fn heaviest(rows: u32, lexicon: &Lexicon, lists: &Lists) -> Self {
        let mut sets = HashMap::new();
        let words = (0..lexicon.len()).map(|number| lexicon.word(number));
        for word in words.filter(|word| !is_whole_label(word)) {
            for prefix in
                short_prefixes(word).filter(|prefix| !sets.contains_key(*prefix)).collect::<Vec<_>>()
            {
                let words = lexicon.starting_with(prefix);
                let heavy = lists.entries_of(words.clone()) > rows as usize;
                sets.insert(Box::from(prefix), heavy.then(|| union(rows, lists, words)));
            }
        }
        Self { sets: sets.into_iter().filter_map(|(prefix, set)| Some((prefix, set?))).collect() }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(|text| &**text)
    }

    /// The rows that have any of the words that start with `prefix`, which are `words`.
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
