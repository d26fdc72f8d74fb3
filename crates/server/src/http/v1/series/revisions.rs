//! Values that their publisher changed after we had stored them.

use jiff::Timestamp;
use lastro_catalog::{Cell, Name, Object, Revision, name};
use lastro_model::RatePoint;

use super::named;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

const COLUMNS: &[&str] = &["date", "old", "new", "changed_at"];

pub fn revisions(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, (from, to), format) = (question.query.page()?, question.query.days()?, question.format()?);
    let subject = named(question)?;
    let mut revised = subject.revisions();
    revised.retain(|revision| {
        let is_inside = |day| from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to);
        revision.day().is_none_or(is_inside)
    });
    let (total, shown, stamp) = (revised.len(), &revised[page.of(revised.len())], subject.stamp());
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label(format!("{}-revisions", subject.id()), total);
        return csv::file(dialect, &label, COLUMNS, [stamp], |writer| {
            shown.iter().try_for_each(|revision| writer.row(|put| write_cells(revision, put)))
        });
    }
    let body = Object::new(Vec::with_capacity(256))
        .array(name!("data"), shown, write_json)
        .number(name!("total"), total)
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, [stamp]))
}

fn changed_at(revision: &Revision<RatePoint>) -> Timestamp {
    Timestamp::from_millisecond(revision.changed_unix_ms).unwrap_or_default()
}

fn write_json(revision: &Revision<RatePoint>, out: &mut Vec<u8>) {
    let object = Object::new(out).optional_token(name!("date"), revision.day());
    let object = value(object, name!("old"), revision.old);
    let object = value(object, name!("new"), revision.new);
    object.text(name!("changed_at"), &changed_at(revision).to_string()).end();
}

fn value(object: Object<&mut Vec<u8>>, name: Name, point: Option<RatePoint>) -> Object<&mut Vec<u8>> {
    match point {
        Some(point) => object.number(name, point.value),
        None => object.null(name),
    }
}

fn write_cells(revision: &Revision<RatePoint>, put: &mut dyn FnMut(Cell<'_>)) {
    match revision.day() {
        Some(day) => put(Cell::Token(&day)),
        None => put(Cell::Nothing),
    }
    for point in [revision.old, revision.new] {
        match point {
            Some(point) => put(Cell::Number(&point.value)),
            None => put(Cell::Nothing),
        }
    }
    put(Cell::Token(&changed_at(revision)));
}
