//! Full-text search over the rows of a part: Portuguese word forms, folded accents, the last word as a prefix.
//!
//! `analyzer` turns text into words, `builder` gathers them into a `lexicon` and `postings`, `query` says what words ask
//! for, `matching` finds and ranks the rows, `result_cache` keeps what was found. There is no query syntax: whatever a
//! client sends is words. No text makes a search fail, and totals are always exact.

mod analyzer;
mod builder;
mod entry;
mod lexicon;
mod matching;
mod merge;
mod postings;
mod prefixes;
mod query;
mod rank_bitmap;
mod result_cache;
mod row_set;
mod snapshot;
#[cfg(test)]
mod tests;

use std::fmt;

use hashbrown::HashMap;

use crate::page::{Listing, Page, Rows};
use analyzer::words_of;
use lexicon::Lexicon;
use postings::Lists;
use prefixes::Prefixes;
use query::SearchQuery;
use result_cache::{ResultCache, TopRows};

#[cfg(test)]
pub(crate) use analyzer::{stem, words_of as analyzed};
pub(crate) use builder::{IndexBuilder, Title};

/// An immutable index of one part's texts, kept in memory. The default one is empty.
#[derive(Default)]
pub(crate) struct TextIndex {
    rows: u32,
    lexicon: Lexicon,
    lists: Lists,
    prefixes: Prefixes,
    /// The results of the commonest words and prefixes, which would take longest to find.
    prepared: HashMap<Box<str>, TopRows>,
    recent: ResultCache,
}

/// A word that so many rows have is searched for when the index is built.
const COMMON: usize = 2_000;

impl TextIndex {
    fn new(rows: u32, lexicon: Lexicon, lists: Lists) -> Self {
        let prefixes = Prefixes::heaviest(rows, &lexicon, &lists);
        let mut index =
            Self { rows, lexicon, lists, prefixes, prepared: HashMap::new(), recent: ResultCache::default() };
        index.prepared = index.prepare();
        index
    }

    /// The rows that have every word of `text`, best match first, then in the order of the part.
    ///
    /// The very word counts for more than another form of it, a word in a name or label for more than one in prose, and
    /// the more the fewer words stand beside it. Rows that have the last word itself, or another form of it, stand
    /// before those that only have a longer word that starts with it.
    pub(crate) fn search(&self, text: &str, page: Page) -> Listing<'static> {
        let words = words_of(text);
        if words.is_empty() || self.rows == 0 {
            return Listing::EMPTY;
        }
        let key = words.join(" ");
        let prepared = self.prepared.get(&*key).and_then(|result| result.page(page));
        if let Some(listing) = prepared.or_else(|| self.recent.page(&key, page)) {
            return listing;
        }
        let query = SearchQuery::new(&words, self);
        if !TopRows::covers(page) {
            let (total, rows) = query.run(page);
            return Listing { total, rows: Rows::Found(rows) };
        }
        let result = TopRows::from(query.run(TopRows::PAGE));
        let listing = result.shown(page);
        self.recent.insert(key, result);
        listing
    }

    fn prepare(&self) -> HashMap<Box<str>, TopRows> {
        let words = (0..self.lexicon.len()).filter(|word| self.lists.of(*word).len() >= COMMON);
        let common = words.map(|word| self.lexicon.word(word));
        common
            .chain(self.prefixes.texts())
            .map(|text| {
                let query = SearchQuery::new(&[text.to_owned()], self);
                (text.into(), TopRows::from(query.run(TopRows::PAGE)))
            })
            .collect()
    }
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex")
            .field("rows", &self.rows)
            .field("words", &self.lexicon.len())
            .finish_non_exhaustive()
    }
}
