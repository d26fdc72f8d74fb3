//! The result of a debt as a document, read from the API's own response: every digit is the API's.

use lastro_model::{Day, Series};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::choices::short_name;
use super::document::{Document, Editions};
use super::kind::Kind;
use super::outcome::{listed, when};
use crate::data::Data;
use crate::format;
use crate::language::Language;

/// The result as shown.
pub(super) struct Outcome {
    pub(super) sentence: String,
    pub(super) result: String,
    pub(super) machine_result: String,
    pub(super) lines: Vec<Line>,
    /// The sums of the columns of the lines: corrected amounts, interest, both.
    pub(super) sums: [String; 3],
    /// The choices and the parts of the result, with their names.
    pub(super) facts: Vec<(String, String)>,
    pub(super) months: Vec<(String, String, String)>,
    pub(super) legal_rates: Vec<(String, String)>,
    pub(super) document: Document,
}

pub(super) struct Line {
    pub(super) date: String,
    pub(super) label: String,
    pub(super) amount: String,
    pub(super) factor: String,
    pub(super) corrected: String,
    pub(super) percent: String,
    pub(super) interest: String,
    pub(super) total: String,
}

/// Fields of a response that are shown. Numbers keep their text.
#[derive(Deserialize)]
struct Answer<'a> {
    to: &'a str,
    index: Option<&'a str>,
    fine_on: &'a str,
    #[serde(borrow)]
    interest: InterestAnswer<'a>,
    #[serde(borrow)]
    fine_percent: &'a RawValue,
    #[serde(borrow)]
    fees_percent: &'a RawValue,
    #[serde(borrow)]
    instalments: Vec<LineAnswer<'a>>,
    #[serde(borrow)]
    corrected: &'a RawValue,
    #[serde(borrow)]
    interest_total: &'a RawValue,
    #[serde(borrow)]
    subtotal: &'a RawValue,
    #[serde(borrow)]
    fine: &'a RawValue,
    #[serde(borrow)]
    fees: &'a RawValue,
    #[serde(borrow)]
    result: &'a RawValue,
    #[serde(borrow)]
    editions: Editions<'a>,
    #[serde(borrow)]
    receipt: Vec<MonthAnswer<'a>>,
    #[serde(borrow)]
    legal_rates: Vec<MonthAnswer<'a>>,
    check: &'a str,
}

#[derive(Deserialize)]
struct InterestAnswer<'a> {
    rule: &'a str,
    #[serde(borrow)]
    monthly_percent: &'a RawValue,
    from: Option<&'a str>,
}

#[derive(Deserialize)]
struct LineAnswer<'a> {
    date: &'a str,
    label: Option<String>,
    #[serde(borrow)]
    amount: &'a RawValue,
    #[serde(borrow)]
    correction_factor: &'a RawValue,
    #[serde(borrow)]
    corrected: &'a RawValue,
    #[serde(borrow)]
    interest_percent: &'a RawValue,
    #[serde(borrow)]
    interest: &'a RawValue,
    #[serde(borrow)]
    total: &'a RawValue,
}

#[derive(Deserialize)]
struct MonthAnswer<'a> {
    month: &'a str,
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(borrow)]
    factor: Option<&'a RawValue>,
}

pub(super) fn read(answer: &[u8], data: &Data<'_>, language: Language) -> Result<Outcome, serde_json::Error> {
    let answer: Answer<'_> = serde_json::from_slice(answer)?;
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let cents = |raw: &RawValue| format::cents(raw.get(), language);
    let percent = |raw: &RawValue| format!("{}%", number(raw));
    let month = |row: &MonthAnswer<'_>| {
        (listed(row.month, language), percent(row.value), row.factor.map(number).unwrap_or_default())
    };
    let legal_rate = |row: &MonthAnswer<'_>| (listed(row.month, language), percent(row.value));
    let rule = rule(&answer, language);
    Ok(Outcome {
        sentence: language.texts().debt.sentence.replace("{to}", &when(answer.to, language)),
        result: format::reais(answer.result.get(), language),
        machine_result: answer.result.get().to_owned(),
        lines: answer.instalments.iter().map(|line| line_shown(line, language)).collect(),
        sums: [answer.corrected, answer.interest_total, answer.subtotal].map(cents),
        facts: facts(&answer, language),
        months: answer.receipt.iter().map(month).collect(),
        legal_rates: answer.legal_rates.iter().map(legal_rate).collect(),
        document: Document::new(Kind::Debt, rule, &answer.editions, answer.check, data, language),
    })
}

fn line_shown(line: &LineAnswer<'_>, language: Language) -> Line {
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let cents = |raw: &RawValue| format::cents(raw.get(), language);
    let date = Day::parse(line.date).map(|day| format::short_day(day, language));
    Line {
        date: date.unwrap_or_else(|_| line.date.to_owned()),
        label: line.label.clone().unwrap_or_default(),
        amount: cents(line.amount),
        factor: number(line.correction_factor),
        corrected: cents(line.corrected),
        percent: number(line.interest_percent),
        interest: cents(line.interest),
        total: cents(line.total),
    }
}

fn facts(answer: &Answer<'_>, language: Language) -> Vec<(String, String)> {
    let t = &language.texts().debt;
    let money = |raw: &RawValue| format::reais(raw.get(), language);
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let base = if answer.fine_on == "total" { t.fine_total } else { t.fine_corrected };
    let fine = t.fine.replace("{percent}", &number(answer.fine_percent)).replace("{base}", base);
    let index = index(answer, language).map_or_else(|| t.index_none.to_owned(), str::to_owned);
    let InterestAnswer { rule, monthly_percent, from } = answer.interest;
    vec![
        (language.texts().calculator.index.to_owned(), index),
        (t.interest.to_owned(), interest(rule, monthly_percent.get(), from, language)),
        (t.corrected_sum.to_owned(), money(answer.corrected)),
        (t.interest_sum.to_owned(), money(answer.interest_total)),
        (t.subtotal.to_owned(), money(answer.subtotal)),
        (fine, money(answer.fine)),
        (t.fees.replace("{percent}", &number(answer.fees_percent)), money(answer.fees)),
        (t.result.to_owned(), money(answer.result)),
    ]
}

/// The name of the index, as lawyers know it.
fn index(answer: &Answer<'_>, language: Language) -> Option<&'static str> {
    Some(short_name(Series::parse(answer.index?)?.about(), language))
}

/// The interest in a few words.
pub(super) fn interest(rule: &str, monthly_percent: &str, from: Option<&str>, language: Language) -> String {
    let t = &language.texts().debt;
    let mut text = match rule {
        "simple" => format!("{} ({}%)", t.rule_simple, format::number(monthly_percent, language)),
        "legal" => t.rule_legal.to_owned(),
        _ => t.rule_none.to_owned(),
    };
    if let Some(from) = from {
        text += &format!("; {} {}", t.from_day, when(from, language));
    }
    text
}

/// The rule of every part in words, with the law, from the choices that were made.
fn rule(answer: &Answer<'_>, language: Language) -> String {
    let t = &language.texts().debt;
    let with_percent =
        |text: &str, raw: &RawValue| text.replace("{percent}", &format::number(raw.get(), language));
    let correction = match index(answer, language) {
        Some(name) => t.says_correction.replace("{index}", name),
        None => t.says_no_correction.to_owned(),
    };
    let counted = match answer.interest.from {
        Some(from) => t.says_counted_from.replace("{from}", &when(from, language)),
        None => t.says_counted.to_owned(),
    };
    let interest = match answer.interest.rule {
        "simple" => with_percent(t.says_simple, answer.interest.monthly_percent) + " " + &counted,
        "legal" if begins_before_the_code(answer) => [t.says_legal, t.says_legal_before, &counted].join(" "),
        "legal" => format!("{} {counted}", t.says_legal),
        _ => t.says_no_interest.to_owned(),
    };
    let fine = match answer.fine_on {
        _ if is_zero(answer.fine_percent) => t.says_no_fine.to_owned(),
        "total" => with_percent(t.says_fine_total, answer.fine_percent),
        _ => with_percent(t.says_fine_corrected, answer.fine_percent),
    };
    let fees = match answer.fees_percent {
        percent if is_zero(percent) => t.says_no_fees.to_owned(),
        percent => with_percent(t.says_fees, percent),
    };
    [correction, interest, fine, fees, t.says_rounding.to_owned()].join(" ")
}

/// The first day of the civil code that 1 % a month was derived from. For the time before, no law says 1 %.
const CIVIL_CODE: &str = "2003-01-11";

/// Whether interest on an instalment counts from a day before the civil code of 2002. Days are ordered as their texts.
fn begins_before_the_code(answer: &Answer<'_>) -> bool {
    let first = answer.instalments.iter().map(|line| line.date).min();
    first.is_some_and(|first| first.max(answer.interest.from.unwrap_or_default()) < CIVIL_CODE)
}

fn is_zero(number: &RawValue) -> bool {
    number.get().bytes().all(|byte| matches!(byte, b'0' | b'.'))
}
