//! A question to a publisher, as data. Whoever has a network sends it.

use lastro_model::Day;

/// What to ask, and what it is called in progress bars and reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Complete and encoded: it must be sent as it stands, for OData reads a `+` as an operator.
    pub url: String,
    pub what: String,
}

impl Request {
    /// `base` is the scheme and host, with or without a final slash; `path` starts with one.
    pub(crate) fn new(base: &str, path: &str, what: String) -> Self {
        Self { url: format!("{}{path}", base.trim_end_matches('/')), what }
    }
}

/// These days, cut where years end. Publishers answer a year well and more than that badly.
pub(crate) fn calendar_years(from: Day, to: Day) -> Vec<(Day, Day)> {
    (from.year()..=to.year())
        .filter_map(|year| Some((Day::from_ymd(year, 1, 1).ok()?, Day::from_ymd(year, 12, 31).ok()?)))
        .map(|(first, last)| (first.max(from), last.min(to)))
        .collect()
}
