//! The ring of the same holder in this process' memory. What Redis admits is remembered here too, so that a replica that
//! has to decide by its share begins with what it admitted itself.

use lastro_access::{AddressRings, ClientAddr, Ring, Verdict};
use parking_lot::Mutex;

/// Where this process keeps the ring.
#[derive(Debug, Clone, Copy)]
pub enum OwnRing<'a> {
    One(&'a Mutex<Ring>),
    Of(&'a AddressRings, ClientAddr),
}

impl OwnRing<'_> {
    pub(crate) fn take(&self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        match self {
            Self::One(ring) => ring.lock().take(limit, window_ns, now_ns),
            Self::Of(rings, client) => rings.take(*client, limit, now_ns),
        }
    }

    pub(crate) fn peek(&self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        match self {
            Self::One(ring) => ring.lock().peek(limit, window_ns, now_ns),
            Self::Of(rings, client) => rings.peek(*client, limit, now_ns),
        }
    }

    pub(crate) fn confirm(&self, limit: u32, window_ns: u64, now_ns: u64) -> Verdict {
        match self {
            Self::One(ring) => ring.lock().confirm(limit, window_ns, now_ns),
            Self::Of(rings, client) => rings.confirm(*client, limit, now_ns),
        }
    }

    pub(crate) fn give_back(&self, limit: u32, window_ns: u64, taken_ns: u64) -> Verdict {
        match self {
            Self::One(ring) => ring.lock().give_back(limit, window_ns, taken_ns),
            Self::Of(rings, client) => rings.give_back(*client, limit, taken_ns),
        }
    }
}
