//! The head of a response: its status and length.

use anyhow::{Context, Result};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub status: u16,
    /// Length of head and body.
    pub length: usize,
}

const MOST_HEADERS: usize = 64;

impl Answer {
    /// Returns `None` while the head is incomplete.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(head) = response.parse(bytes)? else { return Ok(None) };
        let status = response.code.context("an answer without a status")?;
        let named = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let body: usize = std::str::from_utf8(named.context("an answer without a length")?.value)?.parse()?;
        Ok(Some(Self { status, length: head + body }))
    }
}
