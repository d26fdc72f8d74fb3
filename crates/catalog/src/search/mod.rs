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
mod candidates;
mod clause;
mod codes;
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
mod typed;
mod unions;
mod word_lists;

use std::fmt;

use hashbrown::HashMap;

use crate::page::{Listing, Page, Rows};
use analyzer::words_of;
use codes::Codes;
use label::is_whole_label;
use pairs::Pairs;
use phrases::Phrase;
use prefixes::Prefixes;
use query::SearchQuery;
use reading::Outcome;
use result_cache::{ResultCache, TopRows};
use spelling::Reach;
use typed::{Nobody, Typed};
use unions::Unions;
use word_lists::WordLists;

pub(crate) use analyzer::{LastWord, is_stop_word, words_of as analyzed};
pub(crate) use builder::{IndexBuilder, Title};
pub(crate) use highlight::Highlighter;
pub use highlight::Span;
#[cfg(test)]
pub(crate) use inflection::base;
pub(crate) use positions::{Field, LONGEST_NAME};
pub use reading::{Found, Reading};
pub(crate) use spelling::Spelling;
pub(crate) use synonyms::{is_form, meaning};
pub(crate) use typed::{NamedWords, Names};

/// An immutable index of one part's texts, kept in memory. The default one is empty.
#[derive(Default)]
pub(crate) struct TextIndex {
    words: WordLists,
    pairs: Pairs,
    prefixes: Prefixes,
    /// The expressions of several words that the table of synonyms knows.
    phrases: Vec<Option<Phrase>>,
    codes: Codes,
    unions: Unions,
    /// The results of the commonest words and prefixes, which would take longest to find.
    prepared: HashMap<Box<str>, TopRows>,
    recent: ResultCache,
}

/// A word that so many rows have is searched for when the index is built.
const COMMON: usize = 2_000;

impl TextIndex {
    fn new(words: WordLists) -> Self {
        let prefixes = Prefixes::heaviest(words.rows, &words.lexicon, &words.lists);
        let phrases = phrases::of_synonyms(&words);
        let pairs = Pairs::of(&words, &phrases);
        let codes = Codes::of(&words);
        let mut index = Self { words, prefixes, phrases, pairs, codes, ..Self::default() };
        index.unions = index.unite();
        index.prepared = index.prepare();
        index
    }

    /// The rows that have every word of `text`, in the order of [`matching::Tier`], then in that of the part.
    ///
    /// A word that no row has stands for the nearest that rows have. Where no row has all words, those with the most of
    /// them are found, first what has the rarest.
    pub(crate) fn search(&self, text: &str, page: Page) -> Found<'static> {
        self.search_naming(text, page, &Nobody)
    }

    /// The same where words of the text name something that rows have a code of.
    pub(crate) fn search_naming(&self, text: &str, page: Page, names: &dyn Names) -> Found<'static> {
        let words = words_of(text);
        if words.is_empty() || self.words.rows == 0 {
            return Found::from(Listing::EMPTY);
        }
        let last = LastWord::of(text);
        let is_open = last.may_go_on();
        let mut key = words.join(" ");
        let prepared = self.prepared.get(&*key).filter(|_| is_open).and_then(|result| result.page(page));
        if let Some(found) = prepared.filter(|_| names.named_in(&words).is_empty()) {
            return found;
        }
        // No word has such signs.
        key += &format!(".{}={}", last.whole().unwrap_or_default(), names.number());
        if let Some(found) = self.recent.page(&key, page) {
            return found;
        }
        let typed = Typed { words: &words, last, names, named: names.named_in(&words) };
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
        let spellings = self.words.spellings(typed.words, &Reach::COMMONEST, &|word| typed.is_name(word));
        // Kept, for what its last word begins takes long to gather.
        let mut likeliest = None;
        for spelling in &spellings {
            let query = typed.query(spelling, self);
            let outcome = if likeliest.is_none() { query.run_or_relax(page) } else { query.run(page) };
            if outcome.total > 0 && !outcome.relaxed {
                return (outcome, spelling.reading(&typed.last));
            }
            likeliest.get_or_insert((query, outcome, spelling));
        }
        let respaced = || self.find_respaced(typed, &spellings, page);
        let relaxed = || {
            let (query, outcome, spelling) = likeliest?;
            let outcome = if outcome.relaxed { outcome } else { query.relaxed(page) };
            let reading = Reading { relaxed: outcome.relaxed, ..spelling.reading(&typed.last) };
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
        let found = |spelling: &Spelling| {
            let outcome = typed.query(spelling, self).run(page);
            (outcome.total > 0).then(|| (outcome, spelling.reading(&typed.last)))
        };
        let likeliest = &spellings[..spellings.len().min(1)];
        let joined = self.joined(typed.words, likeliest, &typed.last);
        let divided = || {
            let divided = self.divided(typed.words, likeliest, &typed.last, &|word| typed.is_name(word));
            divided.iter().find_map(found)
        };
        joined.iter().find_map(found).or_else(divided)
    }

    /// What the words of a query may stand for, for whoever has an order of their own. Words that are known elsewhere are
    /// taken for what they are.
    pub(crate) fn spellings(&self, words: &[String], is_known: &dyn Fn(&str) -> bool) -> Vec<Spelling> {
        self.words.spellings(words, &Reach::WIDE, is_known)
    }

    /// The same with words joined: those that were typed, and those that they may stand for, so that who asks for what was
    /// corrected finds the same.
    pub(crate) fn joined(
        &self,
        words: &[String],
        spellings: &[Spelling],
        last: &LastWord<'_>,
    ) -> Vec<Spelling> {
        let all = with_corrected(words, spellings);
        all.flat_map(|words| self.words.joined(words, last.whole_in(words).is_none())).collect()
    }

    /// The same with words divided.
    pub(crate) fn divided(
        &self,
        words: &[String],
        spellings: &[Spelling],
        last: &LastWord<'_>,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Spelling> {
        let all = with_corrected(words, spellings);
        all.flat_map(|words| self.words.divided(words, last.whole_in(words).is_none(), is_known)).collect()
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

/// What was typed, and what it may stand for, if that is something else.
fn with_corrected<'w>(typed: &'w [String], spellings: &'w [Spelling]) -> impl Iterator<Item = &'w [String]> {
    let corrected = spellings.iter().filter(|spelling| spelling.is_corrected);
    [typed].into_iter().chain(corrected.map(|spelling| &*spelling.words))
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex")
            .field("rows", &self.words.rows)
            .field("words", &self.words.lexicon.len())
            .finish_non_exhaustive()
    }
}
