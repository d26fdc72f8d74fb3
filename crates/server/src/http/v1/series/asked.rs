//! The parameters of a request for observations, and whether they make sense for the series.

use lastro_access::{Feature, HISTORY_MONTHS, terms};
use lastro_calc::{Aggregation, Asked as Transform, Period, Units};
use lastro_catalog::Page;
use lastro_model::{About, Day, Frequency, Plan};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Format;
use crate::http::request::query::{Query, SERIES_LIMIT, bad};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    NewestFirst,
    OldestFirst,
}

#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) from: Option<Day>,
    pub(super) to: Option<Day>,
    pub(super) page: Page,
    pub(super) order: Order,
    pub(super) units: Units,
    base: Option<Day>,
    period: Option<(Period, Option<Aggregation>)>,
    pub(super) as_of: Option<Day>,
    pub(super) format: Format,
}

impl Asked {
    /// Parses the parameters that do not depend on the series: a typo is reported even if there is no such series.
    pub(super) fn of(question: &Question<'_>) -> Result<Self, ApiError> {
        let units = question.query.word("units", &Units::ALL.map(Units::id), Units::parse)?;
        let asked = Self::beside_units(question)?.with_units(units.unwrap_or(Units::Lin));
        asked.check_base(&[asked])?;
        Ok(asked)
    }

    /// Parses the parameters other than `units`.
    pub(super) fn beside_units(question: &Question<'_>) -> Result<Self, ApiError> {
        let query = &question.query;
        let (from, to) = query.days()?;
        Ok(Self {
            from,
            to,
            page: query.page_of(SERIES_LIMIT)?,
            order: order(query)?,
            units: Units::Lin,
            base: query.day("base")?,
            period: period(query)?,
            as_of: query.day("as_of")?,
            format: question.format()?,
        })
    }

    pub(super) fn with_units(self, units: Units) -> Self {
        Self { units, ..self }
    }

    /// The same with this base, if it has none and shows an index.
    pub(super) fn with_default_base(self, base: Option<Day>) -> Self {
        let base = base.filter(|_| self.units == Units::Index);
        Self { base: self.base.or(base), ..self }
    }

    /// Rejects `base` unless one of the series is requested as an index.
    pub(super) fn check_base(&self, of_each: &[Self]) -> Result<(), ApiError> {
        if self.base.is_some() && of_each.iter().all(|asked| asked.units != Units::Index) {
            return Err(bad("base", "is for `units=index` only"));
        }
        Ok(())
    }

    /// The same request for one of several series: one that has the requested frequency needs no aggregation.
    pub(super) fn beside_others(self, about: &About) -> Self {
        let is_own = |period: Period| match about.frequency {
            Frequency::Months => period == Period::Monthly,
            Frequency::Years => period == Period::Yearly,
            Frequency::BusinessDays | Frequency::CalendarDays => false,
        };
        let base = self.base.filter(|_| self.units == Units::Index);
        Self { period: self.period.filter(|(period, _)| !is_own(*period)), base, ..self }
    }

    /// Whether a lower frequency is requested.
    pub(super) fn has_frequency(&self) -> bool {
        self.period.is_some()
    }

    /// The transform to compute, if it makes sense for the series.
    pub(super) fn transform(&self, about: &About) -> Result<Transform, ApiError> {
        let whole = |(period, named): (Period, Option<Aggregation>)| {
            (period, named.unwrap_or_else(|| Aggregation::default_for(about)))
        };
        let Self { units, base, .. } = *self;
        let transform = Transform { units, period: self.period.map(whole), base, start: None };
        match transform.refusal(about) {
            Some(reason) => Err(ApiError::BadRequest(reason.into())),
            None => Ok(transform),
        }
    }

    /// Whether the values are requested as last published.
    pub(super) fn is_plain(&self) -> bool {
        self.units == Units::Lin && self.period.is_none() && self.as_of.is_none()
    }

    /// The first day that the plan shows of a series with this newest day. A request for earlier days, or for earlier
    /// revisions, gets the upgrade prompt.
    pub(super) fn window(&self, plan: Plan, newest: Option<Day>) -> Result<Option<Day>, ApiError> {
        if terms(plan).includes(Feature::History) {
            return Ok(None);
        }
        if self.as_of.is_some() {
            return Err(prompt(plan));
        }
        let start = newest.map(|newest| newest.minus_months(HISTORY_MONTHS));
        let asked = self.from.into_iter().chain(self.to).chain(self.base);
        match start {
            Some(start) if asked.into_iter().any(|day| day < start) => Err(prompt(plan)),
            start => Ok(start),
        }
    }

    pub(super) fn includes(&self, day: Day) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }
}

/// The upgrade prompt for values before the window.
pub(super) fn prompt(plan: Plan) -> ApiError {
    ApiError::UpgradeRequired { plan, feature: Feature::History }
}

fn order(query: &Query<'_>) -> Result<Order, ApiError> {
    match query.get("order")? {
        None | Some("desc") => Ok(Order::NewestFirst),
        Some("asc") => Ok(Order::OldestFirst),
        Some(_) => Err(bad("order", "must be desc or asc")),
    }
}

/// The aggregation of values, done before the conversion of units.
fn period(query: &Query<'_>) -> Result<Option<(Period, Option<Aggregation>)>, ApiError> {
    let period = query.word("frequency", &Period::ALL.map(Period::id), Period::parse)?;
    let named = query.word("aggregation", &Aggregation::ALL.map(Aggregation::id), Aggregation::parse)?;
    match (period, named) {
        (Some(period), named) => Ok(Some((period, named))),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(bad("aggregation", "needs `frequency`: monthly, quarterly or yearly")),
    }
}
