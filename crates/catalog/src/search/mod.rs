//! Full-text search over the rows of a part: Portuguese word forms, folded accents, the last word as a prefix.
//!
//! `analyzer` turns text into words, `builder` gathers them into a `lexicon` and `postings`, `question` says what a text
//! asks for, `matching` finds and ranks the rows, `known` keeps answers that were found before. There is no query
//! syntax: whatever a client sends is words. No text makes a search fail, and totals are always exact.

mod analyzer;
mod builder;
mod changes;
mod kept;
mod known;
mod lexicon;
mod matching;
mod places;
mod postings;
mod prefixes;
mod question;
mod rowset;
#[cfg(test)]
mod tests;

use std::fmt;

use hashbrown::HashMap;

use crate::page::{Listing, Page, Rows};
use analyzer::words_of;
use known::{Known, Recall};
use lexicon::Lexicon;
use postings::Lists;
use prefixes::Prefixes;
use question::Question;

pub(crate) use builder::{IndexBuilder, Title};

/// An immutable index of one part's texts, kept in memory. The default one is empty.
#[derive(Default)]
pub(crate) struct TextIndex {
    rows: u32,
    lexicon: Lexicon,
    lists: Lists,
    prefixes: Prefixes,
    /// The answers to the commonest words and prefixes, which would take longest to find.
    prepared: HashMap<Box<str>, Known>,
    recall: Recall,
}

/// A word that more rows have has its answer prepared.
const COMMON: usize = 2_000;

impl TextIndex {
    fn new(rows: u32, lexicon: Lexicon, lists: Lists) -> Self {
        let prefixes = Prefixes::heaviest(rows, &lexicon, &lists);
        let mut index =
            Self { rows, lexicon, lists, prefixes, prepared: HashMap::new(), recall: Recall::default() };
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
        let asked = words.join(" ");
        let known = self.prepared.get(&*asked).and_then(|known| known.page(page));
        if let Some(listing) = known.or_else(|| self.recall.page(&asked, page)) {
            return listing;
        }
        let question = Question::read(&words, self);
        if !Known::may_hold(page) {
            let (total, rows) = question.answer(page);
            return Listing { total, rows: Rows::Found(rows) };
        }
        let known = Known::from(question.answer(Known::PAGE));
        let listing = known.shown(page);
        self.recall.remember(asked, known);
        listing
    }

    fn prepare(&self) -> HashMap<Box<str>, Known> {
        let words = (0..self.lexicon.len()).filter(|word| self.lists.of(*word).len() >= COMMON);
        let common = words.map(|word| self.lexicon.word(word));
        common
            .chain(self.prefixes.texts())
            .map(|text| {
                let question = Question::read(&[text.to_owned()], self);
                (text.into(), Known::from(question.answer(Known::PAGE)))
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
