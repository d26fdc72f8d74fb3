//! Posting lists: for each value of a filter, the positions of the rows that have it.
//!
//! All lists are concatenated in one array, positions ascending, so a page is a slice and a total is a length.

use std::fmt;
use std::hash::Hash;
use std::ops::Range;

use hashbrown::HashMap;
use lastro_search::MergePlan;

#[derive(Clone)]
pub(crate) struct Postings<K> {
    lists: HashMap<K, Range<usize>>,
    positions: Vec<u32>,
}

impl<K: Copy + Eq + Hash> Postings<K> {
    /// Builds the lists. Calls `keys_of` twice per row: once to count, once to fill.
    pub(crate) fn build<I: IntoIterator<Item = K>>(rows: u32, keys_of: impl Fn(u32) -> I) -> Self {
        let mut lists = HashMap::<K, Range<usize>>::new();
        for key in (0..rows).flat_map(&keys_of) {
            lists.entry(key).or_insert(0..0).end += 1;
        }
        let mut total = 0;
        for list in lists.values_mut() {
            let length = list.end;
            *list = total..total;
            total += length;
        }
        let mut positions = vec![0; total];
        for row in 0..rows {
            for key in keys_of(row) {
                if let Some(list) = lists.get_mut(&key) {
                    positions[list.end] = row;
                    list.end += 1;
                }
            }
        }
        Self { lists, positions }
    }

    /// The lists of the merged rows; `new` has the lists of the new rows.
    pub(crate) fn merged(&self, new: &Self, plan: &MergePlan) -> Self {
        let mut merged = Self {
            lists: HashMap::with_capacity(self.lists.len()),
            positions: Vec::with_capacity(self.positions.len() + new.positions.len()),
        };
        let only_new = new.lists.keys().filter(|key| !self.lists.contains_key(*key));
        for key in self.lists.keys().chain(only_new) {
            let start = merged.positions.len();
            plan.extend_list(self.get(*key), new.get(*key), &mut merged.positions);
            if merged.positions.len() > start {
                merged.lists.insert(*key, start..merged.positions.len());
            }
        }
        merged
    }

    /// The rows with this key, ascending.
    pub(crate) fn get(&self, key: K) -> &[u32] {
        self.lists.get(&key).map_or(&[], |list| &self.positions[list.clone()])
    }
}

impl<K> Default for Postings<K> {
    fn default() -> Self {
        Self { lists: HashMap::new(), positions: Vec::new() }
    }
}

impl<K> fmt::Debug for Postings<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postings")
            .field("lists", &self.lists.len())
            .field("positions", &self.positions.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_list_holds_exactly_the_rows_with_its_key(keys in prop::collection::vec((0u8..5, 5u8..8), 0..60)) {
            let postings = Postings::build(keys.len() as u32, |row| <[u8; 2]>::from(keys[row as usize]));
            for key in 0..9 {
                let expected: Vec<u32> = (0..keys.len() as u32)
                    .filter(|row| keys[*row as usize].0 == key || keys[*row as usize].1 == key)
                    .collect();
                prop_assert_eq!(postings.get(key), expected);
            }
        }
    }
}
