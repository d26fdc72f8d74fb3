//! How far apart two values of one series may be, by what its numbers are.
//!
//! The bounds are wide: the steps of the last ten years would lie within them if they had been twice as long, and those of worse
//! years lie within them as they were. A decimal point that was lost or shifted lies outside.

use lastro_model::Kind;
use rust_decimal::Decimal;

const fn decimal(units: u32, scale: u32) -> Decimal {
    Decimal::from_parts(units, 0, 0, false, scale)
}

/// The longest steps of the central bank had 1.5 points since 2000. Near zero such a step is a large factor and no slip.
const RATE_STEP: Decimal = decimal(15, 1);
/// The same step, in a day.
const DAY_RATE_STEP: Decimal = decimal(6, 3);
/// Above that a rate moves by factors: from 25 to 45 in March 1999, and never threefold.
const RATE_FACTOR: Decimal = decimal(3, 0);

/// A month may differ by so many points, and by its neighbour's level on top: when prices rose by 80 % a month, a freeze
/// brought them to 15, and the months before had climbed by 20.
const MONTH_POINTS: Decimal = decimal(5, 0);

/// Twelve months differ by one that comes and one that goes, and by more where the level is high.
const YEAR_POINTS: Decimal = decimal(2, 0);
const YEAR_LEVEL: Decimal = decimal(25, 2);

/// No currency doubled overnight against the real, nor halved: the worst days of 1999 had a tenth. Wages rose by 42 % at most.
const PRICE_FACTOR: Decimal = Decimal::TWO;

/// Industry made a fifth less in April 2020, and that was the worst month; what is outstanding moves by a tenth at most.
const LEVEL_FACTOR: Decimal = decimal(15, 1);

/// A balance swings through zero. Of its neighbours one is large enough to tell a swing from a decimal point.
const FLOW_LEVELS: Decimal = decimal(5, 0);

/// A share moves by points, and by more where it is large: as many as twenty of sixty items no longer rise.
const SHARE_POINTS: Decimal = decimal(3, 0);
const SHARE_LEVEL: Decimal = decimal(5, 1);

/// What was published is corrected in its last digits, if at all; so much is no question, for near zero a factor means nothing.
const RATE_CORRECTION: Decimal = decimal(1, 1);
const DAY_RATE_CORRECTION: Decimal = decimal(4, 4);
const MONTH_CORRECTION: Decimal = decimal(5, 1);

/// How far a value is from its neighbour: 0 where they are equal, up to 1 where both can be true, and the more the further.
pub(super) fn strain(kind: Kind, value: Decimal, neighbour: Decimal) -> Decimal {
    let points = |allowed| by_points(value, neighbour, allowed);
    let factor = |allowed| by_factor(value, neighbour, allowed);
    let level = |share: Decimal| neighbour.abs().saturating_mul(share);
    let strain = match kind {
        Kind::RatePerYear => nearer(points(RATE_STEP), factor(RATE_FACTOR)),
        Kind::RatePerDay => nearer(points(DAY_RATE_STEP), factor(RATE_FACTOR)),
        Kind::RatePerMonth | Kind::SimpleRatePerMonth => {
            points(MONTH_POINTS.saturating_add(level(Decimal::ONE)))
        }
        Kind::Change12Months => points(YEAR_POINTS.saturating_add(level(YEAR_LEVEL))),
        Kind::Share => points(SHARE_POINTS.saturating_add(level(SHARE_LEVEL))),
        Kind::Flow => points(level(FLOW_LEVELS).max(Decimal::ONE)),
        Kind::Index | Kind::Stock => factor(LEVEL_FACTOR),
        Kind::Price => factor(PRICE_FACTOR),
    };
    strain.unwrap_or(Decimal::MAX)
}

/// Whether a value that was published has become another one, rather than a corrected one.
///
/// Indices, flows and shares are revised as a whole, indices to another base: only their neighbours can tell.
pub(super) fn is_another_value(kind: Kind, old: Decimal, new: Decimal) -> bool {
    let beyond = |points| by_points(old, new, points).is_none_or(|strain| strain > Decimal::ONE);
    let doubled_or_halved = || by_factor(old, new, Decimal::TWO).is_none_or(|strain| strain > Decimal::ONE);
    match kind {
        Kind::RatePerYear => beyond(RATE_CORRECTION) && doubled_or_halved(),
        Kind::RatePerDay => beyond(DAY_RATE_CORRECTION) && doubled_or_halved(),
        Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Change12Months => beyond(MONTH_CORRECTION),
        Kind::Index | Kind::Flow | Kind::Share => false,
        Kind::Stock | Kind::Price => doubled_or_halved(),
    }
}

/// Whether a year has its seasons in these numbers, so that a month is like that of the year before: schools raise their
/// fees in February, and harvests are sold in autumn.
pub(super) const fn has_seasons(kind: Kind) -> bool {
    matches!(kind, Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Flow)
}

/// Of two measures, either of which would do.
fn nearer(a: Option<Decimal>, b: Option<Decimal>) -> Option<Decimal> {
    a.into_iter().chain(b).min()
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
