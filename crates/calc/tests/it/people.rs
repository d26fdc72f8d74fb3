//! Debts, savings, rents and minimum wages. Expected values were computed by hand with exact fractions.

use lastro_calc::{
    CalcError, Debt, DebtError, DebtRows, DebtTerms, FineBase, Instalment, Interest, InterestRule,
    MOST_INSTALMENTS, NegativeIndex, WageQuestion, correction, debt, minimum_wages, rent, savings,
    savings_series,
};
use lastro_model::{Day, Decimal, RatePoint, Series};
use proptest::prelude::*;

use crate::{about, day, month, months, number};

const IPCA_2024: [&str; 12] =
    ["0.42", "0.83", "0.16", "0.38", "0.46", "0.21", "0.38", "-0.02", "0.44", "0.56", "0.39", "0.52"];

fn legal_rates() -> Vec<RatePoint> {
    months("2024-08", &["0.605306", "0.676227", "0.704241"])
}

fn terms(to: &str, rule: InterestRule) -> DebtTerms {
    DebtTerms {
        to: day(to),
        index: Some(Series::Ipca),
        interest: Interest { rule, monthly_percent: Decimal::ONE, from: None },
        fine_percent: Decimal::ZERO,
        fine_on: FineBase::Corrected,
        fees_percent: Decimal::ZERO,
    }
}

fn instalment(date: &str, amount: &str) -> Instalment {
    Instalment { day: day(date), amount: number(amount) }
}

fn calculated(terms: &DebtTerms, instalments: &[Instalment]) -> Result<Debt, DebtError> {
    let (index, legal) = (months("2024-01", &IPCA_2024), legal_rates());
    debt(terms, instalments, DebtRows { index: &index, legal: &legal })
}

/// Factor, corrected amount, percent of interest, interest and total of a single instalment.
fn line(terms: &DebtTerms, date: &str, amount: &str) -> [String; 5] {
    let line = calculated(terms, &[instalment(date, amount)]).unwrap().lines[0];
    [line.correction_factor, line.corrected, line.interest_percent, line.interest, line.total]
        .map(|value| value.to_string())
}

#[test]
fn an_instalment_is_corrected_and_bears_interest() {
    let simple = terms("2024-10-15", InterestRule::Simple);
    assert_eq!(
        line(&simple, "2024-01-31", "1000"),
        ["1.03305336", "1033.05", "8.500000", "87.81", "1120.86"]
    );
    let half = Interest {
        monthly_percent: number("0.5"),
        from: Some(day("2024-05-20")),
        rule: InterestRule::Simple,
    };
    assert_eq!(
        line(&DebtTerms { interest: half, ..simple }, "2024-03-10", "250.55"),
        ["1.02026449", "255.63", "2.416667", "6.18", "261.81"]
    );
    let none = terms("2024-10-15", InterestRule::None);
    assert_eq!(line(&none, "2024-09-30", "10"), ["1.00440000", "10.04", "0.000000", "0.00", "10.04"]);
}

#[test]
fn the_legal_rule_changes_at_the_end_of_august_2024() {
    let legal = terms("2024-10-15", InterestRule::Legal);
    assert_eq!(line(&legal, "2024-01-31", "1000"), ["1.03305336", "1033.05", "8.033323", "82.99", "1116.04"]);
    assert_eq!(line(&legal, "2024-09-10", "777.77"), ["1.00440000", "781.19", "0.791403", "6.18", "787.37"]);
    assert_eq!(line(&legal, "2024-10-01", "10"), ["1.00000000", "10.00", "0.318044", "0.03", "10.03"]);
    let before = terms("2024-08-30", InterestRule::Legal);
    assert_eq!(line(&before, "2024-06-30", "100")[2], "2.000000");
    let used = calculated(&legal, &[instalment("2024-10-01", "1"), instalment("2024-01-01", "1")]).unwrap();
    assert_eq!(used.legal_rates.len(), 3);
    assert_eq!(calculated(&before, &[instalment("2024-01-01", "1")]).unwrap().legal_rates, []);
}

#[test]
fn whole_months_follow_the_calendar() {
    let percent = |from: &str, to: &str| {
        let terms = DebtTerms { index: None, ..terms(to, InterestRule::Simple) };
        line(&terms, from, "1")[2].clone()
    };
    for (from, to, expected) in [
        ("2024-01-31", "2024-02-29", "1.000000"),
        ("2024-01-31", "2024-03-01", "1.033333"),
        ("2023-01-31", "2023-02-28", "1.000000"),
        ("2024-01-15", "2024-02-14", "1.000000"),
        ("2024-02-29", "2025-02-28", "12.000000"),
        ("2024-05-05", "2024-05-05", "0.000000"),
    ] {
        assert_eq!(percent(from, to), expected, "{from} {to}");
    }
}

#[test]
fn totals_are_sums_of_rounded_lines() {
    let terms = DebtTerms {
        fine_percent: number("10"),
        fees_percent: number("20"),
        ..terms("2024-10-15", InterestRule::Simple)
    };
    let all = [instalment("2024-03-10", "250.55"), instalment("2024-01-31", "1000")];
    let debt = calculated(&terms, &all).unwrap();
    assert_eq!(
        (debt.corrected, debt.subtotal),
        (number("1288.68"), debt.lines[0].total + debt.lines[1].total)
    );
    assert_eq!(debt.fine, number("128.87"));
    assert_eq!(debt.result, debt.subtotal + debt.fine + debt.fees);
    let on_total = calculated(&DebtTerms { fine_on: FineBase::Total, ..terms }, &all).unwrap();
    assert_eq!(on_total.fine, (on_total.subtotal / Decimal::TEN).round_dp(2));
    assert_eq!(debt.receipt.len(), 9);
    assert_eq!(debt.lines[0].months, Some((month("2024-03"), month("2024-09"))));
    assert_eq!(debt.receipt[8].factor, debt.lines[1].correction_factor);
}

#[test]
fn bad_terms_are_named() {
    let simple = terms("2024-10-15", InterestRule::Simple);
    let text = |terms: &DebtTerms, all: &[Instalment]| calculated(terms, all).unwrap_err().to_string();
    let good = instalment("2024-01-31", "1");
    assert!(text(&simple, &[]).contains("1 to 500"));
    assert!(text(&simple, &vec![good; MOST_INSTALMENTS + 1]).contains("1 to 500"));
    assert!(text(&simple, &[good, instalment("2024-01-31", "1.001")]).contains("instalments[1].amount"));
    assert!(text(&simple, &[instalment("2024-10-16", "1")]).contains("instalments[0].date"));
    assert!(text(&simple, &[instalment("1994-06-30", "1")]).contains("1994-07-01"));
    assert!(text(&simple, &[instalment("2023-12-31", "1")]).contains("2023-12"));
    let with = |interest| DebtTerms { interest, ..simple };
    let rate = |percent| Interest { monthly_percent: number(percent), ..simple.interest };
    assert!(text(&with(rate("-1")), &[good]).contains("interest.monthly_percent"));
    assert!(text(&with(rate("100.01")), &[good]).contains("interest.monthly_percent"));
    let late = Interest { from: Some(day("2024-10-16")), ..simple.interest };
    assert_eq!(calculated(&with(late), &[good]), Err(DebtError::InterestFrom));
    assert!(text(&DebtTerms { fees_percent: number("0.00001"), ..simple }, &[good]).contains("fees_percent"));
    let wrong = DebtTerms { index: Some(Series::Selic), ..simple };
    assert_eq!(calculated(&wrong, &[good]), Err(CalcError::NotAPriceIndex("selic").into()));
    let legal = terms("2024-12-02", InterestRule::Legal);
    assert!(text(&legal, &[good]).contains("legal-rate has no value for 2024-11"));
}

/// A return for every day of the period.
fn returns(first: &str, last: &str) -> Vec<RatePoint> {
    let days = (day(first).number()..=day(last).number()).filter_map(Day::from_number);
    days.map(|day| RatePoint { day, value: Decimal::new(5_000 + i64::from(day.day_of_month()), 4) }).collect()
}

#[test]
fn savings_are_credited_on_anniversaries() {
    let rows = returns("2024-01-01", "2024-12-31");
    let ask = |from: &str, to: &str| savings(&rows, day(from), day(to), number("1000")).unwrap();
    // 0.5010 % for months that begin on the tenth.
    assert_eq!(ask("2024-01-10", "2024-02-09").result, number("1000.00"));
    assert_eq!(ask("2024-01-10", "2024-02-10").result, number("1005.01"));
    assert_eq!(ask("2024-01-10", "2024-03-31").factor, number("1.01004510"));
    let late = ask("2024-01-29", "2024-03-01");
    assert_eq!((late.receipt.len(), late.receipt[0].day), (1, day("2024-02-01")));
    assert_eq!(late.result, number("1005.00"));
    assert_eq!(
        savings(&rows, day("2024-12-10"), day("2025-03-10"), Decimal::ONE),
        Err(CalcError::MissingDay { series: "savings-daily", day: day("2025-01-10") })
    );
    assert_eq!(
        savings(&rows, day("1994-06-30"), day("2024-01-01"), Decimal::ONE),
        Err(CalcError::TooEarly(day("1994-07-01")))
    );
    assert_eq!(savings_series(day("2012-05-03")), Series::SavingsOldDaily);
    assert_eq!(savings_series(day("2012-05-04")), Series::SavingsDaily);
}

#[test]
fn a_rent_follows_the_twelve_months_before() {
    let rows = months("2024-01", &IPCA_2024);
    let apply = |rows: &[RatePoint], negative| {
        rent(about("ipca"), rows, month("2025-01"), number("2000"), negative).unwrap()
    };
    let year = correction(about("ipca"), &rows, month("2024-01"), month("2024-12"), number("2000")).unwrap();
    assert_eq!(apply(&rows, NegativeIndex::Apply), year);
    assert_eq!(apply(&rows, NegativeIndex::Ignore), year);
    let falling = months("2024-01", &["-0.50"; 12]);
    assert!(apply(&falling, NegativeIndex::Apply).factor < Decimal::ONE);
    let kept = apply(&falling, NegativeIndex::Ignore);
    assert_eq!((kept.factor, kept.percent, kept.result), (number("1"), number("0"), number("2000")));
    assert_eq!(kept.receipt.len(), 12);
    assert_eq!(
        rent(about("ipca"), &rows, month("1995-06"), Decimal::ONE, NegativeIndex::Apply),
        Err(CalcError::MonthTooEarly(month("1995-07")))
    );
}

#[test]
fn wages_are_converted_both_ways() {
    let rows = months("2024-01", &["1412.00"]);
    let ask = |question| minimum_wages(&rows, month("2024-01"), question);
    assert_eq!(ask(WageQuestion::Amount(number("1000"))).unwrap().wages, number("0.7082"));
    assert_eq!(ask(WageQuestion::Wages(number("1.5"))).unwrap().amount, number("2118.00"));
    assert_eq!(ask(WageQuestion::Wages(number("1.00001"))), Err(CalcError::Wages));
    assert_eq!(ask(WageQuestion::Wages(Decimal::ZERO)), Err(CalcError::Wages));
    assert_eq!(ask(WageQuestion::Amount(Decimal::ZERO)), Err(CalcError::Amount));
    assert_eq!(
        minimum_wages(&rows, month("2024-02"), WageQuestion::Wages(Decimal::ONE)),
        Err(CalcError::MissingMonth { series: "minimum-wage", month: month("2024-02") })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each instalment is corrected as if it were alone, by the function for a single correction.
    #[test]
    fn factors_equal_those_of_single_corrections(days in prop::collection::vec(0..300i32, 1..20)) {
        let rows = months("2024-01", &IPCA_2024);
        let all: Vec<Instalment> = days
            .iter()
            .map(|days| Instalment { day: day("2024-01-01").plus_days(*days), amount: number("100") })
            .collect();
        let debt = calculated(&terms("2024-12-10", InterestRule::None), &all).unwrap();
        for (line, instalment) in debt.lines.iter().zip(&all) {
            let from = lastro_calc::Month::of(instalment.day);
            let alone = correction(about("ipca"), &rows, from, month("2024-11"), number("100")).unwrap();
            prop_assert_eq!((line.correction_factor, line.corrected), (alone.factor, alone.result));
        }
    }
}
