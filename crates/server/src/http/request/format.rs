//! The response format requested by `format`, `locale` and `Accept`.
//!
//! `format` takes precedence over `Accept`. CSV is a paid feature, and a [`Dialect`] is only available past that gate.
//! Exports have a format more.

use std::fmt;

use http::HeaderMap;
use http::header::ACCEPT;
use lastro_access::{Feature, terms};
use lastro_model::Plan;

use super::accept::{self, weight};
use super::query::Query;
use crate::error::ApiError;

/// The `Accept` header of a request.
#[derive(Clone, Copy)]
pub struct Accept<'a>(pub &'a HeaderMap);

impl fmt::Debug for Accept<'_> {
    /// Omits the other headers: one of them is a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.get_all(ACCEPT)).finish()
    }
}

/// The format of an endpoint unless CSV is requested.
#[derive(Debug, Clone, Copy)]
pub struct OwnFormat {
    /// The value of `format`.
    pub name: &'static str,
    /// The value of `Accept`.
    pub media_type: &'static str,
    /// All values of `format`, in words.
    choice: &'static str,
}

pub const JSON: OwnFormat =
    OwnFormat { name: "json", media_type: "application/json", choice: "`format` must be json or csv" };

/// One JSON object per line.
pub const NDJSON: OwnFormat = OwnFormat {
    name: "ndjson",
    media_type: "application/x-ndjson",
    choice: "`format` must be ndjson, csv or parquet",
};

/// Typed columns in a file with an index.
pub const PARQUET: OwnFormat =
    OwnFormat { name: "parquet", media_type: "application/vnd.apache.parquet", choice: NDJSON.choice };

/// The punctuation of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Comma between cells, point in decimals.
    International,
    /// Semicolon, decimal comma and a byte order mark: a Brazilian Excel opens it correctly.
    Brazilian,
}

/// The endpoint's own format, or CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format(Option<Dialect>);

impl Format {
    /// Parses the requested format.
    pub fn asked(query: &Query<'_>, accept: Accept<'_>, own: OwnFormat) -> Result<Self, ApiError> {
        let dialect = match query.get("locale")? {
            None | Some("en") => Dialect::International,
            Some("pt-BR") => Dialect::Brazilian,
            Some(_) => return Err(ApiError::BadRequest("`locale` must be en or pt-BR".into())),
        };
        let csv = match query.get("format")? {
            None => accept.prefers_csv_to(own.media_type),
            Some("csv") => true,
            Some(name) if name == own.name => false,
            Some(_) => return Err(ApiError::BadRequest(own.choice.into())),
        };
        Ok(Self(csv.then_some(dialect)))
    }

    /// The dialect, if CSV is requested; an upgrade prompt, if the plan does not include it.
    pub fn dialect(self, plan: Plan) -> Result<Option<Dialect>, ApiError> {
        if self.0.is_some() && !terms(plan).includes(Feature::CsvExport) {
            return Err(ApiError::UpgradeRequired { plan, feature: Feature::CsvExport });
        }
        Ok(self.0)
    }
}

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    Ndjson,
    Csv(Dialect),
    Parquet,
}

impl ExportFormat {
    /// Parses the requested format, not granted yet.
    pub fn asked(query: &Query<'_>, accept: Accept<'_>) -> Result<Self, ApiError> {
        let parquet = match query.get("format")? {
            None => accept.prefers_parquet(),
            Some(name) => name == PARQUET.name,
        };
        if parquet {
            return Ok(Self::Parquet);
        }
        let Format(dialect) = Format::asked(query, accept, NDJSON)?;
        Ok(dialect.map_or(Self::Ndjson, Self::Csv))
    }

    /// The format; an upgrade prompt, if the plan does not include it.
    pub fn granted(self, plan: Plan) -> Result<Self, ApiError> {
        if let Self::Csv(dialect) = self {
            Format(Some(dialect)).dialect(plan)?;
        }
        Ok(self)
    }
}

impl Accept<'_> {
    /// Whether the client names Parquet and prefers it to the other formats of an export.
    fn prefers_parquet(self) -> bool {
        let parquet = self.weight_of(&[PARQUET.media_type]);
        let others = self.weight_of(&["text/csv"]).max(self.weight_of(&[NDJSON.media_type, "*/*"]));
        parquet > 0 && parquet > others
    }

    /// Whether the client names CSV and prefers it to the endpoint's own format, or, if that is not named, to JSON,
    /// which is close enough. A wildcard does not request a paid format.
    fn prefers_csv_to(self, own: &str) -> bool {
        let csv = self.weight_of(&["text/csv"]);
        csv > 0 && csv > self.weight_of(&[own, JSON.media_type, "application/*", "*/*"])
    }

    /// Whether the client names server-sent events and does not prefer JSON.
    pub fn wants_events(self) -> bool {
        let events = self.weight_of(&["text/event-stream"]);
        events > 0 && events >= self.weight_of(&[JSON.media_type])
    }

    /// The weight of the first of these ranges found in the header, in thousandths.
    fn weight_of(self, ranges: &[&str]) -> u32 {
        let mut named = ranges.iter().filter_map(|range| {
            accept::items(self.0, ACCEPT).find(|(name, _)| name.eq_ignore_ascii_case(range))
        });
        named.next().map_or(0, |(_, parameters)| weight(parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_csv_if_named_and_preferred() {
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
            assert_eq!(Accept(&headers).prefers_csv_to(JSON.media_type), csv, "{accept}");
        }
    }

    #[test]
    fn an_export_compares_csv_with_its_own_format_first() {
        for (accept, csv) in [
            ("application/x-ndjson, text/csv;q=0.5", false),
            ("Application/X-NDJSON;q=0.6, text/csv;q=0.5, application/json;q=0.1", false),
            ("text/csv;q=0.5, application/json", false),
            ("text/csv, application/x-ndjson", false),
            ("text/csv, application/x-ndjson;q=0.5", true),
            ("text/csv;q=0.5, application/x-ndjson;q=0, */*", true),
            ("text/csv;q=0.5, application/x-ndjson;q=0.1, application/json", true),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
            assert_eq!(Accept(&headers).prefers_csv_to(NDJSON.media_type), csv, "{accept}");
        }
    }
}
