//! What a request for the values of a series says, checked against what the series is.

use lastro_access::{Feature, HISTORY_MONTHS, terms};
use lastro_calc::{Aggregation, Asked as Transform, Period, Units};
use lastro_catalog::Page;
use lastro_model::{About, Day, Plan};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Format;
use crate::http::request::query::{Query, SERIES_LIMIT, bad};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    NewestFirst,
    OldestFirst,
}

pub(super) struct Asked {
    pub(super) from: Option<Day>,
    pub(super) to: Option<Day>,
    pub(super) page: Page,
    pub(super) order: Order,
    pub(super) shown: Transform,
    pub(super) as_of: Option<Day>,
    pub(super) format: Format,
}

impl Asked {
    pub(super) fn of(question: &Question<'_>, about: &About) -> Result<Self, ApiError> {
        let query = &question.query;
        let (from, to) = query.days()?;
        let asked = Self {
            from,
            to,
            page: query.page_of(SERIES_LIMIT)?,
            order: order(query)?,
            shown: transform(query, about)?,
            as_of: query.day("as_of")?,
            format: question.format()?,
        };
        if asked.as_of.is_some() && !terms(question.plan).includes(Feature::History) {
            return Err(prompt(question.plan));
        }
        Ok(asked)
    }

    /// Whether the values are asked for as they were published last.
    pub(super) fn is_plain(&self) -> bool {
        self.shown.units == Units::Lin && self.shown.period.is_none() && self.as_of.is_none()
    }

    /// The first day of a series, whose newest value is of this day, that the plan shows. Who asks for what lies before
    /// it gets the prompt.
    pub(super) fn window(&self, plan: Plan, newest: Option<Day>) -> Result<Option<Day>, ApiError> {
        if terms(plan).includes(Feature::History) {
            return Ok(None);
        }
        let start = newest.map(|newest| newest.minus_months(HISTORY_MONTHS));
        let asked = self.from.into_iter().chain(self.to).chain(self.shown.base);
        match start {
            Some(start) if asked.into_iter().any(|day| day < start) => Err(prompt(plan)),
            start => Ok(start),
        }
    }

    pub(super) fn includes(&self, day: Day) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }
}

/// What lies before the window is sold.
pub(super) fn prompt(plan: Plan) -> ApiError {
    ApiError::UpgradeRequired { plan, feature: Feature::History }
}

/// What is to be computed. That it makes sense for the series is checked, and so is the base.
fn transform(query: &Query<'_>, about: &About) -> Result<Transform, ApiError> {
    let units = query.word("units", &Units::ALL.map(Units::id), Units::parse)?.unwrap_or(Units::Lin);
    let base = query.day("base")?;
    if base.is_some() && units != Units::Index {
        return Err(bad("base", "is for `units=index` only"));
    }
    let shown = Transform { units, period: period(query, about)?, base, start: None };
    match shown.refusal(about) {
        Some(reason) => Err(ApiError::BadRequest(reason.into())),
        None => Ok(shown),
    }
}

fn order(query: &Query<'_>) -> Result<Order, ApiError> {
    match query.get("order")? {
        None | Some("desc") => Ok(Order::NewestFirst),
        Some("asc") => Ok(Order::OldestFirst),
        Some(_) => Err(bad("order", "must be desc or asc")),
    }
}

/// How values are put together, before they are shown in other units.
fn period(query: &Query<'_>, about: &About) -> Result<Option<(Period, Aggregation)>, ApiError> {
    let period = query.word("frequency", &Period::ALL.map(Period::id), Period::parse)?;
    let named = query.word("aggregation", &Aggregation::ALL.map(Aggregation::id), Aggregation::parse)?;
    match (period, named) {
        (Some(period), named) => Ok(Some((period, named.unwrap_or_else(|| Aggregation::default_for(about))))),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(bad("aggregation", "needs `frequency`: monthly, quarterly or yearly")),
    }
}
