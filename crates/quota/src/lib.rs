//! What the replicas of a fleet count together, in Redis: requests, registrations, rotations, running exports.
//!
//! The server asks a [`Quota`] where it would otherwise ask a ring of `access` alone. Redis decides, by one script a call
//! that has the arithmetic of that ring and Redis' clock. When Redis is away or slow, each replica decides by its share
//! of the limit, from its own ring, which knows what it admitted: a call has 50 ms, and nothing is let
//! through that was not counted.
//!
//! - [`settings`]: which Redis; `connection`: how it is spoken to; `side`: one class of limits and its connection.
//! - `flights`: one call at a time for each ring; `departures`, `carrier`, `question`: the calls, each about many rings.
//! - `notes`: what need not be asked; `block`: units ahead, for high limits.
//! - [`mode`]: who decides. `exports`: slots that are held while an export runs.

mod answer;
mod block;
mod carrier;
mod connection;
mod departures;
mod exports;
mod flights;
pub mod mode;
mod names;
mod notes;
mod own;
mod question;
mod scripts;
mod settings;
mod side;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use lastro_access::{EXACT_LIMIT, Share, Verdict};
use lastro_model::{Clock, Now};

use answer::Answer;
use block::{Blocks, Wish};
use carrier::Passenger;
use departures::Departures;
pub use exports::RunningExport;
use flights::{Flights, Unheard};
use mode::Decision;
pub use names::{Class, RingName};
use notes::Notes;
pub use own::OwnRing;
use question::{Known, Question};
use scripts::Scripts;
pub use settings::{BUDGET, Settings, SettingsError};
pub use side::Calls;
use side::Side;

/// The limits of a fleet, as one of its replicas sees them.
#[derive(Debug)]
pub struct Quota {
    clock: Arc<dyn Clock>,
    share: Arc<ArcSwap<Share>>,
    prefix: String,
    budget: Duration,
    scripts: Scripts,
    keys: Side,
    addresses: Side,
    flights: Arc<Flights>,
    key_departures: Departures<Passenger>,
    address_departures: Departures<Passenger>,
    notes: Notes,
    blocks: Blocks,
}

/// One request, registration or rotation that wants to be admitted.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub name: RingName,
    pub own: OwnRing<'a>,
    pub limit: u32,
    pub window_ns: u64,
    pub now: Now,
}

/// What became of a claim, and where its unit was taken from.
#[derive(Debug, Clone, Copy)]
pub struct Charge {
    pub verdict: Verdict,
    pub unit: Unit,
}

/// Where a unit was taken from, for who has to give it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// From this process' own ring alone, or from nowhere.
    Own,
    /// From Redis, which remembers it under this instant.
    Ring { at_us: u64 },
    /// From a block of this replica.
    Block,
}

impl Quota {
    /// Nothing is connected yet.
    pub fn new(settings: Settings, share: Arc<ArcSwap<Share>>, clock: Arc<dyn Clock>) -> Self {
        let settings = Arc::new(settings);
        let side = |class| Side::new(class, Arc::clone(&settings), Arc::clone(&clock));
        Self {
            keys: side(Class::Keys),
            addresses: side(Class::Addresses),
            prefix: settings.prefix.clone(),
            budget: settings.budget,
            scripts: Scripts::new(),
            flights: Arc::new(Flights::new()),
            key_departures: Departures::default(),
            address_departures: Departures::default(),
            notes: Notes::new(),
            blocks: Blocks::default(),
            clock,
            share,
        }
    }

    /// Makes the first connections. Where that fails it is logged, and tried again by [`Quota::watch`].
    pub async fn connect(&self) {
        tokio::join!(self.keys.connect(&self.scripts), self.addresses.connect(&self.scripts));
    }

    /// Keeps the connections, for ever.
    pub async fn watch(&self) {
        tokio::join!(self.keys.watch(&self.scripts), self.addresses.watch(&self.scripts));
    }

    /// Whether limits of this class are counted over all replicas now.
    pub fn is_shared(&self, class: Class) -> bool {
        self.side(class).is_shared()
    }

    /// What came of the calls of a class.
    pub fn calls(&self, class: Class) -> &Calls {
        &self.side(class).calls
    }

    /// Forgets what has run out. To be called every few seconds.
    pub fn sweep(&self, now_ns: u64) {
        self.notes.sweep(now_ns);
        self.blocks.sweep(now_ns);
    }

    fn side(&self, class: Class) -> &Side {
        match class {
            Class::Keys => &self.keys,
            Class::Addresses => &self.addresses,
        }
    }

    fn departures(&self, class: Class) -> &Departures<Passenger> {
        match class {
            Class::Keys => &self.key_departures,
            Class::Addresses => &self.address_departures,
        }
    }

    fn decide(&self, claim: &Claim<'_>) -> Decision {
        self.side(claim.name.class()).decide(claim.window_ns, self.clock.monotonic_ns())
    }

    /// Takes a unit where that needs no question to Redis; else [`Quota::take`] has to be waited for.
    pub fn take_at_once(&self, claim: &Claim<'_>) -> Option<Charge> {
        match self.decide(claim) {
            Decision::Share => Some(self.take_share(claim)),
            Decision::Both => {
                let verdict = self.peek_share(claim);
                (!verdict.admitted).then_some(Charge { verdict, unit: Unit::Own })
            }
            Decision::Shared => {
                let answer = self.known(claim)?;
                Some(self.settle(claim, answer))
            }
        }
    }

    /// Takes a unit, or not, where [`Quota::take_at_once`] could not tell. A call about this ring that is under way is
    /// waited for, and then its own.
    pub async fn take(self: &Arc<Self>, claim: &Claim<'_>) -> Charge {
        match self.decide(claim) {
            Decision::Share => self.take_share(claim),
            Decision::Shared => match flights::ask(self, claim, true).await {
                // It lost its data a moment ago: it counts, and our share decides.
                Ok(answer) if answer.has_forgotten(claim.window_ns) => self.take_share(claim),
                Ok(answer) => self.settle(claim, answer),
                Err(unheard) => self.decide_unheard(claim, &unheard),
            },
            Decision::Both => {
                let reserved = self.take_share(claim);
                if !reserved.verdict.admitted {
                    return reserved;
                }
                let known = self.known(claim);
                let heard =
                    if let Some(answer) = known { Ok(answer) } else { flights::ask(self, claim, true).await };
                match heard {
                    Ok(answer) if !answer.is_admitted => {
                        claim.own.give_back(self.own_limit(claim), claim.window_ns, claim.now.monotonic_ns);
                        Charge { verdict: answer.verdict(claim.now), unit: Unit::Own }
                    }
                    Ok(answer) => Charge { unit: unit(&answer), ..reserved },
                    Err(unheard) => {
                        unheard.was_admitted();
                        reserved
                    }
                }
            }
        }
    }

    /// What is left of the budget of a request that came then.
    fn time_left(&self, came: Now) -> Duration {
        let waited_ns = self.clock.monotonic_ns().saturating_sub(came.monotonic_ns);
        self.budget.saturating_sub(Duration::from_nanos(waited_ns))
    }

    /// The refusal that Redis would give, where that is certain without asking.
    pub fn refusal_at_once(&self, claim: &Claim<'_>) -> Option<Verdict> {
        let refusal = self.notes.closed(claim.name, claim.limit, self.clock.monotonic_ns());
        refusal.filter(|_| self.decide(claim) == Decision::Shared).map(|answer| answer.verdict(claim.now))
    }

    /// What [`Quota::take`] would say, consuming nothing, where that needs no question to Redis.
    pub fn peek_at_once(&self, claim: &Claim<'_>) -> Option<Verdict> {
        if self.decide(claim) != Decision::Shared {
            return Some(self.peek_share(claim));
        }
        let now_ns = self.clock.monotonic_ns();
        let noted = self.notes.closed(claim.name, claim.limit, now_ns);
        let answer = noted.or_else(|| self.notes.fresh(claim.name, claim.limit, now_ns))?;
        Some(answer.verdict(claim.now))
    }

    pub async fn peek(self: &Arc<Self>, claim: &Claim<'_>) -> Verdict {
        if let Some(verdict) = self.peek_at_once(claim) {
            return verdict;
        }
        match flights::ask(self, claim, false).await {
            Ok(answer) => answer.verdict(claim.now),
            Err(_) => self.peek_share(claim),
        }
    }

    /// Gives a unit back: what it was taken for was refused after all. Redis hears of it a moment later.
    pub fn give_back(self: &Arc<Self>, claim: &Claim<'_>, charge: Charge) -> Verdict {
        let now_ns = claim.now.monotonic_ns;
        let own = claim.own.give_back(self.own_limit(claim), claim.window_ns, now_ns);
        match charge.unit {
            Unit::Own => return Verdict { limit: claim.limit, ..own },
            Unit::Block => self.blocks.give_back(claim.name),
            Unit::Ring { at_us } => {
                self.notes.forget(claim.name);
                let (name, limit, window_us) = (claim.name, claim.limit, claim.window_ns / 1_000);
                let (given_back_us, known) = (Some(at_us), Known::default());
                carrier::give_back(self, Question { name, limit, window_us, units: 1, given_back_us, known });
            }
        }
        let remaining = charge.verdict.remaining.saturating_add(1).min(claim.limit);
        Verdict { remaining, ..charge.verdict }
    }

    fn wish(&self, name: RingName, waiting: u32, now_ns: u64) -> Wish {
        self.blocks.wish(name, waiting, self.share.load().replicas(), now_ns)
    }

    /// What can be said without asking Redis: a unit of a block, or a refusal that is certain.
    fn known(&self, claim: &Claim<'_>) -> Option<Answer> {
        let Claim { name, limit, .. } = *claim;
        // Not the claim's: it may have waited, and a block must not be used longer than it is good.
        let now_ns = self.clock.monotonic_ns();
        let of_block = (limit > EXACT_LIMIT).then(|| self.blocks.take(name, limit, now_ns)).flatten();
        of_block.or_else(|| self.notes.closed(name, limit, now_ns))
    }

    /// A request that could not wait. Somebody else may have heard meanwhile that nothing is left.
    fn decide_unheard(&self, claim: &Claim<'_>, unheard: &Unheard) -> Charge {
        if let Some(refusal) = self.notes.closed(claim.name, claim.limit, self.clock.monotonic_ns()) {
            return self.settle(claim, refusal);
        }
        let charge = self.take_share(claim);
        if charge.verdict.admitted {
            unheard.was_admitted();
        }
        charge
    }

    /// Counts a request that Redis admitted in the replica's own ring. If this replica alone has admitted the whole limit, Redis has
    /// forgotten the ring, as one does that evicts keys: then the replica's word stands.
    fn settle(&self, claim: &Claim<'_>, answer: Answer) -> Charge {
        let verdict = answer.verdict(claim.now);
        if !answer.is_admitted {
            return Charge { verdict, unit: Unit::Own };
        }
        let own = claim.own.confirm(claim.limit, claim.window_ns, claim.now.monotonic_ns);
        if own.admitted {
            Charge { verdict, unit: unit(&answer) }
        } else {
            Charge { verdict: own, unit: Unit::Own }
        }
    }

    fn own_limit(&self, claim: &Claim<'_>) -> u32 {
        self.share.load().of(claim.limit)
    }

    /// The limit that is told stays the plan's; what remains is the share's.
    fn take_share(&self, claim: &Claim<'_>) -> Charge {
        let verdict = claim.own.take(self.own_limit(claim), claim.window_ns, claim.now.monotonic_ns);
        Charge { verdict: Verdict { limit: claim.limit, ..verdict }, unit: Unit::Own }
    }

    fn peek_share(&self, claim: &Claim<'_>) -> Verdict {
        let verdict = claim.own.peek(self.own_limit(claim), claim.window_ns, claim.now.monotonic_ns);
        Verdict { limit: claim.limit, ..verdict }
    }
}

fn unit(answer: &Answer) -> Unit {
    if answer.limit > EXACT_LIMIT { Unit::Block } else { Unit::Ring { at_us: answer.at_us } }
}
