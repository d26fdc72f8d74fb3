//! Market rates: series by days, current values, and the overview.

use std::fmt::Display;

use lastro_access::{Feature, HISTORY_MONTHS, terms};
use lastro_catalog::{Object, Page, Part, Point, Timeline, name};
use lastro_model::{Day, Plan, RatePoint, Series, Stamp};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Format;
use crate::http::request::query::SERIES_LIMIT;
use crate::http::response::csv;
use crate::http::response::reply::Reply;

pub(super) const NO_VALUE: ApiError = ApiError::Unavailable("there is no value of this series yet");

pub fn selic(question: &Question<'_>) -> Result<Reply, ApiError> {
    series(question, Series::Selic)
}

pub fn cdi(question: &Question<'_>) -> Result<Reply, ApiError> {
    series(question, Series::Cdi)
}

pub fn ipca(question: &Question<'_>) -> Result<Reply, ApiError> {
    series(question, Series::Ipca)
}

fn series(question: &Question<'_>, series: Series) -> Result<Reply, ApiError> {
    let asked = Asked::of(question)?;
    let part = &question.catalog.series[series];
    asked.points(question, &series.about().id, &part.data, part.stamp)
}

/// The parameters: a page of the points between two days, newest first.
pub(super) struct Asked {
    pub(super) from: Option<Day>,
    pub(super) to: Option<Day>,
    pub(super) page: Page,
    pub(super) format: Format,
}

impl Asked {
    pub(super) fn of(question: &Question<'_>) -> Result<Self, ApiError> {
        let page = question.query.page_of(SERIES_LIMIT)?;
        let (from, to) = question.query.days()?;
        Ok(Self { from, to, page, format: question.format()? })
    }

    /// The requested points, as far back as the plan allows.
    pub(super) fn points<P: Point>(
        &self,
        question: &Question<'_>,
        name: &dyn Display,
        timeline: &Timeline<P>,
        stamp: Stamp,
    ) -> Result<Reply, ApiError> {
        let dialect = self.format.dialect(question.plan)?;
        let from = self.first_day(question, timeline.newest().map(Point::day))?;
        if let Some(dialect) = dialect {
            let listing = timeline.list(from, self.to, self.page);
            let label = question.label(name.to_string(), listing.total);
            return csv::page(dialect, &label, timeline, &listing, [stamp]);
        }
        let found = timeline.between(from, self.to);
        let shown = self.page.of(found.len());
        let items = timeline.json(found.start + shown.start..found.start + shown.end);
        let body = Object::new(Vec::with_capacity(items.len() + 40)).joined(name!("data"), items);
        Ok(Reply::data(body.number(name!("total"), found.len()).end(), [stamp]))
    }

    /// The first day shown: never before the plan's window. A request for earlier days gets the upgrade prompt.
    pub(super) fn first_day(
        &self,
        question: &Question<'_>,
        newest: Option<Day>,
    ) -> Result<Option<Day>, ApiError> {
        match newest.and_then(|newest| window_start(question.plan, newest)) {
            Some(start) if self.from.into_iter().chain(self.to).any(|day| day < start) => {
                Err(ApiError::UpgradeRequired { plan: question.plan, feature: Feature::History })
            }
            Some(start) => Ok(Some(self.from.map_or(start, |from| from.max(start)))),
            None => Ok(self.from),
        }
    }
}

/// The first day that a plan shows, counted from the newest point, so that a stale source hides nothing.
fn window_start(plan: Plan, newest: Day) -> Option<Day> {
    (!terms(plan).includes(Feature::History)).then(|| newest.minus_months(HISTORY_MONTHS))
}

pub fn selic_current(question: &Question<'_>) -> Result<Reply, ApiError> {
    current(&question.catalog.series[Series::Selic])
}

pub fn cdi_current(question: &Question<'_>) -> Result<Reply, ApiError> {
    current(&question.catalog.series[Series::Cdi])
}

pub fn ipca_current(question: &Question<'_>) -> Result<Reply, ApiError> {
    current(&question.catalog.series[Series::Ipca])
}

pub(super) fn current(part: &Part<Timeline<RatePoint>>) -> Result<Reply, ApiError> {
    Ok(Reply::data(newest(part)?.to_vec(), [part.stamp]))
}

pub(super) fn newest<P: Point>(timeline: &Timeline<P>) -> Result<&[u8], ApiError> {
    timeline.newest_json().ok_or(NO_VALUE)
}

pub fn overview(question: &Question<'_>) -> Result<Reply, ApiError> {
    let catalog = question.catalog;
    if catalog.dollar().is_none() {
        return Err(ApiError::Unavailable("there is no exchange rate yet"));
    }
    let body = catalog.overview().ok_or(NO_VALUE)?;
    let rates = [Series::Selic, Series::Cdi, Series::Ipca].map(|series| catalog.series[series].stamp);
    Ok(Reply::data(body, rates.into_iter().chain([catalog.fx.stamp])))
}
