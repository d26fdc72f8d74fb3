//! Made-up interest: a target in steps like the committee's, a market rate a little below, and rates derived from it.

use std::collections::HashMap;

use lastro_model::{Day, Decimal, RatePoint};

use super::calendar::{days_of_last_years, is_business_day};
use super::random::Random;
use super::rates::{YEARS, with_decimals};

const DAYS_BETWEEN_MEETINGS: i32 = 45;
const DAYS_OF_A_YEAR: u32 = 252;

/// Targets, in hundredths of a percent.
const FIRST: i32 = 1_275;
const LOWEST: i32 = 900;
const HIGHEST: i32 = 1_500;
const STEP: i32 = 25;
const MARKET_BELOW_TARGET: i32 = 10;

/// The target in force on every calendar day, including weekends, as the central bank publishes it.
pub(super) fn targets(seed: u64) -> Vec<RatePoint> {
    steps(seed).map(|(day, target)| RatePoint { day, value: hundredths(target) }).collect()
}

/// The yearly market rate on business days.
pub(super) fn by_year(seed: u64) -> Vec<RatePoint> {
    market(seed).map(|(day, rate)| RatePoint { day, value: hundredths(rate) }).collect()
}

/// The daily market rate on business days.
pub(super) fn by_day(seed: u64) -> Vec<RatePoint> {
    let mut rates = DayRates::default();
    market(seed).map(|(day, rate)| RatePoint { day, value: rates.of(rate) }).collect()
}

/// The compounded daily rates of each of these months, in percent.
pub(super) fn by_month(seed: u64, months: &[Day]) -> Vec<RatePoint> {
    let month = |(day, factor): (Day, Decimal)| RatePoint { day, value: with_decimals(percent(factor), 2) };
    factors(seed, months).into_iter().map(month).collect()
}

/// Legal interest: the interest of the previous month without its inflation, and at least zero.
pub(super) fn legal(seed: u64, months: &[Day], inflation: &[RatePoint]) -> Vec<RatePoint> {
    let before: Vec<Day> = months.iter().map(|month| month.minus_months(1)).collect();
    let real = |(month, factor): (Day, Decimal)| {
        let prices = inflation.iter().find(|point| point.day == month)?;
        let prices = Decimal::ONE + prices.value / Decimal::ONE_HUNDRED;
        let rate = percent(factor.round_dp(8) / prices).max(Decimal::ZERO);
        Some(RatePoint { day: month.minus_months(-1), value: with_decimals(rate, 6) })
    };
    factors(seed, &before).into_iter().filter_map(real).collect()
}

/// Savings interest: the reference rate plus half a percent a month.
pub(super) fn savings(reference: &[RatePoint]) -> Vec<RatePoint> {
    let on_top = Decimal::new(1_005, 3);
    let of = |point: &RatePoint| percent((Decimal::ONE + point.value / Decimal::ONE_HUNDRED) * on_top);
    reference.iter().map(|point| RatePoint { day: point.day, value: with_decimals(of(point), 4) }).collect()
}

/// The product of each month's daily factors. Days before the first target use the first rate.
fn factors(seed: u64, months: &[Day]) -> Vec<(Day, Decimal)> {
    let known: HashMap<Day, i32> = market(seed).collect();
    let mut rates = DayRates::default();
    let mut factor = |month: Day| {
        let days = (month.number()..month.minus_months(-1).number()).filter_map(Day::from_number);
        days.filter(|day| is_business_day(*day)).fold(Decimal::ONE, |product, day| {
            let rate = known.get(&day).copied().unwrap_or(FIRST - MARKET_BELOW_TARGET);
            product * (Decimal::ONE + rates.of(rate) / Decimal::ONE_HUNDRED)
        })
    };
    months.iter().map(|month| (*month, factor(*month))).collect()
}

fn market(seed: u64) -> impl Iterator<Item = (Day, i32)> {
    let open = steps(seed).filter(|(day, _)| is_business_day(*day));
    open.map(|(day, target)| (day, target - MARKET_BELOW_TARGET))
}

fn steps(seed: u64) -> impl Iterator<Item = (Day, i32)> {
    let mut random = Random::new(seed, "selic");
    let (mut target, mut direction, mut next_meeting) = (FIRST, -1, DAYS_BETWEEN_MEETINGS);
    days_of_last_years(YEARS).zip(0..).map(move |(day, index)| {
        if index >= next_meeting && is_thursday(day) {
            (target, direction) = next_target(&mut random, target, direction);
            next_meeting += DAYS_BETWEEN_MEETINGS;
        }
        (day, target)
    })
}

/// Whether a new target may take effect: the committee meets on Wednesdays, and its target holds from the next day.
fn is_thursday(day: Day) -> bool {
    // Day 0, 1970-01-01, was a Thursday.
    day.number() % 7 == 0
}

/// Draws the next target and direction. A cycle of cuts or rises lasts some meetings, with a pause before it turns.
fn next_target(random: &mut Random, target: i32, direction: i32) -> (i32, i32) {
    let steps = random.pick(&[0, 0, 1, 1, 2, 2, 3]);
    let wanted = target + direction * steps * STEP;
    let turns = random.chance(20) || !(LOWEST..=HIGHEST).contains(&wanted);
    if turns { (target, -direction) } else { (wanted, direction) }
}

/// A cache of daily rates; there are few different ones.
#[derive(Default)]
struct DayRates(HashMap<i32, Decimal>);

impl DayRates {
    fn of(&mut self, rate: i32) -> Decimal {
        *self.0.entry(rate).or_insert_with(|| day_rate(hundredths(rate)))
    }
}

/// The daily rate, with six decimals, that compounds to a yearly one over its business days: a root by Newton's method.
fn day_rate(per_year: Decimal) -> Decimal {
    let wanted = Decimal::ONE + per_year / Decimal::ONE_HUNDRED;
    let days = Decimal::from(DAYS_OF_A_YEAR);
    let mut factor = Decimal::ONE + (wanted - Decimal::ONE) / days;
    // The number of correct digits doubles with each step; four steps are plenty.
    for _ in 0..4 {
        let reached = power(factor, DAYS_OF_A_YEAR);
        factor -= factor * (reached - wanted) / (reached * days);
    }
    with_decimals(percent(factor), 6)
}

fn power(mut base: Decimal, mut exponent: u32) -> Decimal {
    let mut power = Decimal::ONE;
    while exponent > 0 {
        if exponent % 2 == 1 {
            power *= base;
        }
        base *= base;
        exponent /= 2;
    }
    power
}

fn percent(factor: Decimal) -> Decimal {
    (factor - Decimal::ONE) * Decimal::ONE_HUNDRED
}

fn hundredths(value: i32) -> Decimal {
    Decimal::new(value.into(), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn rates_per_day_are_those_that_were_published() {
        for (per_year, per_day) in [
            ("4.40", "0.017089"),
            ("12.15", "0.045513"),
            ("6.89", "0.026444"),
            ("13.65", "0.050788"),
            ("14.90", "0.055131"),
        ] {
            assert_eq!(day_rate(number(per_year)), number(per_day));
        }
    }

    #[test]
    fn target_moves_by_quarter_points_within_bounds() {
        for seed in 0..50 {
            let points = targets(seed);
            let moves: Vec<_> = points.windows(2).filter(|pair| pair[0].value != pair[1].value).collect();
            assert!(!moves.is_empty(), "seed {seed}");
            for pair in &moves {
                assert!(((pair[1].value - pair[0].value) % Decimal::new(25, 2)).is_zero());
                assert!(is_thursday(pair[1].day));
            }
            assert!(moves.windows(2).all(|two| two[1][0].day.number() - two[0][0].day.number() > 35));
            let bounds = Decimal::new(900, 2)..=Decimal::new(1_500, 2);
            assert!(points.iter().all(|point| bounds.contains(&point.value)));
        }
    }
}
