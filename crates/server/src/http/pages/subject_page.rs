//! The page of a subject: its chart, description, freshness and checks, and the API call that returns the same data.
//!
//! The page shows the newest twelve months, which every plan includes. Longer ranges are requested with a key, as a
//! fragment of a page: see [`chart`], which counts as an API request and shows what the key's plan includes.

use askama::Template;
use lastro_access::{Feature, terms};
use lastro_catalog::FxBook;
use lastro_model::{Day, Frequency, Series, Stamp, Topic};

use super::chart::{Figure, Plotted, Range, Shape, unchanged_since};
use super::frame::{Frame, Reader, draw};
use super::keeping::{kept, kept_while_asked};
use super::language::Language;
use super::state;
use super::subject::Subject;
use super::texts::OneTexts;
use super::{format, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

#[derive(Template)]
#[template(path = "subject.html")]
pub(super) struct SubjectPage {
    frame: Frame,
    path: String,
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

/// Description of a subject.
pub(super) struct Description {
    pub(super) summary: String,
    pub(super) reading: &'static str,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) call_lead: &'static str,
    /// Link to the call in the API reference.
    pub(super) reference: &'static str,
    pub(super) transforms: Vec<&'static str>,
    pub(super) checks: Vec<CheckView>,
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

pub(super) struct CheckView {
    pub(super) name: &'static str,
    pub(super) rows: String,
    pub(super) worst: String,
    pub(super) tolerance: String,
    pub(super) holds: bool,
}

/// Maximum number of related subjects. The catalogue lists all of the topic.
const MOST_RELATED: usize = 8;

/// Renders the page. `stamps` are those of its data other than its own values and the list of pairs.
pub(super) fn page(
    question: &Question<'_>,
    subject: Subject,
    topic: Topic,
    stamps: Vec<Stamp>,
    describe: impl Fn(Language) -> Description,
) -> Result<Reply, ApiError> {
    let other = Subject::compared(question)?;
    let (path, state) = (path(subject, other), drawn_from(question, subject, other, stamps));
    let page = |language| draw(&one(question, subject, other, topic, language, describe(language))?);
    match other {
        None => kept(question, &path, state, page),
        Some(_) => kept_while_asked(question, &Reader::of(question), &path, state, page),
    }
}

/// Path of the page, including the subject it is compared with.
fn path(subject: Subject, other: Option<Subject>) -> String {
    match other {
        Some(other) => format!("{}?compare={}", subject.path(), other.id()),
        None => subject.path(),
    }
}

fn drawn_from(question: &Question<'_>, subject: Subject, other: Option<Subject>, stamps: Vec<Stamp>) -> u64 {
    let catalog = question.catalog;
    let subjects = [Some(subject), other].into_iter().flatten().map(|subject| subject.stamp(catalog));
    state::of(stamps.into_iter().chain([catalog.fx.stamp]).chain(subjects), question)
}

/// The chart alone, over the requested range. Ranges that the plan does not include are rejected.
pub(super) fn chart(question: &Question<'_>, subject: Subject) -> Result<Reply, ApiError> {
    let other = Subject::compared(question)?;
    let asked = question.query.word("range", &["1y", "5y", "all"], Range::parse)?;
    let range = asked.unwrap_or(Range::OneYear);
    if range != Range::OneYear && !terms(question.plan).includes(Feature::History) {
        return Err(ApiError::UpgradeRequired { plan: question.plan, feature: Feature::History });
    }
    // A script sends `lang` to match its page. This is no choice by the reader, so no cookie is set.
    let reader = Reader::of(question).without_choice();
    let path = format!("{} {range:?}", path(subject, other));
    let state = drawn_from(question, subject, other, Vec::new());
    kept_while_asked(question, &reader, &path, state, |language| {
        figure(question, subject, other, range, language).draw()
    })
}

fn figure(
    question: &Question<'_>,
    subject: Subject,
    other: Option<Subject>,
    range: Range,
    language: Language,
) -> Figure<'static> {
    let plot = |subject: Subject| subject.plotted(question.catalog, range, language);
    let other = other.filter(|other| *other != subject);
    let (main, beside) = (plot(subject), other.map(plot));
    let caption = caption(subject, &main, other, language);
    Figure::new("chart", &main, beside.as_ref(), language).captioned(caption)
}

/// Caption of the chart: the days shown, the unit, and the sources.
fn caption(subject: Subject, main: &Plotted, other: Option<Subject>, language: Language) -> String {
    let t = &language.texts().one;
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

/// Publisher of the data, and its name there.
pub(super) fn source(subject: Subject, language: Language) -> String {
    match subject {
        Subject::Series(series) => {
            language.texts().one.source_text.replace("{code}", &series.about().code.to_string())
        }
        Subject::Pair(_) => language.texts().fx.source_text.to_owned(),
    }
}

fn one(
    question: &Question<'_>,
    subject: Subject,
    other: Option<Subject>,
    topic: Topic,
    language: Language,
    about: Description,
) -> Result<SubjectPage, ApiError> {
    let (t, book) = (&language.texts().one, &*question.catalog.fx);
    let main = subject.plotted(question.catalog, Range::OneYear, language);
    Ok(SubjectPage {
        frame: Frame::new(question, language, path(subject, other)),
        path: subject.path(),
        name: subject.name(language),
        topic_id: topic.id(),
        topic: words::topic(topic, language),
        unit: main.unit_text.trim_start_matches('%').trim(),
        newest: newest(&main, t, language),
        others: groups(book, subject, other, language),
        chart: figure(question, subject, other, Range::OneYear, language).draw()?,
        call: main.call,
        related: related(book, subject, topic, language),
        about,
    })
}

fn newest(main: &Plotted, t: &OneTexts, language: Language) -> Option<Newest> {
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
fn before(main: &Plotted, t: &OneTexts, language: Language) -> String {
    if main.shape == Shape::Step
        && let Some(since) = unchanged_since(&main.dots)
    {
        return t.unchanged.replace("{date}", &format::period(since, main.frequency, language));
    }
    let Some(previous) = main.dots.iter().rev().nth(1) else { return String::new() };
    t.previous
        .replace("{value}", &format::value(previous.value, main.unit, language))
        .replace("{date}", &format::period(previous.day, main.frequency, language))
}

/// Number of values held, with the first and last day.
pub(super) fn held(
    rows: usize,
    days: Option<(Day, Day)>,
    frequency: Frequency,
    language: Language,
) -> String {
    let t = &language.texts().one;
    let Some((first, last)) = days else { return t.no.to_owned() };
    t.held_text
        .replace("{rows}", &format::number(rows, language))
        .replace("{first}", &format::period(first, frequency, language))
        .replace("{last}", &format::period(last, frequency, language))
}

/// Freshness in words.
pub(super) fn freshness(is_sample: bool, is_late: bool, language: Language) -> &'static str {
    let t = &language.texts().one;
    match (is_sample, is_late) {
        (true, _) => t.made_up,
        (false, true) => t.stale,
        (false, false) => t.fresh,
    }
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
