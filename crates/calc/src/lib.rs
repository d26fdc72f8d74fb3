//! Calculations on series: other units, longer periods, monetary correction, accumulated rates, identities, and
//! exchange rates between two foreign currencies.
//!
//! Results are exact: as if computed with unlimited precision and rounded once at the end, by the rule that
//! docs/calculations.md gives. Nothing here reads a clock or a file, or depends on HTTP.

mod accumulation;
mod annual_rate;
mod asked;
mod calculation;
mod chain;
mod chained;
mod correction;
mod cross;
mod currency;
mod enclosure;
mod fraction;
mod identities;
mod legal_interest;
mod levels;
mod logarithm;
mod month;
mod periods;
mod power_of_ten;
mod rounding;
mod transform;
mod units;

pub use accumulation::{Rate, accumulation};
pub use asked::{Asked, Derived};
pub use calculation::{CalcError, Calculation, Step};
pub use correction::{calculated_with, correction, is_price_index};
pub use cross::{Legs, cross, inverse};
pub use identities::{Check, checks, checks_of};
pub use legal_interest::legal_interest;
pub use month::Month;
pub use periods::{Aggregation, Period};
pub use transform::derive;
pub use units::{Units, shown_unit};
