//! Description of a series.

use lastro_calc::{Check, Units};
use lastro_catalog::Catalog;
use lastro_model::{About, Frequency, Series, Stamp};

use crate::chart_subject::Subject;
use crate::data::Data;
use crate::description::{self, CheckView, Description};
use crate::language::Language;
use crate::texts::SeriesDetailTexts;
use crate::{format, words};

/// Stamps of the series that this one is checked with.
pub(crate) fn stamps_of_checks(catalog: &Catalog, series: Series) -> Vec<Stamp> {
    let checked_with = catalog.checks[series].iter().flat_map(|check| check.series);
    checked_with.map(|series| catalog.series[*series].stamp).collect()
}

pub(crate) fn described(data: &Data<'_>, series: Series, language: Language) -> Description {
    let (about, t) = (series.about(), &language.texts().series_detail);
    let units = Units::legal(about).into_iter().filter(|units| *units != Units::Lin);
    Description {
        summary: summary(about, t, language),
        reading: words::reading(about, language),
        facts: facts(data, series, t, language),
        call_lead: t.call_lead,
        reference: "/docs#tag/series",
        transforms: units.map(Units::id).collect(),
        checks: data.catalog.checks[series].iter().map(|check| check_view(check, language)).collect(),
    }
}

fn summary(about: &'static About, t: &SeriesDetailTexts, language: Language) -> String {
    t.summary
        .replace("{name}", words::name(about, language))
        .replace("{unit}", words::unit(about.unit, language))
        .replace("{frequency}", words::frequency(about.frequency, language))
        .replace("{code}", &about.code.to_string())
}

fn facts(
    data: &Data<'_>,
    series: Series,
    t: &SeriesDetailTexts,
    language: Language,
) -> Vec<(&'static str, String)> {
    let (about, part) = (series.about(), &data.catalog.series[series]);
    let yes_or_no = |yes: bool| if yes { t.yes } else { t.no }.to_owned();
    let points = part.points();
    let days = points.last().zip(points.first()).map(|(first, last)| (first.day, last.day));
    let freshness = description::freshness(part.sample, data.is_late(series.into()), language);
    vec![
        (t.official, about.name_pt.to_owned()),
        (t.unit, words::unit(about.unit, language).to_owned()),
        (t.frequency, words::frequency(about.frequency, language).to_owned()),
        (t.source, description::source(Subject::Series(series), language)),
        (t.id, about.id.to_owned()),
        (t.held, description::held(points.len(), days, about.frequency, language)),
        (t.adjusted, yes_or_no(about.seasonally_adjusted)),
        (t.revised, yes_or_no(about.revised)),
        (t.freshness, freshness.to_owned()),
    ]
}

/// The period that a row of the check stands for: one of the series that is recomputed, which is the first, or a year where
/// the rows of a year are counted.
fn check_frequency(check: &Check) -> Frequency {
    match (check.name, check.series.first()) {
        ("selic-daily-has-every-business-day", _) => Frequency::Years,
        (_, Some(series)) => series.about().frequency,
        (_, None) => Frequency::CalendarDays,
    }
}

fn check_view(check: &Check, language: Language) -> CheckView {
    let period = |day| format::period(day, check_frequency(check), language);
    let worst = check
        .worst
        .map(|(day, difference)| format!("{} ({})", format::number(difference, language), period(day)));
    CheckView {
        name: words::identity(check.name, language),
        rows: format::number(check.rows, language),
        worst: worst.unwrap_or_default(),
        tolerance: format::number(check.tolerance, language),
        holds: check.holds,
    }
}
