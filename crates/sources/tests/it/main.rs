//! Tests of the parsers: each quirk of the publishers as a fixture, arbitrary bytes, and the real files if available.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "only tests, also where a function lacks the attribute"
)]

mod arbitrary_bytes;
mod archive;
mod companies;
mod filings;
mod fixture;
mod judgement;
mod kinds;
mod ptax;
mod real_data;
mod review;
mod sgs;
mod tickers;
