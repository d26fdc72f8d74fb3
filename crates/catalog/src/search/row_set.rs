//! A set of rows, one bit each.

use std::ops::Range;

use super::entry::Entry;

#[derive(Clone, Default)]
pub(super) struct RowSet {
    bits: Vec<u64>,
}

const WORD: u32 = u64::BITS;

impl RowSet {
    /// The empty set of rows below `rows`.
    pub(super) fn below(rows: u32) -> Self {
        Self { bits: vec![0; rows.div_ceil(WORD) as usize] }
    }

    pub(super) fn insert(&mut self, row: u32) {
        self.bits[(row / WORD) as usize] |= 1 << (row % WORD);
    }

    pub(super) fn insert_all<'a>(&mut self, list: impl IntoIterator<Item = &'a Entry>) {
        list.into_iter().for_each(|entry| self.insert(entry.row()));
    }

    /// Keeps the rows that another set has too.
    pub(super) fn keep_all(&mut self, others: &Self) {
        let known = self.bits.len().min(others.bits.len());
        let (shared, beyond) = self.bits.split_at_mut(known);
        shared.iter_mut().zip(&others.bits).for_each(|(own, other)| *own &= other);
        beyond.fill(0);
    }

    /// Rows beyond its own end are left out.
    pub(super) fn add_all(&mut self, others: &Self) {
        self.bits.iter_mut().zip(&others.bits).for_each(|(own, other)| *own |= other);
    }

    pub(super) fn remove_all(&mut self, others: &Self) {
        self.bits.iter_mut().zip(&others.bits).for_each(|(own, other)| *own &= !other);
    }

    pub(super) fn remove(&mut self, row: u32) {
        if let Some(word) = self.bits.get_mut((row / WORD) as usize) {
            *word &= !(1 << (row % WORD));
        }
    }

    /// Which of 64 rows are in it, counted by their number.
    pub(super) fn word(&self, number: u32) -> u64 {
        self.bits.get(number as usize).copied().unwrap_or(0)
    }

    /// Which rows of each 64 are in it.
    pub(super) fn words(&self) -> &[u64] {
        &self.bits
    }

    /// The same from a row on, which is a multiple of 64.
    pub(super) fn words_from(&self, start: u32) -> &[u64] {
        self.bits.get((start / WORD) as usize..).unwrap_or_default()
    }

    /// Puts rows from `start` on, a multiple of 64, in place of what is there.
    pub(super) fn put_words(&mut self, start: u32, rows: &[u64]) {
        let there = self.bits.get_mut((start / WORD) as usize..).unwrap_or_default();
        there.iter_mut().zip(rows).for_each(|(word, rows)| *word = *rows);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    pub(super) fn contains(&self, row: u32) -> bool {
        self.bits.get((row / WORD) as usize).is_some_and(|word| word & (1 << (row % WORD)) != 0)
    }

    pub(super) fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All rows in ascending order.
    pub(super) fn to_vec(&self) -> Vec<u32> {
        let mut rows = Vec::new();
        self.try_each(|row| {
            rows.push(row);
            true
        });
        rows
    }

    /// Visits the rows in ascending order while `visit` wants more.
    pub(super) fn try_each(&self, visit: impl FnMut(u32) -> bool) {
        self.try_each_of(|_, rows| rows, visit);
    }

    /// The same of those that `some` leaves of each 64, counted by their number.
    pub(super) fn try_each_of(&self, some: impl Fn(u32, u64) -> u64, mut visit: impl FnMut(u32) -> bool) {
        for (number, word) in (0..).zip(&self.bits) {
            let mut rest = some(number, *word);
            while rest != 0 {
                if !visit(number * WORD + rest.trailing_zeros()) {
                    return;
                }
                rest &= rest - 1;
            }
        }
    }

    /// The rows of a range in ascending order.
    pub(super) fn within(&self, rows: &Range<u32>) -> impl Iterator<Item = u32> {
        let (start, end) = (rows.start, rows.end.min(self.end()));
        let words = start / WORD..end.div_ceil(WORD).max(start / WORD);
        let first = words.start * WORD;
        words
            .clone()
            .zip(self.bits.get(words.start as usize..words.end as usize).unwrap_or_default())
            .flat_map(move |(index, word)| {
                let before = if index * WORD == first { !0 << (start % WORD) } else { !0 };
                ones(word & before).map(move |bit| index * WORD + bit)
            })
            .take_while(move |row| *row < end)
    }

    /// Of the rows in ascending order as many as there is room for, behind some that are skipped; and how many were.
    pub(super) fn page(&self, skipped: usize, room: usize) -> (Vec<u32>, usize) {
        let (mut rows, mut rest) = (Vec::new(), skipped);
        for (number, word) in (0..).zip(&self.bits).filter(|(_, word)| **word != 0) {
            if rows.len() == room {
                break;
            }
            let here = word.count_ones() as usize;
            if rest < here {
                let free = room - rows.len();
                rows.extend(ones(*word).skip(rest).take(free).map(|bit| number * WORD + bit));
            }
            rest = rest.saturating_sub(here);
        }
        (rows, skipped - rest)
    }

    fn end(&self) -> u32 {
        // Rows are counted in fewer bits than 32.
        self.bits.len() as u32 * WORD
    }
}

/// The places of the bits that are set.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
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

    proptest! {
        #[test]
        fn a_set_holds_what_was_put_in_in_order(
            put in prop::collection::btree_set(0u32..300, 0..80), start in 0usize..90, length in 0usize..40,
        ) {
            let mut set = RowSet::below(300);
            put.iter().for_each(|row| set.insert(*row));
            let mut others = RowSet::below(300);
            others.insert(299);
            set.insert(299);
            set.remove_all(&others);
            put.contains(&299).then(|| set.insert(299));
            let sorted: Vec<u32> = put.iter().copied().collect();
            prop_assert_eq!(set.len(), sorted.len());
            prop_assert_eq!(set.within(&(0..400)).collect::<Vec<_>>(), &sorted[..]);
            let (from, to) = (start as u32 * 3, (start + length) as u32 * 3);
            let within: Vec<u32> = put.range(from..to).copied().collect();
            prop_assert_eq!(set.within(&(from..to)).collect::<Vec<_>>(), within);
            prop_assert_eq!(set.to_vec(), &sorted[..]);
            prop_assert_eq!(set.is_empty(), sorted.is_empty());
            let end = (start + length).min(sorted.len());
            let start = start.min(end);
            prop_assert_eq!(set.page(start, end - start).0, &sorted[start..end]);
            prop_assert_eq!(set.page(start + sorted.len(), 1), (Vec::new(), sorted.len()));
            prop_assert!((0..300).all(|row| set.contains(row) == put.contains(&row)));
            let mut some = RowSet::below(128);
            (0..128).step_by(3).for_each(|row| some.insert(row));
            let mut both = set.clone();
            both.keep_all(&some);
            prop_assert!(both.to_vec().iter().copied().eq(put.iter().copied().filter(|row| *row < 128 && row % 3 == 0)));
            both.add_all(&set);
            prop_assert_eq!(both.to_vec(), &sorted[..]);
            both.remove(from);
            prop_assert!(both.to_vec().iter().copied().eq(put.iter().copied().filter(|row| *row != from)));
        }
    }
}
