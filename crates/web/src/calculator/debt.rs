//! The form of a debt, and its result as a page. Instalments are pasted as lines of text.

use askama::Template;
use lastro_catalog::Catalog;
use lastro_model::Day;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::document::{Document, Editions};
use super::kind::Kind;
use super::outcome::{listed, when};
use super::{Choice, Tab, indices, refusal, tabs};
use crate::data::Data;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Reader, Rendered};
use crate::{format, typed};

/// Values of the form, as typed.
#[derive(Debug, Default)]
pub(super) struct DebtForm {
    to: String,
    index: String,
    rule: String,
    monthly_percent: String,
    interest_from: String,
    fine_percent: String,
    fine_on: String,
    fees_percent: String,
    instalments: String,
}

/// A submitted form.
#[derive(Debug)]
pub struct SubmittedDebt {
    form: DebtForm,
    /// The body of the same calculation in the API, or the number of the line that cannot be read.
    body: Result<String, usize>,
}

#[derive(Template)]
#[template(path = "debt.html")]
pub(super) struct DebtHtml {
    frame: Frame,
    about: &'static str,
    tabs: Vec<Tab>,
    indices: Vec<Choice>,
    form: DebtForm,
    error: Option<String>,
    result: Option<Outcome>,
}

/// The result as shown.
struct Outcome {
    sentence: String,
    result: String,
    machine_result: String,
    lines: Vec<Line>,
    totals: Vec<(String, String)>,
    months: Vec<(String, String, String)>,
    legal_rates: Vec<(String, String)>,
    document: Document,
    body: String,
}

struct Line {
    date: String,
    label: String,
    amount: String,
    factor: String,
    corrected: String,
    percent: String,
    interest: String,
    total: String,
}

impl DebtForm {
    pub(super) fn blank(catalog: &Catalog) -> Self {
        let newest = catalog.series[lastro_model::Series::Ipca].points().first();
        let to = newest.map(|point| point.day.minus_months(-1).to_string());
        Self {
            to: to.unwrap_or_default(),
            index: "ipca".into(),
            rule: "legal".into(),
            fine_on: "corrected".into(),
            ..Self::default()
        }
    }
}

impl SubmittedDebt {
    /// Reads the form, given the values of its fields.
    pub fn read<'a, E>(value: impl Fn(&str) -> Result<Option<&'a str>, E>) -> Result<Self, E> {
        let field = |name| Ok::<_, E>(typed::shown(value(name)?.unwrap_or_default()));
        let form = DebtForm {
            to: field("to")?,
            index: field("index")?,
            rule: field("rule")?,
            monthly_percent: field("monthly_percent")?,
            interest_from: field("interest_from")?,
            fine_percent: field("fine_percent")?,
            fine_on: field("fine_on")?,
            fees_percent: field("fees_percent")?,
            instalments: value("instalments")?.unwrap_or_default().to_owned(),
        };
        Ok(Self { body: form.body(), form })
    }

    /// The body of the same calculation in the API; an empty one if a line cannot be read.
    pub fn body(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    /// The form with the API's response as the result, or with its error message.
    pub fn render(self, data: &Data<'_>, reader: Reader, answer: Result<&[u8], &str>) -> Rendered {
        let Self { form, body } = self;
        let frame = Frame::new(data, reader, Kind::Debt.path());
        let mut page = page(form, frame);
        match (body, answer) {
            (Err(line), _) => {
                let t = &reader.language.texts().debt;
                page.error = Some(t.error_line.replace("{line}", &line.to_string()));
            }
            (Ok(body), Ok(answer)) => {
                let outcome = outcome(answer, body, data, reader.language);
                page.result = Some(outcome.map_err(askama::Error::custom)?);
            }
            (Ok(_), Err(message)) => page.error = Some(refusal::of_debt(message, reader.language)),
        }
        page.render()
    }
}

/// The page with a form.
pub(super) fn page(form: DebtForm, frame: Frame) -> DebtHtml {
    let language = frame.language;
    DebtHtml {
        frame,
        about: Kind::Debt.about(language),
        tabs: tabs(Kind::Debt, language),
        indices: indices(&form.index, language),
        form,
        error: None,
        result: None,
    }
}

#[derive(Serialize)]
struct Body<'a> {
    to: &'a str,
    index: Option<&'a str>,
    interest: Interest<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fine_percent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fine_on: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fees_percent: Option<String>,
    instalments: Vec<Instalment>,
}

#[derive(Serialize)]
struct Interest<'a> {
    rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    monthly_percent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
}

#[derive(Serialize)]
struct Instalment {
    date: String,
    amount: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

impl DebtForm {
    fn body(&self) -> Result<String, usize> {
        let given = |text: &str| (!text.is_empty()).then(|| typed::percentage(text));
        let lines = self.instalments.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let instalments =
            lines.map(|(place, line)| instalment(line).ok_or(place + 1)).collect::<Result<_, _>>()?;
        let body = Body {
            to: &self.to,
            index: Some(&*self.index).filter(|index| !index.is_empty()),
            interest: Interest {
                rule: &self.rule,
                monthly_percent: given(&self.monthly_percent).filter(|_| self.rule == "simple"),
                from: Some(&*self.interest_from).filter(|from| !from.is_empty()),
            },
            fine_percent: given(&self.fine_percent),
            fine_on: Some(&*self.fine_on).filter(|base| !base.is_empty()),
            fees_percent: given(&self.fees_percent),
            instalments,
        };
        // Texts and lists always have a JSON form.
        Ok(serde_json::to_string(&body).unwrap_or_default())
    }
}

/// A line: a date, an amount and perhaps a name, with tabs, semicolons or spaces between them.
fn instalment(line: &str) -> Option<Instalment> {
    let separator = ['\t', ';'].into_iter().find(|separator| line.contains(*separator));
    let fields: Vec<&str> = match separator {
        Some(separator) => line.split(separator).map(str::trim).filter(|field| !field.is_empty()).collect(),
        None => line.split_whitespace().filter(|field| *field != "R$").collect(),
    };
    let (date, amount) = (fields.first()?, fields.get(1)?);
    let label = typed::shown(&fields[2..].join(" "));
    Some(Instalment {
        date: typed::day(date)?,
        amount: typed::amount(amount),
        label: (!label.is_empty()).then_some(label),
    })
}

/// Fields of a response that are shown. Numbers keep their text.
#[derive(Deserialize)]
struct Answer<'a> {
    to: &'a str,
    #[serde(borrow)]
    interest: InterestAnswer<'a>,
    #[serde(borrow)]
    fine_percent: &'a RawValue,
    #[serde(borrow)]
    fees_percent: &'a RawValue,
    #[serde(borrow)]
    instalments: Vec<LineAnswer<'a>>,
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

fn outcome(
    answer: &[u8],
    body: String,
    data: &Data<'_>,
    language: Language,
) -> Result<Outcome, serde_json::Error> {
    let answer: Answer<'_> = serde_json::from_slice(answer)?;
    let number = |raw: &RawValue| format::number(raw.get(), language);
    let money = |raw: &RawValue| format::reais(raw.get(), language);
    let percent = |raw: &RawValue| format!("{}%", number(raw));
    let t = &language.texts().debt;
    let line = |line: &LineAnswer<'_>| Line {
        date: Day::parse(line.date).map_or_else(|_| line.date.to_owned(), |day| format::day(day, language)),
        label: line.label.clone().unwrap_or_default(),
        amount: number(line.amount),
        factor: number(line.correction_factor),
        corrected: number(line.corrected),
        percent: number(line.interest_percent),
        interest: number(line.interest),
        total: number(line.total),
    };
    let totals = vec![
        (t.interest.to_owned(), interest(&answer.interest, language)),
        (t.subtotal.to_owned(), money(answer.subtotal)),
        (t.fine.replace("{percent}", &number(answer.fine_percent)), money(answer.fine)),
        (t.fees.replace("{percent}", &number(answer.fees_percent)), money(answer.fees)),
        (t.result.to_owned(), money(answer.result)),
    ];
    let month = |row: &MonthAnswer<'_>| {
        (listed(row.month, language), percent(row.value), row.factor.map(number).unwrap_or_default())
    };
    Ok(Outcome {
        sentence: t.sentence.replace("{to}", &when(answer.to, language)),
        result: money(answer.result),
        machine_result: answer.result.get().to_owned(),
        lines: answer.instalments.iter().map(line).collect(),
        totals,
        months: answer.receipt.iter().map(month).collect(),
        legal_rates: answer
            .legal_rates
            .iter()
            .map(|row| (listed(row.month, language), percent(row.value)))
            .collect(),
        document: Document::new(Kind::Debt, None, &answer.editions, answer.check, data, language),
        body,
    })
}

/// The rule of interest in words.
fn interest(interest: &InterestAnswer<'_>, language: Language) -> String {
    let t = &language.texts().debt;
    let mut text = match interest.rule {
        "simple" => {
            format!("{} ({}%)", t.rule_simple, format::number(interest.monthly_percent.get(), language))
        }
        "legal" => t.rule_legal.to_owned(),
        _ => t.rule_none.to_owned(),
    };
    if let Some(from) = interest.from {
        text += &format!("; {} {}", t.from_day, when(from, language));
    }
    text
}
