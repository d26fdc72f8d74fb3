//! Key ids that the store did not have a moment ago.
//!
//! It protects the store from a flood of one made-up key. The memory is fixed: a newer miss may overwrite an older one,
//! which only costs one more query to the store.

use std::hash::{BuildHasher, RandomState};

use lastro_model::KeyId;
use parking_lot::Mutex;

const PLACES: usize = 4096;

/// Lifetime of an entry: a key registered on another machine is rejected here for no longer than this.
const REMEMBERED_NS: u64 = 1_000_000_000;

#[derive(Debug)]
pub(crate) struct NegativeCache {
    places: Box<[Mutex<Option<Miss>>]>,
    hasher: RandomState,
}

#[derive(Debug, Clone, Copy)]
struct Miss {
    id: KeyId,
    at_ns: u64,
}

impl NegativeCache {
    pub(crate) fn new() -> Self {
        Self { places: (0..PLACES).map(|_| Mutex::new(None)).collect(), hasher: RandomState::new() }
    }

    pub(crate) fn remember(&self, id: KeyId, now_ns: u64) {
        *self.place(id).lock() = Some(Miss { id, at_ns: now_ns });
    }

    pub(crate) fn contains(&self, id: KeyId, now_ns: u64) -> bool {
        let miss = *self.place(id).lock();
        miss.is_some_and(|miss| {
            miss.id == id && now_ns.checked_sub(miss.at_ns).is_some_and(|age| age < REMEMBERED_NS)
        })
    }

    fn place(&self, id: KeyId) -> &Mutex<Option<Miss>> {
        &self.places[self.hasher.hash_one(id) as usize % PLACES]
    }
}
