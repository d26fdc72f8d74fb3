//! Plausible distances between two values of a series, by its kind.
//!
//! The bounds are wide: the steps of the last ten years would fit even if doubled, and those of worse years fit as
//! they were. A lost or shifted decimal point does not fit.

use lastro_model::Kind;
use rust_decimal::Decimal;

const fn decimal(units: u32, scale: u32) -> Decimal {
    Decimal::from_parts(units, 0, 0, false, scale)
}

/// The central bank's largest steps since 2000 had 1.5 points. Near zero such a step is a large factor, but no error.
const RATE_STEP: Decimal = decimal(15, 1);
/// The same step for a rate per day.
const DAY_RATE_STEP: Decimal = decimal(6, 3);
/// Above that a rate moves by factors: from 25 to 45 in March 1999, and never threefold.
const RATE_FACTOR: Decimal = decimal(3, 0);

/// Points by which a month may differ, plus its neighbour's level: when prices rose by 80 % a month, a freeze brought
/// them to 15, and the months before had climbed by 20.
const MONTH_POINTS: Decimal = decimal(5, 0);

/// Twelve-month changes differ by one month added and one dropped, and by more at high levels.
const YEAR_POINTS: Decimal = decimal(2, 0);
const YEAR_LEVEL: Decimal = decimal(25, 2);

/// No currency doubled or halved overnight against the real: the worst days of 1999 had a tenth. Wages rose by 42 %
/// at most.
const PRICE_FACTOR: Decimal = Decimal::TWO;

/// Industrial output fell by a fifth in April 2020, the worst month; outstanding amounts move by a tenth at most.
const LEVEL_FACTOR: Decimal = decimal(15, 1);

/// A balance swings through zero. One of its neighbours is large enough to distinguish a swing from a shifted decimal
/// point.
const FLOW_LEVELS: Decimal = decimal(5, 0);

/// A share moves by points, and by more if it is large: as many as twenty of sixty items may stop rising.
const SHARE_POINTS: Decimal = decimal(3, 0);
const SHARE_LEVEL: Decimal = decimal(5, 1);

/// Corrections change only the last digits, if any. Up to these points they always pass, because near zero a factor
/// means nothing.
const RATE_CORRECTION: Decimal = decimal(1, 1);
const DAY_RATE_CORRECTION: Decimal = decimal(4, 4);
const MONTH_CORRECTION: Decimal = decimal(5, 1);

/// The strain between a value and its neighbour: 0 if equal, up to 1 if both are plausible, growing with the
/// distance.
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

/// Whether a published value was replaced by a different one rather than corrected.
///
/// Indices, flows and shares are revised as a whole, indices to another base: only comparison with neighbours can
/// decide.
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

/// Whether these numbers are seasonal, so that a month resembles the same month of the year before: school fees rise
/// in February, and harvests are sold in autumn.
pub(super) const fn has_seasons(kind: Kind) -> bool {
    matches!(kind, Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Flow)
}

/// The smaller of two measures, either of which suffices.
fn nearer(a: Option<Decimal>, b: Option<Decimal>) -> Option<Decimal> {
    a.into_iter().chain(b).min()
}

/// The distance in units of `allowed` points; `None` if the numbers are too large to subtract.
fn by_points(a: Decimal, b: Decimal, allowed: Decimal) -> Option<Decimal> {
    a.checked_sub(b)?.abs().checked_div(allowed)
}

/// The factor between two values relative to `allowed`; `None` unless both are positive.
fn by_factor(a: Decimal, b: Decimal, allowed: Decimal) -> Option<Decimal> {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small <= Decimal::ZERO {
        return None;
    }
    large.checked_div(small)?.checked_sub(Decimal::ONE)?.checked_div(allowed.checked_sub(Decimal::ONE)?)
}
