//! Synchronisation: publishers are asked, their answers read and judged, and what holds is published into the store.
//!
//! [`run`] is the flow of one source, [`sync`] what it works with; [`series`], [`fx`], [`companies`], [`filings`] and [`tickers`] say what is
//! asked
//! and judged for each. [`fetch`] asks politely and keeps in the [`spool`] what an interruption should not lose, as [`regular_file`]s; [`schedule`] knows
//! when, by the [`age`] of what is held; [`withholding`] keeps slips out; [`turns`] says whose turn it is, and leaves a
//! publisher that is down alone; the [`lease`] keeps two processes from asking for the same
//! at once; [`report`] tells people how far it is.
//!
//! This crate knows the network and the store, but no server, no plan and no catalog. Time and chance are given to it.

pub mod age;
mod breaker;
mod companies;
pub mod fetch;
mod filings;
mod fx;
mod history;
pub mod lease;
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
