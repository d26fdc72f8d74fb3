//! The description of a subject on its page: the parts that differ between a series and a pair.

use lastro_model::{Day, Frequency};

use crate::chart_subject::Subject;
use crate::format;
use crate::language::Language;

/// Description of a subject.
pub(crate) struct Description {
    pub(crate) summary: String,
    pub(crate) reading: &'static str,
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) call_lead: &'static str,
    /// Link to the call in the API reference.
    pub(crate) reference: &'static str,
    pub(crate) transforms: Vec<&'static str>,
    pub(crate) checks: Vec<CheckView>,
}

pub(crate) struct CheckView {
    pub(crate) name: &'static str,
    pub(crate) rows: String,
    pub(crate) worst: String,
    pub(crate) tolerance: String,
    pub(crate) holds: bool,
}

/// Publisher of the data, and its name there.
pub(crate) fn source(subject: Subject, language: Language) -> String {
    match subject {
        Subject::Series(series) => {
            language.texts().series_detail.source_text.replace("{code}", &series.about().code.to_string())
        }
        Subject::Pair(_) => language.texts().fx.source_text.to_owned(),
    }
}

/// Number of values held, with the first and last day.
pub(crate) fn held(
    rows: usize,
    days: Option<(Day, Day)>,
    frequency: Frequency,
    language: Language,
) -> String {
    let t = &language.texts().series_detail;
    let Some((first, last)) = days else { return t.no.to_owned() };
    t.held_text
        .replace("{rows}", &format::number(rows, language))
        .replace("{first}", &format::period(first, frequency, language))
        .replace("{last}", &format::period(last, frequency, language))
}

/// Freshness in words.
pub(crate) fn freshness(is_sample: bool, is_late: bool, language: Language) -> &'static str {
    let t = &language.texts().series_detail;
    match (is_sample, is_late) {
        (true, _) => t.made_up,
        (false, true) => t.stale,
        (false, false) => t.fresh,
    }
}
