//! A page for each series: its chart, what it is, how fresh it is, what it was checked by, and the call that gives the same.
//!
//! The page shows the newest twelve months, which are everybody's. More comes as a piece of a page, asked for with a key: see
//! [`chart`], which counts as a request of the API and shows what the key's plan shows.

use askama::Template;
use lastro_access::{Feature, terms};
use lastro_calc::{Check, Units};
use lastro_catalog::{Part, Timeline};
use lastro_model::{About, RatePoint, Series, Topic};

use super::chart::{Dot, Figure, Plotted, Range, Shape};
use super::frame::{Frame, PAGE_POLICY, Reader, draw, fresh, kept};
use super::language::Language;
use super::series::{is_late, state, unchanged_since};
use super::texts::OneTexts;
use super::{format, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::request::query::bad;
use crate::http::response::reply::Reply;

#[derive(Template)]
#[template(path = "one_series.html")]
struct OneSeries {
    frame: Frame,
    id: &'static str,
    name: &'static str,
    summary: String,
    reading: &'static str,
    topic_id: &'static str,
    topic: &'static str,
    unit: &'static str,
    newest: Option<Newest>,
    others: Vec<Group>,
    chart: String,
    facts: Vec<(&'static str, String)>,
    transforms: Vec<&'static str>,
    checks: Vec<CheckView>,
    related: Vec<Link>,
}

struct Newest {
    value: String,
    machine_value: String,
    date: String,
    machine_date: String,
    note: String,
}

/// Series of one topic, to compare with.
struct Group {
    name: &'static str,
    series: Vec<Link>,
}

struct Link {
    id: &'static str,
    name: &'static str,
    selected: bool,
}

struct CheckView {
    name: &'static str,
    rows: String,
    worst: String,
    tolerance: String,
    holds: bool,
}

/// The topic's page has them all.
const MOST_RELATED: usize = 8;

const NO_SUCH_SERIES: ApiError = ApiError::NotFound("no series has this id or code; /series lists them");

fn named(question: &Question<'_>) -> Result<Series, ApiError> {
    Series::parse(question.path.get("id")).ok_or(NO_SUCH_SERIES)
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let series = named(question)?;
    match compared(question)? {
        None => {
            let stamps =
                question.catalog.checks[series].iter().flat_map(|check| check.series).chain([&series]);
            let stamps = stamps.map(|series| question.catalog.series[*series].stamp);
            let name = ("series", 1 + series as usize);
            kept(question, name, state(stamps, question), |language| {
                draw(&one(question, series, None, language)?)
            })
        }
        other => {
            let reader = Reader::of(question);
            fresh(&reader, &one(question, series, other, reader.language)?, PAGE_POLICY)
        }
    }
}

/// The chart alone, over the range asked for, as far as the plan shows it.
pub fn chart(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (series, other, query) = (named(question)?, compared(question)?, &question.query);
    let range = query.word("range", &["1y", "5y", "all"], Range::parse)?.unwrap_or(Range::OneYear);
    if range != Range::OneYear && !terms(question.plan).includes(Feature::History) {
        return Err(ApiError::UpgradeRequired { plan: question.plan, feature: Feature::History });
    }
    let reader = Reader::of(question);
    fresh(&reader, &figure(question, series, other, range, reader.language), PAGE_POLICY)
}

/// The series to compare with, if one is named.
fn compared(question: &Question<'_>) -> Result<Option<Series>, ApiError> {
    let text = question.query.get("compare")?.filter(|text| !text.is_empty());
    text.map(|text| Series::parse(text).ok_or_else(|| bad("compare", "must be the id of a series")))
        .transpose()
}

type SeriesPart = Part<Timeline<RatePoint>>;

fn plotted(part: &SeriesPart, about: &'static About, range: Range, language: Language) -> Plotted {
    let newest = part.newest().map(|point| point.day);
    let shown = part.between(newest.and_then(|newest| range.first_day(newest)), None);
    let dots = part.points()[shown].iter().rev().map(|point| Dot { day: point.day, value: point.value });
    Plotted::new(about, dots.collect(), language)
}

fn figure(
    question: &Question<'_>,
    series: Series,
    other: Option<Series>,
    range: Range,
    language: Language,
) -> Figure<'static> {
    let plot = |series: Series| plotted(&question.catalog.series[series], series.about(), range, language);
    let (main, other) = (plot(series), other.filter(|other| *other != series).map(plot));
    let caption = shown(series.about(), &main, &language.texts().one, language);
    Figure::new("chart", &main, other.as_ref(), language).captioned(caption)
}

fn one(
    question: &Question<'_>,
    series: Series,
    other: Option<Series>,
    language: Language,
) -> Result<OneSeries, ApiError> {
    let (about, t, part) = (series.about(), &language.texts().one, &question.catalog.series[series]);
    let main = plotted(part, about, Range::OneYear, language);
    let path = match other {
        Some(other) => format!("/series/{}?compare={}", about.id, other.about().id),
        None => format!("/series/{}", about.id),
    };
    Ok(OneSeries {
        frame: Frame::new(question, language, path),
        id: about.id,
        name: words::name(about, language),
        summary: summary(about, t, language),
        reading: words::reading(about.kind, language),
        topic_id: about.topic.id(),
        topic: words::topic(about.topic, language),
        unit: words::unit(about.unit, language).trim_start_matches('%').trim(),
        newest: newest(about, &main, t, language),
        others: groups(series, other, language),
        chart: figure(question, series, other, Range::OneYear, language).draw()?,
        facts: facts(question, series, t, language),
        transforms: Units::legal(about)
            .into_iter()
            .filter(|units| *units != Units::Lin)
            .map(Units::id)
            .collect(),
        checks: question.catalog.checks[series].iter().map(|check| check_view(check, language)).collect(),
        related: links(about.topic, Some(series), None, language).into_iter().take(MOST_RELATED).collect(),
    })
}

fn summary(about: &'static About, t: &OneTexts, language: Language) -> String {
    t.summary
        .replace("{name}", words::name(about, language))
        .replace("{unit}", words::unit(about.unit, language))
        .replace("{frequency}", words::frequency(about.frequency, language))
        .replace("{code}", &about.code.to_string())
}

fn newest(about: &About, main: &Plotted, t: &OneTexts, language: Language) -> Option<Newest> {
    let newest = main.dots.last()?;
    Some(Newest {
        value: format::value(newest.value, about.unit, language),
        machine_value: newest.value.to_string(),
        date: format::period(newest.day, about.frequency, language),
        machine_date: format::machine(newest.day, about.frequency),
        note: before(about, main, t, language),
    })
}

/// What was before: since when a decided value holds, or the last one but this.
fn before(about: &About, main: &Plotted, t: &OneTexts, language: Language) -> String {
    if main.shape == Shape::Step
        && let Some(since) = unchanged_since(&main.dots)
    {
        return t.unchanged.replace("{date}", &format::period(since, about.frequency, language));
    }
    let Some(previous) = main.dots.iter().rev().nth(1) else { return String::new() };
    t.previous
        .replace("{value}", &format::value(previous.value, about.unit, language))
        .replace("{date}", &format::period(previous.day, about.frequency, language))
}

fn shown(about: &About, main: &Plotted, t: &OneTexts, language: Language) -> String {
    let (Some(first), Some(last)) = (main.dots.first(), main.dots.last()) else { return String::new() };
    t.shown
        .replace("{first}", &format::period(first.day, about.frequency, language))
        .replace("{last}", &format::period(last.day, about.frequency, language))
        .replace("{code}", &about.code.to_string())
}

fn facts(
    question: &Question<'_>,
    series: Series,
    t: &OneTexts,
    language: Language,
) -> Vec<(&'static str, String)> {
    let (about, part) = (series.about(), &question.catalog.series[series]);
    let official = match language {
        Language::English => about.name_pt,
        Language::Portuguese => about.name,
    };
    let yes_or_no = |yes: bool| if yes { t.yes } else { t.no }.to_owned();
    vec![
        (t.official, official.to_owned()),
        (t.unit, words::unit(about.unit, language).to_owned()),
        (t.frequency, words::frequency(about.frequency, language).to_owned()),
        (t.source, t.source_text.replace("{code}", &about.code.to_string())),
        (t.id, about.id.to_owned()),
        (t.held, held(about, part, t, language)),
        (t.adjusted, yes_or_no(about.seasonally_adjusted)),
        (t.revised, yes_or_no(about.revised)),
        (t.freshness, freshness(question, series, t).to_owned()),
    ]
}

fn held(about: &About, part: &SeriesPart, t: &OneTexts, language: Language) -> String {
    let points = part.points();
    let (Some(last), Some(first)) = (points.first(), points.last()) else { return t.no.to_owned() };
    t.held_text
        .replace("{rows}", &format::number(points.len(), language))
        .replace("{first}", &format::period(first.day, about.frequency, language))
        .replace("{last}", &format::period(last.day, about.frequency, language))
}

fn freshness<'t>(question: &Question<'_>, series: Series, t: &'t OneTexts) -> &'t str {
    match (question.catalog.series[series].sample, is_late(question, series)) {
        (true, _) => t.made_up,
        (false, true) => t.stale,
        (false, false) => t.fresh,
    }
}

fn check_view(check: &Check, language: Language) -> CheckView {
    let worst = check.worst.map(|(day, difference)| {
        format!("{} ({})", format::number(difference, language), format::day(day, language))
    });
    CheckView {
        name: check.name,
        rows: format::number(check.rows, language),
        worst: worst.unwrap_or_default(),
        tolerance: format::number(check.tolerance, language),
        holds: check.holds,
    }
}

fn groups(series: Series, other: Option<Series>, language: Language) -> Vec<Group> {
    let group = |topic: Topic| Group {
        name: words::topic(topic, language),
        series: links(topic, Some(series), other, language),
    };
    Topic::ALL.into_iter().map(group).filter(|group| !group.series.is_empty()).collect()
}

/// The series of a topic, but for one.
fn links(topic: Topic, without: Option<Series>, selected: Option<Series>, language: Language) -> Vec<Link> {
    let of_topic =
        Series::ALL.into_iter().filter(|series| series.about().topic == topic && Some(*series) != without);
    let link = |series: Series| Link {
        id: series.about().id,
        name: words::name(series.about(), language),
        selected: Some(series) == selected,
    };
    of_topic.map(link).collect()
}
