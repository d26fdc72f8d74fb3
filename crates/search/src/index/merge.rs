//! Merges the index of changed rows into that of unchanged rows, whose texts are not analyzed again.
//!
//! Rows are numbered such that the last one keeps its number: new rows usually come first, and there is room for their
//! numbers. So most lists are the same as before, and shared. Only if that room is used up does every row get a new number.

use std::ops::Range;
use std::sync::Arc;

use super::dense_list::DenseList;
use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::lists::{List, Lists, ListsBuilder};
use super::merge_plan::MergePlan;
use super::segments::Segment;
use super::{Index, TooLarge, room_before};

impl Index {
    /// The index of the merged rows, and the plan in the numbers of rows; `fresh` has the new rows.
    pub(crate) fn merged(&self, fresh: &Self, plan: &MergePlan) -> Result<(Self, MergePlan), TooLarge> {
        let rows = self.rows_merged(plan)?;
        let plan = plan.numbered(self.rows(), rows.start, fresh.first);
        let (lexicon, lists) = Merge { old: self, fresh, plan: &plan }.words()?;
        Ok((Self::new(rows, lexicon, lists), plan))
    }

    /// The numbers of the merged rows.
    fn rows_merged(&self, plan: &MergePlan) -> Result<Range<u32>, TooLarge> {
        let count = plan.rows();
        if count >= MOST_ROWS {
            return Err(TooLarge("the number of rows to search"));
        }
        let room = room_before(count);
        match self.rows.checked_sub(count) {
            // Without most of its rows the index would keep the long sets of rows of before.
            Some(first) if first <= 2 * room + MOST_SPARE => Ok(first..self.rows),
            _ => Ok(room..room + count),
        }
    }
}

/// Numbers before the first row that an index of few rows may have.
const MOST_SPARE: u32 = 10_000;

struct Merge<'a> {
    old: &'a Index,
    fresh: &'a Index,
    /// In the numbers of rows.
    plan: &'a MergePlan,
}

/// The words of the merged index so far.
#[derive(Default)]
struct Words {
    text: String,
    ends: Vec<u32>,
    lists: ListsBuilder,
}

impl Merge<'_> {
    fn words(&self) -> Result<(Lexicon, Lists), TooLarge> {
        let mut words = Words { lists: Lists::builder(), ..Words::default() };
        let mut next_fresh = 0;
        for segment in self.old.lists.segments() {
            let before = next_fresh;
            next_fresh = match segment.words().end {
                last if last == self.old.lists.len() => self.fresh.lexicon.len(),
                end => self.fresh.lexicon.first_not_below(self.old.lexicon.word(end)),
            };
            let is_same = before == next_fresh && !self.old.lists.are_moved(segment, self.plan);
            if is_same && segment.is_large() {
                self.share(segment, &mut words)?;
            } else {
                self.merge(segment.words(), before..next_fresh, &mut words)?;
            }
        }
        self.merge(0..0, next_fresh..self.fresh.lexicon.len(), &mut words)?;
        Ok((Lexicon::new(words.text, words.ends), words.lists.finish()))
    }

    fn share(&self, segment: &Segment, words: &mut Words) -> Result<(), TooLarge> {
        for word in segment.words() {
            words.push_text(self.old.lexicon.word(word))?;
        }
        words.lists.share(&self.old.lists, segment);
        Ok(())
    }

    /// Merges words of both indexes in alphabetical order. A word without rows is dropped.
    fn merge(&self, mut old: Range<u32>, mut fresh: Range<u32>, words: &mut Words) -> Result<(), TooLarge> {
        while !old.is_empty() || !fresh.is_empty() {
            let one = (!old.is_empty()).then(|| self.old.lexicon.word(old.start));
            let other = (!fresh.is_empty()).then(|| self.fresh.lexicon.word(fresh.start));
            let has_old = one.is_some_and(|one| other.is_none_or(|other| one <= other));
            let has_fresh = other.is_some_and(|other| one.is_none_or(|one| other <= one));
            let word = (has_old.then(|| old.next()).flatten(), has_fresh.then(|| fresh.next()).flatten());
            let has_rows = self.list(word.0, word.1, &mut words.lists);
            if let (true, Some(text)) = (has_rows, if has_old { one } else { other }) {
                words.push_text(text)?;
            }
        }
        Ok(())
    }

    /// Merges the list of a word in both indexes. Returns whether it has any rows.
    fn list(&self, old: Option<u32>, fresh: Option<u32>, lists: &mut ListsBuilder) -> bool {
        let mut again = Vec::new();
        self.plan.extend_list(again_of(self.old, old), again_of(self.fresh, fresh), &mut again);
        let (old, new) = (list_of(self.old, old), list_of(self.fresh, fresh).entries());
        if let Some(list) = self.grown(old, &new) {
            lists.push_dense(list, &again);
            return true;
        }
        let mut list = Vec::new();
        self.plan.extend_list(&old.entries(), &new, &mut list);
        if !list.is_empty() {
            lists.push(&list, &again);
        }
        !list.is_empty()
    }

    /// A dense list with new rows; `None` if these are not before all others, or rows of it are moved.
    fn grown(&self, old: List<'_>, new: &[Entry]) -> Option<Arc<DenseList>> {
        let List::Dense(list) = old else { return None };
        let mut first = Vec::new();
        self.plan.extend_list(&[], new, &mut first);
        let is_before = first.last().is_none_or(|last| !list.rows().has_any_of(0..last.row()));
        (is_before && !old.is_moved(self.plan)).then(|| match &first[..] {
            [] => Arc::clone(list),
            first => Arc::new(list.preceded_by(first)),
        })
    }
}

fn list_of(index: &Index, word: Option<u32>) -> List<'_> {
    word.map_or(List::Sparse(&[]), |word| index.lists.of(word))
}

fn again_of(index: &Index, word: Option<u32>) -> &[Entry] {
    word.map_or(&[], |word| index.lists.again(word))
}

impl Words {
    fn push_text(&mut self, word: &str) -> Result<(), TooLarge> {
        self.text.push_str(word);
        self.ends.push(u32::try_from(self.text.len()).map_err(|_| TooLarge("the text of all words"))?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::dense_list::Place;
    use super::super::merge_plan::Origin;
    use super::super::{Field, IndexBuilder};
    use super::*;
    use proptest::prelude::*;

    /// Common and rare words, some of them several times in a row.
    fn row(random: &mut fastrand::Rng) -> (String, String) {
        let word = |random: &mut fastrand::Rng| {
            format!("w{}", random.u32(..40).min(random.u32(..40)).min(random.u32(..40)))
        };
        let text = |random: &mut fastrand::Rng| {
            (0..random.u32(..6)).map(|_| word(random)).collect::<Vec<_>>().join(" ")
        };
        (if random.u8(..3) == 0 { text(random) } else { "w0 w1".to_owned() }, text(random))
    }

    fn built(rows: &[(String, String)]) -> Index {
        let mut builder = IndexBuilder::to_be_merged();
        for (name, text) in rows {
            let title = builder.title(name);
            builder.push(&[(Field::Owner, &title)], text).unwrap();
        }
        builder.finish().unwrap()
    }

    fn assert_same(merged: &Index, built: &Index) {
        assert_eq!((merged.len(), merged.words()), (built.len(), built.words()));
        assert!(merged.saved_lists().entries().eq(built.saved_lists().entries()));
        assert!(merged.saved_further_positions().entries().eq(built.saved_further_positions().entries()));
        let rows_of = |index: &Index, word: u32, place: Place| {
            let mut rows = super::super::row_set::RowSet::below(index.rows().end);
            index.lists.of(word).add_rows_in_to(place, &mut rows);
            rows.iter().map(|row| row - index.rows().start).collect::<Vec<u32>>()
        };
        for (word, place) in
            (0..built.lexicon.len()).flat_map(|word| [(word, Place::Own), (word, Place::Owner)])
        {
            assert_eq!(rows_of(merged, word, place), rows_of(built, word, place));
        }
    }

    /// Three of many rare words.
    fn rare(random: &mut fastrand::Rng) -> (String, String) {
        let words = [0; 3].map(|_| format!("r{}", random.u32(..5000)));
        (String::new(), words.join(" "))
    }

    #[test]
    fn segments_stay_few_after_many_merges() {
        let random = &mut fastrand::Rng::with_seed(1);
        let mut merged = built(&(0..2000).map(|_| rare(random)).collect::<Vec<_>>());
        let before = merged.lists.segments().count();
        for _ in 0..400 {
            let plan = MergePlan::new(merged.len(), &[], &[0]);
            merged = merged.merged(&built(&[rare(random)]), &plan).unwrap().0;
        }
        let after = merged.lists.segments().count();
        assert!(after < 2 * before, "{before} segments have become {after}");
    }

    #[test]
    fn numbers_fall_when_most_rows_are_gone() {
        let random = &mut fastrand::Rng::with_seed(2);
        let rows: Vec<_> = (0..30_000).map(|_| rare(random)).collect();
        let all: Vec<u32> = (0..30_000).collect();
        let (few, _) = built(&rows).merged(&built(&[]), &MergePlan::new(30_000, &all[100..], &[])).unwrap();
        assert_eq!(few.rows(), 3..103);
        assert_same(&few, &built(&rows[..100]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_merged_index_equals_a_built_one(seed: u64) {
            let random = &mut fastrand::Rng::with_seed(seed);
            let mut rows: Vec<_> = (0..random.usize(..1500)).map(|_| row(random)).collect();
            let mut merged = built(&rows);
            for _ in 0..4 {
                let (some, most) = (random.bool(), random.u32(1..30));
                let gone = (0..rows.len() as u32).filter(|_| some && random.u32(..1000) < most);
                let removed: Vec<u32> = gone.collect();
                // Most rows are put before all others.
                let places = if random.bool() { 1 } else { rows.len() as u32 + 1 };
                let mut before: Vec<u32> = (0..random.u32(..12)).map(|_| random.u32(..places)).collect();
                before.sort_unstable();
                let new: Vec<_> = before.iter().map(|_| row(random)).collect();
                let plan = MergePlan::new(rows.len() as u32, &removed, &before);
                merged = merged.merged(&built(&new), &plan).unwrap().0;
                let origin = |row| match plan.origin(row) {
                    Origin::Old(old) => rows[old as usize].clone(),
                    Origin::New(row) => new[row as usize].clone(),
                };
                rows = (0..plan.rows()).map(origin).collect();
                assert_same(&merged, &built(&rows));
            }
        }
    }
}
