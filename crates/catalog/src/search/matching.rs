//! Which rows have all words of a query, and a page of them in the order of [`Tier`].
//!
//! Two ways lead there. Where some word is rare, each of its rows is looked up in the lists of the others. Else whole lists
//! are combined, 64 rows at a time: what they have in common, which of these have each word in a text of their own, and
//! which have a phrase. Only for the latter are rows looked at one by one, and no more of them than can be one.

use std::borrow::Cow;
use std::ops::Range;

use super::candidates::KnownPair;
use super::clause::{Clause, ClauseReader};
use super::dense_list::DENSE;
use super::judge::{Beside, Judge, Tier};
use super::paging::{Paging, ranked};
use super::postings::List;
use super::reading::Outcome;
use super::row_set::RowSet;
use crate::page::Page;

/// What rows must have, and what makes some of them better than others.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    /// How many rows there are in all.
    pub rows: u32,
    /// Every one of them; the last typed one is the last.
    pub words: Vec<Clause<'a>>,
    /// Rows that have a word which starts with the last one, if there are such words beside its forms.
    pub longer: Option<Cow<'a, RowSet>>,
    /// Small words: rows need not have them, phrases do.
    pub small_words: Vec<Clause<'a>>,
    /// The rows whose label was asked for.
    pub labels: Vec<List<'a>>,
    /// What was asked for beside the label, if it can be a phrase.
    pub beside_label: Option<Beside<'a>>,
    /// The rows that have two words beside each other, where they are known.
    pub pairs: Vec<KnownPair<'a>>,
}

/// Of so many words no row has all, most of the time.
const MANY_WORDS: usize = 6;
/// Of a word that stands alone, no row need be looked at where sets are combined; that pays if one row of so many has it.
const ALONE: usize = if cfg!(test) { 16 } else { 1024 };
/// A word that one row of so many has is not worth looking for alone.
const COMMON: usize = 128;

impl<'a> Wanted<'a> {
    /// The words of a query of so many on one side of a label, if two or more of them tell something.
    pub(super) fn beside(&self, label: &Range<usize>, count: usize) -> Option<Beside<'a>> {
        let side = match (label.start, label.end) {
            (0, end) => end..count,
            (start, end) if end == count => 0..start,
            _ => return None,
        };
        let of_side = |clauses: &[Clause<'a>]| -> Vec<Clause<'a>> {
            clauses.iter().filter_map(|clause| clause.within(&side)).collect()
        };
        let (words, small_words) = (of_side(&self.words), of_side(&self.small_words));
        (words.len() > 1).then_some(Beside { places: side, words, small_words })
    }
}

impl Wanted<'_> {
    /// How many rows have all words, and those of this page, best first.
    pub(super) fn page(&self, page: Page) -> Outcome {
        if !self.can_be_had() {
            return Outcome::default();
        }
        let few = if self.words.len() == 1 { ALONE } else { DENSE };
        if self.rarest() < self.rows as usize / few {
            let found = self.few();
            return Outcome { total: found.len(), rows: ranked(&found, page), relaxed: false };
        }
        let (whole, begun) = self.many();
        self.page_of(&whole, begun.as_ref(), page)
    }

    /// The same; and where it takes no longer to find the rows with the most words at once, these if none has all.
    pub(super) fn page_or_most(&self, page: Page) -> Outcome {
        if self.words.len() < MANY_WORDS || !self.can_be_had() || self.rarest() < self.rows as usize / COMMON
        {
            return self.page(page);
        }
        let most = self.with_most();
        if most.words < self.words.len() {
            return most.outcome(&self.with_rarest(), page);
        }
        let mut begun = most.to_set(self.rows);
        let mut whole = begun.clone();
        self.words.last().into_iter().for_each(|last| whole.keep_all(&last.rows(self.rows)));
        begun.remove_all(&whole);
        self.page_of(&whole, self.longer.is_some().then_some(&begun), page)
    }

    fn page_of(&self, whole: &RowSet, begun: Option<&RowSet>, page: Page) -> Outcome {
        let total = whole.len() + begun.map_or(0, RowSet::len);
        let rows = if total == 0 { Vec::new() } else { self.ordered(whole, begun, page) };
        Outcome { total, rows, relaxed: false }
    }

    /// All rows that have all words, ascending.
    pub(super) fn all(&self) -> Vec<u32> {
        if !self.can_be_had() {
            return Vec::new();
        }
        let (whole, begun) = self.many();
        // A set may end at its last row, and what is added behind its end would be lost.
        let mut all = RowSet::below(self.rows);
        all.add_all(&whole);
        begun.iter().for_each(|rows| all.add_all(rows));
        all.to_vec()
    }

    fn can_be_had(&self) -> bool {
        let Some((last, others)) = self.words.split_last() else { return false };
        others.iter().all(Clause::has_rows) && (self.longer.is_some() || last.has_rows())
    }

    /// No fewer rows than the rarest word has.
    fn rarest(&self) -> usize {
        (0..self.words.len()).map(|word| self.most_rows(word)).min().unwrap_or(0)
    }

    fn most_rows(&self, word: usize) -> usize {
        self.words[word].most_rows() + self.longer_than(word).map_or(0, RowSet::len)
    }

    /// The rows with longer words, if this is the last one.
    pub(super) fn longer_than(&self, word: usize) -> Option<&RowSet> {
        self.longer.as_deref().filter(|_| word + 1 == self.words.len())
    }

    /// The rows, ascending, by way of the rarest word.
    fn few(&self) -> Vec<(u32, Tier)> {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by_cached_key(|word| self.most_rows(*word));
        let Some((rarest, others)) = order.split_first() else { return Vec::new() };
        let mut rows = self.rows_of(*rarest);
        for other in others {
            let (mut reader, longer) = (ClauseReader::of(&self.words[*other]), self.longer_than(*other));
            rows.retain(|row| reader.has(*row) || longer.is_some_and(|longer| longer.contains(*row)));
        }
        let mut judge =
            Judge::of(&self.words, &self.small_words).with_labels(&self.labels, self.beside_label.as_ref());
        rows.into_iter().map(|row| (row, judge.tier(row))).collect()
    }

    /// The rows of one word, ascending.
    fn rows_of(&self, word: usize) -> Vec<u32> {
        let (lists, longer) = (&self.words[word].lists, self.longer_than(word));
        let mut rows = Vec::new();
        for one in lists {
            rows.extend(one.list.entries().iter().map(|entry| entry.row()));
        }
        rows.extend(longer.map(RowSet::to_vec).unwrap_or_default());
        if longer.is_some() || lists.len() > 1 {
            rows.sort_unstable();
            rows.dedup();
        }
        rows
    }

    /// The rows that have all words, and those that have all others and a longer one than the last.
    fn many(&self) -> (RowSet, Option<RowSet>) {
        let Some((last, others)) = self.words.split_last() else { return Default::default() };
        let others = common(others.iter().map(|word| word.rows(self.rows)));
        let with_others = |rows: Cow<'_, RowSet>| -> RowSet {
            let mut rows = rows.into_owned();
            others.iter().for_each(|others| rows.keep_all(others));
            rows
        };
        let whole = with_others(last.rows(self.rows));
        let begun = self.longer.as_deref().map(|longer| {
            let mut begun = with_others(Cow::Borrowed(longer));
            begun.remove_all(&whole);
            begun
        });
        (whole, begun)
    }

    fn ordered(&self, whole: &RowSet, begun: Option<&RowSet>, page: Page) -> Vec<u32> {
        let mut paging = Paging::of(page);
        let end = usize::MAX;
        self.add_tiers(whole, &self.words, end, &mut paging);
        if let (Some(begun), Some((last, others))) = (begun, self.words.split_last())
            && !paging.is_full()
        {
            let end = last.offsets.iter().copied().max().unwrap_or(end);
            self.add_tiers(begun, others, end, &mut paging);
        }
        paging.into_rows()
    }

    /// The rows, all of which have these words, in the order of their tiers. The words stand before this place of the query.
    fn add_tiers(&self, rows: &RowSet, words: &[Clause<'_>], end: usize, paging: &mut Paging) {
        if rows.is_empty() || (words.is_empty() && self.labels.is_empty()) {
            return paging.add(rows);
        }
        let mut rest = rows.clone();
        if !self.labels.is_empty() {
            let mut labelled = self.labelled(rows);
            rest.remove_all(&labelled);
            if end == usize::MAX {
                let phrases = self.phrases_beside_label(&labelled, paging.needed());
                paging.add_rows(&phrases);
                phrases.iter().for_each(|row| labelled.remove(*row));
            }
            paging.add(&labelled);
        }
        let places: usize = words.iter().chain(&self.small_words).map(|word| word.offsets.len()).sum();
        if !paging.is_full() && !words.is_empty() && places > 1 {
            let phrases = self.phrases(&rest, words, end, paging.needed());
            paging.add_rows(&phrases.own);
            paging.add_rows(&phrases.of_company);
            phrases.own.iter().chain(&phrases.of_company).for_each(|row| rest.remove(*row));
        }
        if !paging.is_full() && !words.is_empty() {
            let mut own = rest.clone();
            words.iter().for_each(|word| own.keep_all(&word.own_rows(self.rows)));
            paging.add(&own);
            rest.remove_all(&own);
        }
        paging.add(&rest);
    }

    /// Those of the rows whose label was asked for.
    fn labelled(&self, rows: &RowSet) -> RowSet {
        let mut labelled = RowSet::below(self.rows);
        self.labels.iter().for_each(|label| label.add_rows_to(&mut labelled));
        labelled.keep_all(rows);
        labelled
    }
}

/// What sets have in common; nothing of no set.
fn common<'a>(mut sets: impl Iterator<Item = Cow<'a, RowSet>>) -> Option<Cow<'a, RowSet>> {
    let mut all = sets.next()?;
    for other in sets {
        if all.is_empty() {
            break;
        }
        all.to_mut().keep_all(&other);
    }
    Some(all)
}
