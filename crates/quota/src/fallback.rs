//! The fallback: this replica's share of a limit, decided with a ring in its own memory.
//!
//! Its own ring also records what Redis admits here, so that a replica that has to decide alone knows its own admissions.

use lastro_access::{AddressRings, ClientAddr, Ring, Share, Verdict};
use parking_lot::Mutex;

use crate::charge::{Charge, Claim, Unit};

/// The ring of a holder in this process.
#[derive(Debug, Clone, Copy)]
pub enum OwnRing<'a> {
    One(&'a Mutex<Ring>),
    Of(&'a AddressRings, ClientAddr),
}

type OfOne = fn(&mut Ring, u32, u64, u64) -> Verdict;
type OfMany = fn(&AddressRings, ClientAddr, u32, u64) -> Verdict;

impl Claim<'_> {
    /// Takes a unit of the share.
    pub(crate) fn take_share(&self, share: Share) -> Charge {
        let verdict = self.apply(Ring::take, AddressRings::take, share.of(self.limit));
        Charge { verdict, unit: Unit::Own }
    }

    /// The verdict that [`Claim::take_share`] would give now.
    pub(crate) fn peek_share(&self, share: Share) -> Verdict {
        self.apply(Ring::peek, AddressRings::peek, share.of(self.limit))
    }

    pub(crate) fn give_share_back(&self, share: Share) -> Verdict {
        self.apply(Ring::give_back, AddressRings::give_back, share.of(self.limit))
    }

    /// Records a request that Redis admitted. Refuses it if this replica alone has admitted the whole limit already:
    /// then Redis has lost the ring, as one that evicts keys does.
    pub(crate) fn confirm(&self) -> Verdict {
        self.apply(Ring::confirm, AddressRings::confirm, self.limit)
    }

    /// The verdict of the own ring for a limit. The limit that it reports stays the plan's.
    fn apply(&self, of_one: OfOne, of_many: OfMany, limit: u32) -> Verdict {
        let (window_ns, now_ns) = (self.window_ns, self.now.monotonic_ns);
        let verdict = match self.own {
            OwnRing::One(ring) => of_one(&mut ring.lock(), limit, window_ns, now_ns),
            OwnRing::Of(rings, client) => of_many(rings, client, limit, now_ns),
        };
        Verdict { limit: self.limit, ..verdict }
    }
}
