//! The catalogue of series: the list, their descriptions, values, checks and revisions.
//!
//! - [`view`]: a series as the API shows it.
//! - [`subject`]: what can be asked for: the rows of the table of series, and pairs of currencies.
//! - [`observations`]: its values, published or computed. [`several`]: those of several series, side by side.
//! - [`asked`]: the parameters of a request for values.
//! - [`checks`], [`revisions`]: the identities it must satisfy, and the values its publisher changed.
//! - [`feed`]: its newest values as an Atom feed.

mod asked;
mod catalog_series;
mod checks;
mod feed;
mod observations;
mod revisions;
mod several;
mod view;

use lastro_catalog::{Object, Point as _, fold_label, name};
use lastro_model::{Day, Frequency, Topic};

use super::market::{NO_VALUE, current};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::Query;
use crate::http::response::csv;
use crate::http::response::reply::Reply;
use catalog_series::CatalogSeries;
pub use checks::checks;
pub use feed::feed;
pub use observations::observations;
pub use revisions::revisions;
pub use several::several;
use view::View;
pub use view::names_of_pair;

const NO_SUCH_SERIES: ApiError =
    ApiError::NotFound("no series has this id or code; `/api/v1/series` lists them");

/// Typical length of a series' JSON, to reserve a page at once.
const TYPICAL_BYTES: usize = 560;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, filter, format) = (question.query.page()?, Filter::of(&question.query)?, question.format()?);
    let found: Vec<View<'_>> = CatalogSeries::all(question.catalog)
        .map(|subject| View::of(question, subject))
        .filter(|view| filter.admits(view))
        .collect();
    let (stamps, mut shown) =
        (found.iter().map(View::stamp), found.iter().skip(page.offset).take(page.limit));
    if let Some(dialect) = format.dialect(question.plan)? {
        return csv::file(dialect, &question.label("series", found.len()), View::COLUMNS, stamps, |writer| {
            shown.try_for_each(|view| writer.row(|put| view.write_cells(put)))
        });
    }
    let body = Object::new(Vec::with_capacity(64 + shown.len() * TYPICAL_BYTES))
        .array(name!("data"), shown, View::write_json)
        .number(name!("total"), found.len())
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, stamps))
}

pub fn one(question: &Question<'_>) -> Result<Reply, ApiError> {
    let view = View::of(question, named(question)?);
    let mut body = Vec::with_capacity(TYPICAL_BYTES);
    view.write_json(&mut body);
    Ok(Reply::data(body, [view.stamp()]))
}

pub fn newest(question: &Question<'_>) -> Result<Reply, ApiError> {
    let subject = named(question)?;
    if let CatalogSeries::Row { part, .. } = subject {
        return current(part);
    }
    let mut body = Vec::with_capacity(64);
    subject.newest().ok_or(NO_VALUE)?.write_json(&mut body);
    Ok(Reply::data(body, [subject.stamp()]))
}

/// The series named in the path.
fn named<'a>(question: &Question<'a>) -> Result<CatalogSeries<'a>, ApiError> {
    CatalogSeries::named(question.catalog, question.path.get("id")).ok_or(NO_SUCH_SERIES)
}

/// The filter of the list.
struct Filter {
    topic: Option<Topic>,
    frequency: Option<Frequency>,
    /// Days of which a series must have values.
    days: (Option<Day>, Option<Day>),
    /// Folded; a series must contain all of them.
    words: Vec<String>,
}

impl Filter {
    fn of(query: &Query<'_>) -> Result<Self, ApiError> {
        let words = match query.get("q")? {
            Some(_) => fold_label(query.search()?).split(' ').map(str::to_owned).collect(),
            None => Vec::new(),
        };
        Ok(Self {
            topic: query.word("topic", Topic::ALL.map(Topic::id).as_slice(), Topic::parse)?,
            frequency: query.word(
                "frequency",
                Frequency::ALL.map(Frequency::id).as_slice(),
                Frequency::parse,
            )?,
            days: query.days()?,
            words,
        })
    }

    fn admits(&self, view: &View<'_>) -> bool {
        let (about, (from, to)) = (view.subject.about(), self.days);
        self.topic.is_none_or(|topic| topic == about.topic)
            && self.frequency.is_none_or(|frequency| frequency == about.frequency)
            && view.has_values(from, to)
            && view.has_words(&self.words)
    }
}
