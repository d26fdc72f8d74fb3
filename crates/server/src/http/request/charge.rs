//! What a request costs whom: one unit of the quota of its key or address, or a look at it.
//!
//! Alone, a process asks its own rings, at once. With Redis all replicas count together: what can be said from memory is
//! said at once too, and the rest is waited for: a call to Redis has 50 ms.

use lastro_access::{ClientAddr, Standing, Verdict, WINDOW_SECONDS, terms};
use lastro_model::{Now, Plan};
use lastro_quota::{Charge, Claim, OwnRing, RingName, Unit};

use super::caller::Caller;
use crate::state::App;

const WINDOW_NS: u64 = WINDOW_SECONDS * 1_000_000_000;

/// A request as far as its quota goes.
#[derive(Debug, Clone, Copy)]
pub struct Charging<'a> {
    pub app: &'a App,
    pub caller: &'a Caller,
    pub client: ClientAddr,
    pub now: Now,
    /// Whether a unit is taken, or only looked at what there is.
    pub takes_unit: bool,
}

impl Charging<'_> {
    /// Charges what can be charged without waiting; `None` where Redis has to be asked.
    pub fn at_once(&self) -> Option<Charge> {
        let Some(quota) = &self.app.quota else { return Some(self.alone()) };
        if self.takes_unit {
            return quota.take_at_once(&self.claim());
        }
        quota.peek_at_once(&self.claim()).map(looked_at)
    }

    pub async fn wait(&self) -> Charge {
        if let Some(charge) = self.at_once() {
            return charge;
        }
        let Some(quota) = &self.app.quota else { return self.alone() };
        let claim = self.claim();
        if self.takes_unit { quota.take(&claim).await } else { looked_at(quota.peek(&claim).await) }
    }

    /// Charges by the rings of this process.
    pub fn alone(&self) -> Charge {
        let Self { app, client, now, takes_unit, .. } = *self;
        looked_at(match (self.caller, takes_unit) {
            (Caller::Known(key), true) => key.holder.take(key.limit, now.monotonic_ns),
            (Caller::Known(key), false) => key.holder.peek(key.limit, now.monotonic_ns),
            (_, true) => app.callers.take(client, free_limit(), now.monotonic_ns),
            (_, false) => app.callers.peek(client, free_limit(), now.monotonic_ns),
        })
    }

    /// Takes back the unit that was taken: the request was refused after all, and a refusal costs nothing.
    pub fn give_back(&self, charge: Charge) -> Verdict {
        if let Some(quota) = &self.app.quota {
            return quota.give_back(&self.claim(), charge);
        }
        match self.caller {
            Caller::Known(key) => key.holder.give_back(key.limit, self.now.monotonic_ns),
            _ => self.app.callers.give_back(self.client, free_limit(), self.now.monotonic_ns),
        }
    }

    fn claim(&self) -> Claim<'_> {
        let Self { app, client, now, .. } = *self;
        let (name, own, limit) = match self.caller {
            Caller::Known(key) => {
                (RingName::Account(key.account), OwnRing::One(key.holder.requests()), key.limit)
            }
            _ => (address_name(app, client, now), OwnRing::Of(&app.callers, client), free_limit()),
        };
        Claim { name, own, limit, window_ns: WINDOW_NS, now }
    }
}

/// Nothing that Redis would have to be told of.
fn looked_at(verdict: Verdict) -> Charge {
    Charge { verdict, unit: Unit::Own }
}

/// Under a flood of addresses the keys in Redis are as bounded as the rings here.
fn address_name(app: &App, client: ClientAddr, now: Now) -> RingName {
    match app.callers.standing(client, now.monotonic_ns) {
        Standing::Own => RingName::Address(client),
        Standing::Network => RingName::Network(client.of_network()),
        Standing::Last => RingName::Last,
    }
}

fn free_limit() -> u32 {
    terms(Plan::Free).requests_per_minute
}
