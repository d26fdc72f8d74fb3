//! Banks' business days: one day, the count between two, the n-th from a day, and a year's holidays.

use lastro_catalog::{Cell, Object, name};
use lastro_model::calendar::{self, Holiday};
use lastro_model::{Day, Decimal};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::{LIST_LIMIT, Query, bad};
use crate::http::response::csv;
use crate::http::response::reply::{Reply, Version};

const FURTHEST_SHIFT: i32 = 10_000;

/// Business days in a year, used to annualise rates.
const BUSINESS_YEAR: Decimal = Decimal::from_parts(252, 0, 0, false, 0);

pub fn day(question: &Question<'_>) -> Result<Reply, ApiError> {
    let text = question.path.get("date");
    let day = Day::parse(text).map_err(|reason| ApiError::parameter("date", &reason))?;
    let is_business_day = covered("date", calendar::is_business_day(day))?;
    let object = Object::new(Vec::with_capacity(256))
        .token(name!("date"), day)
        .number(name!("weekday"), weekday(day))
        .boolean(name!("business_day"), is_business_day)
        .written(name!("holiday"), |out| match calendar::holiday(day) {
            Some(holiday) => write_names(Object::new(out), holiday),
            None => out.extend_from_slice(b"null"),
        })
        .optional_token(name!("previous_business_day"), calendar::previous_business_day(day))
        .optional_token(name!("next_business_day"), calendar::next_business_day(day));
    Ok(constant(object.end()))
}

pub fn business_days(question: &Question<'_>) -> Result<Reply, ApiError> {
    let query = &question.query;
    let (from, to) = query.days()?;
    let (from, to) = (query.required("from", from)?, query.required("to", to)?);
    covered("from", calendar::is_business_day(from))?;
    let ends_on_one = covered("to", calendar::is_business_day(to))?;
    let count = covered("to", calendar::business_days_between(from, to))?;
    let object = Object::new(Vec::with_capacity(160))
        .token(name!("from"), from)
        .token(name!("to"), to)
        .number(name!("count"), count)
        .number(name!("count_inclusive"), count + i64::from(ends_on_one))
        .number(name!("fraction_252"), fraction_of_a_year(count));
    Ok(constant(object.end()))
}

/// Rounds to eight decimals, half to even.
fn fraction_of_a_year(business_days: i64) -> Decimal {
    let mut fraction = (Decimal::from(business_days) / BUSINESS_YEAR).round_dp(8);
    fraction.rescale(8);
    fraction
}

pub fn shift(question: &Question<'_>) -> Result<Reply, ApiError> {
    let query = &question.query;
    let day = query.required("date", query.day("date")?)?;
    let days = query.required("days", whole_number(query)?)?;
    covered("date", calendar::is_business_day(day))?;
    let shifted = covered("days", calendar::shift(day, days))?;
    Ok(constant(Object::new(Vec::with_capacity(32)).token(name!("date"), shifted).end()))
}

fn whole_number(query: &Query<'_>) -> Result<Option<i32>, ApiError> {
    let Some(text) = query.get("days")? else { return Ok(None) };
    let number = text.parse().ok().filter(|days| (-FURTHEST_SHIFT..=FURTHEST_SHIFT).contains(days));
    number.map(Some).ok_or_else(|| bad("days", "must be an integer from -10000 to 10000"))
}

pub fn holidays(question: &Question<'_>) -> Result<Reply, ApiError> {
    const FORM: &str = "must be a year from 2001 to 2099";
    let query = &question.query;
    let text = query.required("year", query.get("year")?)?;
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let year = digits.then(|| text.parse().ok()).flatten().ok_or_else(|| bad("year", FORM))?;
    let (page, (from, to)) = (query.page_or(LIST_LIMIT, LIST_LIMIT)?, query.days()?);
    let mut holidays = calendar::holidays(year).ok_or_else(|| bad("year", FORM))?;
    holidays.retain(|(day, _)| from.is_none_or(|from| from <= *day) && to.is_none_or(|to| *day <= to));
    let (total, holidays) = (holidays.len(), &holidays[page.of(holidays.len())]);
    if let Some(dialect) = question.format()?.dialect(question.plan)? {
        let label = question.label(format!("holidays-{year}"), total);
        let file = csv::file(dialect, &label, &["date", "name", "name_pt"], [], |writer| {
            holidays.iter().try_for_each(|(day, holiday)| {
                writer.row(|put| {
                    put(Cell::Token(day));
                    put(Cell::Text(holiday.name));
                    put(Cell::Text(holiday.name_pt));
                })
            })
        })?;
        return Ok(unchanging(file));
    }
    let object =
        Object::new(Vec::with_capacity(1_024)).array(name!("data"), holidays, |(day, holiday), out| {
            write_names(Object::new(out).token(name!("date"), *day), *holiday);
        });
    Ok(constant(object.number(name!("total"), total).end()))
}

fn write_names(object: Object<&mut Vec<u8>>, holiday: Holiday) {
    object.text(name!("name"), holiday.name).text(name!("name_pt"), holiday.name_pt).end();
}

/// The weekday; Monday is 1. Day 0, 1970-01-01, was a Thursday.
fn weekday(day: Day) -> i64 {
    i64::from((day.number() + 3).rem_euclid(7) + 1)
}

/// The calendar's result, or an error for days outside it.
fn covered<T>(parameter: &str, known: Option<T>) -> Result<T, ApiError> {
    known.ok_or_else(|| bad(parameter, "is outside the calendar, which covers 2001-01-01 to 2099-12-31"))
}

fn constant(body: Vec<u8>) -> Reply {
    unchanging(Reply::json(body))
}

/// Sets the version: the calendar changes only with the program.
fn unchanging(reply: Reply) -> Reply {
    Reply { version: Version::Content(crate::VERSION), ..reply }
}
