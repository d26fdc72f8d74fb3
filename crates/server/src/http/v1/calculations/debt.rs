//! A debt of several instalments, read from a JSON body.

use std::borrow::Cow;

use lastro_calc::{
    CalcError, Debt as Calculated, DebtLine, DebtRows, DebtTerms, FineBase, Instalment, Interest,
    InterestRule, Month, calculated_with, debt as calculate,
};
use lastro_catalog::{Catalog, Object, name};
use lastro_model::{Day, Decimal, Series};
use serde_json::value::RawValue;

use super::debt_body::{CHECKED_MEMBERS, Fields, InstalmentFields, InterestFields, MEMBERS, fields};
use super::inputs::{
    Answer, Inputs, Used, json_decimal, plain_decimal, price_index, refused, write_editions,
};
use super::label::as_printed;
use crate::error::ApiError;
use crate::http::handler::Action;
use crate::http::request::query::bad;
use crate::http::response::reply::Reply;
use crate::http::site::Site;

const LONGEST_LABEL: usize = 100;

pub async fn debt(action: Action<'_>) -> Result<Reply, ApiError> {
    let body = action.body.whole().await?;
    let debt = Debt::from_json(&body)?;
    answer(&debt, &action.served.catalog.load(), action.site).map(Reply::json)
}

/// The response to a debt.
pub fn answer(debt: &Debt, catalog: &Catalog, site: &Site) -> Result<Vec<u8>, ApiError> {
    Ok(debt.calculate(catalog)?.into_body(debt, site))
}

/// The inputs of a debt.
#[derive(Debug)]
pub struct Debt {
    terms: DebtTerms,
    instalments: Vec<Instalment>,
    labels: Vec<Option<String>>,
}

impl Debt {
    /// Parses the body of a request.
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        Self::new(fields(body, MEMBERS)?)
    }

    /// Parses a body to be checked, with the result on the document: empty if there is none.
    pub fn with_result(body: &[u8]) -> Result<(Self, String), ApiError> {
        let fields = fields(body, CHECKED_MEMBERS)?;
        let as_written = |raw: &RawValue| raw.get().trim_matches('"').to_owned();
        let result = fields.result.map(|raw| number(raw).map_or_else(|| as_written(raw), |n| n.to_string()));
        Ok((Self::new(fields)?, result.unwrap_or_default()))
    }

    /// The terms, and the instalments with their labels.
    pub fn into_parts(self) -> (DebtTerms, Vec<(Instalment, Option<String>)>) {
        (self.terms, self.instalments.into_iter().zip(self.labels).collect())
    }

    fn new(fields: Fields<'_>) -> Result<Self, ApiError> {
        let index =
            fields.index.ok_or_else(|| bad("index", "is required: a price index, or null for none"))?;
        let terms = DebtTerms {
            to: day("to", &fields.to)?,
            index: index.map(|id| price_index("index", &id)).transpose()?,
            interest: interest(&fields.interest)?,
            fine_percent: percent("fine_percent", fields.fine_percent, Decimal::ZERO)?,
            fine_on: match fields.fine_on {
                Some(id) => word("fine_on", &id, &FineBase::ALL.map(FineBase::id), FineBase::parse)?,
                None => FineBase::Corrected,
            },
            fees_percent: percent("fees_percent", fields.fees_percent, Decimal::ZERO)?,
        };
        let (mut instalments, mut labels) = (Vec::new(), Vec::new());
        for (place, fields) in fields.instalments.into_iter().enumerate() {
            instalments.push(instalment(place, &fields)?);
            labels.push(label(place, fields.label)?);
        }
        Ok(Self { terms, instalments, labels })
    }
}

fn interest(fields: &InterestFields<'_>) -> Result<Interest, ApiError> {
    let words = InterestRule::ALL.map(InterestRule::id);
    let rule = word("interest.rule", &fields.rule, &words, InterestRule::parse)?;
    let name = "interest.monthly_percent";
    let monthly_percent = percent(name, fields.monthly_percent, Decimal::ONE)?;
    if rule != InterestRule::Simple && monthly_percent != Decimal::ONE {
        return Err(bad(name, "can be chosen with the rule `simple` only"));
    }
    let from = fields.from.as_deref().map(|text| day("interest.from", text)).transpose()?;
    Ok(Interest { rule, monthly_percent, from })
}

fn instalment(place: usize, fields: &InstalmentFields<'_>) -> Result<Instalment, ApiError> {
    let day = day(&format!("instalments[{place}].date"), &fields.date)?;
    let amount = number(fields.amount).ok_or_else(|| refused(&lastro_calc::DebtError::Amount(place)))?;
    Ok(Instalment { day, amount })
}

fn label(place: usize, label: Option<Cow<'_, str>>) -> Result<Option<String>, ApiError> {
    let label = label.map(Cow::into_owned);
    match label.as_ref().map(|text| text.chars().count()) {
        Some(length) if length > LONGEST_LABEL => {
            Err(bad(&format!("instalments[{place}].label"), "must have at most 100 characters"))
        }
        _ => Ok(label),
    }
}

fn day(name: &str, text: &str) -> Result<Day, ApiError> {
    Day::parse(text).map_err(|reason| ApiError::parameter(name, &reason))
}

fn word<T>(
    name: &str,
    text: &str,
    words: &[&str],
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, ApiError> {
    parse(text).ok_or_else(|| bad(name, &format!("must be one of {}", words.join(", "))))
}

fn percent(name: &'static str, value: Option<&RawValue>, default: Decimal) -> Result<Decimal, ApiError> {
    value.map_or(Ok(default), |raw| number(raw).ok_or_else(|| refused(&CalcError::Percent(name))))
}

/// An exact number, written as a JSON number or string.
fn number(raw: &RawValue) -> Option<Decimal> {
    match raw.get().strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) => plain_decimal(text),
        None => json_decimal(raw.get()),
    }
}

impl Inputs for Debt {
    const LETTER: char = 'D';
    const KIND: &'static str = "debt";

    fn canonical(&self) -> String {
        let DebtTerms { to, index, interest, fine_percent, fine_on, fees_percent } = self.terms;
        let index = index.map_or("none", |index| index.about().id);
        let from = interest.from.map_or_else(|| "none".to_owned(), |from| from.to_string());
        let mut text = format!(
            "to={to} index={index} rule={} monthly_percent={} from={from} fine_percent={} fine_on={} fees_percent={}",
            interest.rule.id(),
            interest.monthly_percent.normalize(),
            fine_percent.normalize(),
            fine_on.id(),
            fees_percent.normalize(),
        );
        for (instalment, label) in self.instalments.iter().zip(&self.labels) {
            let (day, amount) = (instalment.day, instalment.amount.normalize());
            text += &format!(" {day} {amount} {:?}", as_printed(label.as_deref().unwrap_or_default()));
        }
        text
    }

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError> {
        let index = self.terms.index.map(|index| Used::of(catalog, calculated_with(index)));
        let is_legal = self.terms.interest.rule == InterestRule::Legal;
        let legal = is_legal.then(|| Used::of(catalog, Series::LegalRate));
        let rows = |used: &Option<Used<'_>>| used.as_ref().map(|used| used.rows.clone()).unwrap_or_default();
        let (index_rows, legal_rows) = (rows(&index), rows(&legal));
        let rows = DebtRows { index: &index_rows, legal: &legal_rows };
        let calculated = calculate(&self.terms, &self.instalments, rows).map_err(|error| refused(&error))?;
        // A source is named only if a value of it was used: all may be due in the month of the debt, or before the law.
        let index = index.filter(|_| !calculated.receipt.is_empty());
        let legal = legal.filter(|_| !calculated.legal_rates.is_empty());
        let used: Vec<&Used<'_>> = index.iter().chain(&legal).collect();
        let object = self
            .write_inputs()
            .array(name!("instalments"), 0..self.instalments.len(), |place, out| {
                self.write_line(place, &calculated.lines[place], out);
            })
            .number(name!("corrected"), calculated.corrected)
            .number(name!("interest_total"), calculated.interest)
            .number(name!("subtotal"), calculated.subtotal)
            .number(name!("fine"), calculated.fine)
            .number(name!("fees"), calculated.fees)
            .number(name!("result"), calculated.result)
            .text(name!("convention"), "court-tables")
            .optional_text(name!("series"), used.first().map(|used| used.id()))
            .written(name!("editions"), |out| write_editions(&used, out));
        Ok(Answer::new(write_receipt(object, &calculated), calculated.result, &used))
    }
}

impl Debt {
    fn write_inputs(&self) -> Object<Vec<u8>> {
        let DebtTerms { to, index, interest, fine_percent, fine_on, fees_percent } = self.terms;
        Object::new(Vec::with_capacity(512 + self.instalments.len() * 320))
            .token(name!("to"), to)
            .optional_text(name!("index"), index.map(|index| index.about().id))
            .written(name!("interest"), |out| {
                Object::new(out)
                    .text(name!("rule"), interest.rule.id())
                    .number(name!("monthly_percent"), interest.monthly_percent)
                    .optional_token(name!("from"), interest.from)
                    .end();
            })
            .number(name!("fine_percent"), fine_percent)
            .text(name!("fine_on"), fine_on.id())
            .number(name!("fees_percent"), fees_percent)
    }

    fn write_line(&self, place: usize, line: &DebtLine, out: &mut Vec<u8>) {
        let Instalment { day, amount } = self.instalments[place];
        let month = |month: Option<Month>| month.map(|month| month.to_string());
        let mut object = Object::new(out).token(name!("date"), day).number(name!("amount"), amount);
        if let Some(label) = &self.labels[place] {
            object = object.text(name!("label"), label);
        }
        object
            .number(name!("correction_factor"), line.correction_factor)
            .number(name!("corrected"), line.corrected)
            .number(name!("interest_percent"), line.interest_percent)
            .number(name!("interest"), line.interest)
            .number(name!("total"), line.total)
            .optional_text(name!("first_month"), month(line.months.map(|(first, _)| first)).as_deref())
            .optional_text(name!("last_month"), month(line.months.map(|(_, last)| last)).as_deref())
            .end();
    }
}

/// Each month of the index with its running factor, and each month of the legal rate.
fn write_receipt(object: Object<Vec<u8>>, calculated: &Calculated) -> Object<Vec<u8>> {
    object
        .array(name!("receipt"), &calculated.receipt, |step, out| {
            Object::new(out)
                .text(name!("month"), &Month::of(step.day).to_string())
                .number(name!("value"), step.value)
                .number(name!("factor"), step.factor)
                .end();
        })
        .array(name!("legal_rates"), &calculated.legal_rates, |row, out| {
            Object::new(out)
                .text(name!("month"), &Month::of(row.day).to_string())
                .number(name!("value"), row.value)
                .end();
        })
}
