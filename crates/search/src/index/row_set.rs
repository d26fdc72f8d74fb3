//! A set of rows, one bit each.

use std::ops::Range;

use super::entry::Entry;

#[derive(Debug, Clone, Default)]
pub(crate) struct RowSet {
    words: Vec<u64>,
}

const WORD: u32 = u64::BITS;

impl RowSet {
    /// The empty set of rows below `rows`.
    pub(crate) fn below(rows: u32) -> Self {
        Self { words: vec![0; rows.div_ceil(WORD) as usize] }
    }

    pub(crate) fn insert(&mut self, row: u32) {
        self.words[(row / WORD) as usize] |= 1 << (row % WORD);
    }

    pub(crate) fn insert_all<'a>(&mut self, entries: impl IntoIterator<Item = &'a Entry>) {
        entries.into_iter().for_each(|entry| self.insert(entry.row()));
    }

    /// Adds consecutive rows, except those past the end of the set.
    pub(crate) fn insert_range(&mut self, rows: Range<u32>) {
        for (number, word) in (0..).zip(&mut self.words) {
            let first = number * WORD;
            let (start, end) = (rows.start.clamp(first, first + WORD), rows.end.clamp(first, first + WORD));
            if start < end {
                *word |= u64::MAX >> (WORD - (end - start)) << (start - first);
            }
        }
    }

    /// Whether any of consecutive rows is in the set.
    pub(crate) fn has_any_of(&self, rows: Range<u32>) -> bool {
        let words = (rows.start / WORD) as usize..(rows.end.div_ceil(WORD) as usize).min(self.words.len());
        let mut numbered = (words.start as u32..).zip(self.words.get(words).unwrap_or_default());
        numbered.any(|(number, word)| {
            let first = number * WORD;
            bits(*word).any(|bit| rows.contains(&(first + bit)))
        })
    }

    /// No row of the set reaches this number.
    pub(crate) fn end(&self) -> u32 {
        self.words.len() as u32 * WORD
    }

    pub(crate) fn remove(&mut self, row: u32) {
        if let Some(word) = self.words.get_mut((row / WORD) as usize) {
            *word &= !(1 << (row % WORD));
        }
    }

    /// Removes every row.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Keeps the rows that are in both sets.
    pub(crate) fn intersect(&mut self, others: &Self) {
        let known = self.words.len().min(others.words.len());
        let (shared, beyond) = self.words.split_at_mut(known);
        shared.iter_mut().zip(&others.words).for_each(|(own, other)| *own &= other);
        beyond.fill(0);
    }

    /// Adds the rows of another set, except those past the end of this one.
    pub(crate) fn unite(&mut self, others: &Self) {
        self.words.iter_mut().zip(&others.words).for_each(|(own, other)| *own |= other);
    }

    pub(crate) fn subtract(&mut self, others: &Self) {
        self.words.iter_mut().zip(&others.words).for_each(|(own, other)| *own &= !other);
    }

    /// The bits of 64 consecutive rows.
    pub(crate) fn word(&self, number: usize) -> u64 {
        self.words.get(number).copied().unwrap_or(0)
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Replaces the bits of 64 consecutive rows.
    pub(crate) fn set_word(&mut self, number: usize, rows: u64) {
        self.words[number] = rows;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        self.word((row / WORD) as usize) & (1 << (row % WORD)) != 0
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The rows in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let rows = |(number, word): (u32, &u64)| bits(*word).map(move |bit| number * WORD + bit);
        (0..).zip(&self.words).flat_map(rows)
    }

    /// Takes up to `most` rows in ascending order after skipping `skip` rows. Returns them and the number skipped.
    pub(crate) fn page(&self, skip: usize, most: usize) -> (Vec<u32>, usize) {
        let (mut rows, mut rest) = (Vec::new(), skip);
        for (number, word) in (0..).zip(&self.words).filter(|(_, word)| **word != 0) {
            if rows.len() == most {
                break;
            }
            let here = word.count_ones() as usize;
            if rest < here {
                let free = most - rows.len();
                rows.extend(bits(*word).skip(rest).take(free).map(|bit| number * WORD + bit));
            }
            rest = rest.saturating_sub(here);
        }
        (rows, skip - rest)
    }
}

/// The indexes of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < WORD).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(rows: &BTreeSet<u32>, below: u32) -> RowSet {
        let mut set = RowSet::below(below);
        rows.iter().for_each(|row| set.insert(*row));
        set
    }

    proptest! {
        #[test]
        fn a_row_set_behaves_like_a_btree_set(
            one in prop::collection::btree_set(0u32..300, 0..80), other in prop::collection::btree_set(0u32..128, 0..60),
            (skip, most) in (0usize..90, 0usize..40), row in 0u32..300,
        ) {
            let rows = set(&one, 300);
            let sorted: Vec<u32> = one.iter().copied().collect();
            prop_assert_eq!((rows.len(), rows.is_empty()), (one.len(), one.is_empty()));
            prop_assert_eq!(rows.contains(row), one.contains(&row));
            prop_assert!(rows.iter().eq(one.iter().copied()));
            let start = skip.min(sorted.len());
            let end = (start + most).min(sorted.len());
            prop_assert_eq!(&rows.page(skip, most).0, &sorted[start..end]);
            let shorter = set(&other, 128);
            let mut both = rows.clone();
            both.intersect(&shorter);
            prop_assert!(both.iter().eq(one.intersection(&other).copied()));
            both.unite(&rows);
            prop_assert!(both.iter().eq(one.iter().copied()));
            both.subtract(&shorter);
            prop_assert!(both.iter().eq(one.difference(&other).copied()));
            both.unite(&rows);
            both.remove(row);
            prop_assert!(both.iter().eq(one.iter().copied().filter(|kept| *kept != row)));
            both.clear();
            prop_assert!(both.is_empty());
            let end = row.saturating_add(skip as u32);
            prop_assert_eq!(rows.has_any_of(row..end), one.range(row..end).next().is_some());
            both.insert_range(row..end);
            prop_assert!(both.iter().eq(row..end.min(320)));
        }
    }

    #[test]
    fn a_page_past_the_end_skips_every_row() {
        let rows = set(&(0..9).collect(), 70);
        assert_eq!(rows.page(20, 5), (Vec::new(), 9));
    }
}
