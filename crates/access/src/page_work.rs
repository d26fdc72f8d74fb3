//! The work of drawing and compressing pages that are not at hand: how much of it an address, its network and everybody
//! together may cause.
//!
//! Work is counted in bytes, drawn or compressed, and not in time: the same request costs the same on every machine and
//! in every test. It is paid for afterwards, when its length is known, so that the last page of an allowance may exceed it
//! by its own length; who waits as told is admitted all the same. Everybody's allowance is by the second, so that a flood
//! of addresses takes a share of the processor at any time and never all of it; half of it is for networks that have caused
//! little this minute.

use parking_lot::Mutex;

use crate::{AddressRings, ClientAddr, Ring, Verdict};

const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;

/// So many bytes, drawn or compressed, are one unit: about two hundred microseconds.
const UNIT_BYTES: usize = 16 * 1024;
/// Units a minute.
const PER_ADDRESS: u32 = 1000;
const PER_NETWORK: u32 = 4 * PER_ADDRESS;
/// Below this a network has caused little.
const LITTLE: u32 = PER_NETWORK / 10;
/// Units a second, for everybody together: about a tenth of a core.
const IN_ALL: u32 = 500;

#[derive(Debug)]
pub struct PageWork {
    addresses: AddressRings,
    networks: AddressRings,
    in_all: Mutex<Ring>,
}

/// Why no page is drawn now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageWorkRefusal {
    /// This address or its network caused too much.
    TooMuch(Verdict),
    /// Everybody together did.
    Busy,
}

impl PageWork {
    /// At most `capacity` addresses are told apart, and as many networks.
    pub fn new(capacity: usize) -> Self {
        Self {
            addresses: AddressRings::new(MINUTE_NS, capacity),
            networks: AddressRings::new(MINUTE_NS, capacity),
            in_all: Mutex::new(Ring::new()),
        }
    }

    /// Whether work may begin. Nothing is taken: what it comes to is told to [`PageWork::charge`].
    pub fn check(&self, client: ClientAddr, now_ns: u64) -> Result<(), PageWorkRefusal> {
        let by_address = self.addresses.peek(client, PER_ADDRESS, now_ns);
        if !by_address.admitted {
            return Err(PageWorkRefusal::TooMuch(by_address));
        }
        let by_network = self.networks.peek(client.of_network(), PER_NETWORK, now_ns);
        if !by_network.admitted {
            return Err(PageWorkRefusal::TooMuch(by_network));
        }
        let is_newcomer = by_network.remaining > PER_NETWORK - LITTLE;
        let limit = if is_newcomer { IN_ALL } else { IN_ALL / 2 };
        let in_all = self.in_all.lock().peek(limit, SECOND_NS, now_ns);
        if in_all.admitted { Ok(()) } else { Err(PageWorkRefusal::Busy) }
    }

    /// Counts bytes that were drawn or compressed.
    pub fn charge(&self, client: ClientAddr, bytes: usize, now_ns: u64) {
        let network = client.of_network();
        for _ in 0..bytes.div_ceil(UNIT_BYTES) {
            self.addresses.record(client, PER_ADDRESS, now_ns);
            self.networks.record(network, PER_NETWORK, now_ns);
            self.in_all.lock().record(IN_ALL, SECOND_NS, now_ns);
        }
    }

    /// Whether so many bytes may be worked on, which then count.
    pub fn take(&self, client: ClientAddr, bytes: usize, now_ns: u64) -> bool {
        let may = self.check(client, now_ns).is_ok();
        if may {
            self.charge(client, bytes, now_ns);
        }
        may
    }

    /// Drops what has been idle for a while. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.addresses.sweep(now_ns);
        self.networks.sweep(now_ns);
    }
}
