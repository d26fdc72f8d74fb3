//! The catalogue of series: which there are, what each is, its values, and what is known of them.
//!
//! - [`view`]: a series as the API shows it.
//! - [`observations`]: its values, as published or computed from what was.
//! - [`asked`]: what a request for values says.

mod asked;
mod observations;
mod view;

use jiff::Timestamp;
use lastro_calc::Check;
use lastro_catalog::{Name, Object, Revision, fold_label, name};
use lastro_model::{About, Frequency, RatePoint, Series, Topic};

use super::market::current;
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::Query;
use crate::http::response::reply::Reply;
pub use observations::observations;
use view::View;

const NO_SUCH_SERIES: ApiError =
    ApiError::NotFound("no series has this id or code; `/api/v1/series` lists them");

/// A series' JSON is about this long; a page is reserved at once.
const TYPICAL_BYTES: usize = 560;

pub fn list(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (page, filter) = (question.query.page()?, Filter::of(&question.query)?);
    let found: Vec<View<'_>> = Series::ALL
        .into_iter()
        .filter(|series| filter.admits(series.about()))
        .map(|series| View::of(question, series))
        .collect();
    let shown = found.iter().skip(page.offset).take(page.limit);
    let body = Object::new(Vec::with_capacity(64 + shown.len() * TYPICAL_BYTES))
        .array(name!("data"), shown, View::write_json)
        .number(name!("total"), found.len())
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, found.iter().map(View::stamp)))
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

pub fn checks(question: &Question<'_>) -> Result<Reply, ApiError> {
    let series = named(question)?;
    let checks = &question.catalog.checks[series];
    let body = Object::new(Vec::with_capacity(64 + checks.len() * 160))
        .array(name!("data"), checks, write_check)
        .end();
    let took_part = checks.iter().flat_map(|check| check.series);
    let stamps = took_part.map(|series| question.catalog.series[*series].stamp);
    Ok(Reply::data(body, stamps))
}

fn write_check(check: &Check, out: &mut Vec<u8>) {
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

pub fn revisions(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (part, page) = (&question.catalog.series[named(question)?], question.query.page()?);
    let revised = || part.revisions().after_publication();
    let shown = revised().skip(page.offset).take(page.limit);
    let body = Object::new(Vec::with_capacity(256))
        .array(name!("data"), shown, write_revision)
        .number(name!("total"), revised().count())
        .number(name!("limit"), page.limit)
        .number(name!("offset"), page.offset)
        .end();
    Ok(Reply::data(body, [part.stamp]))
}

fn write_revision(revision: &Revision<RatePoint>, out: &mut Vec<u8>) {
    let changed_at = Timestamp::from_millisecond(revision.changed_unix_ms).unwrap_or_default();
    let object = Object::new(out).optional_token(name!("date"), revision.day());
    let object = value(object, name!("old"), revision.old);
    value(object, name!("new"), revision.new).text(name!("changed_at"), &changed_at.to_string()).end();
}

fn value(object: Object<&mut Vec<u8>>, name: Name, point: Option<RatePoint>) -> Object<&mut Vec<u8>> {
    match point {
        Some(point) => object.number(name, point.value),
        None => object.null(name),
    }
}

/// The series that the path names.
fn named(question: &Question<'_>) -> Result<Series, ApiError> {
    Series::parse(question.path.get("id")).ok_or(NO_SUCH_SERIES)
}

/// Which series are listed.
struct Filter {
    topic: Option<Topic>,
    frequency: Option<Frequency>,
    /// Folded; a series must have them all.
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
