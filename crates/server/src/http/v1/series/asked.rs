//! What a request for the values of a series says, checked against what the series is.

use lastro_access::{Feature, HISTORY_MONTHS, terms};
use lastro_calc::{Aggregation, Period, Units};
use lastro_catalog::Page;
use lastro_model::{About, Day, Plan};

use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::format::Format;
use crate::http::request::query::{Query, SERIES_LIMIT};

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
    pub(super) units: Units,
    pub(super) period: Option<(Period, Aggregation)>,
    pub(super) base: Option<Day>,
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
            units: units(query, about)?,
            period: period(query, about)?,
            base: query.day("base")?,
            as_of: query.day("as_of")?,
            format: question.format()?,
        };
        if asked.base.is_some() && asked.units != Units::Index {
            return Err(ApiError::BadRequest("`base` is for `units=index` only".into()));
        }
        if asked.as_of.is_some() && !terms(question.plan).includes(Feature::History) {
            return Err(prompt(question.plan));
        }
        Ok(asked)
    }

    /// Whether the values are asked for as they were published last.
    pub(super) fn is_plain(&self) -> bool {
        self.units == Units::Lin && self.period.is_none() && self.as_of.is_none()
    }

    /// Whether what is computed starts with the first row of the answer.
    pub(super) fn starts_with_the_answer(&self) -> bool {
        self.units == Units::Acc || (self.units == Units::Index && self.base.is_none())
    }

    /// The first day of a series, whose newest value is of this day, that the plan shows. Who asks for what lies before
    /// it gets the prompt.
    pub(super) fn window(&self, plan: Plan, newest: Option<Day>) -> Result<Option<Day>, ApiError> {
        if terms(plan).includes(Feature::History) {
            return Ok(None);
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

/// What lies before the window is sold.
pub(super) fn prompt(plan: Plan) -> ApiError {
    ApiError::UpgradeRequired { plan, feature: Feature::History }
}

fn order(query: &Query<'_>) -> Result<Order, ApiError> {
    match query.get("order")? {
        None | Some("desc") => Ok(Order::NewestFirst),
        Some("asc") => Ok(Order::OldestFirst),
        Some(_) => Err(ApiError::BadRequest("`order` must be desc or asc".into())),
    }
}

fn units(query: &Query<'_>, about: &About) -> Result<Units, ApiError> {
    let units = query.word("units", &Units::ALL.map(Units::id), Units::parse)?.unwrap_or(Units::Lin);
    refuse("units", units.refusal(about))?;
    Ok(units)
}

/// Towards lower frequencies only.
fn period(query: &Query<'_>, about: &About) -> Result<Option<(Period, Aggregation)>, ApiError> {
    let period = query.word("frequency", &Period::ALL.map(Period::id), Period::parse)?;
    let named = query.word("aggregation", &Aggregation::ALL.map(Aggregation::id), Aggregation::parse)?;
    let Some(period) = period else {
        return match named {
            None => Ok(None),
            Some(_) => Err(ApiError::BadRequest(
                "`aggregation` needs `frequency`: monthly, quarterly or yearly".into(),
            )),
        };
    };
    refuse("frequency", period.refusal(about))?;
    let aggregation = named.unwrap_or_else(|| Aggregation::default_for(about));
    refuse("aggregation", aggregation.refusal(about))?;
    Ok(Some((period, aggregation)))
}

fn refuse(parameter: &str, refusal: Option<String>) -> Result<(), ApiError> {
    refusal.map_or(Ok(()), |reason| Err(ApiError::BadRequest(format!("`{parameter}`: {reason}").into())))
}
