//! The catalogue of series: the list, their descriptions, values, checks and revisions.
//!
//! - [`view`]: a series as the API shows it.
//! - [`observations`]: its values, published or computed.
//! - [`asked`]: the parameters of a request for values.
//! - [`checks`], [`revisions`]: the identities it must satisfy, and the values its publisher changed.

mod asked;
mod checks;
mod observations;
mod revisions;
mod view;

use lastro_catalog::{Object, fold_label, name};
use lastro_model::{About, Frequency, Series, Topic};

use super::market::current;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::Query;
use crate::http::response::csv;
use crate::http::response::reply::Reply;
pub use checks::checks;
pub use observations::observations;
pub use revisions::revisions;
use view::View;

const NO_SUCH_SERIES: ApiError =
    ApiError::NotFound("no series has this id or code; `/api/v1/series` lists them");

/// Typical length of a series' JSON, to reserve a page at once.
const TYPICAL_BYTES: usize = 560;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, filter, format) = (question.query.page()?, Filter::of(&question.query)?, question.format()?);
    let found: Vec<View<'_>> = Series::ALL
        .into_iter()
        .filter(|series| filter.admits(series.about()))
        .map(|series| View::of(question, series))
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
    current(&question.catalog.series[named(question)?])
}

/// The series named in the path.
fn named(question: &Question<'_>) -> Result<Series, ApiError> {
    Series::parse(question.path.get("id")).ok_or(NO_SUCH_SERIES)
}

/// The filter of the list.
struct Filter {
    topic: Option<Topic>,
    frequency: Option<Frequency>,
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
            words,
        })
    }

    fn admits(&self, about: &About) -> bool {
        self.topic.is_none_or(|topic| topic == about.topic)
            && self.frequency.is_none_or(|frequency| frequency == about.frequency)
            && self.has_all_words(about)
    }

    fn has_all_words(&self, about: &About) -> bool {
        let About { id, code, label, name, name_pt, .. } = about;
        let text = || fold_label(&format!("{id} {code} {label} {name} {name_pt}"));
        self.words.is_empty() || {
            let text = text();
            self.words.iter().all(|word| text.contains(word.as_str()))
        }
    }
}
