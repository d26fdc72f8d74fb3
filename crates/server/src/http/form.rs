//! The form of an answer: what `format`, `locale` and `Accept` ask for.
//!
//! `format` wins over `Accept`. CSV is sold with a plan, and the only way to a [`Dialect`] leads past that gate.

use std::fmt;

use http::HeaderMap;
use http::header::ACCEPT;
use lastro_access::{Feature, terms};
use lastro_model::Plan;

use super::csv::Dialect;
use super::encoding::weight;
use super::query::Query;
use crate::error::ApiError;

/// The `Accept` header of a request.
#[derive(Clone, Copy)]
pub struct Accept<'a>(pub &'a HeaderMap);

impl fmt::Debug for Accept<'_> {
    /// Without the other headers: one of them is a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.get_all(ACCEPT)).finish()
    }
}

/// The endpoint's own form, or CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form(Option<Dialect>);

impl Form {
    /// Reads what is asked for; `own` is what `format` calls the endpoint's own form.
    pub fn asked(query: &Query<'_>, accept: Accept<'_>, own: &'static str) -> Result<Self, ApiError> {
        let dialect = match query.get("locale")? {
            None | Some("en") => Dialect::International,
            Some("pt-BR") => Dialect::Brazilian,
            Some(_) => return Err(ApiError::BadRequest("`locale` must be en or pt-BR".into())),
        };
        let csv = match query.get("format")? {
            None => accept.prefers_csv(),
            Some("csv") => true,
            Some(name) if name == own => false,
            Some(_) => return Err(ApiError::BadRequest(format!("`format` must be {own} or csv").into())),
        };
        Ok(Self(csv.then_some(dialect)))
    }

    /// The dialect, if CSV is asked for; an upgrade prompt, if the plan does not include it.
    pub fn dialect(self, plan: Plan) -> Result<Option<Dialect>, ApiError> {
        if self.0.is_some() && !terms(plan).includes(Feature::CsvExport) {
            return Err(ApiError::UpgradeRequired { plan, feature: Feature::CsvExport });
        }
        Ok(self.0)
    }
}

impl<'a> Accept<'a> {
    /// Whether the client names CSV and likes it better than JSON. A wildcard does not ask for what costs extra.
    fn prefers_csv(self) -> bool {
        let csv = self.weight_of(&["text/csv"]);
        csv > 0 && csv > self.weight_of(&["application/json", "application/*", "*/*"])
    }

    /// The weight of the first of these ranges that the header names, in thousandths.
    fn weight_of(self, ranges: &[&str]) -> u32 {
        let named = |range: &&str| self.items().find(|(name, _)| name.eq_ignore_ascii_case(range));
        ranges.iter().find_map(named).map_or(0, |(_, parameters)| weight(parameters))
    }

    /// Media ranges with their parameters.
    fn items(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let lines = self.0.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        lines.flat_map(|line| line.split(',')).map(|item| {
            let (range, parameters) = item.split_once(';').unwrap_or((item, ""));
            (range.trim(), parameters)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_chosen_where_it_is_named_and_liked_best() {
        for (accept, csv) in [
            ("text/csv", true),
            ("TEXT/CSV; header=present", true),
            ("text/csv, */*;q=0.1", true),
            ("application/json;q=0.5, text/csv;header=present;q=0.9", true),
            ("text/csv, application/json;q=0", true),
            ("text/csv;q=0.5, application/*;q=0.4", true),
            ("", false),
            ("*/*", false),
            ("text/*", false),
            ("text/csv;q=0", false),
            ("text/csv;q=nonsense", false),
            ("text/csv, application/json", false),
            ("text/csv;q=0.5, */*", false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false),
            (",;,q=1;;text/csvx", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
            assert_eq!(Accept(&headers).prefers_csv(), csv, "{accept}");
        }
    }
}
