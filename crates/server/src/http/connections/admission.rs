//! Admission: the open connections by client address, and the eviction of idle ones for new ones.
//!
//! When an address or the service reaches its limit, the connections that have been idle longest are evicted in
//! batches: idle connections never lock out a client with a request.

use std::cmp::Reverse;
use std::net::IpAddr;
use std::sync::Arc;

use hashbrown::HashMap;
use lastro_access::ClientAddr;

use super::connection::Connection;
use super::totals::{AddressTotals, Reason, Totals};

/// Seconds after which a connection without a request may be evicted. Two on a whole-second clock means more than one.
const EVICTABLE_AFTER: u32 = 2;
/// The same for one connection of the most crowded address, when no other is evictable.
const SPARED_AFTER: u32 = 1;
/// The same for a connection whose client reads nothing of a response.
const STALLED_AFTER: u32 = 10;
/// Divisor of the limit for one batch: evicting a sixteenth at once keeps searches through all connections rare.
const EVICTED_SHARE: usize = 16;
const LARGEST_BATCH: usize = 64;

#[derive(Debug, Default)]
pub struct OpenConnections {
    by_address: HashMap<ClientAddr, AddressConnections>,
    /// Includes evicted connections that have not ended yet: they still hold their file descriptors.
    count: usize,
    next_number: u64,
}

/// The connections of one client address.
#[derive(Debug, Default)]
struct AddressConnections {
    connections: HashMap<u64, Arc<Connection>>,
    totals: Arc<AddressTotals>,
    /// The second of the last search that found nothing to evict. No other search is made in the same second.
    searched_in_vain: Option<u32>,
}

impl OpenConnections {
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn admit(
        &mut self,
        totals: &Arc<Totals>,
        peer: IpAddr,
        trusted: bool,
        most: usize,
    ) -> Option<Arc<Connection>> {
        let own = self.by_address.entry(peer.into()).or_default();
        if own.connections.len() >= most && own.evict(batch(most), EVICTABLE_AFTER, totals.second()) == 0 {
            return None;
        }
        self.next_number += 1;
        self.count += 1;
        let connection = Arc::new(Connection::new(totals, &own.totals, peer, trusted, self.next_number));
        own.connections.insert(connection.number, Arc::clone(&connection));
        Some(connection)
    }

    pub fn remove(&mut self, connection: &Connection) {
        self.count -= 1;
        let Some(own) = self.by_address.get_mut(&connection.address) else { return };
        own.connections.remove(&connection.number);
        if own.connections.is_empty() {
            self.by_address.remove(&connection.address);
        }
    }

    pub fn each(&self, mut look_at: impl FnMut(&Arc<Connection>)) {
        self.by_address.values().flat_map(|own| own.connections.values()).for_each(&mut look_at);
    }

    /// Whether one more may be accepted. If not, evicts a batch, from the most crowded addresses first and from trusted
    /// proxies last. If none has been idle for long, the most crowded address gives up one briefly idle connection.
    pub fn has_place(&mut self, totals: &Totals) -> bool {
        let (most, second) = (totals.limits.most(), totals.second());
        if self.count < most {
            return true;
        }
        let listed: usize = self.by_address.values().map(|address| address.connections.len()).sum();
        let mut wanted = batch(most).saturating_sub(self.count - listed);
        if wanted == 0 {
            return false;
        }
        let mut addresses: Vec<&mut AddressConnections> = self.by_address.values_mut().collect();
        addresses.sort_by_cached_key(|address| (address.are_trusted(), Reverse(address.connections.len())));
        let all = wanted;
        for address in &mut addresses {
            wanted -= address.evict(wanted, EVICTABLE_AFTER, second);
            if wanted == 0 {
                break;
            }
        }
        let crowded = addresses.first_mut().filter(|address| address.is_crowd());
        if let Some(crowded) = crowded.filter(|_| wanted == all) {
            crowded.searched_in_vain = None;
            crowded.evict(1, SPARED_AFTER, second);
        }
        false
    }
}

impl AddressConnections {
    fn are_trusted(&self) -> bool {
        self.connections.values().next().is_some_and(|connection| connection.trusted)
    }

    /// Whether one of them can be evicted for a new connection of another address.
    fn is_crowd(&self) -> bool {
        self.connections.len() > 1 && !self.are_trusted()
    }

    /// Hangs up on those that have been idle longest, for at least `idle_for` seconds, and returns their number.
    fn evict(&mut self, wanted: usize, idle_for: u32, second: u32) -> usize {
        if self.searched_in_vain == Some(second) {
            return 0;
        }
        let idle = |connection: &&Arc<Connection>| {
            let stalled = connection.takes_nothing(STALLED_AFTER, second).then_some(STALLED_AFTER);
            connection.idle_for(second).filter(|idle| *idle >= idle_for).or(stalled)
        };
        let mut idlers: Vec<(u32, u64)> = self
            .connections
            .values()
            .filter_map(|connection| Some((idle(&connection)?, connection.number)))
            .collect();
        idlers.sort_unstable_by_key(|(idle, number)| (Reverse(*idle), *number));
        idlers.truncate(wanted);
        for connection in idlers.iter().filter_map(|(_, number)| self.connections.remove(number)) {
            connection.hang_up(Reason::Crowded);
        }
        self.searched_in_vain = idlers.is_empty().then_some(second);
        idlers.len()
    }
}

/// The number of connections evicted at once under this limit.
fn batch(most: usize) -> usize {
    (most / EVICTED_SHARE).clamp(1, LARGEST_BATCH)
}
