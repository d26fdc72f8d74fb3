//! What the words of a text ask for, and which rows that are.

use std::borrow::Cow;
use std::ops::Range;

use super::analyzer::is_stop_word;
use super::clause::Clause;
use super::inflection::base;
use super::matching::Wanted;
use super::pairs::PairRows;
use super::phrases::expression;
use super::reading::Outcome;
use super::row_set::RowSet;
use super::synonyms::{self, Occurrence};
use super::{NamedWords, TextIndex};
use crate::page::Page;

/// A query has no more words than this.
const MOST_WORDS: usize = 120;

pub(super) struct SearchQuery<'a> {
    wanted: Wanted<'a>,
}

impl<'a> SearchQuery<'a> {
    /// Of words the last of which may go on, if it is open.
    pub(super) fn new(words: &[String], is_open: bool, index: &'a TextIndex) -> Self {
        Self::naming(words, is_open, &[], index)
    }

    /// The same where some of the words name something.
    pub(super) fn naming(
        words: &[String],
        is_open: bool,
        names: &[NamedWords],
        index: &'a TextIndex,
    ) -> Self {
        let words = &words[..words.len().min(MOST_WORDS)];
        let mut wanted = Wanted { rows: index.words.rows, ..Wanted::default() };
        let tells_nothing = words.iter().all(|word| is_stop_word(word));
        let Some((last, others)) = words.split_last() else { return Self { wanted } };
        if tells_nothing {
            // What is nothing but small words is asked for as it stands so far.
            wanted.words.push(Clause { offsets: vec![others.len()], ..Clause::default() });
            wanted.longer = index.longer(last, &[]);
            return Self { wanted };
        }
        index.add_words(words, &mut wanted);
        if !is_open {
            wanted.longer = None;
        }
        let expressions = synonyms::occurrences(words);
        index.add_synonyms(&expressions, &mut wanted);
        index.add_names(names, &mut wanted);
        wanted.words.iter_mut().for_each(|clause| clause.union = index.unions.of_clause(clause));
        let labels = index.words.lexicon.labels(words);
        wanted.labels = labels.numbers.iter().map(|label| index.words.lists.of(*label)).collect();
        wanted.beside_label = labels.words.and_then(|label| wanted.beside(&label, words.len()));
        let together = words_together(&expressions, names);
        wanted.pairs = index.known_pairs(words, &wanted, &together);
        Self { wanted }
    }

    /// What each word asks for.
    pub(super) fn into_words(self) -> Vec<Clause<'a>> {
        self.wanted.words
    }

    /// How many rows have all words, and those of this page, best first.
    pub(super) fn run(&self, page: Page) -> Outcome {
        self.wanted.page(page)
    }

    /// The same, or the rows with the most words, if these were found on the way and none has all.
    pub(super) fn run_or_relax(&self, page: Page) -> Outcome {
        self.wanted.page_or_most(page)
    }

    /// The rows that have all words, ascending.
    pub(super) fn all(&self) -> Vec<u32> {
        self.wanted.all()
    }

    /// Where no row has all words, those with the most of them, in the order of the part.
    pub(super) fn relaxed(&self, page: Page) -> Outcome {
        if self.wanted.words.len() < 2 {
            return Outcome::default();
        }
        self.wanted.relaxed(page)
    }
}

impl TextIndex {
    /// Forms of one word are asked for once. The prefix belongs to the last word that was typed: where that is a small one,
    /// no other is taken for the beginning of a word.
    fn add_words<'a>(&'a self, words: &[String], wanted: &mut Wanted<'a>) {
        let mut bases: Vec<String> = Vec::new();
        for (place, word) in words.iter().enumerate() {
            if is_stop_word(word) {
                wanted.small_words.push(self.words.exactly(word, place));
                continue;
            }
            let (base, is_last) = (base(word), place + 1 == words.len());
            match bases.iter().position(|other| *other == base && !is_last) {
                Some(same) => wanted.words[same].offsets.push(place),
                None => {
                    let forms = self.words.lexicon.forms(word);
                    wanted.words.push(self.words.clause(&forms, place));
                    wanted.longer = if is_last { self.longer(word, &forms) } else { None };
                    bases.push(base);
                }
            }
        }
    }

    /// Rows that have a word which starts with this one, if there are such words beside its forms.
    fn longer(&self, word: &str, forms: &[u32]) -> Option<Cow<'_, RowSet>> {
        let starting = self.words.lexicon.starting_with(word);
        let continues = starting.clone().any(|other| !forms.contains(&other));
        continues.then(|| self.prefixes.rows(word, self.words.rows, &self.words.lists, starting))
    }

    /// Each word of an expression that means the same as others is satisfied by each of these too. So a row with another
    /// expression has all words of this one, in their order.
    fn add_synonyms<'a>(&'a self, expressions: &[Occurrence], wanted: &mut Wanted<'a>) {
        for found in expressions {
            for (moved, place) in (0..).zip(found.words.clone()) {
                for clause in clauses_at(place, wanted) {
                    let same =
                        found.others().flat_map(|other| expression(&self.words, &self.phrases, other, moved));
                    clause.lists.extend(same);
                }
            }
        }
    }

    /// Each word of a name is satisfied by the code of what it names, in the same way.
    fn add_names<'a>(&'a self, names: &[NamedWords], wanted: &mut Wanted<'a>) {
        for name in names {
            let Some(code) = self.words.lexicon.find(&name.code) else { continue };
            for (moved, place) in (0..).zip(name.words.clone()) {
                let list = self.words.occurrences_of(code, moved);
                clauses_at(place, wanted).for_each(|clause| clause.lists.push(list));
            }
        }
    }

    /// The rows that have neighbours of the query beside each other, as far as they are known. What several words of the query
    /// mean together may stand elsewhere, also where one of them stands once more in the query: it is asked for once.
    fn known_pairs(
        &self,
        words: &[String],
        wanted: &Wanted<'_>,
        together: &[Range<usize>],
    ) -> Vec<(usize, PairRows<'_>)> {
        let is_part = |place: &usize| together.iter().any(|words| words.contains(place));
        let all = || wanted.words.iter().chain(&wanted.small_words);
        let is_alone = |place: usize| {
            !all().any(|clause| clause.offsets.contains(&place) && clause.offsets.iter().any(is_part))
        };
        let pairs = (1..words.len()).filter(|place| is_alone(*place) && is_alone(place - 1));
        pairs.filter_map(|place| Some((place, self.pairs.rows(&words[place - 1], &words[place])?))).collect()
    }
}

/// Where several words of the query mean something together.
fn words_together(expressions: &[Occurrence], names: &[NamedWords]) -> Vec<Range<usize>> {
    let of_several = expressions.iter().map(|found| &found.words).filter(|words| words.len() > 1);
    of_several.chain(names.iter().map(|name| &name.words)).cloned().collect()
}

/// What is asked for by the word at a place of the query.
fn clauses_at<'w, 'a>(place: usize, wanted: &'w mut Wanted<'a>) -> impl Iterator<Item = &'w mut Clause<'a>> {
    let all = wanted.words.iter_mut().chain(&mut wanted.small_words);
    all.filter(move |clause| clause.offsets.contains(&place))
}
