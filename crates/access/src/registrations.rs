//! How many keys may be registered: by an address, by its network, and by everybody together.
//!
//! The limit in all is a bucket that fills steadily. Half of it is kept for networks that have not registered within
//! the hour, so that a flood from some networks delays a newcomer by seconds and not by hours.

use parking_lot::Mutex;

use crate::{AddressRings, ClientAddr, Share};

const SECOND_NS: u64 = 1_000_000_000;
const HOUR_NS: u64 = 3600 * SECOND_NS;

/// What is allowed; each of them can be set by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistrationLimits {
    pub per_address_an_hour: u32,
    pub per_network_an_hour: u32,
    /// On average.
    pub in_all_an_hour: u32,
    /// How many may come at once after a quiet time.
    pub burst: u32,
}

impl RegistrationLimits {
    /// What is allowed unless the operator says otherwise.
    pub const USUAL: Self =
        Self { per_address_an_hour: 30, per_network_an_hour: 300, in_all_an_hour: 3600, burst: 600 };

    /// What one of several replicas admits by itself of the registrations in all.
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

/// Whose limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationRefusal {
    Address {
        retry_after_seconds: u64,
    },
    Network {
        retry_after_seconds: u64,
    },
    /// Others may be faster when the time is over, so it is an estimate.
    InAll {
        retry_after_seconds: u64,
    },
}

impl Registrations {
    /// At most `capacity` addresses are told apart, and as many networks.
    pub fn new(limits: RegistrationLimits, capacity: usize) -> Self {
        Self {
            limits,
            addresses: AddressRings::new(HOUR_NS, capacity),
            networks: AddressRings::new(HOUR_NS, capacity),
            bucket: Mutex::new(Bucket::full(&limits)),
        }
    }

    /// Takes one registration out of all three allowances, or out of none.
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

    /// What the addresses registered within the hour, for who asks elsewhere whether one more is admitted.
    pub fn addresses(&self) -> &AddressRings {
        &self.addresses
    }

    /// What their networks did, each under the name of [`ClientAddr::of_network`].
    pub fn networks(&self) -> &AddressRings {
        &self.networks
    }

    pub fn limits(&self) -> RegistrationLimits {
        self.limits
    }

    /// Takes one registration out of this replica's share of the allowance in all, and out of nothing else.
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

    /// Gives back what [`Registrations::take_in_all`] took.
    pub fn give_back_in_all(&self, share: Share) {
        self.bucket.lock().give_back(&self.limits.shared(share));
    }

    /// Nothing came of the registration that was taken at that instant.
    pub fn give_back(&self, client: ClientAddr, taken_ns: u64) {
        self.give_back_rings(client, taken_ns);
        self.bucket.lock().give_back(&self.limits);
    }

    /// Drops what has been idle for a while. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.addresses.sweep(now_ns);
        self.networks.sweep(now_ns);
    }

    fn give_back_rings(&self, client: ClientAddr, taken_ns: u64) {
        self.addresses.give_back(client, self.limits.per_address_an_hour, taken_ns);
        self.networks.give_back(client.of_network(), self.limits.per_network_an_hour, taken_ns);
    }
}

/// Counted in nanoseconds of filling, so that no fraction of a registration is lost.
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

/// How long the bucket fills for one registration.
fn cost_ns(limits: &RegistrationLimits) -> u64 {
    HOUR_NS / u64::from(limits.in_all_an_hour.max(1))
}

fn size_ns(limits: &RegistrationLimits) -> u64 {
    cost_ns(limits).saturating_mul(u64::from(limits.burst.max(1)))
}
