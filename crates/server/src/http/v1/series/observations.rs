//! The values of a series: as published, from JSON rendered in advance; or computed, row by row.

use lastro_calc::{Asked as Transform, Derived, derive, shown_unit};
use lastro_catalog::{Cell, FirstDay, Object, Page, Part, Timeline, name};
use lastro_model::{About, Day, Plan, RatePoint};

use super::asked::{Asked, Order, prompt};
use super::catalog_series::CatalogSeries;
use super::named;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Dialect;
use crate::http::request::query::bad;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

/// Approximate length of the JSON around the rows.
const FRAME_BYTES: usize = 160;

pub fn observations(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asked = Asked::of(question)?;
    let subject = named(question)?;
    let transform = asked.transform(subject.about())?;
    let dialect = asked.format.dialect(question.plan)?;
    let window = asked.window(question.plan, subject.newest().map(|point| point.day))?;
    if let CatalogSeries::Row { series, part } = subject
        && asked.is_plain()
        && asked.order == Order::NewestFirst
        && dialect.is_none()
    {
        return Ok(Reply::data(published(series.about(), part, &asked, window), [part.stamp]));
    }
    let rows = rows(&subject, &asked, &transform, window, question.plan)?;
    let shown = page(&rows, &asked);
    match dialect {
        Some(dialect) => file(question, dialect, &subject, &shown, rows.len()),
        None => {
            Ok(Reply::data(computed(&subject, &transform, &asked, &shown, rows.len()), [subject.stamp()]))
        }
    }
}

/// The rows of all pages, oldest first.
pub(super) fn rows(
    subject: &CatalogSeries<'_>,
    asked: &Asked,
    transform: &Transform,
    window: Option<Day>,
    plan: Plan,
) -> Result<Vec<Derived>, ApiError> {
    let wanted = Transform { start: asked.from.max(window), ..*transform };
    let derived = derive(subject.about(), &held(subject, asked)?, &wanted);
    within(derived.map_err(|reason| ApiError::BadRequest(reason.into()))?, asked, window, plan)
}

/// Returns one slice of the JSON rendered when the part was built.
fn published(about: &About, part: &Part<Timeline<RatePoint>>, asked: &Asked, window: Option<Day>) -> Vec<u8> {
    let all = part.between(asked.from.max(window), asked.to);
    let Page { limit, offset } = asked.page;
    let start = all.start.saturating_add(offset).min(all.end);
    let items = part.json(start..start.saturating_add(limit).min(all.end));
    let unit = about.unit.id();
    framed(about.id, unit, asked, FRAME_BYTES + items.len(), all.len(), |object| {
        object.joined(name!("data"), items)
    })
}

/// The rows between the requested days that the plan shows.
fn within(
    mut rows: Vec<Derived>,
    asked: &Asked,
    window: Option<Day>,
    plan: Plan,
) -> Result<Vec<Derived>, ApiError> {
    rows.retain(|row| asked.includes(row.day));
    let Some(start) = window else { return Ok(rows) };
    let sees = |row: &Derived| start <= row.since;
    // With `from`, all later rows are required; otherwise, rows that need values outside the plan are dropped.
    if asked.from.is_some() && !rows.iter().all(sees) {
        return Err(prompt(plan));
    }
    rows.retain(sees);
    Ok(rows)
}

/// The input values, oldest first.
fn held(subject: &CatalogSeries<'_>, asked: &Asked) -> Result<Vec<RatePoint>, ApiError> {
    let Some(day) = asked.as_of else { return Ok(subject.values()) };
    subject.values_as_of(day).map_err(|FirstDay(first)| match first {
        Some(first) => {
            bad("as_of", &format!("must be {first} or later: the recording of this series began then"))
        }
        None => bad("as_of", "is not recorded: there is no official data of this series yet"),
    })
}

/// The rows of the requested page, in the requested order.
pub(super) fn page<'a, T>(rows: &'a [T], asked: &Asked) -> Vec<&'a T> {
    let Page { limit, offset } = asked.page;
    match asked.order {
        Order::OldestFirst => rows.iter().skip(offset).take(limit).collect(),
        Order::NewestFirst => rows.iter().rev().skip(offset).take(limit).collect(),
    }
}

fn computed(
    subject: &CatalogSeries<'_>,
    transform: &Transform,
    asked: &Asked,
    shown: &[&Derived],
    total: usize,
) -> Vec<u8> {
    const ROW_BYTES: usize = 48;
    let unit = shown_unit(subject.about(), transform.units, transform.period);
    framed(&subject.id(), unit, asked, FRAME_BYTES + shown.len() * ROW_BYTES, total, |object| {
        object.array(name!("data"), shown, |row, out| {
            Object::new(out).token(name!("date"), row.day).number(name!("value"), row.value).end();
        })
    })
}

fn framed(
    id: &str,
    unit: &str,
    asked: &Asked,
    bytes: usize,
    total: usize,
    rows: impl FnOnce(Object<Vec<u8>>) -> Object<Vec<u8>>,
) -> Vec<u8> {
    let object = Object::new(Vec::with_capacity(bytes))
        .text(name!("series"), id)
        .text(name!("unit"), unit)
        .text(name!("units"), asked.units.id());
    rows(object)
        .number(name!("total"), total)
        .number(name!("limit"), asked.page.limit)
        .number(name!("offset"), asked.page.offset)
        .end()
}

fn file(
    question: &Question<'_>,
    dialect: Dialect,
    subject: &CatalogSeries<'_>,
    shown: &[&Derived],
    total: usize,
) -> Result<Reply, ApiError> {
    let label = question.label(subject.id(), total);
    csv::file(dialect, &label, &["date", "value"], [subject.stamp()], |writer| {
        shown.iter().try_for_each(|row| {
            writer.row(|put| {
                put(Cell::Token(&row.day));
                put(Cell::Number(&row.value));
            })
        })
    })
}
