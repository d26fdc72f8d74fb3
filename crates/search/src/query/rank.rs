//! The order of the rows that match a query.

use super::clause::Clause;
use super::matching::Matches;
use super::page::{Page, Pager};
use super::phrase::{Phrase, PhraseCursor, Seen};
use super::plan::QueryPlan;
use super::preference::{Fit, FitCursor};
use crate::index::lists::{Cursor, Place};
use crate::index::row_set::RowSet;

/// The rows of a page, best first. Equal rows stay in the order of the index.
pub(super) fn page(plan: &QueryPlan<'_>, matches: &Matches, page: Page) -> Vec<u32> {
    match matches {
        Matches::Few(rows) => ranked_one_by_one(plan, rows, page),
        Matches::Many { exact, longer } => {
            let mut pager = Pager::of(page);
            add_by_fit(plan, exact, true, &mut pager);
            longer.iter().for_each(|rows| add_by_fit(plan, rows, false, &mut pager));
            pager.into_rows()
        }
    }
}

fn add_by_fit(plan: &QueryPlan<'_>, rows: &RowSet, has_last: bool, pager: &mut Pager) {
    match &plan.preference {
        Some(preference) => {
            let groups = preference.groups(rows, plan.rows);
            groups.iter().for_each(|rows| add_in_order(plan, rows, has_last, pager));
        }
        None => add_in_order(plan, rows, has_last, pager),
    }
}

/// The quality of a match; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tier {
    /// Rows with the last word itself come before rows with only a longer one.
    is_longer: bool,
    fit: Fit,
    text: TextTier,
}

/// The order of rows, stated once: rows with a label of the query first, then phrases, then scattered words; phrases and
/// words in the row's own texts before those of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TextTier {
    LabelAndPhrase,
    Label,
    OwnPhrase,
    OwnerPhrase,
    OwnWords,
    Words,
}

/// Judges each row. For few rows.
fn ranked_one_by_one(plan: &QueryPlan<'_>, rows: &[u32], page: Page) -> Vec<u32> {
    let mut judge = Judge::of(plan);
    let mut ranked: Vec<(Tier, u32)> = rows.iter().map(|row| (judge.tier(*row), *row)).collect();
    ranked.sort_unstable();
    ranked[page.of(rows.len())].iter().map(|(_, row)| *row).collect()
}

/// Determines the tier of ascending rows.
struct Judge<'a> {
    words: PhraseCursor<'a>,
    labels: Vec<Cursor<'a>>,
    beside_label: Option<PhraseCursor<'a>>,
    preference: Option<FitCursor<'a>>,
}

impl<'a> Judge<'a> {
    fn of(plan: &'a QueryPlan<'a>) -> Self {
        Self {
            words: PhraseCursor::of(&plan.words, &plan.stop_words),
            labels: plan.labels.iter().map(|label| Cursor::of(*label)).collect(),
            beside_label: plan.beside_label.as_ref().map(Phrase::cursor),
            preference: plan.preference.as_ref().map(FitCursor::of),
        }
    }

    fn tier(&mut self, row: u32) -> Tier {
        let Seen { all, own, starts } = self.words.look(row);
        let has_label = self.labels.iter_mut().any(|label| label.has(row));
        let beside = self.beside_label.as_mut().filter(|_| has_label && all);
        let has_phrase_beside = beside.is_some_and(|beside| !beside.starts(row).is_empty());
        let text = match () {
            () if has_phrase_beside => TextTier::LabelAndPhrase,
            () if has_label => TextTier::Label,
            () if starts.has_own() => TextTier::OwnPhrase,
            () if !starts.is_empty() => TextTier::OwnerPhrase,
            () if own => TextTier::OwnWords,
            () => TextTier::Words,
        };
        let fit = self.preference.as_mut().map_or(Fit::Elsewhere, |preference| preference.fit(row));
        Tier { is_longer: !all, fit, text }
    }
}

/// Adds rows tier by tier, by sets. For many rows, which either all have the last word or all have only a longer one.
fn add_in_order(plan: &QueryPlan<'_>, rows: &RowSet, has_last: bool, pager: &mut Pager) {
    let words = if has_last { &plan.words[..] } else { &plan.words[..plan.words.len() - 1] };
    if pager.is_full() || rows.is_empty() || (words.is_empty() && plan.labels.is_empty()) {
        return pager.add(rows);
    }
    let mut rest = rows.clone();
    add_labelled(plan, &mut rest, has_last, pager);
    let places: usize = words.iter().chain(&plan.stop_words).map(|word| word.offsets.len()).sum();
    if !words.is_empty() && places > 1 {
        for place in [Place::Own, Place::Owner] {
            add_phrases(plan, words, place, &mut rest, pager);
        }
    }
    if !words.is_empty() && !pager.is_full() {
        let mut own = rest.clone();
        words.iter().for_each(|word| own.intersect(&word.rows_in(Place::Own, plan.rows)));
        pager.add(&own);
        rest.subtract(&own);
    }
    pager.add(&rest);
}

/// Moves the rows with a label of the query to the page, those with the phrase beside the label first.
fn add_labelled(plan: &QueryPlan<'_>, rest: &mut RowSet, has_last: bool, pager: &mut Pager) {
    if plan.labels.is_empty() {
        return;
    }
    let mut labelled = RowSet::below(plan.rows);
    plan.labels.iter().for_each(|label| label.list.add_rows_to(&mut labelled));
    labelled.intersect(rest);
    rest.subtract(&labelled);
    if let Some(beside) = plan.beside_label.as_ref().filter(|_| has_last) {
        let mut cursor = beside.cursor();
        let with_phrase = labelled.iter().filter(|row| !cursor.starts(*row).is_empty());
        let with_phrase: Vec<u32> = with_phrase.take(pager.needed()).collect();
        pager.add_rows(&with_phrase);
        with_phrase.iter().for_each(|row| labelled.remove(*row));
    }
    pager.add(&labelled);
}

/// Moves the rows that have the words as a phrase in a place to the page, as many as it needs. Only rows that have
/// every word there can have the phrase; without this filter, common words would have most rows looked at.
fn add_phrases(
    plan: &QueryPlan<'_>,
    words: &[Clause<'_>],
    place: Place,
    rest: &mut RowSet,
    pager: &mut Pager,
) {
    if pager.is_full() {
        return;
    }
    let mut candidates = rest.clone();
    let all = words.iter().chain(&plan.stop_words);
    all.for_each(|word| candidates.intersect(&word.rows_in(place, plan.rows)));
    let mut cursor = PhraseCursor::of(words, &plan.stop_words);
    let has_phrase = |row: &u32| {
        let starts = cursor.starts(*row);
        !starts.is_empty() && (place == Place::Owner || starts.has_own())
    };
    let phrases: Vec<u32> = candidates.iter().filter(has_phrase).take(pager.needed()).collect();
    pager.add_rows(&phrases);
    phrases.iter().for_each(|row| rest.remove(*row));
}
