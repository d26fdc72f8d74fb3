//! SGS, the time series system of the Banco Central do Brasil: Selic (432), CDI (4389), IPCA (433).
//!
//! A body is a JSON list of `{"data": "dd/mm/yyyy", "valor": "15.00"}`; some series have more keys (`dataFim`), and
//! the order of keys is free. `valor` is text with a decimal point and as many decimals as published.
//!
//! Known faults, all seen in real responses:
//! - A daily series returns at most ten years (406), and ten years take 20 s or give `200 {"erro":{}}`: hence windows
//!   of one year.
//! - `ultimos/N` accepts N up to 20 (400 beyond).
//! - A window without values is 404, sometimes 200, with an object that says `Value(s) not found`. Any other 404 is a
//!   failure.
//! - Gateway errors, and unknown codes, give an HTML page with status 200 or 502.
//! - A monthly series ignores the day: a window that begins within a month also has the row of its first day, so
//!   windows overlap.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lastro_model::{Day, Frequency, RatePoint, Series};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::request::{Request, calendar_years};
use crate::{Answer, Fault, Reading, number};

pub const OFFICIAL_BASE: &str = "https://api.bcb.gov.br";

/// The publisher rejects more.
pub const MOST_LATEST: u32 = 20;

/// The request for the values of these days, both included.
pub fn window(base: &str, series: Series, from: Day, to: Day) -> Request {
    let path = format!(
        "/dados/serie/bcdata.sgs.{}/dados?formato=json&dataInicial={}&dataFinal={}",
        series.about().code,
        day_first(from),
        day_first(to)
    );
    Request::new(base, &path, format!("{} from {from} to {to}", series.about().label))
}

/// The request for the newest values, at most [`MOST_LATEST`].
pub fn latest(base: &str, series: Series, count: u32) -> Request {
    let count = count.clamp(1, MOST_LATEST);
    let path = format!("/dados/serie/bcdata.sgs.{}/dados/ultimos/{count}?formato=json", series.about().code);
    Request::new(base, &path, format!("{}, the latest {count}", series.about().label))
}

/// Splits these days into requests that the publisher handles well: one per calendar year, or a single one for
/// monthly and yearly series.
pub fn windows(series: Series, from: Day, to: Day) -> Vec<(Day, Day)> {
    let from = from.max(series.first_day());
    if from > to {
        return Vec::new();
    }
    if !series.about().frequency.is_daily() {
        return vec![(from, to)];
    }
    calendar_years(from, to)
}

fn day_first(day: Day) -> String {
    format!("{:02}/{:02}/{:04}", day.day_of_month(), day.month(), day.year())
}

/// Parses a response to [`window`] (`asked` holds its days) or to [`latest`] (`asked` is `None`); rows are in order
/// of days.
pub fn read(
    series: Series,
    asked: Option<(Day, Day)>,
    answer: &Answer<'_>,
) -> Result<Reading<RatePoint>, Fault> {
    let mut reading = Reading::default();
    let Some(items) = items(answer)? else { return Ok(reading) };
    let mut flipped = 0;
    for (place, item) in (1..).zip(&items) {
        match point(series, item) {
            Ok(point) => reading.rows.push(point),
            Err(unread) => {
                flipped += usize::from(unread == Unread::FlippedDay);
                reading.reject(answer.file, place, unread.reason().to_owned())?;
            }
        }
    }
    refuse_flipped(answer.file, flipped, items.len())?;
    refuse_outside(answer.file, series.about().frequency, asked, &reading.rows)?;
    reading.rows = one_value_a_day(answer.file, &reading.rows)?;
    Ok(reading)
}

/// The items of the list; `None` if the publisher says that there are no values.
fn items<'a>(answer: &Answer<'a>) -> Result<Option<Vec<&'a RawValue>>, Fault> {
    if matches!(answer.status, 200 | 404) && answer.error_says("Value(s) not found") {
        return Ok(None);
    }
    if matches!(answer.status, 400 | 406) || answer.error_says("10 anos") {
        return Err(Fault::Internal(format!(
            "{}: the publisher refuses the question (status {}); the window or the number of values is too large",
            answer.file, answer.status
        )));
    }
    if answer.status != 200 {
        return Err(Fault::Transient(answer.in_place_of_data()));
    }
    serde_json::from_slice(answer.body).map(Some).map_err(|_| Fault::Transient(answer.in_place_of_data()))
}

#[derive(Deserialize)]
struct PublishedPoint<'a> {
    #[serde(borrow)]
    data: Cow<'a, str>,
    #[serde(borrow)]
    valor: Option<Cow<'a, str>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unread {
    Shape,
    Day,
    /// Impossible as dd/mm/yyyy, possible as mm/dd/yyyy.
    FlippedDay,
    Missing,
    Number,
}

impl Unread {
    const fn reason(self) -> &'static str {
        match self {
            Self::Shape => "not an object with the texts data and valor",
            Self::Day => "data is not a day of this series, dd/mm/yyyy",
            Self::FlippedDay => "data is a day of this series only if the month stands first",
            Self::Missing => "valor is empty",
            Self::Number => "valor is not a number with a decimal point",
        }
    }
}

fn point(series: Series, item: &RawValue) -> Result<RatePoint, Unread> {
    let item: PublishedPoint<'_> = serde_json::from_str(item.get()).map_err(|_| Unread::Shape)?;
    let day = day(series.about().frequency, &item.data)?;
    let text = item.valor.filter(|text| !text.is_empty()).ok_or(Unread::Missing)?;
    let value = number::exact(&text).ok_or(Unread::Number)?;
    Ok(RatePoint { day, value })
}

fn day(frequency: Frequency, text: &str) -> Result<Day, Unread> {
    let mut parts = text.split('/');
    let (Some(first), Some(second), Some(year), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Unread::Day);
    };
    let day_of_series = |day: &str, month: &str| {
        Day::parse(&format!("{year}-{month}-{day}"))
            .ok()
            .filter(|day| frequency.is_daily() || day.day_of_month() == 1)
    };
    match (day_of_series(first, second), day_of_series(second, first)) {
        (Some(day), _) => Ok(day),
        (None, Some(_)) => Err(Unread::FlippedDay),
        (None, None) => Err(Unread::Day),
    }
}

/// Rejects swapped days and months. One impossible day is an error; a fifth of all days is another date format, and
/// then the possible ones are wrong too.
fn refuse_flipped(file: &str, flipped: usize, items: usize) -> Result<(), Fault> {
    if flipped >= 2 && flipped * 5 >= items {
        return Err(Fault::NotData(format!(
            "{file}: {flipped} of {items} days make sense only with the month first"
        )));
    }
    Ok(())
}

/// Rejects days that were not requested. Monthly rows may lie up to a month outside.
fn refuse_outside(
    file: &str,
    frequency: Frequency,
    asked: Option<(Day, Day)>,
    rows: &[RatePoint],
) -> Result<(), Fault> {
    let Some((from, to)) = asked else { return Ok(()) };
    let (from, to) = match frequency {
        Frequency::CalendarDays | Frequency::BusinessDays => (from, to),
        Frequency::Months => (from.minus_months(1), to.plus_days(31)),
        Frequency::Years => (from.minus_months(12), to.plus_days(366)),
    };
    match rows.iter().find(|point| point.day < from || point.day > to) {
        Some(point) => {
            Err(Fault::NotData(format!("{file}: has {}, a day that was not asked for", point.day)))
        }
        None => Ok(()),
    }
}

/// Merges equal rows of a day; rows that differ are an error.
fn one_value_a_day(file: &str, rows: &[RatePoint]) -> Result<Vec<RatePoint>, Fault> {
    let mut values: BTreeMap<Day, Decimal> = BTreeMap::new();
    for point in rows {
        let kept = *values.entry(point.day).or_insert(point.value);
        if kept != point.value {
            return Err(Fault::NotData(format!("{file}: has two different values for {}", point.day)));
        }
    }
    Ok(values.into_iter().map(|(day, value)| RatePoint { day, value }).collect())
}
