//! A page for each series.

use lastro_calc::{Check, Units};
use lastro_model::{About, Series};

use super::language::Language;
use super::state::is_late;
use super::subject::Subject;
use super::subject_page::{self, CheckView, Description};
use super::texts::OneTexts;
use super::{format, words};
use crate::error::ApiError;
use crate::http::handler::Question;
use crate::http::response::reply::Reply;

const NO_SUCH_SERIES: ApiError = ApiError::NotFound("no series has this id or code; /series lists them");

fn named(question: &Question<'_>) -> Result<Series, ApiError> {
    Series::parse(question.path.get("id")).ok_or(NO_SUCH_SERIES)
}

pub fn page(question: &Question<'_>) -> Result<Reply, ApiError> {
    let (series, catalog) = (named(question)?, question.catalog);
    let checked_with = catalog.checks[series].iter().flat_map(|check| check.series);
    let stamps = checked_with.map(|series| catalog.series[*series].stamp).collect();
    subject_page::page(question, Subject::Series(series), series.about().topic, stamps, |language| {
        described(question, series, language)
    })
}

pub fn chart(question: &Question<'_>) -> Result<Reply, ApiError> {
    subject_page::chart(question, Subject::Series(named(question)?))
}

fn described(question: &Question<'_>, series: Series, language: Language) -> Description {
    let (about, t) = (series.about(), &language.texts().one);
    let units = Units::legal(about).into_iter().filter(|units| *units != Units::Lin);
    Description {
        summary: summary(about, t, language),
        reading: words::reading(about.kind, language),
        facts: facts(question, series, t, language),
        call_lead: t.call_lead,
        reference: "/docs#tag/series",
        transforms: units.map(Units::id).collect(),
        checks: question.catalog.checks[series].iter().map(|check| check_view(check, language)).collect(),
    }
}

fn summary(about: &'static About, t: &OneTexts, language: Language) -> String {
    t.summary
        .replace("{name}", words::name(about, language))
        .replace("{unit}", words::unit(about.unit, language))
        .replace("{frequency}", words::frequency(about.frequency, language))
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
    let points = part.points();
    let days = points.last().zip(points.first()).map(|(first, last)| (first.day, last.day));
    let freshness = subject_page::freshness(part.sample, is_late(question, series.into()), language);
    vec![
        (t.official, official.to_owned()),
        (t.unit, words::unit(about.unit, language).to_owned()),
        (t.frequency, words::frequency(about.frequency, language).to_owned()),
        (t.source, subject_page::source(Subject::Series(series), language)),
        (t.id, about.id.to_owned()),
        (t.held, subject_page::held(points.len(), days, about.frequency, language)),
        (t.adjusted, yes_or_no(about.seasonally_adjusted)),
        (t.revised, yes_or_no(about.revised)),
        (t.freshness, freshness.to_owned()),
    ]
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
