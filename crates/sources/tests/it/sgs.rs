//! The central bank's series: requests, valid bodies, and every error body.

use lastro_model::{RatePoint, Series};
use lastro_sources::{Fault, Reading, sgs};
use proptest::prelude::*;

use crate::fixture::{answer, bytes, day, kind};

fn read(series: Series, asked: (&str, &str), status: u16, name: &str) -> Result<Reading<RatePoint>, Fault> {
    sgs::read(series, Some((day(asked.0), day(asked.1))), &answer(status, &bytes(name)))
}

fn texts(reading: &Reading<RatePoint>) -> Vec<String> {
    reading.rows.iter().map(|point| format!("{} {}", point.day, point.value)).collect()
}

const MARCH: (&str, &str) = ("2024-03-01", "2024-03-31");

#[test]
fn request_urls_match_the_publisher() {
    let window = sgs::window("https://api.bcb.gov.br/", Series::Selic, day("2024-01-02"), day("2024-12-31"));
    assert_eq!(
        window.url,
        "https://api.bcb.gov.br/dados/serie/bcdata.sgs.432/dados?formato=json&dataInicial=02/01/2024&dataFinal=31/12/2024"
    );
    assert_eq!(window.what, "Selic from 2024-01-02 to 2024-12-31");
    let latest = |count| sgs::latest(sgs::OFFICIAL_BASE, Series::Cdi, count).url;
    assert_eq!(latest(5), "https://api.bcb.gov.br/dados/serie/bcdata.sgs.4389/dados/ultimos/5?formato=json");
    assert!(latest(500).contains("/ultimos/20?"), "more than 20 are refused by the publisher");
    assert!(latest(0).contains("/ultimos/1?"));
}

#[test]
fn daily_histories_are_split_by_year_and_monthly_ones_not() {
    let windows = sgs::windows(Series::Selic, day("1990-01-01"), day("2001-02-03"));
    let expected = [("1999-03-05", "1999-12-31"), ("2000-01-01", "2000-12-31"), ("2001-01-01", "2001-02-03")];
    assert_eq!(windows, expected.map(|(from, to)| (day(from), day(to))));
    let monthly = sgs::windows(Series::Ipca, day("1900-01-01"), day("2026-10-01"));
    assert_eq!(monthly, [(day("1980-01-01"), day("2026-10-01"))]);
    assert!(sgs::windows(Series::Selic, day("1990-01-01"), day("1999-03-04")).is_empty());
    assert!(sgs::windows(Series::Selic, day("2024-03-02"), day("2024-03-01")).is_empty());
}

#[test]
fn values_keep_the_decimals_they_were_published_with() {
    let reading = read(Series::Selic, MARCH, 200, "sgs/calendar_days_with_fixed_scale.json").unwrap();
    assert_eq!(
        texts(&reading),
        ["2024-03-08 11.25", "2024-03-09 11.25", "2024-03-10 11.25", "2024-03-11 11.00", "2024-03-12 11.00"]
    );
    assert!(reading.rejects.is_empty());
}

#[test]
fn a_monthly_row_may_stand_before_the_window() {
    let reading =
        read(Series::Ipca, ("2024-05-15", "2024-06-30"), 200, "sgs/monthly_row_before_the_window.json")
            .unwrap();
    assert_eq!(texts(&reading), ["2024-05-01 0.40", "2024-06-01 -0.03"]);
    let other_year =
        read(Series::Ipca, ("2023-05-15", "2023-06-30"), 200, "sgs/monthly_row_before_the_window.json");
    assert_eq!(kind(&other_year.unwrap_err()), "not data");
}

#[test]
fn unknown_keys_and_any_order_of_keys_are_read() {
    let reading = read(Series::Cdi, MARCH, 200, "sgs/third_key_data_fim.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-19 0.1011", "2024-03-20 0.1202"]);
    let reading = read(Series::Cdi, MARCH, 200, "sgs/keys_in_another_order.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-04 10.5000", "2024-03-05 10.5100"]);
}

#[test]
fn unreadable_values_are_rejected_with_their_place() {
    let reading = read(Series::Selic, MARCH, 200, "sgs/unreadable_values.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-04 10.50"]);
    let rejects: Vec<_> =
        reading.rejects.iter().map(|reject| (reject.line, reject.reason.as_str())).collect();
    assert_eq!(
        rejects,
        [
            (2, "valor is empty"),
            (3, "valor is empty"),
            (4, "valor is not a number with a decimal point"),
            (5, "valor is empty"),
            (6, "not an object with the texts data and valor"),
            (7, "not an object with the texts data and valor"),
            (8, "valor is not a number with a decimal point"),
            (9, "not an object with the texts data and valor"),
        ]
    );
    assert!(reading.rejects.iter().all(|reject| reject.file == "answer"));
}

#[test]
fn an_impossible_day_rejects_its_row_only() {
    let reading = read(Series::Selic, ("2023-01-01", "2023-12-31"), 200, "sgs/impossible_day.json").unwrap();
    assert_eq!(texts(&reading), ["2023-02-28 13.75", "2023-03-01 13.75"]);
    assert_eq!(reading.rejects.iter().map(|reject| reject.line).collect::<Vec<_>>(), [2, 4, 5]);
}

#[test]
fn days_with_the_month_first_are_not_data() {
    let daily = sgs::read(Series::Selic, None, &answer(200, &bytes("sgs/month_first.json"))).unwrap_err();
    assert_eq!(kind(&daily), "not data");
    assert!(daily.to_string().contains("month first"), "{daily}");
    let monthly =
        sgs::read(Series::Ipca, None, &answer(200, &bytes("sgs/monthly_month_first.json"))).unwrap_err();
    assert!(monthly.to_string().contains("month first"), "{monthly}");
}

#[test]
fn equal_rows_of_a_day_are_one_and_different_ones_are_not_data() {
    let reading = read(Series::Selic, MARCH, 200, "sgs/repeated_row.json").unwrap();
    assert_eq!(texts(&reading), ["2024-03-04 10.50", "2024-03-05 10.50"]);
    let conflict = read(Series::Selic, MARCH, 200, "sgs/conflicting_row.json").unwrap_err();
    assert_eq!(conflict, Fault::NotData("answer: has two different values for 2024-03-04".to_owned()));
}

#[test]
fn unrequested_days_are_not_data() {
    let body = "sgs/calendar_days_with_fixed_scale.json";
    assert!(read(Series::Selic, ("2024-03-08", "2024-03-12"), 200, body).is_ok());
    for asked in [("2024-03-09", "2024-03-12"), ("2024-03-08", "2024-03-11"), ("2020-01-01", "2020-12-31")] {
        assert_eq!(kind(&read(Series::Selic, asked, 200, body).unwrap_err()), "not data");
    }
    let latest = sgs::read(Series::Selic, None, &answer(200, &bytes(body))).unwrap();
    assert_eq!(latest.rows.len(), 5);
}

#[test]
fn a_window_without_values_is_empty_whatever_its_status() {
    for status in [404, 200] {
        let reading = read(Series::Selic, MARCH, status, "sgs/error_404_no_values.json").unwrap();
        assert_eq!(reading, Reading::default());
    }
    assert_eq!(sgs::read(Series::Selic, None, &answer(200, b"[]")), Ok(Reading::default()));
}

#[test]
fn our_own_mistakes_are_permanent() {
    let cases = [
        (406, "sgs/error_406_ten_years.json"),
        (200, "sgs/error_406_ten_years.json"),
        (400, "sgs/error_400_too_many_latest.json"),
    ];
    for (status, name) in cases {
        assert_eq!(kind(&read(Series::Selic, MARCH, status, name).unwrap_err()), "ours", "{status} {name}");
    }
}

#[test]
fn other_errors_are_transient() {
    let cases = [
        (200, "error_page.html"),
        (404, "error_page.html"),
        (502, "error_page.html"),
        (404, "sgs/error_404_of_another_kind.json"),
        (200, "sgs/error_200_empty_object.json"),
        (200, "sgs/cut_short.json"),
        (429, "sgs/error_200_empty_object.json"),
        (500, "sgs/calendar_days_with_fixed_scale.json"),
        (503, "sgs/error_404_no_values.json"),
        (200, "cvm/cad_empty.csv"),
    ];
    for (status, name) in cases {
        assert_eq!(
            kind(&read(Series::Selic, MARCH, status, name).unwrap_err()),
            "transient",
            "{status} {name}"
        );
    }
}

#[test]
fn fault_describes_the_response() {
    let fault = read(Series::Selic, MARCH, 200, "error_page.html").unwrap_err();
    assert_eq!(fault.to_string(), "answer: the publisher answered status 200 with an HTML page (text/html)");
}

#[test]
fn a_body_of_nothing_but_rubbish_rows_is_not_data() {
    let body = format!("[{}]", vec!["1"; 5_000].join(","));
    let fault = sgs::read(Series::Selic, None, &answer(200, body.as_bytes())).unwrap_err();
    assert_eq!(kind(&fault), "not data");
}

proptest! {
    #[test]
    fn windows_cover_every_day_once_and_none_is_longer_than_a_year(from in 0i32..22_000, length in 0i32..12_000) {
        let from = lastro_model::Day::from_number(from).unwrap();
        let to = from.plus_days(length);
        let windows = sgs::windows(Series::Cdi, from, to);
        let mut next = from.max(Series::Cdi.first_day());
        for (first, last) in windows {
            prop_assert_eq!(first, next);
            prop_assert!(first <= last && last.number() - first.number() < 366);
            next = last.plus_days(1);
        }
        prop_assert!(next > to);
    }

    #[test]
    fn published_format_round_trips_exactly(
        days in prop::collection::btree_map(11_000i32..20_000, (-99_999i64..99_999, 0u32..7), 0..40)
    ) {
        let points: Vec<RatePoint> = days
            .into_iter()
            .map(|(day, (units, scale))| RatePoint {
                day: lastro_model::Day::from_number(day).unwrap(),
                value: lastro_model::Decimal::new(units, scale),
            })
            .collect();
        let items: Vec<String> = points
            .iter()
            .map(|p| format!(
                r#"{{"data":"{:02}/{:02}/{:04}","valor":"{}"}}"#,
                p.day.day_of_month(), p.day.month(), p.day.year(), p.value
            ))
            .collect();
        let body = format!("[{}]", items.join(","));
        let reading = sgs::read(Series::Selic, None, &answer(200, body.as_bytes())).unwrap();
        prop_assert!(reading.rejects.is_empty());
        let texts = |points: &[RatePoint]| -> Vec<String> {
            points.iter().map(|p| format!("{} {}", p.day, p.value)).collect()
        };
        prop_assert_eq!(texts(&reading.rows), texts(&points));
    }
}
