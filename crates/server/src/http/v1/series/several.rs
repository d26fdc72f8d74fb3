//! Several series side by side: one row for each date, with a member for each series.

use std::borrow::Cow;

use lastro_calc::{Derived, Units, shown_unit};
use lastro_catalog::{Cell, Object, Plain, name};
use lastro_model::{Day, Decimal, Stamp};

use super::asked::Asked;
use super::catalog_series::CatalogSeries;
use super::observations::{page, rows};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::nearest::{is_none, shown as repeated};
use crate::http::request::query::{Query, bad};
use crate::http::response::csv;
use crate::http::response::reply::Reply;

/// Most series in one request.
const MOST_SERIES: usize = 20;

/// One of the series: its values, and their description.
struct Column<'a> {
    id: Cow<'static, str>,
    subject: CatalogSeries<'a>,
    units: Units,
    unit: &'static str,
    /// Oldest first.
    rows: Vec<Derived>,
}

pub fn several(question: &Question<'_>) -> Result<Reply, ApiError> {
    let common = Asked::beside_units(question)?;
    let subjects = named(question)?;
    let each: Vec<Asked> =
        units(&question.query, &subjects)?.into_iter().map(|units| common.with_units(units)).collect();
    common.check_base(&each)?;
    check_frequency(&common, &subjects)?;
    let columns = columns(question, subjects, &each)?;
    let dialect = common.format.dialect(question.plan)?;
    let days = days(&columns);
    let shown = page(&days, &common);
    let stamps: Vec<Stamp> = columns.iter().map(|column| column.subject.stamp()).collect();
    if let Some(dialect) = dialect {
        let ids = columns.iter().map(|column| &*column.id);
        let names: Vec<&str> = ["date"].into_iter().chain(ids).collect();
        return csv::file(dialect, &question.label("observations", days.len()), &names, stamps, |writer| {
            shown.iter().try_for_each(|day| writer.row(|put| write_cells(**day, &columns, put)))
        });
    }
    let body = Object::new(Vec::with_capacity(256 + shown.len() * (24 + columns.len() * 24)))
        .array(name!("series"), &columns, |column, out| push_word(&column.id, out))
        .written(name!("unit"), |out| write_words(&columns, |column| column.unit, out))
        .written(name!("units"), |out| write_words(&columns, |column| column.units.id(), out))
        .array(name!("data"), shown, |day, out| write_json(*day, &columns, out))
        .number(name!("total"), days.len())
        .number(name!("limit"), common.page.limit)
        .number(name!("offset"), common.page.offset)
        .end();
    Ok(Reply::data(body, stamps))
}

/// The series of `ids`, each once.
fn named<'a>(question: &Question<'a>) -> Result<Vec<CatalogSeries<'a>>, ApiError> {
    let ids = question.query.list("ids", MOST_SERIES)?;
    if ids.is_empty() {
        return Err(bad("ids", "is required: ids of series with commas between them, such as ipca,usd-brl"));
    }
    let mut subjects: Vec<CatalogSeries<'_>> = Vec::new();
    for id in ids {
        let subject = CatalogSeries::named(question.catalog, id).ok_or_else(|| unknown(question, id))?;
        if subjects.iter().all(|other| other.id() != subject.id()) {
            subjects.push(subject);
        }
    }
    Ok(subjects)
}

fn unknown(question: &Question<'_>, id: &str) -> ApiError {
    let known: Vec<Cow<'_, str>> = CatalogSeries::all(question.catalog).map(|subject| subject.id()).collect();
    let none = is_none(id, known.iter().map(|id| &**id));
    bad("ids", &format!("must be ids of /api/v1/series; {none}"))
}

/// The units of each series: the same for all, or `id:units` for some of them.
fn units(query: &Query<'_>, subjects: &[CatalogSeries<'_>]) -> Result<Vec<Units>, ApiError> {
    let parse = |word: &str| {
        let words = Units::ALL.map(Units::id).join(", ");
        Units::parse(word).ok_or_else(|| bad("units", &format!("must be one of {words}, or id:units")))
    };
    let mut units = vec![Units::Lin; subjects.len()];
    let given = query.list("units", MOST_SERIES)?;
    if let [word] = given[..]
        && !word.contains(':')
    {
        units.fill(parse(word)?);
        return Ok(units);
    }
    let mut seen = vec![false; subjects.len()];
    for one in given {
        let (id, word) = one.split_once(':').ok_or_else(|| {
            bad("units", "must be one word for all series, or id:units with commas between them")
        })?;
        let place = subjects.iter().position(|subject| subject.is_called(id.trim()));
        let place = place.filter(|place| !std::mem::replace(&mut seen[*place], true)).ok_or_else(|| {
            bad("units", &format!("must name series of `ids`, each once; `{}` is not one", repeated(id)))
        })?;
        units[place] = parse(word.trim())?;
    }
    Ok(units)
}

/// Rejects series of different frequencies, unless they are requested by one period.
fn check_frequency(common: &Asked, subjects: &[CatalogSeries<'_>]) -> Result<(), ApiError> {
    let frequency = |subject: &CatalogSeries<'_>| subject.about().frequency;
    let first = subjects.first().map(frequency);
    if common.has_frequency() || subjects.iter().all(|subject| Some(frequency(subject)) == first) {
        return Ok(());
    }
    let frequencies: Vec<String> =
        subjects.iter().map(|subject| format!("{} is {}", subject.id(), frequency(subject).id())).collect();
    let reason = format!("is required, monthly, quarterly or yearly: {}", frequencies.join(", "));
    Err(bad("frequency", &reason))
}

/// The columns. Indices without a base have one in common: the oldest date that all of them have.
fn columns<'a>(
    question: &Question<'_>,
    subjects: Vec<CatalogSeries<'a>>,
    each: &[Asked],
) -> Result<Vec<Column<'a>>, ApiError> {
    let columns = subjects.into_iter().zip(each).map(|(subject, asked)| column(question, subject, *asked));
    let columns: Vec<Column<'a>> = columns.collect::<Result<_, _>>()?;
    let base = oldest_of_indices(&columns);
    let with_base = |(known, asked): (Column<'a>, &Asked)| {
        let is_other = base.is_some() && known.rows.first().map(|row| row.day) != base;
        match known.units {
            Units::Index if is_other => column(question, known.subject, asked.with_default_base(base)),
            _ => Ok(known),
        }
    };
    columns.into_iter().zip(each).map(with_base).collect()
}

/// The oldest date that all indices have.
fn oldest_of_indices(columns: &[Column<'_>]) -> Option<Day> {
    let mut indices = columns.iter().filter(|column| column.units == Units::Index);
    let mut days = indices.next()?.rows.iter().map(|row| row.day);
    let others: Vec<&Column<'_>> = indices.collect();
    days.find(|day| others.iter().all(|column| column.value(*day).is_some()))
}

fn column<'a>(
    question: &Question<'_>,
    subject: CatalogSeries<'a>,
    asked: Asked,
) -> Result<Column<'a>, ApiError> {
    let (id, about) = (subject.id(), subject.about());
    let asked = asked.beside_others(about);
    let about_it = |error: ApiError| match error {
        ApiError::BadRequest(reason) => ApiError::BadRequest(format!("{id}: {reason}").into()),
        other => other,
    };
    let transform = asked.transform(about).map_err(about_it)?;
    let window = asked.window(question.plan, subject.newest().map(|point| point.day))?;
    let rows = rows(&subject, &asked, &transform, window, question.plan).map_err(about_it)?;
    let unit = shown_unit(about, transform.units, transform.period);
    Ok(Column { id, subject, units: asked.units, unit, rows })
}

/// The dates of all series, oldest first.
fn days(columns: &[Column<'_>]) -> Vec<Day> {
    let mut days: Vec<Day> = columns.iter().flat_map(|column| &column.rows).map(|row| row.day).collect();
    // Merges the ascending runs that it finds.
    days.sort();
    days.dedup();
    days
}

impl Column<'_> {
    fn value(&self, day: Day) -> Option<Decimal> {
        let place = self.rows.binary_search_by_key(&day, |row| row.day).ok()?;
        self.rows.get(place).map(|row| row.value)
    }
}

fn write_json(day: Day, columns: &[Column<'_>], out: &mut Vec<u8>) {
    let object = Object::new(out).token(name!("date"), day);
    let write = |object: Object<_>, column: &Column<'_>| {
        object.named(&column.id, |out: &mut Vec<u8>| match column.value(day) {
            Some(value) => value.write_into(out),
            None => out.extend_from_slice(b"null"),
        })
    };
    columns.iter().fold(object, write).end();
}

fn write_cells(day: Day, columns: &[Column<'_>], put: &mut dyn FnMut(Cell<'_>)) {
    put(Cell::Token(&day));
    for column in columns {
        match column.value(day) {
            Some(value) => put(Cell::Number(&value)),
            None => put(Cell::Nothing),
        }
    }
}

/// Writes an object with one word for each series.
fn write_words(columns: &[Column<'_>], word: impl Fn(&Column<'_>) -> &'static str, out: &mut Vec<u8>) {
    let write = |object: Object<_>, column: &Column<'_>| {
        object.named(&column.id, |out: &mut Vec<u8>| push_word(word(column), out))
    };
    columns.iter().fold(Object::new(out), write).end();
}

/// Writes a word that needs no escape.
fn push_word(word: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\"{word}\"").as_bytes());
}
