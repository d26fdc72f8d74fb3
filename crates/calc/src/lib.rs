//! What is computed from series: other units, longer periods, monetary correction, accumulated rates, identities, and
//! exchange rates between two foreign currencies.
//!
//! All of it is exact: as if computed with unlimited precision, and rounded once, at the end, by the rule that
//! docs/calculations.md gives. Nothing here reads a clock or a file, and nothing knows HTTP.

mod chain;
mod chained;
mod enclosure;
mod fraction;
mod levels;
mod logarithm;
mod periods;
mod rounding;
mod transform;
mod units;
mod words;

pub use periods::{Aggregation, Period};
pub use transform::{Asked, Derived, derive};
pub use units::{Units, shown_unit};
