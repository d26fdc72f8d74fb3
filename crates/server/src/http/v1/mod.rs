//! Version 1 of the API, one file per resource.

mod allowance;
pub mod billing;
pub mod calculations;
pub mod calendar;
pub mod changes;
pub mod companies;
mod counts;
pub mod export;
pub mod feeds;
pub mod filings;
pub mod fx;
pub mod health;
pub mod hits;
pub mod keys;
pub mod market;
pub mod plans;
pub mod search;
pub mod series;
pub mod webhooks;
