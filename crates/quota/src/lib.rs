//! Limits that the replicas of a fleet count together, in Redis: requests, registrations, rotations, running exports.
//!
//! The server calls [`Quota`] in place of a ring of `access`. A script call decides, by Redis' clock and with the
//! arithmetic of that ring. A request whose reply takes more than 50 ms is decided by this replica's share
//! of the limit; so are all after three failed or late calls in a row, or without a connection.
//! It knows no HTTP, no plans, and no clock of its own.
//!
//! - `call`, `batch`, `reply`: the call for a request, shared with others, and the meaning of its reply.
//! - `known`, `block`: decisions that need no call.
//! - [`breaker`], `fallback`: whether Redis decides, and this replica's share otherwise.
//! - `client`, `connection`, `scripts`, [`Settings`]: calls with a timeout, through a connection that is kept.
//! - `exports`: slots held while an export runs.

mod batch;
mod block;
pub mod breaker;
mod call;
mod charge;
mod client;
mod connection;
mod exports;
mod fallback;
mod known;
mod names;
mod reply;
mod scripts;
mod settings;

use std::sync::Arc;

use arc_swap::ArcSwap;
use lastro_access::{EXACT_LIMIT, Share, Verdict};
use lastro_model::Clock;

use breaker::Decider;
pub use charge::{Charge, Claim, Unit};
pub use client::Calls;
use client::Client;
pub use exports::RunningExport;
pub use fallback::OwnRing;
use known::KnownRings;
pub use names::{LimitClass, RingName};
use reply::Reply;
pub use settings::{BUDGET, Settings, SettingsError};

/// The limits of a fleet, as seen by one of its replicas.
#[derive(Debug)]
pub struct Quota {
    keys: Client,
    addresses: Client,
    share: Arc<ArcSwap<Share>>,
    clock: Arc<dyn Clock>,
    known: KnownRings,
}

/// Fails with a reason if Redis cannot be used with these settings. Changes nothing there.
pub async fn try_out(settings: Settings) -> Result<(), String> {
    connection::Connection::new(Arc::new(settings)).try_out().await
}

impl Quota {
    /// Makes no connection yet.
    pub fn new(settings: Settings, share: Arc<ArcSwap<Share>>, clock: Arc<dyn Clock>) -> Self {
        let settings = Arc::new(settings);
        let client = |class| Client::new(class, Arc::clone(&settings), Arc::clone(&clock));
        Self {
            keys: client(LimitClass::Keys),
            addresses: client(LimitClass::Addresses),
            known: KnownRings::new(),
            share,
            clock,
        }
    }

    /// Makes the first connections. A failure is logged, and [`Quota::watch`] tries again.
    pub async fn connect(&self) {
        tokio::join!(self.keys.connect(), self.addresses.connect());
    }

    /// Keeps the connections and sends the calls of requests, forever.
    pub async fn watch(&self) {
        let (keys, addresses) = (&self.keys, &self.addresses);
        tokio::join!(keys.watch(), keys.send_batches(), addresses.watch(), addresses.send_batches());
    }

    /// Whether limits of this class are now counted over all replicas.
    pub fn is_shared(&self, class: LimitClass) -> bool {
        self.client(class).is_shared()
    }

    pub fn calls(&self, class: LimitClass) -> &Calls {
        &self.client(class).calls
    }

    /// Requests of this class that wait to be part of a call.
    pub fn waiting(&self, class: LimitClass) -> usize {
        self.client(class).queue.len()
    }

    /// Drops what has expired. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.known.sweep(now_ns);
    }

    /// Takes a unit if that needs no call to Redis; otherwise [`Quota::take`] has to be awaited.
    pub fn take_at_once(&self, claim: &Claim<'_>) -> Option<Charge> {
        match self.decider(claim) {
            Decider::Share => Some(claim.take_share(self.share())),
            Decider::Both => {
                let verdict = claim.peek_share(self.share());
                (!verdict.admitted).then_some(Charge { verdict, unit: Unit::Own })
            }
            Decider::Redis => self.answer_at_once(claim).map(|reply| settle(claim, &reply)),
        }
    }

    /// Takes a unit, or refuses. Waits for Redis within the budget if necessary.
    pub async fn take(self: &Arc<Self>, claim: &Claim<'_>) -> Charge {
        if let Some(charge) = self.take_at_once(claim) {
            return charge;
        }
        if self.decider(claim) == Decider::Both {
            return self.take_from_both(claim).await;
        }
        match self.ask(claim, 1).await {
            // It lost its data a moment ago: it counts the request, and the share decides.
            Ok(reply) if reply.has_lost_data(claim.window_ns) => claim.take_share(self.share()),
            Ok(reply) => settle(claim, &reply),
            Err(no_reply) => {
                // Another request may have learned meanwhile that nothing is left.
                let refusal = self.refusal(claim).map(|reply| settle(claim, &reply));
                let charge = refusal.unwrap_or_else(|| claim.take_share(self.share()));
                if !charge.verdict.admitted {
                    self.give_back_late(claim.name, no_reply);
                }
                charge
            }
        }
    }

    /// Takes a unit of the share, and gives it back if Redis refuses.
    async fn take_from_both(self: &Arc<Self>, claim: &Claim<'_>) -> Charge {
        let reserved = claim.take_share(self.share());
        if !reserved.verdict.admitted {
            return reserved;
        }
        let at_once = self.answer_at_once(claim);
        let reply = if let Some(reply) = at_once { Ok(reply) } else { self.ask(claim, 1).await };
        match reply {
            Ok(reply) if reply.granted == 0 => {
                claim.give_share_back(self.share());
                Charge { verdict: reply.verdict(false, claim.now), unit: Unit::Own }
            }
            Ok(reply) => Charge { unit: reply.unit(), ..reserved },
            Err(_) => reserved,
        }
    }

    /// The verdict that [`Quota::take`] would give, known without a call and at most a second old. It refuses only if the
    /// refusal is certain. Consumes nothing.
    pub fn peek_at_once(&self, claim: &Claim<'_>) -> Option<Verdict> {
        if self.decider(claim) != Decider::Redis {
            return Some(claim.peek_share(self.share()));
        }
        if let Some(reply) = self.refusal(claim) {
            return Some(reply.verdict(false, claim.now));
        }
        let reply = self.known.fresh(claim.name, claim.limit, self.clock.monotonic_ns())?;
        Some(reply.verdict(true, claim.now))
    }

    /// The verdict that [`Quota::take`] would give. Consumes nothing.
    pub async fn peek(&self, claim: &Claim<'_>) -> Verdict {
        if let Some(verdict) = self.peek_at_once(claim) {
            return verdict;
        }
        match self.ask(claim, 0).await {
            Ok(reply) => reply.verdict(reply.remaining > 0, claim.now),
            Err(_) => claim.peek_share(self.share()),
        }
    }

    /// Gives back the unit of a request that was rejected after all. Redis learns of it a moment later.
    pub fn give_back(self: &Arc<Self>, claim: &Claim<'_>, charge: Charge) -> Verdict {
        let own = claim.give_share_back(self.share());
        match charge.unit {
            Unit::Own => return own,
            Unit::Block => self.known.give_back(claim.name),
            Unit::Ring { at_us } => {
                self.known.forget(claim.name);
                let (quota, name) = (Arc::clone(self), claim.name);
                tokio::spawn(async move { quota.return_unit(name, at_us).await });
            }
        }
        let remaining = charge.verdict.remaining.saturating_add(1).min(claim.limit);
        Verdict { remaining, ..charge.verdict }
    }

    fn client(&self, class: LimitClass) -> &Client {
        match class {
            LimitClass::Keys => &self.keys,
            LimitClass::Addresses => &self.addresses,
        }
    }

    fn decider(&self, claim: &Claim<'_>) -> Decider {
        self.client(claim.name.class()).decider(claim.window_ns)
    }

    fn share(&self) -> Share {
        **self.share.load()
    }

    fn refusal(&self, claim: &Claim<'_>) -> Option<Reply> {
        self.known.refusal(claim.name, claim.limit, self.clock.monotonic_ns())
    }

    /// The reply that needs no call: a unit of a block, or a refusal that is certain.
    fn answer_at_once(&self, claim: &Claim<'_>) -> Option<Reply> {
        let Claim { name, limit, .. } = *claim;
        // Not the claim's time: it may have waited, and a block must not be used after its end.
        let unit = || self.known.unit(name, limit, self.clock.monotonic_ns());
        (limit > EXACT_LIMIT).then(unit).flatten().or_else(|| self.refusal(claim))
    }
}

/// Turns a reply into a charge. An admitted request also has to be confirmed by this replica's own ring.
fn settle(claim: &Claim<'_>, reply: &Reply) -> Charge {
    if reply.granted == 0 {
        return Charge { verdict: reply.verdict(false, claim.now), unit: Unit::Own };
    }
    let own = claim.confirm();
    if !own.admitted {
        return Charge { verdict: own, unit: Unit::Own };
    }
    Charge { verdict: reply.verdict(true, claim.now), unit: reply.unit() }
}
