//! Calculations on series: other units, longer periods, monetary correction, accumulated rates, debts,
//! savings, rents, identities, and exchange rates between two foreign currencies.
//!
//! Results are exact: as if computed with unlimited precision and rounded once at the end, by the rule that
//! docs/calculations.md gives. Nothing here reads a clock or a file, or depends on HTTP.

mod accumulation;
mod annual_rate;
mod asked;
mod calculation;
mod chained_units;
mod correction;
mod cross;
mod currency;
mod debt;
mod enclosure;
mod fraction;
mod identities;
mod legal_interest;
mod levels;
mod logarithm;
mod month;
mod periods;
mod power_of_ten;
mod product;
mod rent;
mod rounding;
mod savings;
mod transform;
mod units;
mod wages;

pub use accumulation::{Rate, accumulation};
pub use asked::{Asked, Derived};
pub use calculation::{CalcError, Calculation, Step, running_amount};
pub use correction::{calculated_with, correction, is_price_index};
pub use cross::{Legs, cross, inverse};
pub use debt::{
    Debt, DebtError, DebtLine, DebtRows, DebtTerms, FineBase, Instalment, Interest, InterestRule,
    MOST_INSTALMENTS, debt,
};
pub use identities::{Check, checks, checks_of};
pub use legal_interest::legal_interest;
pub use month::Month;
pub use periods::{Aggregation, Period};
pub use rent::{NegativeIndex, rent};
pub use savings::{savings, savings_series};
pub use transform::derive;
pub use units::{Units, shown_unit};
pub use wages::{MinimumWages, WageQuestion, minimum_wages};
