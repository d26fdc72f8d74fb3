//! Limits of lookups in the store for keys, or for feeds, that this process does not hold.
//!
//! A client can make up well-formed keys, and each would cost a database query. So lookups that find nothing are
//! limited by address and by network, apart from the quota: a new key works at once even if the keyless quota is used
//! up. A lookup that finds its key costs nothing. Addresses of feeds can be made up as well, and are limited by the same
//! rules and counts of their own.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{AddressRings, ClientAddr, Verdict};

const MINUTE_NS: u64 = 60_000_000_000;
const PER_ADDRESS: u32 = 60;
const PER_NETWORK: u32 = 600;
/// Concurrent lookups of all clients together. More would only queue in the store.
const UNDER_WAY: usize = 64;

#[derive(Debug)]
pub struct Lookups {
    addresses: AddressRings,
    networks: AddressRings,
    under_way: AtomicUsize,
}

/// The reason for rejecting a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupRefusal {
    /// This address or its network asked for too many that do not exist.
    TooMany(Verdict),
    /// Too many lookups are in progress.
    Busy,
}

/// A lookup in progress, charged as one that finds nothing until [`Lookup::costs_nothing`] is called.
#[derive(Debug)]
pub struct Lookup<'a> {
    lookups: &'a Lookups,
    client: ClientAddr,
    began_ns: u64,
}

impl Lookups {
    /// Tracks at most `capacity` addresses, and as many networks.
    pub fn new(capacity: usize) -> Self {
        Self {
            addresses: AddressRings::new(MINUTE_NS, capacity),
            networks: AddressRings::new(MINUTE_NS, capacity),
            under_way: AtomicUsize::new(0),
        }
    }

    pub fn begin(&self, client: ClientAddr, now_ns: u64) -> Result<Lookup<'_>, LookupRefusal> {
        let one_more = |count| (count < UNDER_WAY).then_some(count + 1);
        self.under_way
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .map_err(|_| LookupRefusal::Busy)?;
        // From here on, dropping it frees the place.
        let lookup = Lookup { lookups: self, client, began_ns: now_ns };
        let by_address = self.addresses.take(client, PER_ADDRESS, now_ns);
        if !by_address.admitted {
            return Err(LookupRefusal::TooMany(by_address));
        }
        let by_network = self.networks.take(client.of_network(), PER_NETWORK, now_ns);
        if !by_network.admitted {
            self.addresses.give_back(client, PER_ADDRESS, now_ns);
            return Err(LookupRefusal::TooMany(by_network));
        }
        Ok(lookup)
    }

    /// Drops idle rings. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.addresses.sweep(now_ns);
        self.networks.sweep(now_ns);
    }
}

impl Lookup<'_> {
    /// Refunds a lookup that found its key or that the store could not answer.
    pub fn costs_nothing(self) {
        self.lookups.addresses.give_back(self.client, PER_ADDRESS, self.began_ns);
        self.lookups.networks.give_back(self.client.of_network(), PER_NETWORK, self.began_ns);
    }
}

impl Drop for Lookup<'_> {
    fn drop(&mut self) {
        self.lookups.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}
