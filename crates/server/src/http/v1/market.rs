//! Market rates: series by days, current values, and the overview.

use lastro_access::{Feature, HISTORY_MONTHS, terms};
use lastro_catalog::{Part, Point, Timeline};
use lastro_model::{Day, Edition, Pair, RatePoint, Series};

use crate::error::ApiError;
use crate::http::query::SERIES_LIMIT;
use crate::http::reply::{Object, Reply};
use crate::http::routes::Question;

type Answer = Result<Reply, ApiError>;

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
    let days = days(question)?;
    let quotes = quotes_of(question)?;
    points(question, quotes, days, question.catalog.fx.edition)
}

fn series(question: &Question<'_>, series: Series) -> Answer {
    let days = days(question)?;
    let part = question.catalog.series(series);
    points(question, part, days, part.edition)
}

/// `from`, `to` and `limit`.
type Days = (Option<Day>, Option<Day>, usize);

fn days(question: &Question<'_>) -> Result<Days, ApiError> {
    let limit = question.query.limit(SERIES_LIMIT)?;
    let (from, to) = question.query.days()?;
    Ok((from, to, limit))
}

/// The newest `limit` points between two days, as far back as the plan sees.
fn points<P: Point>(
    question: &Question<'_>,
    timeline: &Timeline<P>,
    (from, to, limit): Days,
    edition: Edition,
) -> Answer {
    let from = match window_start(question, timeline) {
        Some(start) if from.into_iter().chain(to).any(|day| day < start) => {
            return Err(ApiError::UpgradeRequired { plan: question.plan, feature: Feature::History });
        }
        Some(start) => Some(from.map_or(start, |from| from.max(start))),
        None => from,
    };
    let range = timeline.between(from, to);
    let page = range.start..range.end.min(range.start.saturating_add(limit));
    let items = timeline.json(page);
    Ok(Reply::data(Object::with_capacity(items.len() + 16).joined("data", items).finish(), [edition]))
}

/// The first day that the caller's plan shows; counted from the newest point, so that a stale source hides nothing.
fn window_start<P: Point>(question: &Question<'_>, timeline: &Timeline<P>) -> Option<Day> {
    let newest = timeline.newest()?.day();
    (!terms(question.plan).includes(Feature::History)).then(|| newest.minus_months(HISTORY_MONTHS))
}

pub fn selic_current(question: &Question<'_>) -> Answer {
    current(question.catalog.series(Series::Selic))
}

pub fn cdi_current(question: &Question<'_>) -> Answer {
    current(question.catalog.series(Series::Cdi))
}

pub fn ipca_current(question: &Question<'_>) -> Answer {
    current(question.catalog.series(Series::Ipca))
}

pub fn fx_current(question: &Question<'_>) -> Answer {
    let quotes = quotes_of(question)?;
    Ok(Reply::data(newest(quotes)?.to_vec(), [question.catalog.fx.edition]))
}

fn current(part: &Part<Timeline<RatePoint>>) -> Answer {
    Ok(Reply::data(newest(part)?.to_vec(), [part.edition]))
}

fn newest<P: Point>(timeline: &Timeline<P>) -> Result<&[u8], ApiError> {
    timeline.newest_json().ok_or(ApiError::Unavailable("there is no value of this series yet"))
}

/// The pair that is asked for. One that is not held is the client's mistake, and it is told which are.
fn quotes_of<'a>(question: &Question<'a>) -> Result<&'a Timeline<lastro_model::FxQuote>, ApiError> {
    let book = &question.catalog.fx;
    let text = question.query.get("pair")?.unwrap_or("USD/BRL");
    Pair::parse(text).ok().and_then(|pair| book.get(pair)).ok_or_else(|| {
        let held: Vec<String> = book.pairs().iter().map(ToString::to_string).collect();
        ApiError::BadRequest(format!("`pair` must be one of {}", held.join(", ")).into())
    })
}

pub fn overview(question: &Question<'_>) -> Answer {
    let catalog = question.catalog;
    let [selic, cdi, ipca] = [Series::Selic, Series::Cdi, Series::Ipca].map(|series| catalog.series(series));
    let dollar = Pair::parse("USD/BRL").ok().and_then(|pair| catalog.fx.get(pair));
    let fx = dollar.ok_or(ApiError::Unavailable("there is no exchange rate yet"))?;
    let body = Object::with_capacity(256)
        .raw("selic", newest(selic)?)
        .raw("cdi", newest(cdi)?)
        .raw("ipca", newest(ipca)?)
        .raw("fx", newest(fx)?)
        .finish();
    Ok(Reply::data(body, [selic.edition, cdi.edition, ipca.edition, catalog.fx.edition]))
}
