//! Lookup from a filing's id to its row: five bytes per filing, since the ids are stored only in their column.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use lastro_model::FilingId;

#[derive(Default)]
pub(super) struct IdTable {
    rows: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl IdTable {
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self { rows: HashTable::with_capacity(rows), hasher: DefaultHashBuilder::default() }
    }

    pub(super) fn get(&self, id: FilingId, id_of: impl Fn(u32) -> FilingId) -> Option<u32> {
        self.rows.find(self.hasher.hash_one(id), |row| id_of(*row) == id).copied()
    }

    /// Adds an id that is not in the table.
    pub(super) fn insert(&mut self, id: FilingId, row: u32, id_of: impl Fn(u32) -> FilingId) {
        let Self { rows, hasher } = self;
        rows.insert_unique(hasher.hash_one(id), row, |row| hasher.hash_one(id_of(*row)));
    }

    /// Builds the table for this many rows.
    pub(super) fn of(rows: u32, id_of: impl Fn(u32) -> FilingId) -> Self {
        let mut table = Self::with_capacity(rows as usize);
        (0..rows).for_each(|row| table.insert(id_of(row), row, &id_of));
        table
    }

    /// Renumbers the rows: row `r` becomes row `moved[r]`.
    pub(super) fn renumber(&mut self, moved: &[u32]) {
        for row in self.rows.iter_mut() {
            *row = moved[*row as usize];
        }
    }
}
