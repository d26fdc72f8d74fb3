//! Monetary correction, accumulated rates and legal interest, each with its receipt.

use lastro_calc::{
    CalcError, Calculation, Month, Rate, Step, accumulation as accumulate, calculated_with,
    correction as correct, is_price_index, legal_interest as legal,
};
use lastro_catalog::{Object, Part, Timeline, name};
use lastro_model::{Day, Decimal, RatePoint, Series};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::{Query, bad};
use crate::http::response::reply::Reply;

pub fn correction(question: &Question<'_>) -> Result<Reply, ApiError> {
    let query = &question.query;
    let index = index(query)?;
    let (from, to, amount) = (month(query, "from")?, month(query, "to")?, amount(query)?);
    let used = Used::of(question, calculated_with(index));
    let calculated = correct(index.about(), &used.rows, from, to, amount).map_err(|error| refused(&error))?;
    let inputs = Object::new(body_for(&calculated))
        .text(name!("index"), index.about().id)
        .text(name!("from"), &from.to_string())
        .text(name!("to"), &to.to_string())
        .number(name!("amount"), amount);
    Ok(used.reply(inputs, "bcb", &calculated, |object, step| {
        object.text(name!("month"), &Month::of(step.day).to_string())
    }))
}

pub fn accumulation(question: &Question<'_>) -> Result<Reply, ApiError> {
    let query = &question.query;
    let rate = query.word("rate", &Rate::ALL.map(Rate::id), Rate::parse)?;
    let rate = query.required("rate", rate)?;
    let (from, to) = days(query)?;
    let percent = decimal(query, "rate_percent", &CalcError::RatePercent)?.unwrap_or(Decimal::ONE_HUNDRED);
    let amount = amount(query)?;
    let used = Used::of(question, rate.series());
    let calculated =
        accumulate(rate, &used.rows, from, to, percent, amount).map_err(|error| refused(&error))?;
    let inputs = Object::new(body_for(&calculated))
        .text(name!("rate"), rate.id())
        .number(name!("rate_percent"), percent)
        .token(name!("from"), from)
        .token(name!("to"), to)
        .number(name!("amount"), amount);
    let convention = if rate == Rate::Cdi { "b3" } else { "bcb" };
    Ok(used.reply(inputs, convention, &calculated, |object, step| object.token(name!("date"), step.day)))
}

pub fn legal_interest(question: &Question<'_>) -> Result<Reply, ApiError> {
    let query = &question.query;
    let ((from, to), amount) = (days(query)?, amount(query)?);
    let used = Used::of(question, Series::LegalRate);
    let calculated = legal(&used.rows, from, to, amount).map_err(|error| refused(&error))?;
    let inputs = Object::new(body_for(&calculated))
        .token(name!("from"), from)
        .token(name!("to"), to)
        .number(name!("amount"), amount);
    Ok(used.reply(inputs, "law-14905", &calculated, |object, step| {
        object.text(name!("month"), &Month::of(step.day).to_string())
    }))
}

/// The series used in a calculation.
struct Used<'a> {
    series: Series,
    part: &'a Part<Timeline<RatePoint>>,
    /// Oldest first.
    rows: Vec<RatePoint>,
}

impl<'a> Used<'a> {
    fn of(question: &Question<'a>, series: Series) -> Self {
        let part = &*question.catalog.series[series];
        Self { series, part, rows: part.points().iter().rev().copied().collect() }
    }

    /// The reply: the result, after the inputs.
    fn reply(
        &self,
        inputs: Object<Vec<u8>>,
        convention: &str,
        calculated: &Calculation,
        when: impl for<'b> Fn(Object<&'b mut Vec<u8>>, &Step) -> Object<&'b mut Vec<u8>>,
    ) -> Reply {
        let id = self.series.about().id;
        let object = inputs
            .number(name!("factor"), calculated.factor)
            .number(name!("percent"), calculated.percent)
            .number(name!("result"), calculated.result)
            .text(name!("currency_from"), calculated.currency_from)
            .text(name!("currency_to"), calculated.currency_to)
            .text(name!("convention"), convention)
            .text(name!("series"), id)
            .written(name!("editions"), |out| {
                out.extend_from_slice(format!("{{\"{id}\":{}}}", self.part.stamp.edition.0).as_bytes());
            });
        // All plans get the receipt, even of values they cannot list: a calculation over one month shows them anyway.
        let object = object.array(name!("receipt"), &calculated.receipt, |step, out| {
            when(Object::new(out), step)
                .number(name!("value"), step.value)
                .number(name!("factor"), step.factor)
                .end();
        });
        Reply::data(object.end(), [self.part.stamp])
    }
}

fn body_for(calculated: &Calculation) -> Vec<u8> {
    Vec::with_capacity(384 + calculated.receipt.len() * 64)
}

fn refused(error: &CalcError) -> ApiError {
    ApiError::BadRequest(error.to_string().into())
}

fn index(query: &Query<'_>) -> Result<Series, ApiError> {
    let text = query.required("index", query.get("index")?)?;
    let series = Series::parse(text).filter(|series| is_price_index(series.about()));
    series.ok_or_else(|| {
        let known: Vec<&str> = Series::ALL
            .iter()
            .map(|series| series.about())
            .filter(|about| is_price_index(about))
            .map(|about| about.id)
            .collect();
        bad("index", &format!("must be one of {}", known.join(", ")))
    })
}

fn month(query: &Query<'_>, name: &str) -> Result<Month, ApiError> {
    let text = query.required(name, query.get(name)?)?;
    Month::parse(text).map_err(|reason| ApiError::parameter(name, &reason))
}

fn days(query: &Query<'_>) -> Result<(Day, Day), ApiError> {
    let (from, to) = query.days()?;
    Ok((query.required("from", from)?, query.required("to", to)?))
}

fn amount(query: &Query<'_>) -> Result<Decimal, ApiError> {
    Ok(decimal(query, "amount", &CalcError::Amount)?.unwrap_or(Decimal::ONE))
}

/// Parses digits with an optional fraction. Other text gets the same error as a value out of bounds.
fn decimal(query: &Query<'_>, name: &str, bounds: &CalcError) -> Result<Option<Decimal>, ApiError> {
    let Some(text) = query.get(name)? else { return Ok(None) };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = (are_digits(whole) && are_digits(fraction)).then(|| Decimal::from_str_exact(text).ok());
    number.flatten().map(Some).ok_or_else(|| refused(bounds))
}
