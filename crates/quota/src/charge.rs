//! A claim to a unit of a limit, and its outcome.

use lastro_access::Verdict;
use lastro_model::Now;

use crate::fallback::OwnRing;
use crate::names::RingName;

/// A request, registration or rotation that needs a unit.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub name: RingName,
    pub own: OwnRing<'a>,
    pub limit: u32,
    pub window_ns: u64,
    pub now: Now,
}

/// The outcome of a claim, and the origin of its unit.
#[derive(Debug, Clone, Copy)]
pub struct Charge {
    pub verdict: Verdict,
    pub unit: Unit,
}

/// The origin of a unit, needed to give it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// This process' own ring alone, or none.
    Own,
    /// A ring in Redis, which holds the unit under this instant.
    Ring { at_us: u64 },
    /// A block of this replica.
    Block,
}
