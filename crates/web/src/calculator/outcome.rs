//! Result of a calculation, read from the API's own response: every digit is the API's.

use lastro_calc::{Month, running_amount};
use lastro_model::{Day, Frequency, Series};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::document::{Document, Editions};
use super::kind::Kind;
use super::wages;
use crate::data::Data;
use crate::language::Language;
use crate::texts::CalculatorTexts;
use crate::{format, words};

/// Fields of a response that are shown. Numbers keep their text.
#[derive(Deserialize)]
struct Answer<'a> {
    index: Option<&'a str>,
    negative: Option<&'a str>,
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
    divisor: Option<&'a RawValue>,
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
    /// The kind of the receipt's rows: months or days.
    pub(super) receipt_when: &'static str,
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
    let rule = rule(&answer, kind, language);
    let mut document = Document::new(kind, rule, &answer.editions, answer.check, data, language);
    document.check_path += &format!("?{asked}&result={}", answer.result.get());
    let start = answer.receipt.first().and_then(StepAnswer::days).map(|(first, _)| first);
    let step = |step: &StepAnswer<'_>| step_shown(step, start, &answer, language);
    Ok(Outcome {
        sentence: sentence(&answer, kind, asked, language),
        result: result(&answer, kind, asked, language),
        machine_result: answer.result.get().to_owned(),
        facts: facts(&answer, language),
        call: format!("/api/v1/calc/{}?{asked}", kind.id()),
        receipt: answer.receipt.iter().map(step).collect(),
        receipt_when: receipt_when(&answer, language),
        document,
    })
}

impl StepAnswer<'_> {
    /// The first and the last day of its period.
    fn days(&self) -> Option<(Day, Day)> {
        match (self.date, self.month) {
            (Some(date), _) => Day::parse(date).ok().map(|day| (day, day)),
            (None, month) => Month::parse(month?).ok().map(|month| (month.first_day(), month.last_day())),
        }
    }
}

fn receipt_when(answer: &Answer<'_>, language: Language) -> &'static str {
    let t = &language.texts().calculator;
    let has_months = answer.receipt.first().is_some_and(|step| step.date.is_none());
    if has_months { t.month } else { t.receipt_when }
}

fn step_shown(step: &StepAnswer<'_>, start: Option<Day>, answer: &Answer<'_>, language: Language) -> Step {
    let t = &language.texts().calculator;
    let day = listed(step.date.or(step.month).unwrap_or_default(), language);
    let credited =
        step.credited_on.map(|day| format!(", {}", t.credited_on.replace("{date}", &when(day, language))));
    let amount = || {
        let (amount, factor) = (answer.amount.get().parse().ok()?, step.factor.get().parse().ok()?);
        let last = step.days()?.1;
        let (amount, currency) = running_amount(amount, factor, start?, last)?;
        Some(format::money(&amount.to_string(), currency, &last.to_string(), language))
    };
    Step {
        when: day + &credited.unwrap_or_default(),
        value: format!("{}%", format::number(step.value.get(), language)),
        factor: format::number(step.factor.get(), language),
        amount: amount().unwrap_or_default(),
    }
}

fn facts(answer: &Answer<'_>, language: Language) -> Vec<(&'static str, String)> {
    let t = &language.texts().calculator;
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let index = answer.index.and_then(Series::parse);
    let negative = |id| if id == "ignore" { t.ignore } else { t.apply };
    let facts = [
        index.map(|index| (t.index, words::name(index.about(), language).to_owned())),
        answer.negative.map(|id| (t.negative, negative(id).to_owned())),
        ignored_fall(answer).map(|factor| (t.index_factor, number(factor))),
        answer.percent.map(|percent| (t.change, format!("{}%", number(percent)))),
        answer.factor.map(|factor| (t.factor, number(factor))),
        conversion(answer, t, language).map(|conversion| (t.currency, conversion)),
        answer.wage.map(|wage| (t.wage, format::reais(wage.get(), language))),
    ];
    facts.into_iter().flatten().collect()
}

/// The factor of an index that fell, if the rent stays as it is.
fn ignored_fall<'a>(answer: &Answer<'a>) -> Option<&'a RawValue> {
    let (last, applied) = (answer.receipt.last()?.factor, answer.factor?);
    (answer.negative == Some("ignore") && last.get() != applied.get()).then_some(last)
}

/// The change of the currency in words, if there was one.
fn conversion(answer: &Answer<'_>, t: &CalculatorTexts, language: Language) -> Option<String> {
    let divisor = answer.divisor.filter(|_| answer.currency_from != answer.currency_to)?;
    let names = [answer.currency_from, answer.currency_to].map(currency_name).join(" → ");
    let text = t.conversion.replace("{from}", &money_before(divisor.get(), answer, language));
    let text = text.replace("{to}", &money_after("1", answer, language)).replace("{names}", &names);
    Some(text.replace("{divisor}", &format::number(divisor.get(), language)))
}

/// The name of a currency of Brazil, the same in all languages.
fn currency_name(code: &str) -> &'static str {
    match code {
        "BRZ" => "cruzeiro, 1942–1967",
        "BRB" => "cruzeiro novo, cruzeiro, 1967–1986",
        "BRC" => "cruzado",
        "BRN" => "cruzado novo",
        "BRE" => "cruzeiro, 1990–1993",
        "BRR" => "cruzeiro real",
        _ => "real",
    }
}

/// The rule in words, with the choices that were made.
fn rule(answer: &Answer<'_>, kind: Kind, language: Language) -> String {
    let (rule, t) = (kind.rule(answer.rate, language), &language.texts().document);
    match (answer.negative, ignored_fall(answer)) {
        (_, Some(factor)) => {
            let factor = format::number(factor.get(), language);
            format!("{rule} {}", t.rule_rent_ignored.replace("{factor}", &factor))
        }
        (Some("ignore"), None) => format!("{rule} {}", t.rule_rent_ignore),
        (Some(_), None) => format!("{rule} {}", t.rule_rent_apply),
        (None, None) => rule.to_owned(),
    }
}

/// Whether the inputs of a conversion are a number of wages, and not an amount.
fn gives_wages(asked: &str) -> bool {
    asked.contains("wages=")
}

fn result(answer: &Answer<'_>, kind: Kind, asked: &str, language: Language) -> String {
    if kind == Kind::Wages && !gives_wages(asked) {
        return wages::minimum_wages(answer.result.get(), language);
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
        Kind::Wages if gives_wages(asked) => match answer.wages {
            Some(wages) if wages::is_one(wages.get(), language) => t.sentence_wage,
            _ => t.sentence_wages,
        },
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
