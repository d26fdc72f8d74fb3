//! The rows that have the expressions of several words that the table of synonyms knows, found when the index is built.

use super::analyzer::is_stop_word;
use super::clause::{Clause, ListId, Occurrences};
use super::entry::Entry;
use super::judge::Judge;
use super::matching::Wanted;
use super::positions::Positions;
use super::postings::OwnedList;
use super::synonyms::{self, Expression};
use super::word_lists::WordLists;

/// Where rows have an expression of several words.
pub(super) struct Phrase {
    list: OwnedList,
    again: Vec<Entry>,
}

impl Phrase {
    fn occurrences(&self, number: usize, moved: u8) -> Occurrences<'_> {
        Occurrences { id: ListId::Expression(number), list: self.list.as_list(), again: &self.again, moved }
    }

    fn of(lists: &WordLists, expression: &[String]) -> Self {
        let whole = Part::of(lists, expression);
        let halves = synonyms::halves(expression).into_iter();
        let halves: Vec<[Part<'_>; 2]> =
            halves.map(|halves| halves.map(|words| Part::of(lists, words))).collect();
        let mut whole_judge = whole.judge();
        let mut half_judges: Vec<[Judge<'_>; 2]> =
            halves.iter().map(|[one, other]| [one.judge(), other.judge()]).collect();
        let wanted = Wanted { rows: lists.rows, words: whole.words.clone(), ..Wanted::default() };
        let (mut entries, mut again) = (Vec::new(), Vec::new());
        for row in wanted.all() {
            let mut starts = whole_judge.phrase(row);
            half_judges.iter_mut().for_each(|halves| starts.add(in_labels(halves, row)));
            put(row, starts, &mut entries, &mut again);
        }
        Self { list: OwnedList::of(entries), again }
    }
}

fn put(row: u32, mut starts: Positions, entries: &mut Vec<Entry>, again: &mut Vec<Entry>) {
    let Some(first) = starts.take_first() else { return };
    let entry = Entry::new(row, first);
    entries.push(if starts.is_empty() { entry } else { entry.repeated() });
    while let Some(start) = starts.take_first() {
        again.push(Entry::new(row, start));
    }
}

/// Where rows have an expression of the table, some words further on.
pub(super) fn expression<'a>(
    lists: &'a WordLists,
    phrases: &'a [Option<Phrase>],
    number: usize,
    moved: u8,
) -> Vec<Occurrences<'a>> {
    match &synonyms::all()[number].words[..] {
        [word] => {
            let forms = lists.lexicon.forms(word);
            forms.into_iter().map(|form| lists.occurrences_of(form, moved)).collect()
        }
        // An index without rows has none.
        _ => phrases
            .get(number)
            .into_iter()
            .flatten()
            .map(|phrase| phrase.occurrences(number, moved))
            .collect(),
    }
}

/// One for each expression of the table, but for those of one word, which have their lists.
pub(super) fn of_synonyms(lists: &WordLists) -> Vec<Option<Phrase>> {
    let phrase = |expression: &Expression| match &expression.words[..] {
        [] | [_] => None,
        words => Some(Phrase::of(lists, words)),
    };
    synonyms::all().iter().map(phrase).collect()
}

/// Words beside each other.
struct Part<'a> {
    words: Vec<Clause<'a>>,
    small_words: Vec<Clause<'a>>,
}

impl<'a> Part<'a> {
    fn of(lists: &'a WordLists, words: &[String]) -> Self {
        let (small, telling): (Vec<_>, Vec<_>) =
            words.iter().enumerate().partition(|(_, word)| is_stop_word(word));
        Self {
            words: telling.into_iter().map(|(place, word)| lists.forms(word, place)).collect(),
            small_words: small.into_iter().map(|(place, word)| lists.exactly(word, place)).collect(),
        }
    }

    fn judge(&self) -> Judge<'_> {
        Judge::of(&self.words, &self.small_words)
    }
}

/// Where a row has both halves in its category and type; nowhere if it does not.
fn in_labels(halves: &mut [Judge<'_>; 2], row: u32) -> Positions {
    let [one, other] = halves.each_mut().map(|half| half.phrase(row).in_labels());
    if one.is_empty() || other.is_empty() {
        return Positions::default();
    }
    let mut both = one;
    both.add(other);
    both
}
