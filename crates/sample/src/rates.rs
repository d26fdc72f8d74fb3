//! Made-up values of a series by its kind, oldest first: a target in steps like the committee's, market rates a little below it,
//! prices that rise with the seasons.

use std::ops::RangeInclusive;

use lastro_model::{About, Day, Decimal, Frequency, Kind, RatePoint, Series};

use super::calendar::{days_of_last_years, is_business_day, newest_day};
use super::random::Random;

const YEARS: i32 = 3;
const MONTHS: i32 = 60;
const DAYS_BETWEEN_MEETINGS: i32 = 45;

/// All values are hundredths of a percent.
const SELIC_FIRST: i32 = 1_275;
const SELIC_LOWEST: i32 = 900;
const SELIC_HIGHEST: i32 = 1_500;
const SELIC_STEP: i32 = 25;
const MARKET_BELOW_TARGET: i32 = 10;
const PRICES: RangeInclusive<i32> = 480..=530;

/// The values of a series by what they are; the row of the table says the rest.
pub fn rates(series: Series, seed: u64) -> Vec<RatePoint> {
    let About { kind, frequency, decimals, id, .. } = series.about();
    let point = |(day, hundredths)| RatePoint { day, value: with_decimals(hundredths, *decimals) };
    match kind {
        Kind::RatePerYear | Kind::RatePerDay => year_rates(*frequency, seed).map(point).collect(),
        _ if *frequency == Frequency::BusinessDays => year_rates(*frequency, seed).map(point).collect(),
        Kind::RatePerMonth | Kind::SimpleRatePerMonth => {
            by_month(id, seed, monthly_inflation).map(point).collect()
        }
        _ => by_month(id, seed, |random, _| random.between(PRICES))
            .filter(|(day, _)| has_value(*frequency, *day))
            .map(point)
            .collect(),
    }
}

fn with_decimals(hundredths: i32, decimals: u32) -> Decimal {
    let mut value = Decimal::new(i64::from(hundredths), 2);
    value.rescale(decimals);
    value
}

/// The committee's target where every day has a value; a little less where the market makes it.
fn year_rates(frequency: Frequency, seed: u64) -> impl Iterator<Item = (Day, i32)> {
    let below = if frequency == Frequency::CalendarDays { 0 } else { MARKET_BELOW_TARGET };
    targets(seed)
        .filter(move |(day, _)| has_value(frequency, *day))
        .map(move |(day, target)| (day, target - below))
}

fn has_value(frequency: Frequency, day: Day) -> bool {
    match frequency {
        Frequency::CalendarDays => true,
        Frequency::BusinessDays => is_business_day(day),
        Frequency::Months => day.day_of_month() == 1,
        Frequency::Years => day.day_of_month() == 1 && day.month() == 1,
    }
}

/// The target in force on every calendar day, weekends included, as the central bank publishes it.
fn targets(seed: u64) -> impl Iterator<Item = (Day, i32)> {
    let mut random = Random::new(seed, "selic");
    let (mut target, mut direction, mut next_meeting) = (SELIC_FIRST, -1, DAYS_BETWEEN_MEETINGS);
    days_of_last_years(YEARS).zip(0..).map(move |(day, index)| {
        if index >= next_meeting && is_thursday(day) {
            (target, direction) = next_target(&mut random, target, direction);
            next_meeting += DAYS_BETWEEN_MEETINGS;
        }
        (day, target)
    })
}

/// A new target holds from the day after the committee met, which it does on Wednesdays.
fn is_thursday(day: Day) -> bool {
    // Day 0, 1970-01-01, was one.
    day.number() % 7 == 0
}

/// A cycle of cuts or rises lasts for some meetings; before it turns, the committee waits.
fn next_target(random: &mut Random, target: i32, direction: i32) -> (i32, i32) {
    let steps = random.pick(&[0, 0, 1, 1, 2, 2, 3]);
    let wanted = target + direction * steps * SELIC_STEP;
    let turns = random.chance(20) || !(SELIC_LOWEST..=SELIC_HIGHEST).contains(&wanted);
    if turns { (target, -direction) } else { (wanted, direction) }
}

/// Ends with the month before the newest day's: a month's figure comes out in the next.
fn by_month(
    purpose: &str,
    seed: u64,
    value: impl Fn(&mut Random, Day) -> i32,
) -> impl Iterator<Item = (Day, i32)> {
    let mut random = Random::new(seed, purpose);
    let newest = newest_day();
    let first_of_month = newest.plus_days(1 - i32::from(newest.day_of_month()));
    (1..=MONTHS).rev().map(move |months_back| {
        let month = first_of_month.minus_months(months_back);
        (month, value(&mut random, month))
    })
}

/// Prices rise most at the turn of the year; in winter they fall now and then.
fn monthly_inflation(random: &mut Random, month: Day) -> i32 {
    match month.month() {
        12 | 1..=3 => random.between(30..=95),
        6..=8 if random.chance(30) => random.between(-45..=-2),
        _ => random.between(8..=62),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selic_has_every_calendar_day() {
        let points = rates(Series::Selic, 1);
        assert_eq!(points.len(), 1097);
        assert_eq!(points.last().unwrap().day, newest_day());
        assert!(points.windows(2).all(|pair| pair[1].day == pair[0].day.plus_days(1)));
    }

    #[test]
    fn selic_moves_by_quarters_of_a_point_after_meetings_and_stays_in_its_bounds() {
        for seed in 0..50 {
            let points = rates(Series::Selic, seed);
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

    #[test]
    fn cdi_follows_selic_on_business_days() {
        let selic = rates(Series::Selic, 1);
        for point in rates(Series::Cdi, 1) {
            assert!(is_business_day(point.day));
            let target = selic.iter().find(|p| p.day == point.day).unwrap().value;
            assert_eq!(target - point.value, Decimal::new(10, 2));
        }
    }

    #[test]
    fn ipca_has_sixty_first_days_of_months_and_some_falls() {
        let points = rates(Series::Ipca, 1);
        assert_eq!(points.len(), 60);
        assert!(points.iter().all(|p| p.day.day_of_month() == 1));
        assert!(points.windows(2).all(|pair| pair[0].day == pair[1].day.minus_months(1)));
        assert_eq!(points.last().unwrap().day, Day::parse("2026-09-01").unwrap());
        let falls = points.iter().filter(|p| p.value.is_sign_negative()).count();
        assert!((1..=15).contains(&falls), "{falls}");
    }

    #[test]
    fn every_value_has_the_decimals_of_its_series() {
        for series in Series::ALL {
            let points = rates(series, 7);
            assert!(!points.is_empty());
            assert!(points.iter().all(|point| point.value.scale() == series.about().decimals));
        }
    }
}
