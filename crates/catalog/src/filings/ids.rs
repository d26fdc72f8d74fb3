//! Lookup from a filing's id to its row: five bytes per filing, since the ids are stored only in their column.
//!
//! The table has numbers that descend from the first row to the last. New filings usually come first and get higher
//! numbers, so that a merge leaves those of all others as they are. The table consists of many small ones, and a merge
//! shares those that it does not change.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use lastro_model::FilingId;
use lastro_search::MergePlan;

use super::columns::Columns;

/// Tables of 40 kB each for two million filings.
const TABLES: usize = 512;

pub(super) struct IdTable {
    /// An id is in the table that its hash names.
    tables: Vec<Arc<HashTable<u32>>>,
    /// The number of row 0. Numbers wrap.
    first: u32,
    hasher: DefaultHashBuilder,
}

/// Building a table costs as much as moving one row of this many.
const MOST_MOVED: usize = 4;

impl IdTable {
    pub(super) fn with_capacity(rows: usize) -> Self {
        let tables = match rows / TABLES {
            // One allocation for a table that may stay empty; an insertion makes its own.
            0 => vec![Arc::default(); TABLES],
            each => {
                std::iter::repeat_with(|| Arc::new(HashTable::with_capacity(each))).take(TABLES).collect()
            }
        };
        Self { tables, first: 0, hasher: DefaultHashBuilder::default() }
    }

    pub(super) fn get(&self, id: FilingId, id_of: impl Fn(u32) -> FilingId) -> Option<u32> {
        let row = |number: &u32| self.first.wrapping_sub(*number);
        let hash = self.hasher.hash_one(id);
        self.tables[table_of(hash)].find(hash, |number| id_of(row(number)) == id).map(row)
    }

    /// Adds an id that is not in the table.
    pub(super) fn insert(&mut self, id: FilingId, row: u32, id_of: impl Fn(u32) -> FilingId) {
        let Self { tables, first, hasher } = self;
        let (hash, number) = (hasher.hash_one(id), first.wrapping_sub(row));
        let hash_of = |number: &u32| hasher.hash_one(id_of(first.wrapping_sub(*number)));
        Arc::make_mut(&mut tables[table_of(hash)]).insert_unique(hash, number, hash_of);
    }

    /// Builds the table for this many rows.
    pub(super) fn of(rows: u32, id_of: impl Fn(u32) -> FilingId) -> Self {
        let mut table = Self::with_capacity(rows as usize);
        (0..rows).for_each(|row| table.insert(id_of(row), row, &id_of));
        table
    }

    /// The table of the merged rows. Only new ones, and those that get another number, are hashed.
    pub(super) fn merged(&self, (old, merged): (&Columns, &Columns), plan: &MergePlan) -> Self {
        let (before, after) = (old.len() as u32, merged.len() as u32);
        // Both end with the same row number, as the last rows keep their numbers in the table.
        let moved = plan.numbered(after..after + before, before, 0);
        let moved = || moved.moved().iter().flat_map(|rows| rows.start - after..rows.end - after);
        if moved().count() > old.len() / MOST_MOVED {
            return Self::of(after, |row| merged.id(row));
        }
        let first = self.first.wrapping_add(after).wrapping_sub(before);
        let mut table = Self { tables: self.tables.clone(), first, hasher: self.hasher.clone() };
        moved().for_each(|row| table.remove(old.id(row), self.first.wrapping_sub(row)));
        let stay = moved().filter_map(|row| plan.stays_as(row));
        stay.chain(plan.all_inserted())
            .for_each(|row| table.insert(merged.id(row), row, |row| merged.id(row)));
        table
    }

    fn remove(&mut self, id: FilingId, number: u32) {
        let hash = self.hasher.hash_one(id);
        let table = Arc::make_mut(&mut self.tables[table_of(hash)]);
        if let Ok(entry) = table.find_entry(hash, |other| *other == number) {
            entry.remove();
        }
    }

    /// Renumbers the rows: row `r` becomes row `moved[r]`.
    pub(super) fn renumber(&mut self, moved: &[u32]) {
        for number in self.tables.iter_mut().flat_map(|table| Arc::make_mut(table).iter_mut()) {
            *number = self.first.wrapping_sub(moved[self.first.wrapping_sub(*number) as usize]);
        }
    }
}

impl Default for IdTable {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// The bits in the middle: a table uses those at both ends.
fn table_of(hash: u64) -> usize {
    (hash >> 32) as usize % TABLES
}
