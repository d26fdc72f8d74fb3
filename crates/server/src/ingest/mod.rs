//! How data gets in: asked of the publishers, judged, published into the store, and built into the catalog.
//!
//! [`sync`] is the flow of one source: ask → read → judge → publish. [`series`], [`exchange`], [`registry`] and [`filings`] say what is
//! asked and judged for each; [`fetch`] asks politely and keeps in the [`spool`] what an interruption should not lose; [`schedule`] knows
//! when, by the [`age`] of what is held; [`withholding`] keeps slips out; the [`lease`] keeps two processes from asking for the same at once; [`report`] tells people how far it is.
//! [`catalog`] builds what the server answers from, [`lowly`] if requests are being answered meanwhile, and the [`shelf`] keeps what takes
//! long to build. [`made_up`] publishes the sample and the demo instead of official data.

pub mod age;
pub mod catalog;
pub mod download;
pub mod exchange;
pub mod fetch;
pub mod filings;
mod filings_part;
mod history;
pub mod host;
pub mod lease;
pub mod lowly;
pub mod made_up;
pub mod registry;
pub mod report;
pub mod schedule;
pub mod series;
pub mod shelf;
pub mod spool;
pub mod sync;
mod windows;
mod withholding;
