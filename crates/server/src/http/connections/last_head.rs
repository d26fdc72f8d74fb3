//! The headers of a connection's last response, kept because the next response differs in few of them.

use http::HeaderMap;

/// The last headers, and the values of those that seldom change.
#[derive(Debug)]
pub struct LastHead {
    /// The template that the headers were copied from.
    pub template: &'static HeaderMap,
    pub limit: Option<u32>,
    /// The second at which the whole quota is free.
    pub reset: Option<i64>,
    /// The number and the texts that the header was made of that only some responses have.
    pub last: Option<(u64, [&'static str; 2])>,
    pub headers: HeaderMap,
}

impl LastHead {
    /// A head of which nothing is filled in.
    pub fn of(template: &'static HeaderMap) -> Self {
        Self { template, limit: None, reset: None, last: None, headers: template.clone() }
    }
}
