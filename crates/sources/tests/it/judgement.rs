//! Decisions between reading and storing.

use lastro_model::{Currency, Day, Decimal, FxQuote, Pair, RatePoint};
use lastro_sources::Rhythm;
use lastro_sources::judgement::{
    day_month_flip, empty, implausible_change, implausible_quotes, implausible_rates, lost_rows,
};
use proptest::prelude::*;

use crate::fixture::{day, number};

#[test]
fn an_empty_file_is_refused() {
    assert!(empty(0).is_err());
    assert!(empty(1).is_ok());
}

#[test]
fn a_file_may_lose_one_row_of_twenty_and_no_more() {
    assert!(lost_rows(100, 95).is_ok());
    assert_eq!(
        lost_rows(100, 94).unwrap_err().to_string(),
        "it has 94 rows where 100 were held: more than 5 % are lost"
    );
    assert!(lost_rows(0, 0).is_ok());
    assert!(lost_rows(2_510, 2_600).is_ok());
    assert!(lost_rows(u64::MAX, 1).is_err());
    assert!(lost_rows(u64::MAX, u64::MAX).is_ok());
}

fn year_of_days(first: &str) -> Vec<Day> {
    (0..365).map(|n| day(first).plus_days(n)).collect()
}

#[test]
fn days_and_months_swapped_are_noticed() {
    let straight = year_of_days("2025-01-01");
    assert!(day_month_flip(Rhythm::Daily, &straight).is_ok());
    let swapped: Vec<Day> =
        straight.iter().filter_map(|d| Day::from_ymd(d.year(), d.day_of_month(), d.month()).ok()).collect();
    assert_eq!(swapped.len(), 144);
    assert!(day_month_flip(Rhythm::Daily, &swapped).is_err());
    assert!(day_month_flip(Rhythm::Daily, &year_of_days("2025-02-01")[..12]).is_ok(), "too few to tell");
}

#[test]
fn months_that_all_land_in_january_are_noticed() {
    let months: Vec<Day> = (1..=12).map(|month| Day::from_ymd(2025, month, 1).unwrap()).collect();
    assert!(day_month_flip(Rhythm::Monthly, &months).is_ok());
    let swapped: Vec<Day> = (1..=12).map(|month| Day::from_ymd(2025, 1, month).unwrap()).collect();
    assert!(day_month_flip(Rhythm::Monthly, &swapped).is_err());
    let januaries: Vec<Day> = (2020..2026).map(|year| Day::from_ymd(year, 1, 1).unwrap()).collect();
    assert!(day_month_flip(Rhythm::Monthly, &januaries).is_ok());
}

fn rates(points: &[(&str, &str)]) -> Vec<RatePoint> {
    points.iter().map(|(at, value)| RatePoint { day: day(at), value: number(value) }).collect()
}

#[test]
fn a_lost_decimal_point_is_refused_and_a_correction_is_not() {
    let held = rates(&[("2025-01-02", "12.25"), ("2025-01-03", "12.25")]);
    let verdict = |value| implausible_rates(&held, &rates(&[("2025-01-03", value), ("2025-01-06", "1225")]));
    for plausible in ["12.25", "12.2500", "12.15", "13.25", "7.00"] {
        assert!(verdict(plausible).is_ok(), "{plausible}");
    }
    for implausible in ["1225", "0.1225", "-12.25", "0", "24.51"] {
        assert!(verdict(implausible).is_err(), "{implausible}");
    }
    assert_eq!(
        verdict("1225").unwrap_err().to_string(),
        "its value of 2025-01-03 is 1225 where 12.25 was published: an implausible change"
    );
}

#[test]
fn near_zero_a_factor_means_nothing() {
    let held = rates(&[("2025-08-01", "-0.02")]);
    assert!(implausible_rates(&held, &rates(&[("2025-08-01", "0.04")])).is_ok());
    assert!(implausible_rates(&held, &rates(&[("2025-08-01", "0.44")])).is_err());
}

#[test]
fn quotes_are_compared_by_pair_and_day() {
    let quote = |code, buy, sell| FxQuote {
        day: day("2025-01-02"),
        pair: Pair::in_reais(Currency::parse(code).unwrap()),
        buy: number(buy),
        sell: number(sell),
    };
    let held = [quote("USD", "6.20", "6.21"), quote("JPY", "0.03950", "0.03951")];
    assert!(
        implausible_quotes(&held, &[quote("JPY", "0.03951", "0.03952"), quote("EUR", "600", "600")]).is_ok()
    );
    assert!(implausible_quotes(&held, &[quote("JPY", "3.951", "3.952")]).is_err());
    assert!(implausible_quotes(&held, &[quote("USD", "6.20", "621")]).is_err());
}

proptest! {
    #[test]
    fn plausibility_has_no_direction(a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000) {
        let (a, b) = (Decimal::new(a, 2), Decimal::new(b, 2));
        prop_assert_eq!(
            implausible_change(a, b, Decimal::ONE),
            implausible_change(b, a, Decimal::ONE)
        );
        prop_assert!(!implausible_change(a, a, Decimal::ZERO));
    }

    #[test]
    fn the_largest_numbers_do_not_panic(a: i128, b: i128) {
        let clamp = |n: i128| Decimal::from_i128_with_scale(n >> 32, 0);
        let _ = implausible_change(clamp(a), clamp(b), Decimal::ZERO);
        let _ = implausible_change(Decimal::MAX, Decimal::MIN, clamp(a).abs());
    }
}
