//! Measures calculations against their time limits: `cargo run --release -p lastro-calc --example measure`. An
//! argument selects those whose names start with it.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints, for the eye")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use lastro_calc::{
    Aggregation, Asked, DebtRows, DebtTerms, FineBase, Instalment, Interest, InterestRule, MOST_INSTALMENTS,
    Month, Period, Rate, Units, accumulation, checks, correction, debt, derive,
};
use lastro_model::{BySeries, Day, Decimal, RatePoint, Series, calendar};

fn main() {
    let (ipca, days) = (prices(), rates("2001-01-02", "2026-10-30"));
    let asked = |units| Asked { units, period: None, base: None, start: None };
    for units in [Units::Acc12, Units::Ytd, Units::Index] {
        let about = Series::Ipca.about();
        report(&format!("{} over 560 months", units.id()), 100, || {
            derive(about, &ipca, &asked(units)).unwrap()
        });
    }
    let last = Asked { base: ipca.last().map(|row| row.day), ..asked(Units::Index) };
    report("index over 560 months, base at the end", 100, || {
        derive(Series::Ipca.about(), &ipca, &last).unwrap()
    });
    let month = |text| Month::parse(text).unwrap();
    report("correction over forty years", 1_000, || {
        correction(Series::Ipca.about(), &ipca, month("1986-01"), month("2025-12"), Decimal::ONE_THOUSAND)
            .unwrap()
    });
    for rate in [Rate::Cdi, Rate::Selic] {
        let rows = if rate == Rate::Cdi { &days.0 } else { &days.1 };
        report(&format!("{} over ten years of days", rate.id()), 2_000, || {
            accumulation(rate, rows, day("2015-01-01"), day("2025-01-01"), Decimal::ONE_HUNDRED, Decimal::ONE)
                .unwrap()
        });
    }
    debts(&ipca);
    daily_series(&days.1);
    identities(&days.0, &days.1);
}

/// As many instalments as there may be, with all parts of a debt: over thirty years, and all since the legal rate. Their
/// labels are none of this crate's, and the size of the answer with them is a test of the server.
fn debts(index: &[RatePoint]) {
    let legal: Vec<RatePoint> = (0..24)
        .map(|place| RatePoint {
            day: day("2024-08-01").minus_months(-place),
            value: Decimal::new(605_306, 6),
        })
        .collect();
    let terms = DebtTerms {
        to: day("2026-06-15"),
        index: Some(Series::Ipca),
        interest: Interest { rule: InterestRule::Legal, monthly_percent: Decimal::ONE, from: None },
        fine_percent: Decimal::TEN,
        fine_on: FineBase::Total,
        fees_percent: Decimal::TEN,
    };
    let rows = DebtRows { index, legal: &legal };
    for (what, first, months) in [("thirty years", "1996-01-10", 360), ("two years", "2024-08-30", 21)] {
        let instalment = |place: i32| Instalment {
            day: day(first).minus_months(-(place % months)).plus_days(place / months),
            amount: Decimal::new(123_456 + i64::from(place), 2),
        };
        let instalments: Vec<Instalment> = (0..MOST_INSTALMENTS as i32).map(instalment).collect();
        report(&format!("debt of 500 instalments over {what}"), 5_000, || {
            debt(&terms, &instalments, rows).unwrap()
        });
    }
}

/// Measures requests for a whole daily history. They have no limit.
fn daily_series(rows: &[RatePoint]) {
    let about = Series::SelicDaily.about();
    let chain = Some((Period::Monthly, Aggregation::Chain));
    for (units, period) in
        [(Units::Index, None), (Units::Ytd, None), (Units::Lin, chain), (Units::Acc12, chain)]
    {
        let asked = Asked { units, period, base: None, start: None };
        report(&format!("{} over {} days", units.id(), rows.len()), 0, || {
            derive(about, rows, &asked).unwrap()
        });
    }
    let stock = Series::Reserves.about();
    for units in [Units::Pch, Units::Pc1, Units::Pca, Units::Log, Units::Index] {
        let asked = Asked { units, period: None, base: None, start: None };
        report(&format!("{} over {} stocks", units.id(), rows.len()), 0, || {
            derive(stock, rows, &asked).unwrap()
        });
    }
}

fn identities(cdi: &[RatePoint], selic: &[RatePoint]) {
    let held = BySeries::new(|series| match series {
        Series::Cdi | Series::SelicOver => cdi,
        Series::SelicDaily | Series::CdiDaily => selic,
        _ => &[][..],
    });
    report("identities of 25 years of days", 0, || checks(&held));
}

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

/// 560 months, a third of them with the inflation of the 1980s.
fn prices() -> Vec<RatePoint> {
    let value = |place: i64| if place < 174 { 500 + place * 37 % 3_500 } else { place * 31 % 140 - 20 };
    let row = |place: i32| RatePoint {
        day: day("1980-01-01").minus_months(-place),
        value: Decimal::new(value(i64::from(place)), 2),
    };
    (0..560).map(row).collect()
}

/// Rates per year that change every seven weeks, and rates per day.
fn rates(from: &str, to: &str) -> (Vec<RatePoint>, Vec<RatePoint>) {
    let days = (day(from).number()..=day(to).number()).filter_map(Day::from_number);
    let open = days.filter(|day| calendar::is_business_day(*day) == Some(true));
    let rows = |place: i64, day| {
        let year = RatePoint { day, value: Decimal::new(640 + place / 35 * 25 % 800, 2) };
        (year, RatePoint { day, value: Decimal::new(24_000 + place / 35 * 913 % 30_000, 6) })
    };
    (0i64..).zip(open).map(|(place, day)| rows(place, day)).unzip()
}

/// Prints the best of many runs, which excludes other load on the machine.
fn report<T>(what: &str, bar_microseconds: u64, mut run: impl FnMut() -> T) {
    if std::env::args().nth(1).is_some_and(|only| !what.starts_with(&only)) {
        return;
    }
    let mut best = Duration::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        black_box(run());
        best = best.min(start.elapsed());
    }
    let bar = if bar_microseconds == 0 { String::new() } else { format!("   bar {bar_microseconds}") };
    println!("{what:<44}{:>10.1} µs{bar}", best.as_nanos() as f64 / 1_000.0);
}
