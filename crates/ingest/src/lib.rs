//! Synchronisation: fetches data from publishers, parses and judges it, and publishes it into the store.
//!
//! [`run`] is the flow of one source and [`sync`] its environment; [`series`], [`fx`], [`companies`], [`filings`] and
//! [`tickers`] define what is requested and judged for each. [`fetch`] limits its request rate and keeps in the
//! [`spool`], as [`regular_file`]s, what an interruption should not lose. [`schedule`] decides when to run, by the
//! age of the data; [`withholding`] keeps errors out; [`turns`] orders the sources and pauses publishers that are
//! down; the [`lease`] prevents two processes from requesting the same data; [`report`] shows progress.
//!
//! This crate uses the network and the store, but no server, plan or catalog. Time and randomness are passed in.

mod breaker;
mod companies;
pub mod fetch;
mod filings;
mod fx;
mod history;
pub mod lease;
mod missing;
pub mod regular_file;
pub mod report;
pub mod result;
mod row_sender;
mod run;
pub mod schedule;
mod series;
pub mod spool;
pub mod sync;
mod tickers;
pub mod turns;
mod windows;
mod withholding;
