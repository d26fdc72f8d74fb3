//! The plan of a query: the posting lists of its words, and the clues that rank the rows.

use std::borrow::Cow;
use std::ops::Range;

use super::clause::Clause;
use super::context::NamedWords;
use super::expressions::Expressions;
use super::labels::Labels;
use super::phrase::Phrase;
use super::preference::Preference;
use super::row_filter::RowFilter;
use crate::index::Index;
use crate::index::lists::Occurrences;
use crate::index::positions::NOWHERE;
use crate::index::row_set::RowSet;
use crate::text::synonyms::{self, Occurrence};
use crate::text::{base_form, is_stop_word};

/// Shorter last words are taken as prefixes even if they are part of a name.
const SHORTEST_NAME: usize = 4;

/// Further words of a query are ignored.
const MOST_WORDS: usize = 120;

#[derive(Default)]
pub(super) struct QueryPlan<'a> {
    /// The number of rows in the index.
    pub rows: u32,
    /// The words that a row must have; the last word typed is the last. A stop word typed last is not among them.
    pub words: Vec<Clause<'a>>,
    /// The rows that have a word which starts with the last one, if there are such words beside its forms.
    pub longer: Option<Cow<'a, RowSet>>,
    /// Optional, but part of phrases.
    pub stop_words: Vec<Clause<'a>>,
    /// The rows of each label in the query.
    pub labels: Vec<Occurrences<'a>>,
    /// The words beside the label, usually the name of a company.
    pub beside_label: Option<Phrase<'a>>,
    /// Phrases that a row must have, in quotes in the query.
    pub quoted: Vec<Phrase<'a>>,
    /// The ranges of rows that the query names.
    pub preference: Option<Preference<'a>>,
    /// The rows to which the search is limited.
    pub within: Option<&'a RowFilter>,
}

impl<'a> QueryPlan<'a> {
    /// Plans a query whose last word may be a prefix and some of whose words may be names.
    pub(super) fn new(
        (index, expressions): (&'a Index, &'a Expressions),
        words: &[String],
        is_prefix: bool,
        names: &[NamedWords],
    ) -> Self {
        let words = &words[..words.len().min(MOST_WORDS)];
        let mut plan = Self { rows: index.rows, ..Self::default() };
        let Some(last) = words.last() else { return plan };
        if words.iter().all(|word| is_stop_word(word)) {
            // A query of stop words is searched by the last one: Pará is one when folded, and it may be a prefix.
            plan.words.push(Clause::exactly(index, last, 0));
            plan.longer = longer(index, last, &[]).filter(|_| is_prefix);
            return plan;
        }
        plan.add_words(index, words, is_prefix);
        plan.add_synonyms((index, expressions), &synonyms::occurrences(words));
        plan.add_names(index, names);
        let labels = Labels::of(words, &index.lexicon);
        plan.labels = labels.numbers.iter().map(|label| index.occurrences(*label, 0)).collect();
        plan.beside_label = labels.words.and_then(|label| plan.beside(&label, words.len()));
        plan
    }

    /// Adds a clause for each word; forms of one word share a clause. Only the last word typed may be a prefix.
    fn add_words(&mut self, index: &'a Index, words: &[String], is_prefix: bool) {
        let mut bases: Vec<String> = Vec::new();
        for (place, word) in words.iter().enumerate() {
            if is_stop_word(word) {
                self.stop_words.push(Clause::exactly(index, word, place));
                continue;
            }
            let (base, is_last) = (base_form(word), place + 1 == words.len());
            match bases.iter().position(|other| *other == base && !is_last) {
                Some(same) => self.words[same].offsets.push(place),
                None => {
                    let forms = index.lexicon.forms(word);
                    self.words.push(Clause::of_words(index, &forms, place));
                    self.longer = if is_last && is_prefix { longer(index, word, &forms) } else { None };
                    bases.push(base);
                }
            }
        }
    }

    /// Lets synonyms of an expression satisfy each of its words. A row with a synonym then has all words of the
    /// expression in order, after the words before it; before the words after it only if both are equally long.
    fn add_synonyms(&mut self, (index, known): (&'a Index, &'a Expressions), found: &[Occurrence]) {
        for found in found {
            for (nth, place) in (0..).zip(found.words.clone()) {
                for clause in self.clauses_at(place) {
                    clause.add_lists(found.others().flat_map(|other| {
                        let shift = if found.keeps_phrase(other) { nth } else { NOWHERE };
                        known.occurrences(index, other, shift)
                    }));
                }
            }
        }
    }

    /// Lets the codes of a name's holders satisfy each word of the name.
    fn add_names(&mut self, index: &'a Index, names: &[NamedWords]) {
        for name in names {
            for (shift, place) in (0..).zip(name.words.clone()) {
                let lists = name.codes.iter().filter_map(|code| index.code_occurrences(code, shift));
                let lists: Vec<Occurrences<'a>> = lists.collect();
                self.clauses_at(place).for_each(|clause| clause.add_lists(lists.iter().copied()));
            }
        }
    }

    fn clauses_at(&mut self, place: usize) -> impl Iterator<Item = &mut Clause<'a>> {
        let all = self.words.iter_mut().chain(&mut self.stop_words);
        all.filter(move |clause| clause.offsets.contains(&place))
    }

    /// The words before or after a label in a query of `count` words, if at least two of them are not stop words.
    fn beside(&self, label: &Range<usize>, count: usize) -> Option<Phrase<'a>> {
        let places = match (label.start, label.end) {
            (0, end) => end..count,
            (start, end) if end == count => 0..start,
            _ => return None,
        };
        let there = |clauses: &[Clause<'a>]| -> Vec<Clause<'a>> {
            clauses.iter().filter_map(|clause| clause.within(&places)).collect()
        };
        let (words, stop_words) = (there(&self.words), there(&self.stop_words));
        (words.len() > 1).then_some(Phrase { words, stop_words })
    }

    /// Whether the last word may be a prefix although an owner's name contains exactly this word, which was then
    /// probably meant.
    pub(super) fn may_end_in_a_name(&self, last: &str) -> bool {
        let is_long = last.chars().count() >= SHORTEST_NAME;
        let is_in_name = || self.words.last().is_some_and(Clause::is_in_owners);
        self.longer.is_some() && self.words.len() > 1 && is_long && is_in_name()
    }

    /// The rows with longer words, if this is the last word.
    pub(super) fn longer_than(&self, word: usize) -> Option<&RowSet> {
        self.longer.as_deref().filter(|_| word + 1 == self.words.len())
    }

    /// Whether some row has the word or a longer one.
    pub(super) fn has_rows(&self, word: usize) -> bool {
        self.words[word].has_rows() || self.longer_than(word).is_some()
    }

    /// All rows that have the word or a longer one.
    pub(super) fn rows_of(&self, word: usize) -> Cow<'_, RowSet> {
        let rows = self.words[word].rows(self.rows);
        let Some(longer) = self.longer_than(word) else { return rows };
        let mut all = longer.clone();
        all.unite(&rows);
        Cow::Owned(all)
    }
}

/// The rows that have a word which starts with this one, if there are such words beside its forms.
fn longer<'a>(index: &'a Index, word: &str, forms: &[u32]) -> Option<Cow<'a, RowSet>> {
    let starting = index.lexicon.starting_with(word);
    let continues = starting.clone().any(|other| !forms.contains(&other));
    continues.then(|| index.rows_with_prefix(word, starting))
}
