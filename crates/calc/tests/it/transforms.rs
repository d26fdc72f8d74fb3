//! Series in other units and by longer periods.

use lastro_calc::{Aggregation, Asked, Period, Units, derive};
use lastro_model::RatePoint;

use crate::{about, aggregated, asked, business_days, day, last, months, number, pairs, shown};

const IPCA_2024: [&str; 12] =
    ["0.42", "0.83", "0.16", "0.38", "0.46", "0.21", "0.38", "-0.02", "0.44", "0.56", "0.39", "0.52"];

#[test]
fn values_as_published_are_never_touched() {
    let rows = months("2024-01", &["0.40", "0.830", "0.0", "12"]);
    let wanted =
        [("2024-01-01", "0.40"), ("2024-02-01", "0.830"), ("2024-03-01", "0.0"), ("2024-04-01", "12")];
    assert_eq!(shown("ipca", &rows, &asked(Units::Lin)), pairs(&wanted));
}

#[test]
fn twelve_months_are_chained_and_not_added() {
    let rows = months("2024-01", &IPCA_2024);
    let year = last("ipca", &rows, &asked(Units::Acc12));
    assert_eq!((year.day, year.since), (day("2024-12-01"), day("2024-01-01")));
    assert_eq!(year.value.round_dp(4), number("4.8313"));
    assert_eq!(derive(about("ipca"), &rows[..11], &asked(Units::Acc12)).unwrap(), []);
    assert_eq!(last("ipca", &rows, &asked(Units::Ytd)).value, year.value);
    assert_eq!(last("ipca", &rows, &asked(Units::Acc)).value, year.value);
    assert_eq!(
        last("ipca", &rows, &aggregated(Units::Lin, Period::Yearly, Aggregation::Chain)).value,
        year.value
    );
}

#[test]
fn nothing_is_chained_across_a_month_that_is_missing() {
    let mut rows = months("2023-01", &[IPCA_2024, IPCA_2024].concat());
    rows.remove(13);
    let days = |units| -> Vec<String> {
        shown("ipca", &rows, &asked(units)).into_iter().map(|(day, _)| day).collect()
    };
    assert_eq!(days(Units::Acc12), ["2023-12-01", "2024-01-01"]);
    assert_eq!(days(Units::Ytd).len(), 13);
    assert_eq!(days(Units::Acc).len(), 13);
    assert_eq!(days(Units::Index).len(), 13);
    assert_eq!(days(Units::Chg).len(), 21);
    let from_behind = Asked { base: Some(day("2024-12-01")), ..asked(Units::Index) };
    assert_eq!(shown("ipca", &rows, &from_behind).len(), 10);
}

#[test]
fn ytd_needs_january() {
    let rows = months("2023-11", &["1", "2", "3", "4"]);
    let wanted = [("2024-01-01", "3.000000"), ("2024-02-01", "7.120000")];
    assert_eq!(shown("ipca", &rows, &asked(Units::Ytd)), pairs(&wanted));
}

#[test]
fn accumulation_starts_at_the_first_day_asked_for() {
    let rows = months("2023-11", &["1", "2", "3", "4"]);
    let from = Asked { start: Some(day("2023-12-15")), ..asked(Units::Acc) };
    let derived = derive(about("ipca"), &rows, &from).unwrap();
    assert_eq!((derived.len(), derived[0].day, derived[1].since), (2, day("2024-01-01"), day("2024-01-01")));
    assert_eq!(derived[1].value, number("7.12"));
    let late = Asked { start: Some(day("2030-01-01")), ..asked(Units::Acc) };
    assert_eq!(derive(about("ipca"), &rows, &late), Ok(Vec::new()));
}

#[test]
fn an_index_is_100_at_its_base_and_in_proportion_elsewhere() {
    let rows = months("2024-01", &["1", "10", "-50", "25"]);
    let wanted = [
        ("2024-01-01", "100.00000"),
        ("2024-02-01", "110.00000"),
        ("2024-03-01", "55.000000"),
        ("2024-04-01", "68.750000"),
    ];
    assert_eq!(shown("ipca", &rows, &asked(Units::Index)), pairs(&wanted));
    let base = Asked { base: Some(day("2024-03-01")), ..asked(Units::Index) };
    let wanted = [
        ("2024-01-01", "181.81818"),
        ("2024-02-01", "200.00000"),
        ("2024-03-01", "100.00000"),
        ("2024-04-01", "125.00000"),
    ];
    assert_eq!(shown("ipca", &rows, &base), pairs(&wanted));
    let wanted = [("2024-01-01", "50.000000"), ("2024-02-01", "100.00000")];
    let base = Asked { base: Some(day("2024-02-01")), ..asked(Units::Index) };
    assert_eq!(shown("ibc-br", &months("2024-01", &["60", "120"]), &base), pairs(&wanted));
}

#[test]
fn an_index_of_years_is_chained_from_their_months() {
    let rows = months("2021-01", &["1"; 36]);
    let years = aggregated(Units::Index, Period::Yearly, Aggregation::Chain);
    let wanted = [("2021-01-01", "100.00000"), ("2022-01-01", "112.68250"), ("2023-01-01", "126.97346")];
    assert_eq!(shown("ipca", &rows, &years), pairs(&wanted));
    let change = aggregated(Units::Chg, Period::Yearly, Aggregation::Chain);
    assert_eq!(
        shown("ipca", &rows, &change),
        pairs(&[("2022-01-01", "0.000000"), ("2023-01-01", "0.000000")])
    );
}

#[test]
fn a_base_must_be_one_of_the_rows() {
    let rows = months("2024-01", &["1", "2"]);
    for id in ["ipca", "ibc-br"] {
        let nowhere = Asked { base: Some(day("2024-01-02")), ..asked(Units::Index) };
        assert!(derive(about(id), &rows, &nowhere).unwrap_err().contains("2024-01-02"));
        let start = Asked { start: Some(day("2024-01-02")), ..asked(Units::Index) };
        assert_eq!(last(id, &rows, &start).value, number("100"));
        assert_eq!(derive(about(id), &[], &asked(Units::Index)), Ok(Vec::new()));
    }
    let zero = derive(about("ibc-br"), &months("2024-01", &["0", "2"]), &asked(Units::Index));
    assert!(zero.unwrap_err().contains("above zero"));
}

#[test]
fn differences_keep_all_their_digits() {
    let rows = months("2024-01", &["10.5", "10.75", "9"]);
    let wanted = [("2024-02-01", "0.25"), ("2024-03-01", "-1.75")];
    assert_eq!(shown("unemployment", &rows, &asked(Units::Chg)), pairs(&wanted));
    let year =
        months("2023-01", &["1.00", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1.1", "2.25"]);
    let wanted = [("2024-01-01", "0.10"), ("2024-02-01", "0.25")];
    assert_eq!(shown("unemployment", &year, &asked(Units::Ch1)), pairs(&wanted));
}

#[test]
fn changes_are_in_percent_of_a_base_above_zero() {
    let rows = months("2024-01", &["100", "103", "0", "50", "-50", "25"]);
    let wanted = [("2024-02-01", "3.000000"), ("2024-03-01", "-100.000000"), ("2024-05-01", "-200.000000")];
    assert_eq!(shown("trade-balance", &rows, &asked(Units::Pch)), pairs(&wanted));
    let yearly = [("2024-02-01", "42.576089"), ("2024-03-01", "-100.000000")];
    assert_eq!(shown("trade-balance", &rows, &asked(Units::Pca)), pairs(&yearly));
    let quarters = months("2023-01", &["100", "100", "100", "101", "101", "101"]);
    let asked = aggregated(Units::Pca, Period::Quarterly, Aggregation::Mean);
    assert_eq!(shown("ibc-br", &quarters, &asked), pairs(&[("2023-04-01", "4.060401")]));
}

#[test]
fn logarithms_are_natural_and_have_eight_digits() {
    let rows = months("2024-01", &["1", "2", "100", "0.5", "0", "-1", "1.0000000001", "123456789.12"]);
    let wanted = [
        ("2024-01-01", "0"),
        ("2024-02-01", "0.69314718"),
        ("2024-03-01", "4.6051702"),
        ("2024-04-01", "-0.69314718"),
        ("2024-07-01", "0.00000000010000000"),
        ("2024-08-01", "18.631402"),
    ];
    assert_eq!(shown("ibc-br", &rows, &asked(Units::Log)), pairs(&wanted));
}

#[test]
fn a_period_that_is_not_whole_is_left_out() {
    let rows = months("2022-12", &["1"; 16]);
    let chain = aggregated(Units::Lin, Period::Yearly, Aggregation::Chain);
    assert_eq!(shown("ipca", &rows, &chain), pairs(&[("2023-01-01", "12.682503")]));
    let quarters = aggregated(Units::Lin, Period::Quarterly, Aggregation::Chain);
    assert_eq!(shown("ipca", &rows, &quarters).len(), 5);
    let mut holed = rows;
    holed.remove(6);
    assert_eq!(shown("ipca", &holed, &chain), []);
    assert_eq!(shown("ibc-br", &holed, &aggregated(Units::Lin, Period::Yearly, Aggregation::Mean)), []);
}

#[test]
fn days_make_a_whole_month_if_the_calendar_says_so() {
    let chain = aggregated(Units::Lin, Period::Monthly, Aggregation::Chain);
    let rows = business_days("2024-02-01", "2024-03-28", "0.1");
    // Nineteen and twenty days; 29 March is Good Friday.
    let wanted = [("2024-02-01", "1.917197"), ("2024-03-01", "2.019114")];
    assert_eq!(shown("selic-daily", &rows, &chain), pairs(&wanted));
    assert_eq!(shown("selic-daily", &rows[1..], &chain).len(), 1);
    assert_eq!(shown("selic-daily", &rows[..rows.len() - 1], &chain).len(), 1);
    let mut holed = rows;
    holed.remove(5);
    assert_eq!(shown("selic-daily", &holed, &chain).len(), 1);
    // A mean tolerates a missing day if there are rows before and after.
    let mean = aggregated(Units::Lin, Period::Monthly, Aggregation::Mean);
    assert_eq!(shown("cdi", &holed, &mean).len(), 2);
}

#[test]
fn aggregated_days_are_chained_without_rounding() {
    let rows = business_days("2023-01-01", "2024-06-28", "0.04");
    let months = aggregated(Units::Acc12, Period::Monthly, Aggregation::Chain);
    let days = Asked { start: Some(day("2023-07-01")), ..asked(Units::Acc) };
    assert_eq!(last("selic-daily", &rows, &months).value, last("selic-daily", &rows, &days).value);
    let ytd = aggregated(Units::Ytd, Period::Monthly, Aggregation::Chain);
    assert_eq!(last("selic-daily", &rows, &ytd).value, last("selic-daily", &rows, &asked(Units::Ytd)).value);
    assert_eq!(last("selic-daily", &rows, &ytd).since, day("2024-01-02"));
}

#[test]
fn months_before_the_calendar_need_adjacent_rows() {
    let weekdays = |from: &str, to: &str| -> Vec<RatePoint> {
        let days = (day(from).number()..=day(to).number()).filter_map(lastro_model::Day::from_number);
        days.filter(|day| !day.is_weekend()).map(|day| RatePoint { day, value: number("0.1") }).collect()
    };
    let rows = weekdays("1999-11-15", "2000-03-10");
    let chain = aggregated(Units::Lin, Period::Monthly, Aggregation::Chain);
    assert_eq!(shown("selic-daily", &rows, &chain).len(), 3);
    let ytd = shown("selic-daily", &rows, &asked(Units::Ytd));
    assert_eq!(ytd[0].0, "2000-01-03");
}

#[test]
fn a_year_before_a_day_is_that_day_or_the_last_one_before() {
    let row = |text: &str, value: &str| RatePoint { day: day(text), value: number(value) };
    let rows = [
        row("2023-03-09", "100"),
        row("2023-03-10", "200"),
        row("2024-03-11", "300"),
        row("2024-03-12", "400"),
    ];
    let wanted = [("2024-03-11", "50.000000"), ("2024-03-12", "100.000000")];
    assert_eq!(shown("reserves", &rows, &asked(Units::Pc1)), pairs(&wanted));
}

#[test]
fn sums_and_ends_are_not_rounded() {
    let rows = months("2024-01", &["0.605306", "0.676227", "0.704241"]);
    let sum = aggregated(Units::Lin, Period::Quarterly, Aggregation::Sum);
    assert_eq!(shown("legal-rate", &rows, &sum), pairs(&[("2024-01-01", "1.985774")]));
    let end = aggregated(Units::Lin, Period::Quarterly, Aggregation::End);
    assert_eq!(shown("legal-rate", &rows, &end), pairs(&[("2024-01-01", "0.704241")]));
    let mean = aggregated(Units::Lin, Period::Quarterly, Aggregation::Mean);
    assert_eq!(shown("ibc-br", &rows, &mean), pairs(&[("2024-01-01", "0.66192467")]));
}

/// One extreme day long ago must not remove the others.
#[test]
fn only_values_that_are_too_large_are_left_out() {
    let too_large = months("2024-01", &["79228162514264337593543950335"; 12]);
    assert_eq!(shown("ipca", &too_large, &asked(Units::Acc12)), []);
    let sum = aggregated(Units::Lin, Period::Yearly, Aggregation::Sum);
    assert_eq!(shown("gdp-month", &too_large, &sum), []);
    let rows = [("2024-03-11", "100"), ("2024-03-12", "130"), ("2024-03-13", "130")];
    let leap = rows.map(|(on, value)| RatePoint { day: day(on), value: number(value) });
    assert_eq!(shown("reserves", &leap, &asked(Units::Pca)), pairs(&[("2024-03-13", "0.000000")]));
}

#[test]
fn unfinished_month_does_not_end_a_period() {
    let months = months("2024-10", &["0.90", "0.80", "0.38", "0.05"]);
    let quarters = aggregated(Units::Lin, Period::Quarterly, Aggregation::End);
    assert_eq!(shown("selic-month", &months[..3], &quarters), []);
    assert_eq!(shown("selic-month", &months, &quarters), pairs(&[("2024-10-01", "0.38")]));
}

#[test]
fn a_first_month_is_whole_from_its_first_day_on() {
    let days = (0..31).map(|number| day("1998-09-01").plus_days(number));
    let rows: Vec<RatePoint> = days.map(|day| RatePoint { day, value: number("7") }).collect();
    let end = aggregated(Units::Lin, Period::Monthly, Aggregation::End);
    assert_eq!(shown("reserves", &rows, &end), pairs(&[("1998-09-01", "7")]));
    assert_eq!(shown("reserves", &rows[1..], &end), []);
}
