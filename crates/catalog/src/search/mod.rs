//! Full-text search over the rows of a part: Portuguese word forms, folded accents, the last word as a prefix, mistyped
//! words, abbreviations of the field.
//!
//! `analyzer` turns text into words, `builder` gathers them into a `lexicon` and `postings` with their `positions`, `query`
//! says what words ask for (`clause`), with what `synonyms` means the same, `spelling` mends, `spacing` divides or joins;
//! `matching` finds and ranks the rows that have all words, `relaxation` those that have the most; `result_cache` keeps
//! what was found, and `highlight` tells which words of a text it was. There is no query syntax: whatever a client sends is
//! words. No text makes a search fail, and totals are always exact.

mod analyzer;
mod builder;
mod clause;
mod dense_list;
mod entry;
mod highlight;
mod inflection;
mod judge;
mod label;
mod lexicon;
mod matching;
mod merge;
mod paging;
mod pairs;
mod phrase_rows;
mod phrases;
mod positions;
mod postings;
mod prefixes;
mod query;
mod reading;
mod relaxation;
mod result_cache;
mod row_set;
mod signature;
mod snapshot;
mod spacing;
mod spelling;
mod synonyms;
#[cfg(test)]
mod tests;
mod text_rows;
mod unions;
mod word_lists;

use std::fmt;
use std::ops::Range;

use hashbrown::HashMap;

use crate::page::{Listing, Page, Rows};
use analyzer::words_of;
use label::is_whole_label;
use pairs::Pairs;
use phrases::Phrase;
use prefixes::Prefixes;
use query::SearchQuery;
use reading::Outcome;
use result_cache::{ResultCache, TopRows};
use spelling::Reach;
use unions::Unions;
use word_lists::WordLists;

pub(crate) use analyzer::{is_stop_word, may_go_on, words_of as analyzed};
pub(crate) use builder::{IndexBuilder, Title};
pub(crate) use highlight::Highlighter;
pub use highlight::Span;
#[cfg(test)]
pub(crate) use inflection::base;
pub(crate) use positions::Field;
pub use reading::{Found, Reading};
pub(crate) use spelling::Spelling;
pub(crate) use synonyms::{is_form, meaning};

/// An immutable index of one part's texts, kept in memory. The default one is empty.
#[derive(Default)]
pub(crate) struct TextIndex {
    words: WordLists,
    pairs: Pairs,
    prefixes: Prefixes,
    /// The expressions of several words that the table of synonyms knows.
    phrases: Vec<Option<Phrase>>,
    unions: Unions,
    /// The results of the commonest words and prefixes, which would take longest to find.
    prepared: HashMap<Box<str>, TopRows>,
    recent: ResultCache,
}

/// Words of a text that name something, and the code that its rows have.
pub(crate) struct NamedWords {
    pub(crate) words: Range<usize>,
    pub(crate) code: String,
}

/// What was typed.
struct Typed<'a> {
    words: &'a [String],
    /// Whether the last word may go on.
    is_open: bool,
    names: &'a [NamedWords],
}

impl Typed<'_> {
    /// What makes it another question.
    fn key(&self) -> String {
        let mut key = self.words.join(" ");
        // No word has such signs.
        key.push_str(if self.is_open { "" } else { "." });
        for NamedWords { words, code } in self.names {
            key += &format!("={}-{}={code}", words.start, words.end);
        }
        key
    }

    /// Whether a word is part of a name, so that it is not mistyped.
    fn is_name(&self, word: &str) -> bool {
        let mut named =
            self.names.iter().flat_map(|name| self.words.get(name.words.clone()).unwrap_or_default());
        named.any(|other| other == word)
    }
}

/// A word that so many rows have is searched for when the index is built.
const COMMON: usize = 2_000;

impl TextIndex {
    fn new(words: WordLists) -> Self {
        let prefixes = Prefixes::heaviest(words.rows, &words.lexicon, &words.lists);
        let phrases = phrases::of_synonyms(&words);
        let pairs = Pairs::of(&words, &phrases);
        let mut index = Self { words, prefixes, phrases, pairs, ..Self::default() };
        index.unions = index.unite();
        index.prepared = index.prepare();
        index
    }

    /// The rows that have every word of `text`, in the order of [`matching::Tier`], then in that of the part.
    ///
    /// A word that no row has stands for the nearest that rows have. Where no row has all words, those with the most of
    /// them are found, in the order of the part.
    pub(crate) fn search(&self, text: &str, page: Page) -> Found<'static> {
        self.search_naming(text, page, &[])
    }

    /// The same where words of the text name something that rows have a code of.
    pub(crate) fn search_naming(&self, text: &str, page: Page, names: &[NamedWords]) -> Found<'static> {
        let words = words_of(text);
        if words.is_empty() || self.words.rows == 0 {
            return Found::from(Listing::EMPTY);
        }
        let typed = Typed { words: &words, is_open: may_go_on(text), names };
        let key = typed.key();
        let prepared = self.prepared.get(&*key).and_then(|result| result.page(page));
        if let Some(found) = prepared.or_else(|| self.recent.page(&key, page)) {
            return found;
        }
        if !TopRows::covers(page) {
            let (outcome, reading) = self.find(&typed, page);
            return Found {
                listing: Listing { total: outcome.total, rows: Rows::Found(outcome.rows) },
                reading,
            };
        }
        let result = TopRows::from(self.find(&typed, TopRows::PAGE));
        let found = result.shown(page);
        self.recent.insert(key, result);
        found
    }

    /// Of the spellings of mistyped words the first that some row has all words of; then of those with other spaces. Where
    /// there is none, the rows with the most words of the likeliest spelling.
    fn find(&self, typed: &Typed<'_>, page: Page) -> (Outcome, Reading) {
        let Typed { words, is_open, names } = *typed;
        let spellings = self.words.spellings(words, &Reach::COMMONEST, &|word| typed.is_name(word));
        // Kept, for what its last word begins takes long to gather.
        let mut likeliest = None;
        for spelling in &spellings {
            let query = SearchQuery::naming(&spelling.words, is_open, names, self);
            let outcome = if likeliest.is_none() { query.run_or_relax(page) } else { query.run(page) };
            if outcome.total > 0 && !outcome.relaxed {
                return (outcome, spelling.reading());
            }
            likeliest.get_or_insert((query, outcome, spelling));
        }
        let respaced = || self.find_respaced(typed, &spellings, page);
        let relaxed = || {
            let (query, outcome, spelling) = likeliest?;
            let outcome = if outcome.relaxed { outcome } else { query.relaxed(page) };
            let reading = Reading { relaxed: outcome.relaxed, ..spelling.reading() };
            (outcome.total > 0).then_some((outcome, reading))
        };
        respaced().or_else(relaxed).unwrap_or_default()
    }

    /// The first way to join or divide words that some row has all words of.
    fn find_respaced(
        &self,
        typed: &Typed<'_>,
        spellings: &[Spelling],
        page: Page,
    ) -> Option<(Outcome, Reading)> {
        let Typed { words, is_open, .. } = *typed;
        let found = |spelling: &Spelling| {
            let outcome = SearchQuery::new(&spelling.words, is_open, self).run(page);
            (outcome.total > 0).then(|| (outcome, spelling.reading()))
        };
        let joined = self.joined(words, spellings, is_open);
        let divided =
            || self.words.divided(words, is_open, &|word| typed.is_name(word)).iter().find_map(found);
        joined.iter().find_map(found).or_else(divided)
    }

    /// What the words of a query may stand for, for whoever has an order of their own. Words that are known elsewhere are
    /// taken for what they are.
    pub(crate) fn spellings(&self, words: &[String], is_known: &dyn Fn(&str) -> bool) -> Vec<Spelling> {
        self.words.spellings(words, &Reach::WIDE, is_known)
    }

    /// The same with words joined: those that were typed, and those that they most likely stand for, so that who asks for
    /// what was corrected finds the same.
    pub(crate) fn joined(&self, words: &[String], spellings: &[Spelling], is_open: bool) -> Vec<Spelling> {
        let mut joined = self.words.joined(words, is_open);
        let corrected = spellings.first().filter(|first| first.is_corrected);
        joined.extend(corrected.into_iter().flat_map(|first| self.words.joined(&first.words, is_open)));
        joined
    }

    /// The same with words divided.
    pub(crate) fn divided(
        &self,
        words: &[String],
        is_open: bool,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Spelling> {
        self.words.divided(words, is_open, is_known)
    }

    /// The rows that have all words, ascending; the last of them may go on, if it is open.
    pub(crate) fn all(&self, words: &[String], is_open: bool) -> Vec<u32> {
        SearchQuery::new(words, is_open, self).all()
    }

    /// The rows that have the most of the words, ascending.
    pub(crate) fn most(&self, words: &[String], is_open: bool) -> Vec<u32> {
        SearchQuery::new(words, is_open, self).relaxed(Page { limit: usize::MAX, offset: 0 }).rows
    }

    /// Whether some row has the word, in some form or as a prefix.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.words.knows(word)
    }

    /// The words of a text as they were most likely meant.
    pub(crate) fn spelt(&self, text: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
        self.words.spelt(text, is_known)
    }

    fn unite(&self) -> Unions {
        let WordLists { rows, lexicon, lists, .. } = &self.words;
        let words = (0..lexicon.len()).filter(|word| Unions::may_have(lists.of(*word).len(), *rows));
        let clauses = words
            .flat_map(|word| SearchQuery::new(&[lexicon.word(word).to_owned()], false, self).into_words());
        Unions::of(clauses, *rows)
    }

    fn prepare(&self) -> HashMap<Box<str>, TopRows> {
        let words = (0..self.words.lexicon.len()).filter(|word| self.words.lists.of(*word).len() >= COMMON);
        let common = words.map(|word| self.words.lexicon.word(word)).filter(|word| !is_whole_label(word));
        common
            .chain(self.prefixes.texts())
            .map(|text| {
                let outcome = SearchQuery::new(&[text.to_owned()], true, self).run(TopRows::PAGE);
                (text.into(), TopRows::from((outcome, Reading::default())))
            })
            .collect()
    }
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex")
            .field("rows", &self.words.rows)
            .field("words", &self.words.lexicon.len())
            .finish_non_exhaustive()
    }
}
