//! Charging a request: takes or peeks at a unit of the quota of its key or address.
//!
//! Without Redis, a process uses its own rings, at once. With Redis, all replicas count together: if memory suffices
//! for a verdict, it is immediate too; otherwise it takes a call to Redis, or two at most, each with a timeout of 50 ms.

use lastro_access::{ClientAddr, Standing, Verdict, WINDOW_SECONDS, terms};
use lastro_background::access::Access;
use lastro_model::{Now, Plan};
use lastro_quota::{Charge, Claim, OwnRing, RingName, Unit};

use super::caller::Caller;

const WINDOW_NS: u64 = WINDOW_SECONDS * 1_000_000_000;

/// The facts needed to charge a request.
#[derive(Debug, Clone, Copy)]
pub struct Charging<'a> {
    pub access: &'a Access,
    pub caller: &'a Caller,
    pub client: ClientAddr,
    pub now: Now,
    /// Whether a unit is taken, or the quota is only read.
    pub takes_unit: bool,
}

impl Charging<'_> {
    /// Charges without waiting; `None` if Redis has to be called.
    pub fn at_once(&self) -> Option<Charge> {
        let Some(quota) = &self.access.quota else { return Some(self.alone()) };
        if self.takes_unit {
            return quota.take_at_once(&self.claim());
        }
        quota.peek_at_once(&self.claim()).map(uncounted)
    }

    pub async fn wait(&self) -> Charge {
        let Some(quota) = &self.access.quota else { return self.alone() };
        let claim = self.claim();
        if self.takes_unit { quota.take(&claim).await } else { uncounted(quota.peek(&claim).await) }
    }

    /// Charges with the rings of this process.
    pub fn alone(&self) -> Charge {
        let Self { access, client, now, takes_unit, .. } = *self;
        uncounted(match (self.caller, takes_unit) {
            (Caller::Known(key), true) => key.holder.take(key.limit, now.monotonic_ns),
            (Caller::Known(key), false) => key.holder.peek(key.limit, now.monotonic_ns),
            (_, true) => access.callers.take(client, free_limit(), now.monotonic_ns),
            (_, false) => access.callers.peek(client, free_limit(), now.monotonic_ns),
        })
    }

    /// Returns the unit that was taken: a rejected request costs nothing.
    pub fn give_back(&self, charge: Charge) -> Verdict {
        if let Some(quota) = &self.access.quota {
            return quota.give_back(&self.claim(), charge);
        }
        match self.caller {
            Caller::Known(key) => key.holder.give_back(key.limit, self.now.monotonic_ns),
            _ => self.access.callers.give_back(self.client, free_limit(), self.now.monotonic_ns),
        }
    }

    fn claim(&self) -> Claim<'_> {
        let Self { access, client, now, .. } = *self;
        let (name, own, limit) = match self.caller {
            Caller::Known(key) => {
                (RingName::Account(key.account), OwnRing::One(key.holder.requests()), key.limit)
            }
            _ => (address_name(access, client, now), OwnRing::Of(&access.callers, client), free_limit()),
        };
        Claim { name, own, limit, window_ns: WINDOW_NS, now }
    }
}

/// A charge that Redis does not count.
fn uncounted(verdict: Verdict) -> Charge {
    Charge { verdict, unit: Unit::Own }
}

/// The ring of an address. Under a flood of addresses, the keys in Redis are as bounded as the rings here.
fn address_name(access: &Access, client: ClientAddr, now: Now) -> RingName {
    match access.callers.standing(client, now.monotonic_ns) {
        Standing::Own => RingName::Address(client),
        Standing::Network => RingName::Network(client.of_network()),
        Standing::Last => RingName::Last,
    }
}

fn free_limit() -> u32 {
    terms(Plan::Free).requests_per_minute
}
