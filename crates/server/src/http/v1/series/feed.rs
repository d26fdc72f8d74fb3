//! The newest values of a series as an Atom feed, within the window of the Free plan.

use std::collections::HashMap;

use jiff::Timestamp;
use lastro_access::HISTORY_MONTHS;
use lastro_model::Day;

use super::catalog_series::CatalogSeries;
use crate::error::ApiError;
use crate::feeds::{self, SeriesFeed};
use crate::http::handler::Question;
use crate::http::response::reply::{Reply, Version};
use crate::http::v1::feeds::feed_reply;

const NO_SUCH_SERIES: ApiError = ApiError::NotFound("no series has this id; /series lists them");

pub fn feed(question: &Question<'_>) -> Result<Reply, ApiError> {
    let id = question.path.get("id").strip_suffix(".atom").ok_or(NO_SUCH_SERIES)?;
    let subject = CatalogSeries::named(question.catalog, id).ok_or(NO_SUCH_SERIES)?;
    let (id, label, page) = (subject.id(), subject.label(), subject.page());
    let from = subject.newest().map(|newest| newest.day.minus_months(HISTORY_MONTHS));
    let mut values = subject.values();
    values.retain(|point| from.is_none_or(|from| point.day >= from));
    values.reverse();
    let feed = SeriesFeed {
        id: &id,
        label: &label,
        page: &page,
        values,
        revised: revised(&subject),
        stamp: subject.stamp(),
    };
    Ok(feed_reply(feeds::of_series(&feed, &question.site.origin(question.head)), Version::data([feed.stamp])))
}

/// The time of the newest change of each value that its publisher changed.
fn revised(subject: &CatalogSeries<'_>) -> HashMap<Day, Timestamp> {
    let oldest_first = subject.revisions().into_iter().rev();
    let timed = |ms| Timestamp::from_millisecond(ms).ok();
    oldest_first.filter_map(|change| Some((change.day()?, timed(change.changed_unix_ms)?))).collect()
}
