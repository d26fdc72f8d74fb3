//! Lookup from a filing's id to its position: ten bytes per filing, since the ids are stored only in their records.
//!
//! The table consists of many small ones, and a merge shares those that it does not change.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use lastro_model::FilingId;
use lastro_search::MergePlan;

use super::records::Records;
use crate::tables::{TABLES, table_of};

pub(super) struct IdTable {
    /// An id is in the table that its hash names.
    tables: Vec<Arc<HashTable<u32>>>,
    hasher: DefaultHashBuilder,
}

/// Building a table costs as much as moving one position of this many.
const MOST_MOVED: usize = 4;

impl IdTable {
    pub(super) fn with_capacity(filings: usize) -> Self {
        let tables = match filings / TABLES {
            // One allocation for a table that may stay empty; an insertion makes its own.
            0 => vec![Arc::default(); TABLES],
            each => {
                std::iter::repeat_with(|| Arc::new(HashTable::with_capacity(each))).take(TABLES).collect()
            }
        };
        Self { tables, hasher: DefaultHashBuilder::default() }
    }

    pub(super) fn get(&self, id: FilingId, id_of: impl Fn(u32) -> FilingId) -> Option<u32> {
        let hash = self.hasher.hash_one(id);
        self.tables[table_of(hash)].find(hash, |position| id_of(*position) == id).copied()
    }

    /// Adds an id that is not in the table.
    pub(super) fn insert(&mut self, id: FilingId, position: u32, id_of: impl Fn(u32) -> FilingId) {
        let Self { tables, hasher } = self;
        let hash = hasher.hash_one(id);
        let hash_of = |position: &u32| hasher.hash_one(id_of(*position));
        Arc::make_mut(&mut tables[table_of(hash)]).insert_unique(hash, position, hash_of);
    }

    /// Builds the table of these records.
    pub(super) fn of(records: &Records) -> Self {
        let mut table = Self::with_capacity(records.len());
        let id_of = |position| records.id(position);
        records.positions().for_each(|position| table.insert(id_of(position), position, id_of));
        table
    }

    /// The table of the merged records. Only new ones, and those that get another position, are hashed.
    pub(super) fn merged(&self, (old, merged): (&Records, &Records), plan: &MergePlan) -> Self {
        if plan.moved().count() > old.len() / MOST_MOVED {
            return Self::of(merged);
        }
        let mut table = Self { tables: self.tables.clone(), hasher: self.hasher.clone() };
        plan.moved().for_each(|position| table.remove(old.id(position), position));
        let stay = plan.moved().filter_map(|position| plan.stays_as(position));
        let id_of = |position| merged.id(position);
        stay.chain(plan.all_inserted()).for_each(|position| table.insert(id_of(position), position, id_of));
        table
    }

    fn remove(&mut self, id: FilingId, position: u32) {
        let hash = self.hasher.hash_one(id);
        let table = Arc::make_mut(&mut self.tables[table_of(hash)]);
        if let Ok(entry) = table.find_entry(hash, |other| *other == position) {
            entry.remove();
        }
    }

    /// The number of tables that are not shared with the other.
    #[cfg(test)]
    pub(super) fn tables_of_its_own(&self, other: &Self) -> usize {
        crate::tables::copied(&self.tables, &other.tables)
    }

    /// Gives every position a new one.
    pub(super) fn renumber(&mut self, moved: impl Fn(u32) -> u32) {
        let filled = self.tables.iter_mut().filter(|table| !table.is_empty());
        let positions = filled.flat_map(|table| Arc::make_mut(table).iter_mut());
        positions.for_each(|position| *position = moved(*position));
    }
}

impl Default for IdTable {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}
