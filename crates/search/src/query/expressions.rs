//! The rows that have an expression of several words from the table of synonyms, found when the index is built.

use std::borrow::Cow;
use std::sync::Arc;

use super::phrase::{Phrase, PhraseCursor};
use crate::index::entry::Entry;
use crate::index::lists::{ListId, Occurrences, OwnedList};
use crate::index::positions::Positions;
use crate::index::row_set::RowSet;
use crate::index::{Index, MergePlan};
use crate::text::synonyms;

/// One list for each expression of the table; none for single words, which have lists in the index.
#[derive(Default)]
pub(super) struct Expressions {
    lists: Vec<Option<Arc<ExpressionList>>>,
}

/// The rows and positions of an expression.
struct ExpressionList {
    list: OwnedList,
    again: Vec<Entry>,
}

impl Expressions {
    pub(super) fn of(index: &Index) -> Self {
        let list = |words: &[String]| (words.len() > 1).then(|| Arc::new(ExpressionList::of(index, words)));
        Self { lists: synonyms::all().iter().map(|expression| list(&expression.words)).collect() }
    }

    /// The lists of the merged rows; `fresh` has those of the new ones. An expression is in a row or not, whatever others
    /// have. The plan is in the numbers of rows.
    pub(super) fn merged(&self, fresh: &Self, plan: &MergePlan) -> Self {
        let both = self.lists.iter().zip(&fresh.lists);
        let merged = both.map(|(old, new)| match (old, new) {
            (Some(old), Some(new)) if !new.list.as_list().is_empty() || old.is_moved(plan) => {
                Some(Arc::new(old.merged(new, plan)))
            }
            (old, _) => old.clone(),
        });
        Self { lists: merged.collect() }
    }

    /// The rows and positions of an expression, as if it stood `shift` words later.
    pub(super) fn occurrences<'a>(
        &'a self,
        index: &'a Index,
        number: usize,
        shift: u8,
    ) -> Vec<Occurrences<'a>> {
        if let [word] = &synonyms::all()[number].words[..] {
            return index
                .lexicon
                .forms(word)
                .into_iter()
                .map(|form| index.occurrences(form, shift))
                .collect();
        }
        let list = self.lists.get(number).and_then(Option::as_deref);
        list.map(|list| list.occurrences(number, shift)).into_iter().collect()
    }
}

impl ExpressionList {
    fn of(index: &Index, words: &[String]) -> Self {
        let whole = Phrase::of(index, words);
        let halves: Vec<[Phrase<'_>; 2]> = synonyms::halves(words)
            .into_iter()
            .map(|halves| halves.map(|half| Phrase::of(index, half)))
            .collect();
        let mut whole_cursor = whole.cursor();
        let mut half_cursors: Vec<[PhraseCursor<'_>; 2]> =
            halves.iter().map(|halves| halves.each_ref().map(Phrase::cursor)).collect();
        let mut built = Self { list: OwnedList::Sparse(Vec::new()), again: Vec::new() };
        let mut entries = Vec::new();
        for row in with_all_words(index, &whole).iter() {
            let mut starts = whole_cursor.starts(row);
            half_cursors.iter_mut().for_each(|halves| starts.add(starts_in_labels(halves, row)));
            built.push(row, starts, &mut entries);
        }
        built.list = OwnedList::of(entries);
        built
    }

    fn is_moved(&self, plan: &MergePlan) -> bool {
        self.list.as_list().is_moved(plan)
    }

    fn merged(&self, fresh: &Self, plan: &MergePlan) -> Self {
        let (mut entries, mut again) = (Vec::new(), Vec::new());
        plan.extend_list(&self.list.as_list().entries(), &fresh.list.as_list().entries(), &mut entries);
        plan.extend_list(&self.again, &fresh.again, &mut again);
        Self { list: OwnedList::of(entries), again }
    }

    fn push(&mut self, row: u32, mut starts: Positions, entries: &mut Vec<Entry>) {
        let Some(first) = starts.take_first() else { return };
        let entry = Entry::new(row, first);
        entries.push(if starts.is_empty() { entry } else { entry.repeated() });
        while let Some(start) = starts.take_first() {
            self.again.push(Entry::new(row, start));
        }
    }

    fn occurrences(&self, number: usize, shift: u8) -> Occurrences<'_> {
        Occurrences { id: ListId::Expression(number), list: self.list.as_list(), again: &self.again, shift }
    }
}

fn with_all_words<'a>(index: &Index, phrase: &Phrase<'a>) -> Cow<'a, RowSet> {
    let mut sets = phrase.words.iter().map(|word| word.rows(index.rows));
    let Some(mut all) = sets.next() else { return Cow::default() };
    sets.for_each(|other| all.to_mut().intersect(&other));
    all
}

/// The starts of both halves in the labels of a row; none unless it has both.
fn starts_in_labels(halves: &mut [PhraseCursor<'_>; 2], row: u32) -> Positions {
    let [mut one, other] = halves.each_mut().map(|half| half.starts(row).in_labels());
    if one.is_empty() || other.is_empty() {
        return Positions::default();
    }
    one.add(other);
    one
}
