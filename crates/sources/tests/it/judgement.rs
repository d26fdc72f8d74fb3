//! Decisions about a whole response, between parsing and storing.

use lastro_model::{Day, Frequency};
use lastro_sources::judgement::{day_month_flip, empty, future_deliveries, lost_rows, missing_rows};

use crate::fixture::day;

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

#[test]
fn more_than_one_in_twenty_missing_rows_are_refused() {
    assert!(missing_rows(200, 10).is_ok());
    assert_eq!(
        missing_rows(200, 11).unwrap_err().to_string(),
        "11 of the 200 stored rows are missing from it: more than 5 % are lost"
    );
    assert!(missing_rows(10, 9).is_ok(), "a few rows are corrections");
    assert!(missing_rows(10, 10).is_err());
    assert!(missing_rows(0, 0).is_ok());
    assert!(missing_rows(u64::MAX, u64::MAX).is_err());
}

#[test]
fn an_archive_mostly_of_the_future_is_refused_from_fifty_rows() {
    assert!(future_deliveries(2, 1).is_ok(), "the first archive of a year");
    assert!(future_deliveries(49, 0).is_ok());
    assert!(future_deliveries(50, 50).is_ok());
    assert_eq!(
        future_deliveries(50, 49).unwrap_err().to_string(),
        "50 of its 99 rows are delivered in the future"
    );
}

fn year_of_days(first: &str) -> Vec<Day> {
    (0..365).map(|n| day(first).plus_days(n)).collect()
}

#[test]
fn days_and_months_swapped_are_noticed() {
    let straight = year_of_days("2025-01-01");
    assert!(day_month_flip(Frequency::BusinessDays, &straight).is_ok());
    let swapped: Vec<Day> =
        straight.iter().filter_map(|d| Day::from_ymd(d.year(), d.day_of_month(), d.month()).ok()).collect();
    assert_eq!(swapped.len(), 144);
    assert!(day_month_flip(Frequency::BusinessDays, &swapped).is_err());
    assert!(
        day_month_flip(Frequency::BusinessDays, &year_of_days("2025-02-01")[..12]).is_ok(),
        "too few to tell"
    );
}

#[test]
fn months_that_all_land_in_january_are_noticed() {
    let months: Vec<Day> = (1..=12).map(|month| Day::from_ymd(2025, month, 1).unwrap()).collect();
    assert!(day_month_flip(Frequency::Months, &months).is_ok());
    let swapped: Vec<Day> = (1..=12).map(|month| Day::from_ymd(2025, 1, month).unwrap()).collect();
    assert!(day_month_flip(Frequency::Months, &swapped).is_err());
    let januaries: Vec<Day> = (2020..2026).map(|year| Day::from_ymd(year, 1, 1).unwrap()).collect();
    assert!(day_month_flip(Frequency::Months, &januaries).is_ok());
}
