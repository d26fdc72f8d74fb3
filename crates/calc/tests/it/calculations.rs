//! Corrections, accumulated rates and legal interest, checked against the publishers' own reference values.

use lastro_calc::{CalcError, Calculation, Rate, accumulation, calculated_with, correction, legal_interest};
use lastro_model::{Decimal, RatePoint, Series};

use crate::{about, business_days, day, month, months, number};

fn corrected(id: &str, first: &str, values: &[&str], amount: &str) -> Calculation {
    let rows = months(first, values);
    let to = lastro_calc::Month::of(rows.last().unwrap().day);
    correction(about(id), &rows, month(first), to, number(amount)).unwrap()
}

fn texts(calculation: &Calculation) -> (String, String, String) {
    let text = |value: Decimal| value.to_string();
    (text(calculation.factor), text(calculation.percent), text(calculation.result))
}

#[test]
fn one_month_is_its_own_rate() {
    let one = corrected("ipca", "2003-01", &["2.25"], "1");
    assert_eq!(texts(&one), ("1.02250000".into(), "2.250000".into(), "1.02".into()));
}

#[test]
fn a_year_is_the_product_of_its_months() {
    let values =
        ["2.25", "1.57", "1.23", "0.97", "0.61", "-0.15", "0.20", "0.34", "0.78", "0.29", "0.34", "0.52"];
    let year = corrected("ipca", "2003-01", &values, "1");
    assert_eq!(year.factor, number("1.09299949"));
    assert_eq!(year.receipt.len(), 12);
    assert_eq!(year.receipt[0].factor, number("1.0225"));
    assert_eq!(year.receipt[11].factor, year.factor);
}

#[test]
fn amounts_are_rounded_to_cents() {
    assert_eq!(corrected("ipca", "2025-01", &["0.16", "1.31", "0.56"], "1000").result, number("1020.40"));
    for (id, values, result) in [
        ("igpdi", ["1.74", "0.09"], "101.83"),
        ("inpc", ["1.22", "0.19"], "101.41"),
        ("ipca", ["1.15", "0.21"], "101.36"),
        ("ipca-e", ["1.05", "0.71"], "101.77"),
    ] {
        assert_eq!(corrected(id, "2019-12", &values, "100").result, number(result), "{id}");
    }
}

#[test]
fn a_currency_that_changes_on_the_way_is_divided() {
    let verao = corrected("inpc", "1989-01", &["35.48", "16.35", "5.90", "8.06", "16.67"], "100000");
    assert_eq!(texts(&verao), ("2.10456187".into(), "110.456187".into(), "210.46".into()));
    assert_eq!((verao.currency_from, verao.currency_to, verao.divisor), ("BRC", "BRN", number("1000")));
}

#[test]
fn the_result_is_the_amount_times_the_factor_as_shown() {
    // All digits would give 1000000000000000 × 1.0001 × 1.0001 × 1.0001 = 1000300030001000.00.
    let result = corrected("ipca", "2020-01", &["0.01", "0.01", "0.01"], "1000000000000000");
    assert_eq!(texts(&result).0, "1.00030003");
    assert_eq!(result.result, number("1000300030000000.00"));
}

#[test]
fn half_a_cent_goes_up() {
    assert_eq!(corrected("ipca", "2020-01", &["0.50"], "1").result, number("1.01"));
    assert_eq!(corrected("ipca", "2020-01", &["50"], "0.01").result, number("0.02"));
}

#[test]
fn igpm_is_calculated_with_all_decimals() {
    assert_eq!(calculated_with(Series::Igpm), Series::IgpmExact);
    assert_eq!(calculated_with(Series::Ipca), Series::Ipca);
}

#[test]
fn a_month_that_is_missing_is_named() {
    let mut rows = months("2024-01", &["0.42", "0.83", "0.16", "0.38"]);
    let ask = |rows: &[RatePoint], from, to| {
        correction(about("ipca"), rows, month(from), month(to), Decimal::ONE).unwrap_err().to_string()
    };
    assert!(ask(&rows, "2024-01", "2024-06").ends_with("ipca has no value for 2024-05"));
    assert!(ask(&rows, "2023-12", "2024-02").ends_with("2023-12"));
    assert!(ask(&rows, "9999-12", "9999-12").ends_with("9999-12"));
    assert!(ask(&[], "2024-01", "2024-01").ends_with("2024-01"));
    rows.remove(2);
    assert!(ask(&rows, "2024-01", "2024-04").ends_with("2024-03"));
    assert_eq!(ask(&rows, "2024-02", "2024-01"), "`from` must not be after `to`");
}

#[test]
fn only_price_indices_correct_an_amount() {
    for id in ["selic", "cdi-month", "tr", "ipca-12m", "ibc-br", "ipca-diffusion"] {
        let refused = correction(about(id), &[], month("2024-01"), month("2024-01"), Decimal::ONE);
        assert_eq!(refused, Err(CalcError::NotAPriceIndex(about(id).id)));
    }
}

#[test]
fn amounts_have_bounds() {
    let ask = |amount: &str| {
        correction(
            about("ipca"),
            &months("2024-01", &["0.42"]),
            month("2024-01"),
            month("2024-01"),
            number(amount),
        )
    };
    for bad in ["0", "-1", "1.001", "1000000000000000.01", "79228162514264337593543950335"] {
        assert_eq!(ask(bad), Err(CalcError::Amount), "{bad}");
    }
    assert!(ask("1000000000000000").is_ok() && ask("0.01").is_ok());
}

fn cdi(rows: &[RatePoint], to: &str, percent: &str) -> Calculation {
    accumulation(Rate::Cdi, rows, rows[0].day, day(to), number(percent), Decimal::ONE).unwrap()
}

#[test]
fn deposits_between_banks_accumulate_as_b3_does_it() {
    // 2018-01-02 was a Tuesday; the rate is fictitious.
    let rows = business_days("2018-01-02", "2018-03-29", "6.89");
    let factor = |days: usize| cdi(&rows, &rows[days].day.to_string(), "100").factor;
    assert_eq!(factor(0), number("1.00000000"));
    assert_eq!(factor(1), number("1.00026444"));
    assert_eq!(factor(2), number("1.00052895"));
    assert_eq!(factor(22), number("1.00583386"));
}

#[test]
fn rates_may_change_on_the_way() {
    let mut rows = business_days("2018-01-02", "2018-03-29", "6.89");
    rows[..13].iter_mut().for_each(|row| row.value = number("6.64"));
    assert_eq!(cdi(&rows, &rows[40].day.to_string(), "100").factor, number("1.01051031"));
}

#[test]
fn a_part_of_the_rate_multiplies_the_rate_of_the_day() {
    let rows = business_days("2018-01-02", "2018-01-31", "6.89");
    let two_days = cdi(&rows, "2018-01-04", "110");
    // 1 + 0.00026444 × 1.1 = 1.000290884, squared 1.000581852…
    assert_eq!(two_days.factor, number("1.00058185"));
    assert_eq!(two_days.receipt.len(), 2);
    assert_eq!(cdi(&rows, "2018-01-03", "1000").factor, number("1.00264440"));
    assert_eq!(cdi(&rows, "2018-01-03", "0.0001").factor, number("1.00000000"));
}

#[test]
fn the_selic_rate_is_the_product_of_its_days() {
    let rows = business_days("2020-01-02", "2020-01-31", "0.017089");
    let ask = |to: &str, percent: &str| {
        accumulation(Rate::Selic, &rows, rows[0].day, day(to), number(percent), number("1000")).unwrap()
    };
    assert_eq!(ask("2020-01-03", "100").factor, number("1.00017089"));
    assert_eq!(ask("2020-01-06", "100").factor, number("1.00034181"));
    assert_eq!(ask("2020-01-03", "50").factor, number("1.00008545"));
    assert_eq!(ask("2020-01-06", "100").result, number("1000.34"));
    assert_eq!(Rate::Selic.series(), Series::SelicDaily);
}

#[test]
fn weekends_at_the_ends_do_not_count() {
    let rows = business_days("2018-01-02", "2018-01-31", "6.89");
    let ask = |from: &str, to: &str| {
        accumulation(Rate::Cdi, &rows, day(from), day(to), number("100"), Decimal::ONE).unwrap()
    };
    assert_eq!(ask("2018-01-06", "2018-01-07").factor, number("1"));
    assert_eq!(ask("2018-01-06", "2018-01-09").factor, number("1.00026444"));
    assert_eq!(ask("2018-01-05", "2018-01-08").receipt.len(), 1);
}

#[test]
fn a_day_that_is_missing_is_named() {
    let mut rows = business_days("2018-01-02", "2018-01-31", "6.89");
    rows.remove(3);
    let ask = |from: &str, to: &str, percent: &str| {
        accumulation(Rate::Cdi, &rows, day(from), day(to), number(percent), Decimal::ONE)
            .map(|done| done.factor)
    };
    assert_eq!(
        ask("2018-01-02", "2018-01-31", "100").unwrap_err().to_string(),
        "the period must be wholly published: cdi has no value for 2018-01-05"
    );
    assert_eq!(
        ask("2018-01-20", "2018-03-01", "100"),
        Err(CalcError::MissingDay { series: "cdi", day: day("2018-02-01") })
    );
    assert_eq!(ask("2000-12-31", "2001-01-02", "100"), Err(CalcError::TooEarly(day("2001-01-01"))));
    assert_eq!(ask("2099-12-31", "2100-01-01", "100"), Err(CalcError::TooLate(day("2099-12-31"))));
    assert_eq!(ask("2018-01-03", "2018-01-02", "100"), Err(CalcError::Reversed));
    for bad in ["0", "-1", "1000.0001", "1.00001"] {
        assert_eq!(ask("2018-01-02", "2018-01-03", bad), Err(CalcError::RatePercent), "{bad}");
    }
}

#[test]
fn legal_interest_is_added_up_by_days() {
    let rows = months("2024-08", &["0.605306", "0.676227", "0.704241"]);
    let ask = |from: &str, to: &str| legal_interest(&rows, day(from), day(to), number("1000"));
    let short = ask("2024-08-30", "2024-09-10").unwrap();
    assert_eq!(texts(&short), ("1.00241920".into(), "0.241920".into(), "1002.42".into()));
    assert_eq!((short.currency_from, short.currency_to, short.receipt.len()), ("BRL", "BRL", 2));
    assert_eq!(ask("2024-09-01", "2024-10-01").unwrap().percent, number("0.676227"));
    assert_eq!(ask("2024-09-01", "2024-11-01").unwrap().percent, number("1.380468"));
    assert_eq!(ask("2024-09-01", "2024-09-01").unwrap().factor, number("1"));
    assert_eq!(ask("2024-08-29", "2024-09-01"), Err(CalcError::TooEarly(day("2024-08-30"))));
    assert_eq!(
        ask("2024-10-15", "2024-11-02"),
        Err(CalcError::MissingMonth { series: "legal-rate", month: month("2024-11") })
    );
    assert_eq!(ask("2024-09-02", "2024-09-01"), Err(CalcError::Reversed));
}
