//! The query parameters of every route of the API, in one table.
//!
//! A route of [`super::routes`] names its list. The parser keeps only parameters of the list and refuses others, a
//! handler can read no other parameter, and a test compares the lists with `openapi.yaml`.

/// The names of the parameters that a route takes.
pub type Parameters = &'static [&'static str];

/// A list of parameters. Every answer of the API is JSON that may be asked for with `numbers`.
macro_rules! takes {
    ($($name:literal),*) => {
        &[$($name,)* "numbers"]
    };
}

pub const NONE: Parameters = takes![];

pub const COMPANIES: Parameters =
    takes!["limit", "offset", "from", "to", "status", "sector", "cnpj", "withdrawn", "format", "locale"];
pub const COMPANY_SEARCH: Parameters =
    takes!["q", "limit", "offset", "from", "to", "highlight", "format", "locale"];
pub const SECTORS: Parameters = takes!["limit", "offset", "from", "to", "format", "locale"];

pub const FILINGS: Parameters = takes![
    "limit",
    "offset",
    "from",
    "to",
    "category",
    "company_id",
    "seen_from",
    "withdrawn",
    "format",
    "locale"
];
pub const FILING_SEARCH: Parameters =
    takes!["q", "limit", "offset", "from", "to", "category", "company_id", "highlight", "format", "locale"];
pub const COMPANY_FILINGS: Parameters =
    takes!["limit", "offset", "from", "to", "category", "seen_from", "withdrawn", "format", "locale"];
pub const CATEGORIES: Parameters = takes!["limit", "offset", "from", "to", "company_id", "format", "locale"];

pub const MARKET: Parameters = takes!["from", "to", "limit", "offset", "format", "locale"];
pub const FX: Parameters = takes!["pair", "from", "to", "limit", "offset", "format", "locale"];
pub const FX_CURRENT: Parameters = takes!["pair"];

pub const SERIES: Parameters =
    takes!["topic", "frequency", "q", "limit", "offset", "from", "to", "format", "locale"];
pub const OBSERVATIONS: Parameters = takes![
    "from",
    "to",
    "limit",
    "offset",
    "order",
    "units",
    "frequency",
    "aggregation",
    "base",
    "as_of",
    "format",
    "locale"
];
pub const SEVERAL_SERIES: Parameters = takes![
    "ids",
    "from",
    "to",
    "limit",
    "offset",
    "order",
    "units",
    "frequency",
    "aggregation",
    "base",
    "as_of",
    "format",
    "locale"
];
pub const OF_A_SERIES: Parameters = takes!["from", "to", "limit", "offset", "format", "locale"];

pub const CORRECTION: Parameters = takes!["index", "from", "to", "amount"];
pub const ACCUMULATION: Parameters = takes!["rate", "rate_percent", "from", "to", "amount"];
pub const LEGAL_INTEREST: Parameters = takes!["from", "to", "amount"];
pub const SAVINGS: Parameters = takes!["from", "to", "amount"];
pub const RENT: Parameters = takes!["index", "month", "amount", "negative"];
pub const MINIMUM_WAGES: Parameters = takes!["month", "amount", "wages"];

pub const BUSINESS_DAYS: Parameters = takes!["from", "to"];
pub const SHIFT: Parameters = takes!["date", "days"];
pub const HOLIDAYS: Parameters = takes!["year", "limit", "offset", "from", "to", "format", "locale"];

pub const SEARCH: Parameters = takes!["q", "limit", "offset", "from", "to", "highlight", "format", "locale"];
pub const SUGGEST: Parameters = takes!["q", "limit"];

/// The filters of all data sets; those of each are in `v1/export.rs`.
pub const EXPORT: Parameters = takes![
    "status",
    "sector",
    "cnpj",
    "company_id",
    "category",
    "from",
    "to",
    "pair",
    "id",
    "format",
    "locale"
];

pub const CHANGES: Parameters =
    takes!["after", "types", "company_ids", "categories", "series_ids", "limit", "wait"];

pub const USAGE: Parameters = takes!["from", "to"];
/// The lists of an account's own webhooks, deliveries and feeds.
pub const OWN_LIST: Parameters = takes!["limit", "offset", "from", "to"];
