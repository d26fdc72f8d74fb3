//! Result of a calculation, read from the API's own response: every digit is the API's.

use lastro_model::{Day, Frequency};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::document::{Document, Editions, times};
use super::kind::Kind;
use crate::data::Data;
use crate::format;
use crate::language::Language;
use crate::texts::CalculatorTexts;

/// Fields of a response that are shown. Numbers keep their text.
#[derive(Deserialize)]
struct Answer<'a> {
    from: Option<&'a str>,
    to: Option<&'a str>,
    month: Option<&'a str>,
    rate: Option<&'a str>,
    #[serde(borrow)]
    rate_percent: Option<&'a RawValue>,
    #[serde(borrow)]
    amount: &'a RawValue,
    #[serde(borrow)]
    wages: Option<&'a RawValue>,
    #[serde(borrow)]
    wage: Option<&'a RawValue>,
    #[serde(borrow)]
    factor: Option<&'a RawValue>,
    #[serde(borrow)]
    percent: Option<&'a RawValue>,
    #[serde(borrow)]
    result: &'a RawValue,
    #[serde(default = "real")]
    currency_from: &'a str,
    #[serde(default = "real")]
    currency_to: &'a str,
    #[serde(borrow)]
    editions: Editions<'a>,
    #[serde(borrow, default)]
    receipt: Vec<StepAnswer<'a>>,
    check: &'a str,
}

const fn real() -> &'static str {
    "BRL"
}

#[derive(Deserialize)]
struct StepAnswer<'a> {
    month: Option<&'a str>,
    date: Option<&'a str>,
    credited_on: Option<&'a str>,
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(borrow)]
    factor: &'a RawValue,
}

/// The result as shown on the page.
pub(super) struct Outcome {
    pub(super) sentence: String,
    pub(super) result: String,
    pub(super) machine_result: String,
    /// Names and values, in the reader's language.
    pub(super) facts: Vec<(&'static str, String)>,
    /// The API call that gives the same result.
    pub(super) call: String,
    pub(super) receipt: Vec<Step>,
    /// Whether the lines of the receipt have amounts: not if the currency changes on the way.
    pub(super) has_amounts: bool,
    pub(super) document: Document,
}

pub(super) struct Step {
    pub(super) when: String,
    pub(super) value: String,
    pub(super) factor: String,
    pub(super) amount: String,
}

pub(super) fn read(
    body: &[u8],
    kind: Kind,
    asked: &str,
    data: &Data<'_>,
    language: Language,
) -> Result<Outcome, serde_json::Error> {
    let answer: Answer<'_> = serde_json::from_slice(body)?;
    let t = &language.texts().calculator;
    let mut document = Document::new(kind, answer.rate, &answer.editions, answer.check, data, language);
    document.check_path += &format!("?{asked}&result={}", answer.result.get());
    let has_amounts = answer.currency_from == answer.currency_to;
    let step = |step: &StepAnswer<'_>| step_shown(step, &answer, has_amounts, language);
    Ok(Outcome {
        sentence: sentence(&answer, kind, asked, language),
        result: result(&answer, kind, asked, language),
        machine_result: answer.result.get().to_owned(),
        facts: facts(&answer, t, language),
        call: format!("/api/v1/calc/{}?{asked}", kind.id()),
        receipt: answer.receipt.iter().map(step).collect(),
        has_amounts,
        document,
    })
}

fn step_shown(step: &StepAnswer<'_>, answer: &Answer<'_>, has_amounts: bool, language: Language) -> Step {
    let t = &language.texts().calculator;
    let day = listed(step.date.or(step.month).unwrap_or_default(), language);
    let credited =
        step.credited_on.map(|day| format!(", {}", t.credited_on.replace("{date}", &when(day, language))));
    let amount = times(answer.amount.get(), step.factor.get()).filter(|_| has_amounts);
    Step {
        when: day + &credited.unwrap_or_default(),
        value: format!("{}%", format::number(step.value.get(), language)),
        factor: format::number(step.factor.get(), language),
        amount: amount.map(|amount| money_after(&amount, answer, language)).unwrap_or_default(),
    }
}

fn facts(answer: &Answer<'_>, t: &CalculatorTexts, language: Language) -> Vec<(&'static str, String)> {
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let facts = [
        answer.percent.map(|percent| (t.change, format!("{}%", number(percent)))),
        answer.factor.map(|factor| (t.factor, number(factor))),
        answer.wage.map(|wage| (t.wage, format::reais(wage.get(), language))),
    ];
    facts.into_iter().flatten().collect()
}

/// Whether the inputs of a conversion are a number of wages, and not an amount.
fn gives_wages(asked: &str) -> bool {
    asked.contains("wages=")
}

fn result(answer: &Answer<'_>, kind: Kind, asked: &str, language: Language) -> String {
    if kind == Kind::Wages && !gives_wages(asked) {
        let wages = format::number(answer.result.get(), language);
        return language.texts().calculator.wages_result.replace("{wages}", &wages);
    }
    money_after(answer.result.get(), answer, language)
}

/// An amount in the currency of the end of the period: of the last day, if that is a month.
fn money_after(amount: &str, answer: &Answer<'_>, language: Language) -> String {
    let day = format!("{}-31", answer.to.unwrap_or_default());
    format::money(amount, answer.currency_to, &day, language)
}

/// An amount in the currency of the first day of the period.
fn money_before(amount: &str, answer: &Answer<'_>, language: Language) -> String {
    let day = format!("{}-01", answer.from.unwrap_or_default());
    format::money(amount, answer.currency_from, &day, language)
}

fn sentence(answer: &Answer<'_>, kind: Kind, asked: &str, language: Language) -> String {
    let t = &language.texts().calculator;
    let form = match kind {
        Kind::Correction | Kind::Debt => t.sentence,
        Kind::Accumulation => t.sentence_rate,
        Kind::LegalInterest | Kind::Savings => t.sentence_days,
        Kind::Rent => t.sentence_rent,
        Kind::Wages if gives_wages(asked) => t.sentence_wages,
        Kind::Wages => t.sentence_amount,
    };
    let percent = answer.rate_percent.map(|percent| format!("{}%", format::number(percent.get(), language)));
    let wages = answer.wages.map(|wages| format::number(wages.get(), language));
    let day = |text: Option<&str>| text.map(|text| when(text, language)).unwrap_or_default();
    form.replace("{percent}", &percent.unwrap_or_default())
        .replace("{rate}", if answer.rate == Some("selic") { t.of_selic } else { t.of_cdi })
        .replace("{amount}", &money_before(answer.amount.get(), answer, language))
        .replace("{wages}", &wages.unwrap_or_default())
        .replace("{month}", &day(answer.month))
        .replace("{from}", &day(answer.from))
        .replace("{to}", &day(answer.to))
}

/// Formats a day or a month within a sentence.
pub(super) fn when(text: &str, language: Language) -> String {
    match Day::parse(&format!("{text}-01")) {
        Ok(month) => format::month(month, language),
        Err(_) => listed(text, language),
    }
}

/// Formats a day or a month in a table.
pub(super) fn listed(text: &str, language: Language) -> String {
    if let Ok(day) = Day::parse(text) {
        return format::day(day, language);
    }
    let month = Day::parse(&format!("{text}-01"));
    month.map_or_else(|_| text.to_owned(), |month| format::period(month, Frequency::Months, language))
}
