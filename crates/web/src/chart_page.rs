//! The page of a subject: its chart, description, freshness and checks, and the API call that returns the same data.
//!
//! The page shows the newest twelve months, which every plan includes. Longer ranges are requested with a key, as a
//! [`ChartFragment`].

use std::borrow::Cow;

use askama::Template;
use lastro_catalog::{Catalog, FxBook};
use lastro_model::{Series, Stamp, Topic};

use crate::chart::{Figure, Plotted, Range, Shape, unchanged_since};
use crate::chart_subject::Subject;
use crate::data::Data;
use crate::description::{Description, source};
use crate::frame::Frame;
use crate::language::Language;
use crate::page::{Page, Reader, Rendered};
use crate::texts::SeriesDetailTexts;
use crate::{format, fx, series_detail, words};

/// The page of a subject, perhaps compared with another one.
#[derive(Debug)]
pub struct ChartPage {
    pub subject: Subject,
    pub compared: Option<Subject>,
}

/// The chart alone, as a part of a page.
#[derive(Debug)]
pub struct ChartFragment {
    pub subject: Subject,
    pub compared: Option<Subject>,
    pub range: Range,
}

#[derive(Template)]
#[template(path = "subject.html")]
struct ChartPageHtml {
    frame: Frame,
    path: String,
    /// Path of its newest values as an Atom feed.
    feed: String,
    /// Path of the chart as a picture.
    picture: String,
    name: String,
    topic_id: &'static str,
    topic: &'static str,
    unit: &'static str,
    newest: Option<Newest>,
    others: Vec<Group>,
    chart: String,
    call: String,
    related: Vec<Link>,
    /// The parts that differ between a series and a pair.
    about: Description,
}

struct Newest {
    value: String,
    machine_value: String,
    date: String,
    machine_date: String,
    note: String,
}

/// Subjects of one topic, for the comparison menu.
struct Group {
    name: &'static str,
    links: Vec<Link>,
}

struct Link {
    id: String,
    href: String,
    name: String,
    selected: bool,
}

/// Maximum number of related subjects. The catalogue lists all of the topic.
const MOST_RELATED: usize = 8;

impl Page for ChartPage {
    fn path(&self) -> Cow<'static, str> {
        path(self.subject, self.compared).into()
    }

    fn state(&self, data: &Data<'_>) -> u64 {
        let checked_with = match self.subject {
            Subject::Series(series) => series_detail::stamps_of_checks(data.catalog, series),
            Subject::Pair(_) => Vec::new(),
        };
        state(data, self.subject, self.compared, checked_with)
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        let about = match self.subject {
            Subject::Series(series) => series_detail::described(data, series, reader.language),
            Subject::Pair(pair) => fx::described(data, pair, reader.language),
        };
        let frame = Frame::new(data, reader, self.path());
        page(data.catalog, self.subject, self.compared, frame, about)?.render()
    }
}

impl Page for ChartFragment {
    fn path(&self) -> Cow<'static, str> {
        format!("{} {:?}", path(self.subject, self.compared), self.range).into()
    }

    fn state(&self, data: &Data<'_>) -> u64 {
        state(data, self.subject, self.compared, Vec::new())
    }

    fn render(&self, data: &Data<'_>, reader: Reader) -> Rendered {
        figure(data.catalog, self.subject, self.compared, self.range, reader.language).render()
    }
}

/// Path of the page, including the subject it is compared with.
pub(crate) fn path(subject: Subject, other: Option<Subject>) -> String {
    match other {
        Some(other) => format!("{}?compare={}", subject.path(), other.id()),
        None => subject.path(),
    }
}

/// Path of the same chart as a picture.
fn picture_path(subject: Subject, compared: Option<Subject>, language: Language) -> String {
    let compared = compared.filter(|other| *other != subject).map(|other| format!("&compare={}", other.id()));
    let (path, lang) = (subject.path(), language.letters());
    format!("{path}/chart.svg?lang={lang}{}", compared.unwrap_or_default())
}

/// State of the data shown: that of the subjects, of the list of pairs, and of `others`.
pub(crate) fn state(data: &Data<'_>, subject: Subject, compared: Option<Subject>, others: Vec<Stamp>) -> u64 {
    let subjects = [Some(subject), compared].into_iter().flatten();
    let stamps = subjects.map(|subject| subject.stamp(data.catalog));
    data.state(others.into_iter().chain([data.catalog.fx.stamp]).chain(stamps))
}

pub(crate) fn figure(
    catalog: &Catalog,
    subject: Subject,
    other: Option<Subject>,
    range: Range,
    language: Language,
) -> Figure<'static> {
    let plot = |subject: Subject| subject.plotted(catalog, range, language);
    let other = other.filter(|other| *other != subject);
    let (main, beside) = (plot(subject), other.map(plot));
    let caption = caption(subject, &main, other, language);
    Figure::new("chart", &main, beside.as_ref(), language).captioned(caption)
}

/// Caption of the chart: the days shown, the unit, and the sources.
fn caption(subject: Subject, main: &Plotted, other: Option<Subject>, language: Language) -> String {
    let t = &language.texts().series_detail;
    let (Some(first), Some(last)) = (main.dots.first(), main.dots.last()) else { return String::new() };
    let sources: Vec<String> =
        [Some(subject), other].into_iter().flatten().map(|subject| source(subject, language)).collect();
    let shown = if other.is_some() { t.shown_both } else { t.shown };
    shown
        .replace("{first}", &format::period(first.day, main.frequency, language))
        .replace("{last}", &format::period(last.day, main.frequency, language))
        .replace("{unit}", main.unit_text)
        .replace("{source}", &sources.join("; "))
}

fn page(
    catalog: &Catalog,
    subject: Subject,
    compared: Option<Subject>,
    frame: Frame,
    about: Description,
) -> Result<ChartPageHtml, askama::Error> {
    let (language, topic, book) = (frame.language, subject.topic(), &*catalog.fx);
    let main = subject.plotted(catalog, Range::OneYear, language);
    Ok(ChartPageHtml {
        frame,
        path: subject.path(),
        feed: format!("/feeds/series/{}.atom", subject.id()),
        picture: picture_path(subject, compared, language),
        name: subject.name(language),
        topic_id: topic.id(),
        topic: words::topic(topic, language),
        unit: main.unit_beside,
        newest: newest(&main, &language.texts().series_detail, language),
        others: groups(book, subject, compared, language),
        chart: figure(catalog, subject, compared, Range::OneYear, language).render()?,
        call: main.call,
        related: related(book, subject, topic, language),
        about,
    })
}

fn newest(main: &Plotted, t: &SeriesDetailTexts, language: Language) -> Option<Newest> {
    let newest = main.dots.last()?;
    Some(Newest {
        value: format::value(newest.value, main.unit, language),
        machine_value: newest.value.to_string(),
        date: format::period(newest.day, main.frequency, language),
        machine_date: format::machine(newest.day, main.frequency),
        note: before(main, t, language),
    })
}

/// Note on the past: the day since which a decided value holds, or else the previous value.
fn before(main: &Plotted, t: &SeriesDetailTexts, language: Language) -> String {
    if main.shape == Shape::Step
        && let Some(since) = unchanged_since(&main.dots)
    {
        return t.unchanged.replace("{date}", &format::period(since, main.frequency, language));
    }
    let Some(previous) = main.dots.iter().rev().nth(1) else { return String::new() };
    let (value, magnitude) =
        (format::value(previous.value, main.unit, language), words::magnitude(main.unit, language));
    let value = if magnitude.is_empty() { value } else { format!("{value} {magnitude}") };
    t.previous
        .replace("{value}", &value)
        .replace("{date}", &format::period(previous.day, main.frequency, language))
}

/// Every subject that this one can be compared with, by topic.
fn groups(book: &FxBook, subject: Subject, other: Option<Subject>, language: Language) -> Vec<Group> {
    let link = |other_one: Subject| link(other_one, other, language);
    let topics = Topic::ALL.into_iter().map(|topic| (words::topic(topic, language), of_topic(topic)));
    let pairs = (language.texts().status.fx, pairs(book));
    let groups = topics.chain([pairs]).map(|(name, subjects)| {
        let others = subjects.into_iter().filter(|one| *one != subject);
        Group { name, links: others.map(link).collect() }
    });
    groups.filter(|group| !group.links.is_empty()).collect()
}

/// Other subjects of the topic.
fn related(book: &FxBook, subject: Subject, topic: Topic, language: Language) -> Vec<Link> {
    let pairs = if topic == Topic::ExchangeRates { pairs(book) } else { Vec::new() };
    let others = pairs.into_iter().chain(of_topic(topic)).filter(|one| *one != subject);
    others.take(MOST_RELATED).map(|one| link(one, None, language)).collect()
}

fn of_topic(topic: Topic) -> Vec<Subject> {
    let series = Series::ALL.into_iter().filter(|series| series.about().topic == topic);
    series.map(Subject::Series).collect()
}

fn pairs(book: &FxBook) -> Vec<Subject> {
    book.pairs().iter().copied().map(Subject::Pair).collect()
}

fn link(subject: Subject, selected: Option<Subject>, language: Language) -> Link {
    Link {
        id: subject.id(),
        href: subject.path(),
        name: subject.name(language),
        selected: selected == Some(subject),
    }
}
