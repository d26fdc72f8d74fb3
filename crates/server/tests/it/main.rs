//! Tests over HTTP: a real server on a real port, a real database file, a clock that tests move.
//!
//! Every response in any test is checked by [`answer::Answer`] against the API description and for the headers
//! that all responses share.

// Setup code is test code too, but the lint only recognises functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod allowances;
mod answer;
mod app;
mod arbitrary_bytes;
mod balancers;
mod billing;
mod caching;
mod calculations;
mod calendar;
mod catalogue;
mod certificates;
mod changes;
mod companies;
mod connections;
mod contract;
mod control_characters;
mod csv;
mod csv_reader;
mod description;
mod drain;
mod export;
mod faults;
mod feeds;
mod filings;
mod filled;
mod hostile;
mod http;
mod identity;
mod jobs;
mod json_schema;
mod kept_index;
mod keys;
mod known_webhook;
mod limits;
mod limits_model;
mod logs;
mod market;
mod matrix;
mod mcp;
mod operator;
mod pages;
mod plans;
mod process;
mod publisher;
mod quota;
mod receiver;
mod replicas;
mod retention;
mod revisions;
mod search;
mod series;
mod several;
mod smoke;
mod strict;
mod sync;
mod this_build;
mod tls;
mod usage;
mod webhooks;
