//! The front page: what this is, the newest values, a calculation, a call.

use askama::Template;
use lastro_catalog::Catalog;
use lastro_model::{FxQuote, Pair, Series, Stamp, Topic};

use super::chart::{Dot, Figure, Plotted, Range, Shape, sparkline};
use super::frame::{Frame, draw, kept};
use super::language::Language;
use super::texts::FrontTexts;
use super::{format, series, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::{Reply, Version};
use crate::http::v1::market;

#[derive(Template)]
#[template(path = "front.html")]
struct Front {
    frame: Frame,
    cards: Vec<Card>,
    chart: String,
    all_series: String,
    amount: String,
    from: String,
    to: String,
    answer: String,
    topics: Vec<TopicCount>,
    companies: String,
    filings: String,
    checks: String,
}

/// A newest value with a small picture.
struct Card {
    href: String,
    name: &'static str,
    gloss: &'static str,
    value: String,
    machine_value: String,
    date: String,
    machine_date: String,
    note: String,
    shape: &'static str,
    line: String,
    area: String,
}

struct TopicCount {
    id: &'static str,
    name: &'static str,
    count: String,
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    kept(question, ("front", 0), state(question), |language| draw(&front(question, language)?))
}

/// Every part that something on the page is drawn from.
fn state(question: &Question<'_>) -> u64 {
    let catalog = question.catalog;
    let series = Series::ALL.into_iter().map(|series| catalog.series[series].stamp);
    series::state(series.chain([catalog.fx.stamp, catalog.companies.stamp, catalog.filings.stamp]), question)
}

fn front(question: &Question<'_>, language: Language) -> Result<Front, ApiError> {
    let (catalog, t) = (question.catalog, &language.texts().front);
    let (from, to) = months(catalog);
    let cards = [
        selic(catalog, language),
        cdi(catalog, language),
        ipca(catalog, language),
        dollar(catalog, language),
    ];
    Ok(Front {
        frame: Frame::new(question, language, "/"),
        cards: cards.into_iter().flatten().collect(),
        chart: together(catalog, language)?,
        all_series: t.all_series.replace("{count}", &Series::ALL.len().to_string()),
        amount: format::number("1000.00", language),
        from,
        to,
        answer: answer(question),
        topics: Topic::ALL.into_iter().map(|topic| topic_count(topic, t, language)).collect(),
        companies: format::number(catalog.companies.len(), language),
        filings: format::number(catalog.filings.len(), language),
        checks: checks(catalog, t),
    })
}

/// The newest twelve months of a series, oldest first: what every plan shows.
pub(super) fn newest_year(catalog: &Catalog, series: Series) -> Vec<Dot> {
    let part = &catalog.series[series];
    let Some(newest) = part.newest() else { return Vec::new() };
    let shown = part.between(Range::OneYear.first_day(newest.day), None);
    part.points()[shown].iter().rev().map(|point| Dot { day: point.day, value: point.value }).collect()
}

fn card(
    series: Series,
    name: &'static str,
    gloss: &'static str,
    note: String,
    dots: &[Dot],
    language: Language,
) -> Option<Card> {
    let (about, newest) = (series.about(), dots.last()?);
    let shape = Shape::of(about);
    let [line, area] = sparkline(shape, dots)?;
    Some(Card {
        href: format!("/series/{}", about.id),
        name,
        gloss,
        value: format::value(newest.value, about.unit, language),
        machine_value: newest.value.to_string(),
        date: format::period(newest.day, about.frequency, language),
        machine_date: format::machine(newest.day, about.frequency),
        note,
        shape: series::class_of(shape),
        line,
        area,
    })
}

fn selic(catalog: &Catalog, language: Language) -> Option<Card> {
    let (dots, t) = (newest_year(catalog, Series::Selic), &language.texts().front);
    let since = series::unchanged_since(&dots);
    let note = since.map_or_else(String::new, |day| t.since.replace("{date}", &format::day(day, language)));
    card(Series::Selic, Series::Selic.about().label, t.target, note, &dots, language)
}

fn cdi(catalog: &Catalog, language: Language) -> Option<Card> {
    let (dots, t) = (newest_year(catalog, Series::Cdi), &language.texts().front);
    card(Series::Cdi, Series::Cdi.about().label, t.cdi_gloss, String::new(), &dots, language)
}

fn ipca(catalog: &Catalog, language: Language) -> Option<Card> {
    let (dots, t) = (newest_year(catalog, Series::Ipca), &language.texts().front);
    let unit = Series::Ipca12m.about().unit;
    let year = catalog.series[Series::Ipca12m]
        .newest()
        .filter(|year| Some(year.day) == dots.last().map(|dot| dot.day));
    let note = year.map_or_else(String::new, |year| {
        t.in_12_months.replace("{value}", &format::value(year.value, unit, language))
    });
    card(Series::Ipca, Series::Ipca.about().label, t.ipca_gloss, note, &dots, language)
}

fn dollar(catalog: &Catalog, language: Language) -> Option<Card> {
    let t = &language.texts().front;
    let quotes = catalog.fx.get(Pair::parse("USD/BRL").ok()?)?;
    let newest: &FxQuote = quotes.newest()?;
    let shown = quotes.between(Range::OneYear.first_day(newest.day), None);
    let dots: Vec<Dot> =
        quotes.points()[shown].iter().rev().map(|quote| Dot { day: quote.day, value: quote.sell }).collect();
    let [line, area] = sparkline(Shape::Line, &dots)?;
    let before = quotes
        .points()
        .get(1)
        .map(|quote| t.before.replace("{value}", &format::number(quote.sell, language)));
    Some(Card {
        href: format!("/series/{}", Series::UsdMonthEnd.about().id),
        name: t.dollar,
        gloss: t.dollar_gloss,
        value: format!("R$\u{a0}{}", format::number(newest.sell, language)),
        machine_value: newest.sell.to_string(),
        date: format::day(newest.day, language),
        machine_date: newest.day.to_string(),
        note: before.unwrap_or_default(),
        shape: series::class_of(Shape::Line),
        line,
        area,
    })
}

/// The target beside what prices rose in twelve months: both in per cent, on one scale.
fn together(catalog: &Catalog, language: Language) -> Result<String, ApiError> {
    let t = &language.texts().front;
    let plotted = |series: Series, name: &str| Plotted {
        name: name.to_owned(),
        ..Plotted::new(series.about(), newest_year(catalog, series), language)
    };
    let (selic, ipca) = (plotted(Series::Selic, t.together_selic), plotted(Series::Ipca12m, t.together_ipca));
    Figure::new("together", &selic, Some(&ipca), language).draw()
}

/// January 2015, or the first month held if that is later, and the last one.
fn months(catalog: &Catalog) -> (String, String) {
    let points = catalog.series[Series::Ipca].points();
    let machine =
        |point: &lastro_model::RatePoint| format::machine(point.day, Series::Ipca.about().frequency);
    let first = points.last().map(machine).unwrap_or_default();
    (first.max("2015-01".to_owned()), points.first().map(machine).unwrap_or_default())
}

/// What the API answers to the call that stands beside it.
fn answer(question: &Question<'_>) -> String {
    let reply = market::overview(question).ok();
    let bytes = reply.and_then(|reply| match reply.body {
        crate::http::response::body::Body::Whole(bytes) => Some(bytes),
        _ => None,
    });
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    text.replace("},\"", "},\n \"")
}

fn topic_count(topic: Topic, t: &FrontTexts, language: Language) -> TopicCount {
    let count = Series::ALL.into_iter().filter(|series| series.about().topic == topic).count();
    let text = if count == 1 {
        t.one_series.to_owned()
    } else {
        t.count_series.replace("{count}", &count.to_string())
    };
    TopicCount { id: topic.id(), name: words::topic(topic, language), count: text }
}

fn checks(catalog: &Catalog, t: &FrontTexts) -> String {
    let (count, held) = catalog
        .identities()
        .fold((0, 0), |(count, held), check| (count + 1, held + usize::from(check.holds)));
    t.proven_text.replace("{held}", &held.to_string()).replace("{count}", &count.to_string())
}

/// What all these states come to.
pub(super) fn version_of(stamps: impl IntoIterator<Item = Stamp>) -> u64 {
    match Version::data(stamps) {
        Version::Data(digest) => digest,
        _ => 0,
    }
}
