//! The values of a series: as published, from JSON rendered in advance; or computed, row by row.

use lastro_calc::{Asked as Transform, Derived, derive, shown_unit};
use lastro_catalog::{Cell, FirstDay, Object, Page, Part, Timeline, name};
use lastro_model::{About, Day, Plan, RatePoint};

use super::asked::{Asked, Order, prompt};
use super::named;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Dialect;
use crate::http::request::query::bad;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

type SeriesPart = Part<Timeline<RatePoint>>;

/// Approximate length of the JSON around the rows.
const FRAME_BYTES: usize = 160;

pub fn observations(question: &Question<'_>) -> Result<Reply, ApiError> {
    let asked = Asked::of(question)?;
    let series = named(question)?;
    let (about, part) = (series.about(), &*question.catalog.series[series]);
    let transform = asked.transform(about)?;
    let dialect = asked.format.dialect(question.plan)?;
    let window = asked.window(question.plan, part.newest().map(|point| point.day))?;
    if asked.is_plain() && asked.order == Order::NewestFirst && dialect.is_none() {
        return Ok(Reply::data(published(about, part, &asked, window), [part.stamp]));
    }
    let wanted = Transform { start: asked.from.max(window), ..transform };
    let derived = derive(about, &held(part, &asked)?, &wanted);
    let derived = derived.map_err(|reason| ApiError::BadRequest(reason.into()))?;
    let rows = within(derived, &asked, window, question.plan)?;
    let shown = page(&rows, &asked);
    match dialect {
        Some(dialect) => file(question, dialect, about, part, &shown, rows.len()),
        None => Ok(Reply::data(computed(about, &wanted, &asked, &shown, rows.len()), [part.stamp])),
    }
}

/// Returns one slice of the JSON rendered when the part was built.
fn published(about: &About, part: &SeriesPart, asked: &Asked, window: Option<Day>) -> Vec<u8> {
    let all = part.between(asked.from.max(window), asked.to);
    let Page { limit, offset } = asked.page;
    let start = all.start.saturating_add(offset).min(all.end);
    let items = part.json(start..start.saturating_add(limit).min(all.end));
    let unit = about.unit.id();
    framed(about, unit, asked, FRAME_BYTES + items.len(), all.len(), |object| {
        object.joined(name!("data"), items)
    })
}

/// The rows of all pages, oldest first.
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
fn held(part: &SeriesPart, asked: &Asked) -> Result<Vec<RatePoint>, ApiError> {
    let Some(day) = asked.as_of else { return Ok(part.points().iter().rev().copied().collect()) };
    part.as_of(day).map_err(|FirstDay(first)| match first {
        Some(first) => {
            bad("as_of", &format!("must be {first} or later: the recording of this series began then"))
        }
        None => bad("as_of", "asks for what is not recorded: nothing official of this series is held yet"),
    })
}

fn page<'a>(rows: &'a [Derived], asked: &Asked) -> Vec<&'a Derived> {
    let Page { limit, offset } = asked.page;
    match asked.order {
        Order::OldestFirst => rows.iter().skip(offset).take(limit).collect(),
        Order::NewestFirst => rows.iter().rev().skip(offset).take(limit).collect(),
    }
}

fn computed(
    about: &About,
    transform: &Transform,
    asked: &Asked,
    shown: &[&Derived],
    total: usize,
) -> Vec<u8> {
    const ROW_BYTES: usize = 48;
    let unit = shown_unit(about, transform.units, transform.period);
    framed(about, unit, asked, FRAME_BYTES + shown.len() * ROW_BYTES, total, |object| {
        object.array(name!("data"), shown, |row, out| {
            Object::new(out).token(name!("date"), row.day).number(name!("value"), row.value).end();
        })
    })
}

fn framed(
    about: &About,
    unit: &str,
    asked: &Asked,
    bytes: usize,
    total: usize,
    rows: impl FnOnce(Object<Vec<u8>>) -> Object<Vec<u8>>,
) -> Vec<u8> {
    let object = Object::new(Vec::with_capacity(bytes))
        .text(name!("series"), about.id)
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
    about: &'static About,
    part: &SeriesPart,
    shown: &[&Derived],
    total: usize,
) -> Result<Reply, ApiError> {
    let label = question.label(about.id, total);
    csv::file(dialect, &label, &["date", "value"], [part.stamp], |writer| {
        shown.iter().try_for_each(|row| {
            writer.row(|put| {
                put(Cell::Token(&row.day));
                put(Cell::Number(&row.value));
            })
        })
    })
}
