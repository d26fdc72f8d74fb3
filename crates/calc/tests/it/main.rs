//! Tests of the public API: published reference values, rules, and properties.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod calculations;
mod cross;
mod identities;
mod legality;
mod page;
mod people;
mod properties;
mod transforms;

use lastro_calc::{Aggregation, Asked, Derived, Month, Period, Units, derive};
use lastro_model::{About, Day, Decimal, RatePoint, Series};

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn month(text: &str) -> Month {
    Month::parse(text).unwrap()
}

fn about(id: &str) -> &'static About {
    Series::parse(id).unwrap().about()
}

/// A row for each month from the first one on.
fn months(first: &str, values: &[&str]) -> Vec<RatePoint> {
    let first = day(&format!("{first}-01"));
    let row = |(place, value): (usize, &&str)| RatePoint {
        day: first.minus_months(-i32::try_from(place).unwrap()),
        value: number(value),
    };
    values.iter().enumerate().map(row).collect()
}

/// The same value on every business day from the first day to the last.
fn business_days(first: &str, last: &str, value: &str) -> Vec<RatePoint> {
    let open = |day: &Day| lastro_model::calendar::is_business_day(*day) == Some(true);
    let days = (day(first).number()..=day(last).number()).filter_map(Day::from_number).filter(open);
    days.map(|day| RatePoint { day, value: number(value) }).collect()
}

fn asked(units: Units) -> Asked {
    Asked { units, period: None, base: None, start: None }
}

fn aggregated(units: Units, period: Period, aggregation: Aggregation) -> Asked {
    Asked { period: Some((period, aggregation)), ..asked(units) }
}

/// The derived rows as text.
fn shown(id: &str, rows: &[RatePoint], asked: &Asked) -> Vec<(String, String)> {
    let derived = derive(about(id), rows, asked).unwrap();
    derived.iter().map(|derived| (derived.day.to_string(), derived.value.to_string())).collect()
}

fn last(id: &str, rows: &[RatePoint], asked: &Asked) -> Derived {
    *derive(about(id), rows, asked).unwrap().last().unwrap()
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(day, value)| ((*day).to_owned(), (*value).to_owned())).collect()
}
