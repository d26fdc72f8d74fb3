//! Result of a calculation, read from the API's own response: every digit is the API's.

use lastro_model::{Day, Series};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::form::Kind;
use crate::language::Language;
use crate::texts::CalculatorTexts;
use crate::{format, words};

/// Fields of a response that are shown. Numbers keep their text.
#[derive(Deserialize)]
struct Answer<'a> {
    from: &'a str,
    to: &'a str,
    rate: Option<&'a str>,
    #[serde(borrow)]
    rate_percent: Option<&'a RawValue>,
    #[serde(borrow)]
    amount: &'a RawValue,
    #[serde(borrow)]
    factor: &'a RawValue,
    #[serde(borrow)]
    percent: &'a RawValue,
    #[serde(borrow)]
    result: &'a RawValue,
    currency_from: &'a str,
    currency_to: &'a str,
    convention: &'a str,
    series: &'a str,
    #[serde(borrow)]
    editions: std::collections::BTreeMap<&'a str, &'a RawValue>,
    #[serde(borrow)]
    receipt: Vec<StepAnswer<'a>>,
}

#[derive(Deserialize)]
struct StepAnswer<'a> {
    month: Option<&'a str>,
    date: Option<&'a str>,
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
    pub(super) percent: String,
    pub(super) factor: String,
    pub(super) convention: &'static str,
    pub(super) series: &'static str,
    pub(super) series_id: String,
    pub(super) edition: String,
    /// The API call that gives the same result.
    pub(super) call: String,
    pub(super) receipt: Vec<Step>,
}

pub(super) struct Step {
    pub(super) when: String,
    pub(super) value: String,
    pub(super) factor: String,
}

pub(super) fn read(
    body: &[u8],
    kind: Kind,
    asked: &str,
    language: Language,
) -> Result<Outcome, serde_json::Error> {
    let answer: Answer<'_> = serde_json::from_slice(body)?;
    let t = &language.texts().calculator;
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let step = |step: &StepAnswer<'_>| Step {
        when: when(step.date.or(step.month).unwrap_or_default(), language),
        value: format!("{}%", number(step.value)),
        factor: number(step.factor),
    };
    Ok(Outcome {
        sentence: sentence(&answer, kind, t, language),
        result: format::money(answer.result.get(), answer.currency_to, language),
        machine_result: answer.result.get().to_owned(),
        percent: format!("{}%", number(answer.percent)),
        factor: number(answer.factor),
        convention: convention(answer.convention, t),
        series: Series::parse(answer.series).map_or("", |series| words::name(series.about(), language)),
        series_id: answer.series.to_owned(),
        edition: answer.editions.values().map(|raw| raw.get()).collect::<Vec<_>>().join(", "),
        call: format!("/api/v1/calc/{}?{asked}", kind.id()),
        receipt: answer.receipt.iter().map(step).collect(),
    })
}

fn sentence(answer: &Answer<'_>, kind: Kind, t: &CalculatorTexts, language: Language) -> String {
    let form = match kind {
        Kind::Correction => t.sentence,
        Kind::Accumulation => t.sentence_rate,
        Kind::LegalInterest => t.sentence_days,
    };
    let percent = answer.rate_percent.map(|percent| format!("{}%", format::number(percent.get(), language)));
    form.replace("{percent}", &percent.unwrap_or_default())
        .replace("{rate}", if answer.rate == Some("selic") { t.of_selic } else { t.of_cdi })
        .replace("{amount}", &format::money(answer.amount.get(), answer.currency_from, language))
        .replace("{from}", &when(answer.from, language))
        .replace("{to}", &when(answer.to, language))
}

/// Formats a day or a month for readers.
pub(super) fn when(text: &str, language: Language) -> String {
    if let Ok(day) = Day::parse(text) {
        return format::day(day, language);
    }
    let month = Day::parse(&format!("{text}-01"));
    month.map_or_else(|_| text.to_owned(), |month| format::month(month, language))
}

fn convention(id: &str, t: &CalculatorTexts) -> &'static str {
    match id {
        "b3" => t.by_exchange,
        "law-14905" => t.by_law,
        _ => t.by_central_bank,
    }
}
