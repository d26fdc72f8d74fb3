//! Identities between series, over rows that satisfy them and rows that do not.

use lastro_calc::{Check, Units, checks, checks_of, derive};
use lastro_model::{BySeries, Day, Decimal, RatePoint, Series};

use crate::{about, asked, business_days, day, months, number};

/// Rows of some series, and none of the others.
fn held(rows: &[(Series, Vec<RatePoint>)]) -> BySeries<&[RatePoint]> {
    BySeries::new(|series| {
        rows.iter().find(|(held, _)| *held == series).map_or(&[][..], |(_, rows)| rows.as_slice())
    })
}

fn check(rows: &[(Series, Vec<RatePoint>)], name: &str) -> Check {
    let all = checks(&held(rows));
    let of = |series: &Series| all[*series].iter().find(|check| check.name == name).copied();
    Series::ALL.iter().find_map(of).unwrap()
}

fn at(text: &str, value: &str) -> RatePoint {
    RatePoint { day: day(text), value: number(value) }
}

#[test]
fn identities_hold_without_rows() {
    let all = checks(&held(&[]));
    for series in Series::ALL {
        assert!(all[series].iter().all(|check| check.holds && check.rows == 0 && check.worst.is_none()));
        assert_eq!(all[series], checks_of(series, &held(&[])));
    }
    assert_eq!(all[Series::SelicDaily].len(), 5);
    assert_eq!(all[Series::Reserves], []);
}

#[test]
fn rates_per_year_and_per_day_are_powers_and_roots() {
    let days = ["2020-01-02", "2022-05-05", "2022-08-04", "2023-01-02"];
    let rows = |values: [&str; 4]| -> Vec<RatePoint> {
        days.iter().zip(values).map(|(day, value)| at(day, value)).collect()
    };
    let selic = [
        (Series::SelicOver, rows(["4.40", "12.15", "13.65", "14.90"])),
        (Series::SelicDaily, rows(["0.017089", "0.045513", "0.050788", "0.055131"])),
    ];
    for name in ["selic-over-is-selic-daily-annualised", "selic-daily-is-selic-over-per-day"] {
        let check = check(&selic, name);
        assert_eq!(
            (check.rows, check.holds, check.worst),
            (4, true, Some((day("2023-01-02"), Decimal::ZERO)))
        );
    }
    let swapped = [(Series::SelicOver, rows(["4.40", "12.15", "13.75", "14.90"])), selic[1].clone()];
    let broken = check(&swapped, "selic-over-is-selic-daily-annualised");
    assert_eq!((broken.holds, broken.worst), (false, Some((day("2022-08-04"), number("0.10")))));
}

#[test]
fn old_rows_are_compared_but_do_not_decide() {
    let rows = [
        (Series::Cdi, vec![at("1995-01-02", "60.00"), at("2023-01-02", "6.89")]),
        (Series::CdiDaily, vec![at("1995-01-02", "0.5"), at("2023-01-02", "0.026444")]),
    ];
    let check = check(&rows, "cdi-daily-is-cdi-per-day");
    assert_eq!((check.rows, check.holds), (2, true));
    let (worst, residual) = check.worst.unwrap();
    assert_eq!(worst, day("1995-01-02"));
    assert!(residual > number("0.3"));
}

#[test]
fn a_month_is_compared_once_it_is_whole() {
    let daily = business_days("2024-01-02", "2024-03-15", "0.043739");
    let month = |value: &str| vec![at("2024-01-01", value), at("2024-03-01", "0.44")];
    let name = "selic-month-is-its-days-chained";
    let good = check(&[(Series::SelicMonth, month("0.97")), (Series::SelicDaily, daily.clone())], name);
    assert_eq!((good.rows, good.holds), (1, true));
    let bad = check(&[(Series::SelicMonth, month("0.98")), (Series::SelicDaily, daily)], name);
    assert_eq!((bad.rows, bad.holds), (1, false));
}

#[test]
fn missing_business_day_breaks_the_identity() {
    let mut daily = business_days("2021-12-01", "2024-06-28", "0.05");
    let name = "selic-daily-has-every-business-day";
    let whole = check(&[(Series::SelicDaily, daily.clone())], name);
    assert_eq!((whole.rows, whole.holds, whole.worst), (2, true, Some((day("2023-01-01"), Decimal::ZERO))));
    daily.remove(100);
    let holed = check(&[(Series::SelicDaily, daily)], name);
    assert_eq!((holed.holds, holed.worst), (false, Some((day("2022-01-01"), Decimal::NEGATIVE_ONE))));
}

#[test]
fn ipca_12m_equals_twelve_chained_months() {
    let ipca = months("2023-01", &["0.5"; 13]);
    let name = "ipca-12m-is-twelve-months-chained";
    let twelve = vec![at("2023-12-01", "6.17"), at("2024-01-01", "6.17")];
    assert!(check(&[(Series::Ipca, ipca.clone()), (Series::Ipca12m, twelve)], name).holds);
    let added = vec![at("2023-12-01", "6.00")];
    assert!(!check(&[(Series::Ipca, ipca), (Series::Ipca12m, added)], name).holds);
}

#[test]
fn announced_value_is_the_exact_one_rounded() {
    let exact = months("2024-01", &["0.0714259831", "-0.5151936223"]);
    let announced = months("2024-01", &["0.07", "-0.52"]);
    let name = "announced-market-prices-are-the-exact-ones-rounded";
    assert!(check(&[(Series::Igpm, announced), (Series::IgpmExact, exact)], name).holds);
}

/// The Selic rate of a fictitious month, chained to eight decimals, over its IPCA-15.
#[test]
fn the_legal_rate_is_what_the_formula_says() {
    let daily = business_days("2024-07-01", "2024-07-31", "0.039270");
    let prices = months("2024-07", &["0.30"]);
    // (1.0003927^23 to eight decimals) ÷ 1.0030 − 1.
    let factor = (0..23).fold(Decimal::ONE, |factor, _| factor * number("1.0003927"));
    let wanted = ((factor.round_dp(8) / number("1.003") - Decimal::ONE) * Decimal::ONE_HUNDRED).round_dp(6);
    let legal = |value: Decimal| vec![RatePoint { day: day("2024-08-01"), value }];
    let rows = |value| {
        [
            (Series::SelicDaily, daily.clone()),
            (Series::Ipca15, prices.clone()),
            (Series::LegalRate, legal(value)),
        ]
    };
    let name = "legal-rate-is-selic-above-ipca-15";
    assert_eq!(check(&rows(wanted), name).worst, Some((day("2024-08-01"), Decimal::ZERO)));
    assert!(!check(&rows(wanted + number("0.000002")), name).holds);
}

/// Original responses of the publisher, if this machine has them.
fn published(file: &str) -> Option<Vec<RatePoint>> {
    let folder = std::env::var_os("LASTRO_REAL_DATA")?;
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join("sgs").join(file)).ok()?;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let row = |row: &serde_json::Value| {
        let (date, value) = (row["data"].as_str().unwrap(), row["valor"].as_str().unwrap());
        let (d, m, y) = (&date[..2], &date[3..5], &date[6..]);
        RatePoint { day: day(&format!("{y}-{m}-{d}")), value: number(value) }
    };
    Some(rows.iter().map(row).collect())
}

#[test]
fn published_rates_are_complete_and_round_trip() {
    let Some(daily) = published("11_2020-2024.json") else { return };
    let counted = check(&[(Series::SelicDaily, daily.clone())], "selic-daily-has-every-business-day");
    assert_eq!((counted.rows, counted.holds), (5, true));
    // Annualised to two decimals and back, every published rate is unchanged.
    let over = |row: &RatePoint| {
        let held = [
            (Series::SelicOver, vec![RatePoint { day: row.day, value: Decimal::ZERO }]),
            (Series::SelicDaily, vec![*row]),
        ];
        let (day, residual) = check(&held, "selic-over-is-selic-daily-annualised").worst.unwrap();
        RatePoint { day, value: -residual }
    };
    let mut distinct = daily.clone();
    distinct.dedup_by_key(|row| row.value);
    let annual: Vec<RatePoint> = distinct.iter().map(over).collect();
    let back = check(
        &[(Series::SelicDaily, distinct), (Series::SelicOver, annual)],
        "selic-daily-is-selic-over-per-day",
    );
    assert!(back.holds && back.rows > 20, "{back:?}");
}

#[test]
fn published_prices_chain_to_known_yearly_rates() {
    let Some(ipca) = published("433_2016-2026.json") else { return };
    let twelve = derive(about("ipca"), &ipca, &asked(Units::Acc12)).unwrap();
    let of =
        |year: i16| twelve.iter().find(|row| row.day == Day::from_ymd(year, 12, 1).unwrap()).unwrap().value;
    for (year, value) in [(2016, "6.2881"), (2019, "4.3060"), (2021, "10.0611"), (2024, "4.8313")] {
        assert_eq!(of(year).round_dp(4), number(value), "{year}");
    }
}

#[test]
fn first_legal_rates_match_the_published_ones() {
    let Some(daily) = published("11_2020-2024.json") else { return };
    let rows = [
        (Series::SelicDaily, daily),
        (Series::Ipca15, months("2024-07", &["0.30", "0.19", "0.13"])),
        (Series::LegalRate, months("2024-08", &["0.605306", "0.676227", "0.704241"])),
    ];
    let check = check(&rows, "legal-rate-is-selic-above-ipca-15");
    assert_eq!((check.rows, check.holds), (3, true), "{check:?}");
}
