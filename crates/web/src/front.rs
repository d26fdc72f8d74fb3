//! The front page: an introduction, the newest values, a calculation, and an example call.

use std::borrow::Cow;

use askama::Template;
use lastro_catalog::Catalog;
use lastro_model::{Pair, RatePoint, Series, Topic, Unit};

use crate::chart::{Dot, Figure, Plotted, Range, Shape, sparkline, unchanged_since};
use crate::chart_subject::{Subject, dots_of_pair, dots_of_series};
use crate::data::Data;
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};
use crate::pricing::free_requests;
use crate::texts::FrontTexts;
use crate::{format, words};

#[derive(Debug)]
pub struct Front;

#[derive(Template)]
#[template(path = "front.html")]
struct FrontHtml {
    frame: Frame,
    cards: Vec<Card>,
    chart: String,
    all_series: String,
    amount: String,
    from: String,
    to: String,
    call_lead: String,
    answer: String,
    topics: Vec<TopicCount>,
    companies: String,
    filings: String,
    checks: String,
}

/// A newest value with a sparkline.
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

impl Page for Front {
    fn path(&self) -> Cow<'static, str> {
        "/".into()
    }

    fn state(&self, data: &Data<'_>) -> u64 {
        let catalog = data.catalog;
        let series = Series::ALL.into_iter().map(|series| catalog.series[series].stamp);
        data.state(series.chain([catalog.fx.stamp, catalog.companies.stamp, catalog.filings.stamp]))
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        front(data.catalog, Frame::new(data, reader, self.path()))?.render()
    }
}

fn front(catalog: &Catalog, frame: Frame) -> Result<FrontHtml, askama::Error> {
    let language = frame.language;
    let t = &language.texts().front;
    let (from, to) = months(catalog);
    let cards = [
        selic(catalog, language),
        cdi(catalog, language),
        ipca(catalog, language),
        dollar(catalog, language),
    ];
    Ok(FrontHtml {
        frame,
        cards: cards.into_iter().flatten().collect(),
        chart: together(catalog, language)?,
        all_series: t.all_series.replace("{count}", &Series::ALL.len().to_string()),
        amount: format::number("1000.00", language),
        from,
        to,
        call_lead: t.call_lead.replace("{count}", &free_requests().to_string()),
        answer: answer(catalog),
        topics: Topic::ALL.into_iter().map(|topic| topic_count(topic, catalog, language)).collect(),
        companies: format::number(catalog.companies.len(), language),
        filings: format::number(catalog.filings.len(), language),
        checks: checks(catalog, t),
    })
}

/// The newest twelve months of a series, oldest first, which every plan includes.
fn newest_year(catalog: &Catalog, series: Series) -> Vec<Dot> {
    dots_of_series(catalog, series, Range::OneYear)
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
        shape: shape.class(),
        line,
        area,
    })
}

fn selic(catalog: &Catalog, language: Language) -> Option<Card> {
    let (dots, t) = (newest_year(catalog, Series::Selic), &language.texts().front);
    let since = unchanged_since(&dots);
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
    let (t, pair) = (&language.texts().front, Pair::parse("USD/BRL").ok()?);
    let dots = dots_of_pair(&catalog.fx, pair, Range::OneYear);
    let newest = dots.last()?;
    let [line, area] = sparkline(Shape::Line, &dots)?;
    let before = dots.iter().rev().nth(1);
    let before = before.map(|dot| t.before.replace("{value}", &format::number(dot.value, language)));
    Some(Card {
        href: Subject::Pair(pair).path(),
        name: t.dollar,
        gloss: t.dollar_gloss,
        value: format::value(newest.value, Unit::Brl, language),
        machine_value: newest.value.to_string(),
        date: format::day(newest.day, language),
        machine_date: newest.day.to_string(),
        note: before.unwrap_or_default(),
        shape: Shape::Line.class(),
        line,
        area,
    })
}

/// Chart of the Selic target and twelve-month inflation, both in per cent on one scale.
fn together(catalog: &Catalog, language: Language) -> Rendered {
    let t = &language.texts().front;
    let plotted = |series: Series, name: &str| {
        Plotted::of_series(series.about(), newest_year(catalog, series), language).called(name)
    };
    let (selic, ipca) = (plotted(Series::Selic, t.together_selic), plotted(Series::Ipca12m, t.together_ipca));
    Figure::new("rates", &selic, Some(&ipca), language).render()
}

/// January 2015, or the first month held if later, and the last month held.
fn months(catalog: &Catalog) -> (String, String) {
    let points = catalog.series[Series::Ipca].points();
    let machine = |point: &RatePoint| format::machine(point.day, Series::Ipca.about().frequency);
    let first = points.last().map(machine).unwrap_or_default();
    (first.max("2015-01".to_owned()), points.first().map(machine).unwrap_or_default())
}

/// The API's response to the example call, shown beside it.
fn answer(catalog: &Catalog) -> String {
    let overview = catalog.overview().unwrap_or_default();
    String::from_utf8_lossy(&overview).replace("},\"", "},\n \"")
}

fn topic_count(topic: Topic, catalog: &Catalog, language: Language) -> TopicCount {
    let t = &language.texts().front;
    let series = Series::ALL.into_iter().filter(|series| series.about().topic == topic).count();
    let pairs = if topic == Topic::ExchangeRates { catalog.fx.pairs().len() } else { 0 };
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(one.to_owned()),
        _ => Some(many.replace("{count}", &count.to_string())),
    };
    let counts =
        [counted(pairs, t.one_currency, t.count_currencies), counted(series, t.one_series, t.count_series)];
    let count = counts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    TopicCount { id: topic.id(), name: words::topic(topic, language), count }
}

fn checks(catalog: &Catalog, t: &FrontTexts) -> String {
    let (count, held) = catalog
        .identities()
        .fold((0, 0), |(count, held), check| (count + 1, held + usize::from(check.holds)));
    t.proven_text.replace("{held}", &held.to_string()).replace("{count}", &count.to_string())
}
