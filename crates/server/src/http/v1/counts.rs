//! The values that a filter can have, with the number of rows of each.

use lastro_catalog::{Cell, Name, Object, Page, name};
use lastro_model::Stamp;

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Format;
use crate::http::request::query::LIST_LIMIT;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

/// The requested page; by default all values.
pub(super) fn page(question: &Question<'_>) -> Result<Page, ApiError> {
    question.query.page_or(LIST_LIMIT, LIST_LIMIT)
}

/// A page of the values and their numbers. `kind` is the member of the values, and its name as a column.
pub(super) fn reply(
    question: &Question<'_>,
    (kind, column): (Name, &'static str),
    counts: &[(&str, usize)],
    page: Page,
    format: Format,
    stamps: impl IntoIterator<Item = Stamp>,
) -> Result<Reply, ApiError> {
    let shown = &counts[page.of(counts.len())];
    if let Some(dialect) = format.dialect(question.plan)? {
        let label = question.label(column, counts.len());
        return csv::file(dialect, &label, &[column, "count"], stamps, |writer| {
            shown.iter().try_for_each(|(value, count)| {
                writer.row(|put| {
                    put(Cell::Text(value));
                    put(Cell::Number(count));
                })
            })
        });
    }
    let body = Object::new(Vec::with_capacity(64 + shown.len() * 64))
        .array(name!("data"), shown, |(value, count), out| {
            Object::new(out).text(kind, value).number(name!("count"), *count).end();
        })
        .number(name!("total"), counts.len())
        .end();
    Ok(Reply::data(body, stamps))
}
