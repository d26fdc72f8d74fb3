//! Limits of the work of rendering and compressing uncached pages, by address, by network and in total.
//!
//! Work is counted in bytes, rendered or compressed, and not in time: the same request costs the same on every machine
//! and in every test. It is charged afterwards, when its length is known, so that the last page of an allowance may
//! exceed it by its own length; a client that waits for its retry time is still admitted. The total is limited by the
//! second, so that a flood of addresses never takes more than a share of the processor. Half of the total is reserved
//! for networks that have caused little work this minute.

use parking_lot::Mutex;

use crate::{AddressRings, ClientAddr, Ring, Verdict};

const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;

/// Bytes, rendered or compressed, in one unit: about two hundred microseconds.
const UNIT_BYTES: usize = 16 * 1024;
/// Units a minute.
const PER_ADDRESS: u32 = 1000;
const PER_NETWORK: u32 = 4 * PER_ADDRESS;
/// Units below which a network has caused little work.
const LITTLE: u32 = PER_NETWORK / 10;
/// Units a second of all clients together: about a tenth of a core.
const IN_ALL: u32 = 500;

#[derive(Debug)]
pub struct PageWork {
    addresses: AddressRings,
    networks: AddressRings,
    in_all: Mutex<Ring>,
}

/// The reason for not rendering a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageWorkRefusal {
    /// This address or its network caused too much work.
    TooMuch(Verdict),
    /// All clients together caused too much work.
    Busy,
}

impl PageWork {
    /// Tracks at most `capacity` addresses, and as many networks.
    pub fn new(capacity: usize) -> Self {
        Self {
            addresses: AddressRings::new(MINUTE_NS, capacity),
            networks: AddressRings::new(MINUTE_NS, capacity),
            in_all: Mutex::new(Ring::new()),
        }
    }

    /// Returns whether work may begin. Charges nothing; the caller passes the bytes to [`PageWork::charge`] afterwards.
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

    /// Counts bytes that were rendered or compressed.
    pub fn charge(&self, client: ClientAddr, bytes: usize, now_ns: u64) {
        let network = client.of_network();
        for _ in 0..bytes.div_ceil(UNIT_BYTES) {
            self.addresses.record(client, PER_ADDRESS, now_ns);
            self.networks.record(network, PER_NETWORK, now_ns);
            self.in_all.lock().record(IN_ALL, SECOND_NS, now_ns);
        }
    }

    /// Returns whether work may begin, and if so charges these bytes.
    pub fn take(&self, client: ClientAddr, bytes: usize, now_ns: u64) -> bool {
        let may = self.check(client, now_ns).is_ok();
        if may {
            self.charge(client, bytes, now_ns);
        }
        may
    }

    /// Drops idle rings. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.addresses.sweep(now_ns);
        self.networks.sweep(now_ns);
    }
}
