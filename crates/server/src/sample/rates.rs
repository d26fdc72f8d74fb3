//! Made-up percentage series, oldest first: Selic in steps like the committee's, CDI a little below it, IPCA by month.

use lastro_model::{Day, Decimal, RatePoint, Series};

use super::calendar::{days_of_last_years, is_business_day, newest_day};
use super::dice::Dice;

const YEARS: i32 = 3;
const MONTHS_OF_IPCA: i32 = 60;
const DAYS_BETWEEN_MEETINGS: i32 = 45;

/// All values are hundredths of a percent.
const SELIC_FIRST: i32 = 1_275;
const SELIC_LOWEST: i32 = 900;
const SELIC_HIGHEST: i32 = 1_500;
const SELIC_STEP: i32 = 25;
const CDI_BELOW_SELIC: i32 = 10;

pub fn rates(series: Series, seed: u64) -> Vec<RatePoint> {
    match series {
        Series::Selic => selic(seed).map(|(day, value)| point(day, value)).collect(),
        Series::Cdi => selic(seed)
            .filter(|(day, _)| is_business_day(*day))
            .map(|(day, value)| point(day, value - CDI_BELOW_SELIC))
            .collect(),
        Series::Ipca => ipca(seed),
    }
}

fn point(day: Day, hundredths: i32) -> RatePoint {
    RatePoint { day, value: Decimal::new(i64::from(hundredths), 2) }
}

/// The target in force on every calendar day, weekends included, as the central bank publishes it.
fn selic(seed: u64) -> impl Iterator<Item = (Day, i32)> {
    let mut dice = Dice::new(seed, "selic");
    let (mut target, mut direction, mut next_meeting) = (SELIC_FIRST, -1, DAYS_BETWEEN_MEETINGS);
    days_of_last_years(YEARS).zip(0..).map(move |(day, index)| {
        if index >= next_meeting && is_thursday(day) {
            (target, direction) = next_target(&mut dice, target, direction);
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
fn next_target(dice: &mut Dice, target: i32, direction: i32) -> (i32, i32) {
    let steps = dice.pick(&[0, 0, 1, 1, 2, 2, 3]);
    let wanted = target + direction * steps * SELIC_STEP;
    let turns = dice.chance(20) || !(SELIC_LOWEST..=SELIC_HIGHEST).contains(&wanted);
    if turns { (target, -direction) } else { (wanted, direction) }
}

/// Ends with the month before the newest day's: a month's figure comes out in the next.
fn ipca(seed: u64) -> Vec<RatePoint> {
    let mut dice = Dice::new(seed, "ipca");
    let newest = newest_day();
    let first_of_month = newest.plus_days(1 - i32::from(newest.day_of_month()));
    (1..=MONTHS_OF_IPCA)
        .rev()
        .map(|months_back| first_of_month.minus_months(months_back))
        .map(|month| point(month, monthly_inflation(&mut dice, month)))
        .collect()
}

/// Prices rise most at the turn of the year; in winter they fall now and then.
fn monthly_inflation(dice: &mut Dice, month: Day) -> i32 {
    match month.month() {
        12 | 1..=3 => dice.between(30..=95),
        6..=8 if dice.chance(30) => dice.between(-45..=-2),
        _ => dice.between(8..=62),
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
    fn every_rate_has_two_decimals() {
        for series in [Series::Selic, Series::Cdi, Series::Ipca] {
            assert!(rates(series, 7).iter().all(|p| p.value.scale() == 2));
        }
    }
}
