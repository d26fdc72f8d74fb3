//! What the words of a text ask for, and which rows that are.

use std::borrow::Cow;
use std::ops::Range;

use super::analyzer::is_stop_word;
use super::candidates::KnownPair;
use super::clause::{Clause, Occurrences};
use super::inflection::base;
use super::matching::Wanted;
use super::phrases::expression;
use super::positions::NOWHERE;
use super::postings::List;
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
        let Some(last) = words.last() else { return Self { wanted } };
        if tells_nothing {
            // What is nothing but small words is asked for by the last of them: it may be one, as Pará is, or begin a word.
            wanted.words.push(index.words.exactly(last, 0));
            wanted.longer = index.longer(last, &[]).filter(|_| is_open);
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
        wanted.pairs = index.known_pairs(words, &index.together(&expressions, names), &wanted);
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

    /// Where no row has all words, those with the most of them, first what has the rarest.
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
    /// expression has all words of this one, in their order, and what stands before them; what stands behind them only if the
    /// other has as many words.
    fn add_synonyms<'a>(&'a self, expressions: &[Occurrence], wanted: &mut Wanted<'a>) {
        for found in expressions {
            for (nth, place) in (0..).zip(found.words.clone()) {
                for clause in clauses_at(place, wanted) {
                    clause.add_lists(found.others().flat_map(|other| {
                        let moved = if found.is_in_phrases(other) { nth } else { NOWHERE };
                        expression(&self.words, &self.phrases, other, moved)
                    }));
                }
            }
        }
    }

    /// Each word of a name is satisfied by the codes of what it names, in the same way.
    fn add_names<'a>(&'a self, names: &[NamedWords], wanted: &mut Wanted<'a>) {
        for name in names {
            for (moved, place) in (0..).zip(name.words.clone()) {
                let lists =
                    name.codes.iter().filter_map(|code| self.codes.occurrences(&self.words, code, moved));
                let lists: Vec<Occurrences<'a>> = lists.collect();
                clauses_at(place, wanted).for_each(|clause| clause.add_lists(lists.iter().copied()));
            }
        }
    }

    /// Where several words mean something together, or name something, and the rows that have something else which does so.
    fn together(&self, expressions: &[Occurrence], names: &[NamedWords]) -> Vec<Together<'_>> {
        let of_several = expressions.iter().filter(|found| found.words.len() > 1).map(|found| {
            let others = found.others().filter(|other| found.is_in_phrases(*other));
            let others = others.flat_map(|other| expression(&self.words, &self.phrases, other, 0));
            Together { words: found.words.clone(), lists: others.map(|one| one.list).collect() }
        });
        let named = names.iter().map(|name| {
            let codes = name.codes.iter().filter_map(|code| self.codes.occurrences(&self.words, code, 0));
            Together { words: name.words.clone(), lists: codes.map(|one| one.list).collect() }
        });
        of_several.chain(named).collect()
    }

    /// The rows that have neighbours of the query beside each other, as far as they are known; where one of them is part of an
    /// expression or a name, or the same word stands there once more, also what satisfies it instead.
    fn known_pairs<'a>(
        &'a self,
        words: &[String],
        together: &[Together<'a>],
        wanted: &Wanted<'_>,
    ) -> Vec<KnownPair<'a>> {
        let all = || wanted.words.iter().chain(&wanted.small_words);
        let touches = |other: &Together<'_>, place: usize| {
            let mut here = all().filter(|clause| clause.offsets.contains(&place));
            here.any(|clause| clause.offsets.iter().any(|place| other.words.contains(place)))
        };
        let pair = |second: usize| {
            let rows = self.pairs.rows(&words[second - 1], &words[second])?;
            let others = together.iter().filter(|one| touches(one, second - 1) || touches(one, second));
            Some(KnownPair { second, rows, others: others.flat_map(|one| &one.lists).copied().collect() })
        };
        (1..words.len()).filter_map(pair).collect()
    }
}

/// Words of the query that mean something together, and the rows that have it in another way.
struct Together<'a> {
    words: Range<usize>,
    lists: Vec<List<'a>>,
}

/// What is asked for by the word at a place of the query.
fn clauses_at<'w, 'a>(place: usize, wanted: &'w mut Wanted<'a>) -> impl Iterator<Item = &'w mut Clause<'a>> {
    let all = wanted.words.iter_mut().chain(&mut wanted.small_words);
    all.filter(move |clause| clause.offsets.contains(&place))
}
