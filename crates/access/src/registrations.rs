//! Limits of key registrations, by address, by network and in total.
//!
//! The total limit is a bucket that fills steadily. Half of it is reserved for networks that have not registered within
//! the hour, so that a flood from some networks delays a newcomer by seconds and not by hours.

use parking_lot::Mutex;

use crate::{AddressRings, ClientAddr, Share};

const SECOND_NS: u64 = 1_000_000_000;
const HOUR_NS: u64 = 3600 * SECOND_NS;

/// The limits, each of which the operator can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistrationLimits {
    pub per_address_an_hour: u32,
    pub per_network_an_hour: u32,
    /// The average of all clients together.
    pub in_all_an_hour: u32,
    /// Registrations possible at once after a quiet time.
    pub burst: u32,
}

impl RegistrationLimits {
    /// The defaults.
    pub const USUAL: Self =
        Self { per_address_an_hour: 30, per_network_an_hour: 300, in_all_an_hour: 3600, burst: 600 };

    /// The limits with one replica's share of the total.
    fn shared(self, share: Share) -> Self {
        Self { in_all_an_hour: share.of(self.in_all_an_hour), burst: share.of(self.burst), ..self }
    }
}

#[derive(Debug)]
pub struct Registrations {
    limits: RegistrationLimits,
    addresses: AddressRings,
    networks: AddressRings,
    bucket: Mutex<Bucket>,
}

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationRefusal {
    Address {
        retry_after_seconds: u64,
    },
    Network {
        retry_after_seconds: u64,
    },
    /// The time is an estimate, because other clients may register first when it is over.
    InAll {
        retry_after_seconds: u64,
    },
}

impl Registrations {
    /// Tracks at most `capacity` addresses, and as many networks.
    pub fn new(limits: RegistrationLimits, capacity: usize) -> Self {
        Self {
            limits,
            addresses: AddressRings::new(HOUR_NS, capacity),
            networks: AddressRings::new(HOUR_NS, capacity),
            bucket: Mutex::new(Bucket::full(&limits)),
        }
    }

    /// Takes one registration from all three limits, or from none.
    pub fn take(&self, client: ClientAddr, now_ns: u64) -> Result<(), RegistrationRefusal> {
        let RegistrationLimits { per_address_an_hour, per_network_an_hour, .. } = self.limits;
        let by_address = self.addresses.take(client, per_address_an_hour, now_ns);
        if !by_address.admitted {
            let retry_after_seconds = by_address.retry_after_seconds();
            return Err(RegistrationRefusal::Address { retry_after_seconds });
        }
        let by_network = self.networks.take(client.of_network(), per_network_an_hour, now_ns);
        if !by_network.admitted {
            self.addresses.give_back(client, per_address_an_hour, now_ns);
            let retry_after_seconds = by_network.retry_after_seconds();
            return Err(RegistrationRefusal::Network { retry_after_seconds });
        }
        let is_newcomer = by_network.remaining + 1 == per_network_an_hour;
        self.bucket.lock().take(&self.limits, is_newcomer, now_ns).map_err(|retry_after_seconds| {
            self.give_back_rings(client, now_ns);
            RegistrationRefusal::InAll { retry_after_seconds }
        })
    }

    /// The addresses' registrations within the hour, for callers that get the decision from a shared limiter.
    pub fn addresses(&self) -> &AddressRings {
        &self.addresses
    }

    /// The networks' registrations within the hour, keyed by [`ClientAddr::of_network`].
    pub fn networks(&self) -> &AddressRings {
        &self.networks
    }

    pub fn limits(&self) -> RegistrationLimits {
        self.limits
    }

    /// Takes one registration only from this replica's share of the total limit.
    pub fn take_in_all(
        &self,
        share: Share,
        is_newcomer: bool,
        now_ns: u64,
    ) -> Result<(), RegistrationRefusal> {
        let limits = self.limits.shared(share);
        let taken = self.bucket.lock().take(&limits, is_newcomer, now_ns);
        taken.map_err(|retry_after_seconds| RegistrationRefusal::InAll { retry_after_seconds })
    }

    /// Returns the registration that [`Registrations::take_in_all`] took.
    pub fn give_back_in_all(&self, share: Share) {
        self.bucket.lock().give_back(&self.limits.shared(share));
    }

    /// Returns the registration taken at `taken_ns`, for one that failed.
    pub fn give_back(&self, client: ClientAddr, taken_ns: u64) {
        self.give_back_rings(client, taken_ns);
        self.bucket.lock().give_back(&self.limits);
    }

    /// Drops idle rings. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.addresses.sweep(now_ns);
        self.networks.sweep(now_ns);
    }

    fn give_back_rings(&self, client: ClientAddr, taken_ns: u64) {
        self.addresses.give_back(client, self.limits.per_address_an_hour, taken_ns);
        self.networks.give_back(client.of_network(), self.limits.per_network_an_hour, taken_ns);
    }
}

/// The bucket of the total limit, counted in nanoseconds of filling, so that no fraction of a registration is lost.
#[derive(Debug)]
struct Bucket {
    filled_ns: u64,
    looked_ns: u64,
}

impl Bucket {
    fn full(limits: &RegistrationLimits) -> Self {
        Self { filled_ns: size_ns(limits), looked_ns: 0 }
    }

    fn take(&mut self, limits: &RegistrationLimits, is_newcomer: bool, now_ns: u64) -> Result<(), u64> {
        let since_ns = now_ns.saturating_sub(self.looked_ns);
        self.filled_ns = self.filled_ns.saturating_add(since_ns).min(size_ns(limits));
        self.looked_ns = self.looked_ns.max(now_ns);
        let kept_ns = if is_newcomer { 0 } else { size_ns(limits) / 2 };
        let needed_ns = kept_ns.saturating_add(cost_ns(limits));
        if self.filled_ns < needed_ns {
            return Err((needed_ns - self.filled_ns).div_ceil(SECOND_NS).max(1));
        }
        self.filled_ns -= cost_ns(limits);
        Ok(())
    }

    fn give_back(&mut self, limits: &RegistrationLimits) {
        self.filled_ns = self.filled_ns.saturating_add(cost_ns(limits)).min(size_ns(limits));
    }
}

/// Nanoseconds of filling that one registration costs.
fn cost_ns(limits: &RegistrationLimits) -> u64 {
    HOUR_NS / u64::from(limits.in_all_an_hour.max(1))
}

fn size_ns(limits: &RegistrationLimits) -> u64 {
    cost_ns(limits).saturating_mul(u64::from(limits.burst.max(1)))
}
