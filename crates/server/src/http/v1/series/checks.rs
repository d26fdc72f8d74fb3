//! Checks of a series: the identities that its values must satisfy.

use lastro_calc::Check;
use lastro_catalog::{Cell, Object, name};

use super::catalog_series::CatalogSeries;
use super::named;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::LIST_LIMIT;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

const COLUMNS: &[&str] = &["name", "rows", "worst", "tolerance", "holds"];

pub fn checks(question: &Question<'_>) -> Result<Reply, ApiError> {
    let query = &question.query;
    let (page, (from, to), format) =
        (query.page_or(LIST_LIMIT, LIST_LIMIT)?, query.days()?, question.format()?);
    let subject = named(question)?;
    let of_series = match subject {
        CatalogSeries::Row { series, .. } => &question.catalog.checks[series][..],
        CatalogSeries::Pair { .. } => &[],
    };
    // An identity is as old as its worst row.
    let is_inside = |check: &&Check| match check.worst {
        Some((day, _)) => from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to),
        None => from.or(to).is_none(),
    };
    let found: Vec<&Check> = of_series.iter().filter(is_inside).collect();
    let (total, checks) = (found.len(), &found[page.of(found.len())]);
    let took_part = of_series.iter().flat_map(|check| check.series);
    let stamps = took_part.map(|series| question.catalog.series[*series].stamp);
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label(format!("{}-checks", subject.id()), total);
        return csv::file(dialect, &label, COLUMNS, stamps, |writer| {
            checks.iter().try_for_each(|check| writer.row(|put| write_cells(check, put)))
        });
    }
    let body = Object::new(Vec::with_capacity(64 + checks.len() * 160));
    let body = body.array(name!("data"), checks, |check, out| write_json(check, out));
    Ok(Reply::data(body.number(name!("total"), total).end(), stamps.chain([subject.stamp()])))
}

fn write_json(check: &Check, out: &mut Vec<u8>) {
    Object::new(out)
        .text(name!("name"), check.name)
        .number(name!("rows"), check.rows)
        .written(name!("worst"), |out| match check.worst {
            Some((day, difference)) => {
                Object::new(out).token(name!("date"), day).number(name!("difference"), difference).end();
            }
            None => out.extend_from_slice(b"null"),
        })
        .number(name!("tolerance"), check.tolerance)
        .boolean(name!("holds"), check.holds)
        .end();
}

fn write_cells(check: &Check, put: &mut dyn FnMut(Cell<'_>)) {
    put(Cell::Token(&check.name));
    put(Cell::Number(&check.rows));
    match check.worst {
        Some((day, difference)) => put(Cell::Token(&format_args!("{day} {difference}"))),
        None => put(Cell::Nothing),
    }
    put(Cell::Number(&check.tolerance));
    put(Cell::Token(&check.holds));
}
