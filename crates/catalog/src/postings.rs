//! Posting lists: for each value of a filter, the positions of the rows that have it.
//!
//! Lists are concatenated, positions ascending, so a page is a slice and a total is a length. They are spread over many
//! tables, and a merge shares those that it does not change.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use lastro_search::MergePlan;

use crate::tables::{TABLES, table_of};

#[derive(Clone)]
pub(crate) struct Postings<K> {
    /// A key is in the table that its hash names.
    tables: Vec<Arc<Lists<K>>>,
    hasher: DefaultHashBuilder,
}

/// Some of the lists.
#[derive(Clone)]
struct Lists<K> {
    of_key: HashTable<List<K>>,
    positions: Vec<u32>,
}

#[derive(Clone)]
struct List<K> {
    key: K,
    place: Range<usize>,
}

impl<K: Copy + Eq + Hash> Postings<K> {
    /// Builds the lists. Calls `keys_of` twice per row: once to count, once to fill.
    pub(crate) fn build<I: IntoIterator<Item = K>>(rows: Range<u32>, keys_of: impl Fn(u32) -> I) -> Self {
        let mut postings = Self::default();
        let lists = built(&postings.hasher, rows, keys_of).into_iter();
        // A table that stays empty needs no allocation.
        let filled = postings.tables.iter_mut().zip(lists).filter(|(_, lists)| !lists.is_empty());
        filled.for_each(|(table, lists)| *table = Arc::new(lists));
        postings
    }

    /// The lists of the merged rows; `keys_of` names those of the new rows.
    pub(crate) fn merged<I: IntoIterator<Item = K>>(
        &self,
        new: Range<u32>,
        keys_of: impl Fn(u32) -> I,
        plan: &MergePlan,
    ) -> Self {
        let new = built(&self.hasher, new, keys_of);
        let merged = |(old, new): (&Arc<Lists<K>>, Lists<K>)| match new.is_empty() && !old.are_moved(plan) {
            true => Arc::clone(old),
            false => Arc::new(old.merged(&new, plan, &self.hasher)),
        };
        Self { tables: self.tables.iter().zip(new).map(merged).collect(), hasher: self.hasher.clone() }
    }

    /// The number of tables that are not shared with the other.
    #[cfg(test)]
    pub(crate) fn tables_of_its_own(&self, other: &Self) -> usize {
        crate::tables::copied(&self.tables, &other.tables)
    }

    /// The rows with this key, ascending.
    pub(crate) fn get(&self, key: K) -> &[u32] {
        let hash = self.hasher.hash_one(key);
        self.tables[table_of(hash)].get(hash, key)
    }
}

/// The lists of each table.
fn built<K: Copy + Eq + Hash, I: IntoIterator<Item = K>>(
    hasher: &DefaultHashBuilder,
    rows: Range<u32>,
    keys_of: impl Fn(u32) -> I,
) -> Vec<Lists<K>> {
    let mut lists = vec![Lists::default(); TABLES];
    for key in rows.clone().flat_map(&keys_of) {
        let hash = hasher.hash_one(key);
        lists[table_of(hash)].list(hash, key, hasher).place.end += 1;
    }
    lists.iter_mut().for_each(Lists::make_room);
    for row in rows {
        for key in keys_of(row) {
            let hash = hasher.hash_one(key);
            lists[table_of(hash)].fill(hash, key, row);
        }
    }
    lists
}

impl<K: Copy + Eq + Hash> Lists<K> {
    fn is_empty(&self) -> bool {
        self.of_key.is_empty()
    }

    fn get(&self, hash: u64, key: K) -> &[u32] {
        self.of_key.find(hash, |list| list.key == key).map_or(&[], |list| &self.positions[list.place.clone()])
    }

    /// The list of a key; a new one has no place yet.
    fn list(&mut self, hash: u64, key: K, hasher: &DefaultHashBuilder) -> &mut List<K> {
        let hash_of = |list: &List<K>| hasher.hash_one(list.key);
        let entry = self.of_key.entry(hash, |list| list.key == key, hash_of);
        entry.or_insert(List { key, place: 0..0 }).into_mut()
    }

    /// Gives each list, whose place has its length, a place of its own that begins empty.
    fn make_room(&mut self) {
        let mut total = 0;
        for list in self.of_key.iter_mut() {
            let length = list.place.end;
            list.place = total..total;
            total += length;
        }
        self.positions = vec![0; total];
    }

    fn fill(&mut self, hash: u64, key: K, row: u32) {
        if let Some(list) = self.of_key.find_mut(hash, |list| list.key == key) {
            self.positions[list.place.end] = row;
            list.place.end += 1;
        }
    }

    fn are_moved(&self, plan: &MergePlan) -> bool {
        !plan.moves_none() && self.of_key.iter().any(|list| plan.moves(&self.positions[list.place.clone()]))
    }

    fn merged(&self, new: &Self, plan: &MergePlan, hasher: &DefaultHashBuilder) -> Self {
        let mut merged = Self {
            of_key: HashTable::with_capacity(self.of_key.len()),
            positions: Vec::with_capacity(self.positions.len() + new.positions.len()),
        };
        let old_keys = self.of_key.iter().map(|list| list.key);
        let is_new = |key: &K| self.of_key.find(hasher.hash_one(key), |list| list.key == *key).is_none();
        for key in old_keys.chain(new.of_key.iter().map(|list| list.key).filter(is_new)) {
            let (hash, start) = (hasher.hash_one(key), merged.positions.len());
            plan.extend_list(self.get(hash, key), new.get(hash, key), &mut merged.positions);
            if merged.positions.len() > start {
                merged.list(hash, key, hasher).place = start..merged.positions.len();
            }
        }
        merged
    }
}

impl<K> Default for Lists<K> {
    fn default() -> Self {
        Self { of_key: HashTable::new(), positions: Vec::new() }
    }
}

impl<K> Default for Postings<K> {
    fn default() -> Self {
        Self { tables: vec![Arc::default(); TABLES], hasher: DefaultHashBuilder::default() }
    }
}

impl<K> fmt::Debug for Postings<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postings")
            .field("lists", &self.tables.iter().map(|lists| lists.of_key.len()).sum::<usize>())
            .field("positions", &self.tables.iter().map(|lists| lists.positions.len()).sum::<usize>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_list_holds_exactly_the_rows_with_its_key(
            first in 0u32..9,
            keys in prop::collection::vec((0u8..5, 5u8..8), 0..60),
        ) {
            let rows = first..first + keys.len() as u32;
            let keys_of = |row: u32| <[u8; 2]>::from(keys[(row - first) as usize]);
            let postings = Postings::build(rows.clone(), keys_of);
            for key in 0..9 {
                let expected: Vec<u32> = rows.clone().filter(|row| keys_of(*row).contains(&key)).collect();
                prop_assert_eq!(postings.get(key), expected);
            }
        }
    }
}
