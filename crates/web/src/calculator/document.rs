//! The parts of a calculation's document that do not depend on its kind: rule, sources, date, and check code.

use lastro_model::{Series, Source, brasilia_day, brasilia_minute};
use serde_json::value::RawValue;

use super::kind::Kind;
use crate::data::Data;
use crate::language::Language;
use crate::{format, words};

/// Facts at the end of the document.
pub(super) struct Document {
    pub(super) title: &'static str,
    pub(super) rule: String,
    /// Whether a value is one of the built-in sample, which nobody published.
    pub(super) is_sample: bool,
    pub(super) sources: Vec<SourceFact>,
    pub(super) calculated_at: String,
    pub(super) check: String,
    /// Path that confirms the code, with the inputs if they fit into an address.
    pub(super) check_path: String,
}

/// A series that was used.
pub(super) struct SourceFact {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) code: u32,
    pub(super) edition: String,
    pub(super) is_sample: bool,
}

pub(super) type Editions<'a> = std::collections::BTreeMap<&'a str, &'a RawValue>;

impl Document {
    pub(super) fn new(
        kind: Kind,
        rule: String,
        editions: &Editions<'_>,
        check: &str,
        data: &Data<'_>,
        language: Language,
    ) -> Self {
        let source = |(id, edition): (&&str, &&RawValue)| {
            let series = Series::parse(id)?;
            let (about, edition) = (series.about(), edition.get().to_owned());
            let (name, code) = (words::name(about, language), about.code);
            let is_sample = data.is_sample(Source::Series(series));
            Some(SourceFact { id: (*id).to_owned(), name, code, edition, is_sample })
        };
        let sources: Vec<SourceFact> = editions.iter().filter_map(source).collect();
        Self {
            title: kind.name(language),
            rule,
            is_sample: sources.iter().any(|source| source.is_sample),
            sources,
            calculated_at: moment(data.now.unix_ms, language),
            check: check.to_owned(),
            check_path: format!("/calculator/check/{check}"),
        }
    }
}

/// A day and a time in Brasília.
fn moment(unix_ms: i64, language: Language) -> String {
    let minutes = brasilia_minute(unix_ms);
    let time = format!("{:02}:{:02}", minutes / 60, minutes % 60);
    let day = format::day(brasilia_day(unix_ms), language);
    language.texts().document.brasilia.replace("{day}", &day).replace("{time}", &time)
}
