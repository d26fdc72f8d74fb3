//! A question to a publisher, as data. Whoever has a network sends it.

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
