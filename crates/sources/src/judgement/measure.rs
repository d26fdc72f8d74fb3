//! How far apart two values of one series may be, by what its numbers are.
//!
//! The bounds are wide: the steps of the last ten years would lie within them if they had been twice as long, and those of worse
//! years lie within them as they were. A decimal point that was lost or shifted lies outside.

use lastro_model::Kind;
use rust_decimal::Decimal;

/// The longest steps of the central bank had 1.5 points since 2000. Near zero such a step is a large factor and no slip.
const RATE_STEP: Decimal = Decimal::from_parts(15, 0, 0, false, 1);
/// Above that a rate moves by factors: from 25 to 45 in March 1999, and never threefold.
const RATE_FACTOR: Decimal = Decimal::from_parts(3, 0, 0, false, 0);

/// A month may differ by so many points, and by its neighbour's level on top: when prices rose by 80 % a month, a freeze
/// brought them to 15, and the months before had climbed by 20.
const MONTH_POINTS: Decimal = Decimal::from_parts(5, 0, 0, false, 0);

/// No currency doubled overnight against the real, nor halved: the worst days of 1999 had a tenth.
const PRICE_FACTOR: Decimal = Decimal::TWO;

/// What was published is corrected in its last digits, if at all; so much is no question, for near zero a factor means nothing.
const RATE_CORRECTION: Decimal = Decimal::from_parts(1, 0, 0, false, 1);
const MONTH_CORRECTION: Decimal = Decimal::from_parts(5, 0, 0, false, 1);

/// How far a value is from its neighbour: 0 where they are equal, up to 1 where both can be true, and the more the further.
pub(super) fn strain(kind: Kind, value: Decimal, neighbour: Decimal) -> Decimal {
    let strain = match kind {
        Kind::RatePerYear => {
            let points = by_points(value, neighbour, RATE_STEP);
            let factor = by_factor(value, neighbour, RATE_FACTOR);
            points.into_iter().chain(factor).min()
        }
        Kind::RatePerDay | Kind::Index | Kind::Stock => by_factor(value, neighbour, PRICE_FACTOR),
        Kind::Flow | Kind::Share => Some(Decimal::ZERO),
        Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Change12Months => {
            by_points(value, neighbour, MONTH_POINTS.saturating_add(neighbour.abs()))
        }
        Kind::Price => by_factor(value, neighbour, PRICE_FACTOR),
    };
    strain.unwrap_or(Decimal::MAX)
}

/// Whether a value that was published has become another one, rather than a corrected one.
pub(super) fn is_another_value(kind: Kind, old: Decimal, new: Decimal) -> bool {
    let beyond = |points| by_points(old, new, points).is_none_or(|strain| strain > Decimal::ONE);
    let doubled_or_halved = || by_factor(old, new, Decimal::TWO).is_none_or(|strain| strain > Decimal::ONE);
    match kind {
        Kind::RatePerYear => beyond(RATE_CORRECTION) && doubled_or_halved(),
        Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Change12Months => beyond(MONTH_CORRECTION),
        Kind::Flow | Kind::Share => false,
        Kind::RatePerDay | Kind::Index | Kind::Stock | Kind::Price => doubled_or_halved(),
    }
}

/// `None` where the numbers are too large to be subtracted.
fn by_points(a: Decimal, b: Decimal, allowed: Decimal) -> Option<Decimal> {
    a.checked_sub(b)?.abs().checked_div(allowed)
}

/// `None` where one of them is not above zero, so that no factor leads from one to the other.
fn by_factor(a: Decimal, b: Decimal, allowed: Decimal) -> Option<Decimal> {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small <= Decimal::ZERO {
        return None;
    }
    large.checked_div(small)?.checked_sub(Decimal::ONE)?.checked_div(allowed.checked_sub(Decimal::ONE)?)
}
