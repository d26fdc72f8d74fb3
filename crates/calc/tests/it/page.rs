//! Recomputes the examples of docs/calculations.md with the crate, and their products by plain multiplication.

use std::collections::HashMap;

use lastro_calc::{
    DebtRows, DebtTerms, FineBase, Instalment, Interest, InterestRule, Month, NegativeIndex, Rate, Units,
    WageQuestion, accumulation, correction, cross, debt, inverse, legal_interest, minimum_wages, rent,
    savings,
};
use lastro_model::{Day, Decimal, FxQuote, Pair, RatePoint, Series, calendar};

use crate::{about, asked, business_days, day, last, month, months, number};

const PAGE: &str = include_str!("../../../../docs/calculations.md");

/// The lines of each example of a kind: the first word, and the rest.
fn examples(kind: &str) -> Vec<HashMap<&'static str, &'static str>> {
    let start = format!("```example {kind}\n");
    let blocks = PAGE.split(start.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap());
    let examples: Vec<_> =
        blocks.map(|block| block.lines().filter_map(|line| line.split_once(' ')).collect()).collect();
    assert!(!examples.is_empty(), "{kind}");
    examples
}

fn values(example: &HashMap<&str, &'static str>) -> Vec<&'static str> {
    example["values"].split(' ').collect()
}

/// Checks that the written product is that of the written factors, to its number of decimals.
fn check_product(example: &HashMap<&str, &str>) {
    let (factors, product) = example["product"].split_once(" = ").unwrap();
    let multiplied: Decimal = factors.split(" × ").map(number).product();
    let product = number(product);
    assert_eq!(multiplied.round_dp(product.scale()), product);
}

#[test]
fn years_have_the_business_days_that_the_page_says() {
    for (year, count) in &examples("business-days")[0] {
        let rows = business_days(&format!("{year}-01-01"), &format!("{year}-12-31"), "0");
        assert_eq!(rows.len().to_string(), *count, "{year}");
    }
}

#[test]
fn twelve_months_come_to_what_the_page_says() {
    for example in examples("acc12") {
        check_product(&example);
        let rows = months("2024-01", &values(&example));
        assert_eq!(last("ipca", &rows, &asked(Units::Acc12)).value.to_string(), example["percent"]);
    }
}

#[test]
fn corrections_come_to_what_the_page_says() {
    for example in examples("correction") {
        check_product(&example);
        let rows = months(example["first"], &values(&example));
        let to = Month::of(rows.last().unwrap().day);
        let done = correction(
            about(example["index"]),
            &rows,
            month(example["first"]),
            to,
            number(example["amount"]),
        )
        .unwrap();
        assert_eq!(done.factor.to_string(), example["factor"]);
        assert_eq!(done.result.to_string(), example["result"]);
        assert_eq!(done.divisor.to_string(), *example.get("divisor").unwrap_or(&"1"));
    }
}

#[test]
fn accumulated_rates_come_to_what_the_page_says() {
    for example in examples("accumulation") {
        check_product(&example);
        let days = business_days("2018-01-02", "2018-02-28", "0");
        let row = |(row, value): (&RatePoint, &str)| RatePoint { value: number(value), ..*row };
        let rows: Vec<RatePoint> = days.iter().zip(values(&example)).map(row).collect();
        let end = calendar::next_business_day(rows.last().unwrap().day).unwrap();
        let rate = Rate::parse(example["rate"]).unwrap();
        let done = accumulation(rate, &rows, rows[0].day, end, number(example["rate_percent"]), Decimal::ONE)
            .unwrap();
        assert_eq!(done.factor.to_string(), example["factor"]);
    }
}

#[test]
fn legal_interest_comes_to_what_the_page_says() {
    for example in examples("legal-interest") {
        let rows = months(example["first"], &values(&example));
        let done = legal_interest(&rows, day(example["from"]), day(example["to"]), number(example["amount"]))
            .unwrap();
        assert_eq!(
            (done.percent.to_string(), done.result.to_string()),
            (example["percent"].into(), example["result"].into())
        );
        // By hand, as on the page: two days of thirty-one and nine of thirty.
        let by_hand = rows[0].value * Decimal::TWO / Decimal::from(31)
            + rows[1].value * Decimal::from(9) / Decimal::from(30);
        assert_eq!(by_hand.round_dp(6), done.percent);
    }
}

#[test]
fn debts_come_to_what_the_page_says() {
    for example in examples("debt") {
        let rule = InterestRule::parse(example["rule"]).unwrap();
        let terms = DebtTerms {
            to: day(example["to"]),
            index: Some(Series::Ipca),
            interest: Interest { rule, monthly_percent: Decimal::ONE, from: None },
            fine_percent: Decimal::ZERO,
            fine_on: FineBase::Corrected,
            fees_percent: Decimal::ZERO,
        };
        let instalment = Instalment { day: day(example["date"]), amount: number(example["amount"]) };
        let rows = DebtRows { index: &months(example["first"], &values(&example)), legal: &[] };
        let line = debt(&terms, &[instalment], rows).unwrap().lines[0];
        for (name, value) in [
            ("correction_factor", line.correction_factor),
            ("corrected", line.corrected),
            ("interest_percent", line.interest_percent),
            ("interest", line.interest),
            ("total", line.total),
        ] {
            assert_eq!(value.to_string(), example[name], "{name}");
        }
    }
}

#[test]
fn savings_come_to_what_the_page_says() {
    for example in examples("savings") {
        check_product(&example);
        let (from, to) = (day(example["from"]), day(example["to"]));
        let row =
            |(place, value): (i32, &str)| RatePoint { day: from.minus_months(-place), value: number(value) };
        let rows: Vec<RatePoint> = (0..).zip(values(&example)).map(row).collect();
        let done = savings(&rows, from, to, number(example["amount"])).unwrap();
        assert_eq!(done.receipt.len(), rows.len());
        assert_eq!(
            (done.factor.to_string(), done.result.to_string()),
            (example["factor"].into(), example["result"].into())
        );
    }
}

#[test]
fn rents_come_to_what_the_page_says() {
    for example in examples("rent") {
        check_product(&example);
        let rows = months(example["first"], &values(&example));
        let negative = NegativeIndex::parse(example["negative"]).unwrap();
        let (index, amount) = (about(example["index"]), number(example["amount"]));
        let done = rent(index, &rows, month(example["month"]), amount, negative).unwrap();
        assert_eq!(
            (done.factor.to_string(), done.result.to_string()),
            (example["factor"].into(), example["result"].into())
        );
    }
}

#[test]
fn minimum_wages_come_to_what_the_page_says() {
    for example in examples("minimum-wages") {
        let rows = months(example["month"], &[example["wage"]]);
        let ask = |question| minimum_wages(&rows, month(example["month"]), question).unwrap();
        match example.get("amount") {
            Some(amount) => {
                let done = ask(WageQuestion::Amount(number(amount)));
                assert_eq!(done.wages.to_string(), example["wages"]);
            }
            None => {
                let done = ask(WageQuestion::Wages(number(example["wages"])));
                assert_eq!(done.amount.to_string(), example["result"]);
            }
        }
    }
}

/// Every rule of the page has an example.
#[test]
fn every_calculation_of_the_page_has_an_example() {
    for (heading, kind) in [
        ("Monetary correction", "correction"),
        ("Accumulated rates", "accumulation"),
        ("Legal interest", "legal-interest"),
        ("Debts", "debt"),
        ("Savings", "savings"),
        ("Rents", "rent"),
        ("Minimum wages", "minimum-wages"),
    ] {
        let section = PAGE.split(&format!("\n## {heading}\n")).nth(1).unwrap_or_else(|| panic!("{heading}"));
        let section = section.split("\n## ").next().unwrap();
        assert!(section.contains(&format!("```example {kind}\n")), "{heading}");
    }
}

#[test]
fn derived_exchange_rates_are_those_that_the_page_says() {
    for example in examples("cross") {
        let quote = |pair: &str| {
            let (buy, sell) = example[pair].split_once(' ').unwrap();
            FxQuote {
                day: Day::parse("2024-06-28").unwrap(),
                pair: Pair::parse(pair).unwrap(),
                buy: number(buy),
                sell: number(sell),
            }
        };
        assert_eq!(cross(&quote("EUR/BRL"), &quote("USD/BRL")), Some(quote("EUR/USD")));
        assert_eq!(inverse(&quote("USD/BRL")), Some(quote("BRL/USD")));
    }
}
