//! The read view against plain models: a slow and simple implementation gives the same results.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod changes;
mod companies;
mod company_order;
mod filings;
mod judged;
mod other_names;
mod periods_and_phrases;
mod revisions;
mod saved_searches;
mod search;
mod series;
mod snapshot;
mod suggestions;
mod tables;
mod tickers;
mod withdrawn;
