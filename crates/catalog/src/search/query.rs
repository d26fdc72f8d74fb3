//! What the words of a text ask for, and which rows that are.

use std::borrow::Cow;

use super::TextIndex;
use super::analyzer::{is_stop_word, stem};
use super::entry::HEAVIEST;
use super::matching::{Clause, Match, Scored, ranked, rows_with_all};
use super::row_set::RowSet;
use crate::page::Page;

/// The very word counts for more than the best other form of it.
const EXACT: u16 = HEAVIEST as u16 + 1;

/// A query has no more words than this, so that having the last word whole counts for more than all of them together.
const MOST_WORDS: usize = 120;
const WHOLE: u16 = MOST_WORDS as u16 * 2 * EXACT;

pub(super) struct SearchQuery<'a> {
    /// Every word but the last, without stop words and without forms of an earlier one.
    words: Vec<Clause<'a>>,
    /// The last word in any of its forms; nothing if it is a stop word.
    last: Clause<'a>,
    /// Rows that have a word which starts with the last one, if there are such words beside its forms.
    longer: Option<Cow<'a, RowSet>>,
}

impl<'a> SearchQuery<'a> {
    pub(super) fn new(words: &[String], index: &'a TextIndex) -> Self {
        let Some((last, others)) = without_trailing_stop_words(words).split_last() else {
            return Self { words: Vec::new(), last: Clause::default(), longer: None };
        };
        let mut stems: Vec<String> = Vec::new();
        let mut clauses = Vec::new();
        for word in others.iter().take(MOST_WORDS).filter(|word| !is_stop_word(word)) {
            let stem = stem(word);
            if !stems.contains(&stem) {
                clauses.push(forms(index, word, &index.lexicon.family(&stem)));
                stems.push(stem);
            }
        }
        let family = if is_stop_word(last) { Vec::new() } else { index.lexicon.family(&stem(last)) };
        let starting = index.lexicon.starting_with(last);
        let continues = starting.clone().any(|word| !family.contains(&word));
        let longer = continues.then(|| index.prefixes.rows(last, index.rows, &index.lists, starting));
        Self { words: clauses, last: forms(index, last, &family), longer }
    }

    /// How many rows match, and those of this page.
    pub(super) fn run(&self, page: Page) -> (usize, Vec<u32>) {
        if self.words.is_empty() {
            return self.one_word(page);
        }
        let mut last = self.last.clone();
        last.lists.iter_mut().for_each(|scored| scored.bonus += WHOLE);
        last.set = self.longer.as_deref();
        let found = rows_with_all(self.words.iter().cloned().chain([last]).collect());
        (found.len(), ranked(&found, page.of(found.len())))
    }

    /// Rows that only have a longer word are all alike, so they need no ranking: whoever types sees them at once.
    fn one_word(&self, page: Page) -> (usize, Vec<u32>) {
        let whole = rows_with_all(vec![self.last.clone()]);
        let mut rows = ranked(&whole, page.of(whole.len()));
        let Some(longer) = &self.longer else { return (whole.len(), rows) };
        let longer = without(longer, &whole);
        let rest = Page { limit: page.limit - rows.len(), offset: page.offset.saturating_sub(whole.len()) };
        let total = longer.len();
        rows.extend(longer.at(rest.of(total)));
        (whole.len() + total, rows)
    }
}

/// All words, if they are nothing but stop words. Whoever has typed `banco do` so far must find no fewer rows than with
/// `banco`.
fn without_trailing_stop_words(words: &[String]) -> &[String] {
    let end = words.iter().rposition(|word| !is_stop_word(word)).map_or(words.len(), |last| last + 1);
    &words[..end]
}

fn without<'a>(rows: &'a RowSet, whole: &[Match]) -> Cow<'a, RowSet> {
    if whole.is_empty() {
        return Cow::Borrowed(rows);
    }
    let mut others = rows.clone();
    whole.iter().for_each(|found| others.remove(found.row));
    Cow::Owned(others)
}

/// The lists of a word's forms, its own first.
fn forms<'a>(index: &'a TextIndex, word: &str, family: &[u32]) -> Clause<'a> {
    let exact = index.lexicon.find(word);
    let scored = |form: &u32| {
        let bonus = if Some(*form) == exact { EXACT } else { 0 };
        Scored { list: index.lists.list(*form), bonus }
    };
    let mut lists: Vec<Scored<'a>> = family.iter().map(scored).collect();
    lists.sort_by_key(|scored| std::cmp::Reverse(scored.bonus));
    Clause { lists, set: None }
}
