//! Requests to publishers, as data. The caller sends them.

use lastro_model::Day;

/// A request, with its name in progress bars and reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Complete and encoded: it must be sent unchanged, because OData reads a `+` as an operator.
    pub url: String,
    pub what: String,
}

impl Request {
    /// `base` is the scheme and host, with or without a final slash; `path` starts with one.
    pub(crate) fn new(base: &str, path: &str, what: String) -> Self {
        Self { url: format!("{}{path}", base.trim_end_matches('/')), what }
    }
}

/// Splits these days at year boundaries. Publishers handle a year well, and longer ranges badly.
pub(crate) fn calendar_years(from: Day, to: Day) -> Vec<(Day, Day)> {
    (from.year()..=to.year())
        .filter_map(|year| Some((Day::from_ymd(year, 1, 1).ok()?, Day::from_ymd(year, 12, 31).ok()?)))
        .map(|(first, last)| (first.max(from), last.min(to)))
        .collect()
}
