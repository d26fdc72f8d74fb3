//! Market rates: series by days, current values, and the overview.

use std::fmt::Display;

use lastro_access::{Feature, HISTORY_MONTHS, terms};
use lastro_catalog::{FxBook, Page, Part, Point, Timeline};
use lastro_model::{Day, FxQuote, Pair, RatePoint, Series, Stamp};

use crate::error::ApiError;
use crate::http::csv;
use crate::http::form::Form;
use crate::http::query::SERIES_LIMIT;
use crate::http::reply::{Object, Reply};
use crate::http::routes::Question;

type Answer = Result<Reply, ApiError>;

const NO_VALUE: ApiError = ApiError::Unavailable("there is no value of this series yet");

pub fn selic(question: &Question<'_>) -> Answer {
    series(question, Series::Selic)
}

pub fn cdi(question: &Question<'_>) -> Answer {
    series(question, Series::Cdi)
}

pub fn ipca(question: &Question<'_>) -> Answer {
    series(question, Series::Ipca)
}

pub fn fx(question: &Question<'_>) -> Answer {
    let asked = Asked::of(question)?;
    let (pair, quotes) = quotes_of(question)?;
    let name = format_args!("fx-{}-{}", pair.base, pair.quote);
    asked.points(question, &name, quotes, question.catalog.fx.stamp)
}

fn series(question: &Question<'_>, series: Series) -> Answer {
    let asked = Asked::of(question)?;
    let part = &question.catalog.series[series];
    asked.points(question, &series.about().id, &part.data, part.stamp)
}

/// The newest `limit` points between two days.
struct Asked {
    from: Option<Day>,
    to: Option<Day>,
    limit: usize,
    form: Form,
}

impl Asked {
    fn of(question: &Question<'_>) -> Result<Self, ApiError> {
        let limit = question.query.limit(SERIES_LIMIT)?;
        let (from, to) = question.query.days()?;
        Ok(Self { from, to, limit, form: question.form()? })
    }

    /// What was asked, as far back as the plan sees.
    fn points<P: Point>(
        &self,
        question: &Question<'_>,
        name: &dyn Display,
        timeline: &Timeline<P>,
        stamp: Stamp,
    ) -> Answer {
        let dialect = self.form.dialect(question.plan)?;
        let from = self.first_day(question, timeline)?;
        if let Some(dialect) = dialect {
            let listing = timeline.list(from, self.to, Page { limit: self.limit, offset: 0 });
            let label = question.label(name.to_string(), listing.total);
            return csv::page(dialect, &label, timeline, &listing, [stamp]);
        }
        let range = timeline.between(from, self.to);
        let page = range.start..range.end.min(range.start.saturating_add(self.limit));
        let items = timeline.json(page);
        Ok(Reply::data(Object::with_capacity(items.len() + 16).joined("data", items).finish(), [stamp]))
    }

    /// The day to begin with: never before the plan's window, and asking for what lies before it gets the prompt.
    fn first_day<P: Point>(
        &self,
        question: &Question<'_>,
        timeline: &Timeline<P>,
    ) -> Result<Option<Day>, ApiError> {
        match window_start(question, timeline) {
            Some(start) if self.from.into_iter().chain(self.to).any(|day| day < start) => {
                Err(ApiError::UpgradeRequired { plan: question.plan, feature: Feature::History })
            }
            Some(start) => Ok(Some(self.from.map_or(start, |from| from.max(start)))),
            None => Ok(self.from),
        }
    }
}

/// The first day that the caller's plan shows; counted from the newest point, so that a stale source hides nothing.
fn window_start<P: Point>(question: &Question<'_>, timeline: &Timeline<P>) -> Option<Day> {
    let newest = timeline.newest()?.day();
    (!terms(question.plan).includes(Feature::History)).then(|| newest.minus_months(HISTORY_MONTHS))
}

pub fn selic_current(question: &Question<'_>) -> Answer {
    current(&question.catalog.series[Series::Selic])
}

pub fn cdi_current(question: &Question<'_>) -> Answer {
    current(&question.catalog.series[Series::Cdi])
}

pub fn ipca_current(question: &Question<'_>) -> Answer {
    current(&question.catalog.series[Series::Ipca])
}

pub fn fx_current(question: &Question<'_>) -> Answer {
    let (_, quotes) = quotes_of(question)?;
    Ok(Reply::data(newest(quotes)?.to_vec(), [question.catalog.fx.stamp]))
}

fn current(part: &Part<Timeline<RatePoint>>) -> Answer {
    Ok(Reply::data(newest(part)?.to_vec(), [part.stamp]))
}

fn newest<P: Point>(timeline: &Timeline<P>) -> Result<&[u8], ApiError> {
    timeline.newest_json().ok_or(NO_VALUE)
}

/// The pair that is asked for, and its quotes.
fn quotes_of<'a>(question: &Question<'a>) -> Result<(Pair, &'a Timeline<FxQuote>), ApiError> {
    let book: &FxBook = &question.catalog.fx;
    let pair = held_pair(book, question.query.get("pair")?.unwrap_or("USD/BRL"))?;
    Ok((pair, book.get(pair).ok_or(NO_VALUE)?))
}

/// A pair that is held. One that is not is the client's mistake, and it is told which are.
pub fn held_pair(book: &FxBook, text: &str) -> Result<Pair, ApiError> {
    Pair::parse(text).ok().filter(|pair| book.get(*pair).is_some()).ok_or_else(|| {
        let held: Vec<String> = book.pairs().iter().map(ToString::to_string).collect();
        ApiError::BadRequest(format!("`pair` must be one of {}", held.join(", ")).into())
    })
}

pub fn overview(question: &Question<'_>) -> Answer {
    let catalog = question.catalog;
    let [selic, cdi, ipca] = [Series::Selic, Series::Cdi, Series::Ipca].map(|series| &catalog.series[series]);
    let dollar = Pair::parse("USD/BRL").ok().and_then(|pair| catalog.fx.get(pair));
    let fx = dollar.ok_or(ApiError::Unavailable("there is no exchange rate yet"))?;
    let body = Object::with_capacity(256)
        .raw("selic", newest(selic)?)
        .raw("cdi", newest(cdi)?)
        .raw("ipca", newest(ipca)?)
        .raw("fx", newest(fx)?)
        .finish();
    Ok(Reply::data(body, [selic.stamp, cdi.stamp, ipca.stamp, catalog.fx.stamp]))
}
