//! What the words of a text ask for, and which rows that are.

use std::borrow::Cow;

use super::TextIndex;
use super::analyzer::{is_stop_word, stem, without_trailing_stop_words};
use super::clause::{Clause, Occurrences};
use super::label::whole_of;
use super::matching::{Wanted, ranked};
use super::neighbours::{hash, pair};
use super::postings::List;
use super::reading::Outcome;
use super::relaxation::rows_with_most;
use super::row_set::RowSet;
use super::synonyms;
use crate::page::Page;

/// A query has no more words than this.
const MOST_WORDS: usize = 120;

/// A word is rare if fewer than one row of so many has it: then the others are looked up in its rows.
const RARE: usize = 64;

pub(super) struct SearchQuery<'a> {
    index: &'a TextIndex,
    /// Without stop words and without forms of an earlier word; the last one in any of its forms, if it has one.
    wanted: Wanted<'a>,
    /// Rows that have a word which starts with the last one, if there are such words beside its forms.
    longer: Option<Cow<'a, RowSet>>,
}

impl<'a> SearchQuery<'a> {
    pub(super) fn new(words: &[String], index: &'a TextIndex) -> Self {
        let words = without_trailing_stop_words(words);
        let Some((last, others)) = words.split_last() else {
            return Self { index, wanted: Wanted::default(), longer: None };
        };
        let mut wanted = Wanted { label: index.label(words), ..Wanted::default() };
        let mut stems: Vec<String> = Vec::new();
        for (place, word) in others.iter().take(MOST_WORDS).enumerate() {
            if is_stop_word(word) {
                wanted.small_words.push(index.exactly(word, place));
                continue;
            }
            let stem = stem(word);
            match stems.iter().position(|other| *other == stem) {
                Some(same) => wanted.words[same].offsets.push(place),
                None => {
                    wanted.words.push(index.forms(&index.lexicon.family(&stem), place));
                    stems.push(stem);
                }
            }
        }
        let family = if is_stop_word(last) { Vec::new() } else { index.lexicon.family(&stem(last)) };
        wanted.words.push(index.forms(&family, words.len() - 1));
        index.add_synonyms(words, &mut wanted);
        wanted.never_phrase = !index.may_be_phrase(words);
        let starting = index.lexicon.starting_with(last);
        let continues = starting.clone().any(|word| !family.contains(&word));
        let longer = continues.then(|| index.prefixes.rows(last, index.rows, &index.lists, starting));
        Self { index, wanted, longer }
    }

    /// How many rows have all words, and those of this page, best first. Where none has, the rows with the most of them,
    /// if that is wanted.
    pub(super) fn run(&self, page: Page, relaxing: bool) -> Outcome {
        match &self.wanted.words[..] {
            [] => Outcome::default(),
            [_] => self.one_word(page),
            _ => self.several_words(page, relaxing),
        }
    }

    fn several_words(&self, page: Page, relaxing: bool) -> Outcome {
        let mut wanted = self.wanted.clone();
        if let Some(last) = wanted.words.last_mut() {
            last.set = self.longer.as_deref();
        }
        let has_all = wanted.words.iter().all(Clause::has_rows);
        if !has_all && !relaxing {
            return Outcome::default();
        }
        let rarest = wanted.words.iter().map(Clause::most_rows).min().unwrap_or(0);
        if has_all && rarest < self.index.rows as usize / RARE {
            let found = wanted.rows();
            if !found.is_empty() || !relaxing {
                return Outcome {
                    total: found.len(),
                    rows: ranked(&found, page.of(found.len())),
                    relaxed: false,
                };
            }
        }
        let (most, rows) = rows_with_most(&wanted.words, self.index.rows);
        let total = rows.len();
        if most == wanted.words.len() {
            let shown = page.of(total);
            return Outcome { total, rows: ranked(&wanted.judged(&rows, shown.end), shown), relaxed: false };
        }
        if most == 0 || !relaxing {
            return Outcome::default();
        }
        Outcome { total, rows: rows.at(page.of(total)), relaxed: true }
    }

    /// Rows that only have a longer word are all alike, so they need no ranking: whoever types sees them at once.
    fn one_word(&self, page: Page) -> Outcome {
        let (_, whole) = rows_with_most(&self.wanted.words, self.index.rows);
        let total = whole.len();
        let shown = page.of(total);
        let mut rows = ranked(&self.wanted.judged(&whole, shown.end), shown);
        let Some(longer) = &self.longer else { return Outcome { total, rows, relaxed: false } };
        let longer = without(longer, &whole, total);
        let rest = Page { limit: page.limit - rows.len(), offset: page.offset.saturating_sub(total) };
        let others = longer.len();
        rows.extend(longer.at(rest.of(others)));
        Outcome { total: total + others, rows, relaxed: false }
    }
}

fn without<'a>(rows: &'a RowSet, whole: &RowSet, count: usize) -> Cow<'a, RowSet> {
    if count == 0 {
        return Cow::Borrowed(rows);
    }
    let mut others = rows.clone();
    others.remove_all(whole);
    Cow::Owned(others)
}

impl TextIndex {
    /// The rows whose label is just these words.
    fn label(&self, words: &[String]) -> Option<List<'_>> {
        let says_something = words.iter().any(|word| !is_stop_word(word));
        self.lexicon.find(&whole_of(words)).filter(|_| says_something).map(|word| self.lists.list(word))
    }

    /// The lists of a word's forms, which stands at this place of the query.
    pub(super) fn forms(&self, family: &[u32], place: usize) -> Clause<'_> {
        let lists = family.iter().map(|form| self.occurrences_of(*form, 0)).collect();
        Clause { lists, set: None, offsets: vec![place] }
    }

    /// The very word and no other form.
    pub(super) fn exactly(&self, word: &str, place: usize) -> Clause<'_> {
        let lists = self.lexicon.find(word).map(|word| self.occurrences_of(word, 0)).into_iter().collect();
        Clause { lists, set: None, offsets: vec![place] }
    }

    fn occurrences_of(&self, word: u32, moved: u8) -> Occurrences<'_> {
        Occurrences { list: self.lists.list(word), again: self.again.of(word), moved }
    }

    /// Each word of an expression that means the same as others is satisfied by each of these too. So a row with another
    /// expression has all words of this one, in their order.
    fn add_synonyms<'a>(&'a self, words: &[String], wanted: &mut Wanted<'a>) {
        for found in synonyms::occurrences(words) {
            for other in found.others() {
                for (moved, place) in (0..).zip(found.words.clone()) {
                    let same = self.expression(other, moved);
                    let all = wanted.words.iter_mut().chain(&mut wanted.small_words);
                    all.filter(|clause| clause.offsets.contains(&place))
                        .for_each(|clause| clause.lists.extend_from_slice(&same));
                }
            }
        }
    }

    /// Whether some row may have the words beside each other.
    fn may_be_phrase(&self, words: &[String]) -> bool {
        let meant: Vec<usize> = synonyms::occurrences(words).flat_map(|found| found.words).collect();
        (1..words.len()).all(|place| {
            let is_meant = meant.contains(&place) || meant.contains(&(place - 1));
            is_meant || self.may_be_neighbours(&words[place - 1], &words[place])
        })
    }

    fn may_be_neighbours(&self, one: &str, other: &str) -> bool {
        let forms = |word: &str| -> Vec<u64> {
            if is_stop_word(word) {
                return vec![hash(word)];
            }
            let family = self.lexicon.family(&stem(word));
            family.into_iter().map(|form| hash(self.lexicon.word(form))).collect()
        };
        let others = forms(other);
        forms(one).iter().any(|one| others.iter().any(|other| self.neighbours.may_have(pair(*one, *other))))
    }

    /// Where rows have an expression of the table of synonyms.
    fn expression(&self, number: usize, moved: u8) -> Vec<Occurrences<'_>> {
        match &synonyms::all()[number].words[..] {
            [word] => {
                let family = self.lexicon.family(&stem(word));
                family.into_iter().map(|form| self.occurrences_of(form, moved)).collect()
            }
            _ => self.phrases.get(number).map(|phrase| phrase.occurrences(moved)).into_iter().collect(),
        }
    }
}
