//! Rings of clients without a key, one for each address, in bounded memory.
//!
//! A flood of addresses must neither exhaust the memory nor escape the limit. Up to the capacity each address has
//! its own ring; beyond it newcomers share the ring of their network, and beyond the capacity of networks one last
//! ring. A client that moves from a shared ring to its own starts with a copy of the shared one, so moving never
//! yields a fresh quota, and a promised retry time stays valid. `client` determines the client's address.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::client::Network;
use crate::{ClientAddr, Ring, Verdict};

const SHARDS: usize = 64;

/// Shortest time between two searches of a full shard for idle rings, so that a flood does not trigger one per request.
const SEARCH_INTERVAL_NS: u64 = 1_000_000_000;

/// Extra time an idle ring is kept, so that a client returning after its retry time still has its own ring.
const KEPT_IDLE_NS: u64 = 5_000_000_000;

#[derive(Debug)]
pub struct AddressRings {
    window_ns: u64,
    addresses: Table<ClientAddr>,
    networks: Table<Network>,
    last: Mutex<Ring>,
}

impl AddressRings {
    /// Holds at most `capacity` rings of addresses, and as many of networks.
    pub fn new(window_ns: u64, capacity: usize) -> Self {
        Self {
            window_ns,
            addresses: Table::new(capacity),
            networks: Table::new(capacity),
            last: Mutex::new(Ring::new()),
        }
    }

    pub fn take(&self, client: ClientAddr, limit: u32, now_ns: u64) -> Verdict {
        self.answer(client, RingCall { limit, window_ns: self.window_ns, now_ns, operation: Operation::Take })
    }

    /// Returns the verdict [`AddressRings::take`] would give now. Consumes neither a unit nor memory.
    pub fn peek(&self, client: ClientAddr, limit: u32, now_ns: u64) -> Verdict {
        self.answer(client, RingCall { limit, window_ns: self.window_ns, now_ns, operation: Operation::Peek })
    }

    /// Returns the unit that [`AddressRings::take`] admitted at `taken_ns`.
    pub fn give_back(&self, client: ClientAddr, limit: u32, taken_ns: u64) -> Verdict {
        self.answer(
            client,
            RingCall { limit, window_ns: self.window_ns, now_ns: taken_ns, operation: Operation::GiveBack },
        )
    }

    /// Counts a unit already consumed, as [`Ring::record`] does.
    pub fn record(&self, client: ClientAddr, limit: u32, now_ns: u64) {
        let operation = Operation::Record;
        self.answer(client, RingCall { limit, window_ns: self.window_ns, now_ns, operation });
    }

    /// Counts a request admitted elsewhere, as [`Ring::confirm`] does.
    pub fn confirm(&self, client: ClientAddr, limit: u32, now_ns: u64) -> Verdict {
        let operation = Operation::Confirm;
        self.answer(client, RingCall { limit, window_ns: self.window_ns, now_ns, operation })
    }

    /// The kind of ring that the client's next request would be counted in.
    pub fn standing(&self, client: ClientAddr, now_ns: u64) -> Standing {
        let call = RingCall { limit: 0, window_ns: self.window_ns, now_ns, operation: Operation::Peek };
        if self.addresses.has_place(&client, call) {
            return Standing::Own;
        }
        if self.networks.has_place(&client.network(), call) { Standing::Network } else { Standing::Last }
    }

    pub fn window_ns(&self) -> u64 {
        self.window_ns
    }

    /// The number of rings held.
    pub fn len(&self) -> usize {
        self.addresses.len() + self.networks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops idle rings. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.addresses.sweep(self.window_ns, now_ns);
        self.networks.sweep(self.window_ns, now_ns);
        let mut last = self.last.lock();
        if last.is_idle(self.window_ns, now_ns) {
            *last = Ring::new();
        }
    }

    /// Takes locks in the order address, network, last. The client's own lock is held throughout, so that two of its
    /// concurrent requests are not counted in two rings.
    fn answer(&self, client: ClientAddr, call: RingCall) -> Verdict {
        let network = client.network();
        self.addresses.answer(
            client,
            call,
            || self.networks.copy(&network).unwrap_or_else(|| self.last.lock().clone()),
            || self.answer_together(network, call),
        )
    }

    fn answer_together(&self, network: Network, call: RingCall) -> Verdict {
        self.networks.answer(
            network,
            call,
            || self.last.lock().clone(),
            || call.apply_to(&mut self.last.lock()),
        )
    }
}

/// The sharing of a client's ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not shared.
    Own,
    /// Shared with its network: there are too many addresses.
    Network,
    /// Shared with all clients without a ring: there are too many networks.
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Take,
    Record,
    Confirm,
    Peek,
    GiveBack,
}

impl Operation {
    /// Whether the ring must be kept afterwards.
    fn consumes(self) -> bool {
        matches!(self, Self::Take | Self::Record | Self::Confirm)
    }
}

/// One call of `take`, `record`, `confirm`, `peek` or `give_back`, to be applied to the ring that is found.
#[derive(Debug, Clone, Copy)]
struct RingCall {
    limit: u32,
    window_ns: u64,
    now_ns: u64,
    operation: Operation,
}

impl RingCall {
    fn apply_to(self, ring: &mut Ring) -> Verdict {
        match self.operation {
            Operation::Take => ring.take(self.limit, self.window_ns, self.now_ns),
            Operation::Record => ring.record(self.limit, self.window_ns, self.now_ns),
            Operation::Confirm => ring.confirm(self.limit, self.window_ns, self.now_ns),
            Operation::Peek => ring.peek(self.limit, self.window_ns, self.now_ns),
            Operation::GiveBack => ring.give_back(self.limit, self.window_ns, self.now_ns),
        }
    }
}

/// A bounded map of rings, split into shards with a lock each.
#[derive(Debug)]
struct Table<K> {
    shards: Box<[Mutex<Shard<K>>]>,
    /// Keyed at random in each process, so that an attacker cannot aim many addresses at one shard.
    hasher: RandomState,
    capacity: usize,
    /// Number of rings in all shards, raised before an insertion and lowered after a removal.
    held: AtomicUsize,
}

#[derive(Debug)]
struct Shard<K> {
    rings: HashMap<K, Ring>,
    next_search_ns: u64,
}

impl<K: Copy + Eq + Hash> Table<K> {
    fn new(capacity: usize) -> Self {
        let shard = || Mutex::new(Shard { rings: HashMap::new(), next_search_ns: 0 });
        Self {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            hasher: RandomState::new(),
            capacity,
            held: AtomicUsize::new(0),
        }
    }

    fn len(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn shard(&self, key: &K) -> &Mutex<Shard<K>> {
        &self.shards[self.hasher.hash_one(key) as usize % SHARDS]
    }

    /// Applies the call to the key's ring, or calls `elsewhere` if there is neither a ring nor room for one.
    /// A new ring starts as a copy of the one the client shared before.
    fn answer(
        &self,
        key: K,
        call: RingCall,
        shared: impl FnOnce() -> Ring,
        elsewhere: impl FnOnce() -> Verdict,
    ) -> Verdict {
        let mut shard = self.shard(&key).lock();
        if let Some(ring) = shard.rings.get_mut(&key) {
            return call.apply_to(ring);
        }
        if !self.make_room(&mut shard, call) {
            return elsewhere();
        }
        let mut ring = shared();
        let verdict = call.apply_to(&mut ring);
        if call.operation.consumes() {
            shard.rings.insert(key, ring);
        }
        verdict
    }

    /// Returns whether one more ring may be held. Reserves its place if the call consumes.
    fn make_room(&self, shard: &mut Shard<K>, call: RingCall) -> bool {
        let reserve = || {
            let one_more =
                |held| (held < self.capacity).then(|| held + usize::from(call.operation.consumes()));
            self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
        };
        if reserve() {
            return true;
        }
        if call.now_ns < shard.next_search_ns {
            return false;
        }
        shard.next_search_ns = call.now_ns.saturating_add(SEARCH_INTERVAL_NS);
        self.drop_idle(shard, call.window_ns, call.now_ns);
        reserve()
    }

    fn has_place(&self, key: &K, call: RingCall) -> bool {
        let mut shard = self.shard(key).lock();
        shard.rings.contains_key(key) || self.make_room(&mut shard, call)
    }

    fn copy(&self, key: &K) -> Option<Ring> {
        if self.len() == 0 {
            return None;
        }
        self.shard(key).lock().rings.get(key).cloned()
    }

    fn sweep(&self, window_ns: u64, now_ns: u64) {
        for shard in &self.shards {
            self.drop_idle(&mut shard.lock(), window_ns, now_ns);
        }
    }

    fn drop_idle(&self, shard: &mut Shard<K>, window_ns: u64, now_ns: u64) {
        let before = shard.rings.len();
        let kept_ns = window_ns.saturating_add(KEPT_IDLE_NS);
        shard.rings.retain(|_, ring| !ring.is_idle(kept_ns, now_ns));
        let after = shard.rings.len();
        self.held.fetch_sub(before - after, Ordering::Relaxed);
        if after < shard.rings.capacity() / 4 {
            shard.rings.shrink_to(after * 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[test]
    fn a_full_shard_looks_for_idle_rings_at_most_once_a_second() {
        let window_ns = 60 * SEARCH_INTERVAL_NS;
        let droppable_ns = window_ns + KEPT_IDLE_NS;
        let rings = AddressRings::new(window_ns, 1);
        let client = |bits| ClientAddr::from(IpAddr::from(Ipv4Addr::from_bits(bits)));
        let shard = rings.addresses.shard(&client(0));
        let rival =
            (1..).map(client).find(|rival| std::ptr::eq(rings.addresses.shard(rival), shard)).unwrap();
        let has_own_ring = |now_ns| {
            rings.take(rival, 30, now_ns);
            shard.lock().rings.contains_key(&rival)
        };
        rings.take(client(0), 30, 0);
        assert!(!has_own_ring(droppable_ns - 1), "the first one may still come back");
        assert!(!has_own_ring(droppable_ns), "it may go, but the search was a moment ago");
        assert!(has_own_ring(droppable_ns - 1 + SEARCH_INTERVAL_NS));
    }
}
