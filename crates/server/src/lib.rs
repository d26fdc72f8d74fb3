//! The service: HTTP, background jobs, command line, and the wiring between the crates.
//!
//! The decisions are made elsewhere (`access`: who may send requests, `catalog`: the responses, `store`: persistence);
//! this crate listens, translates and schedules. Start reading at [`http`], whose [`http::routes`] lists every route.

pub mod access;
pub mod account_slots;
pub mod admin;
pub mod billing;
pub mod changes;
pub mod clock;
pub mod commands;
pub mod config;
pub mod descriptors;
pub mod error;
pub mod feeds;
pub mod http;
pub mod jobs;
pub mod listeners;
pub mod metrics;
pub mod operations;
pub mod pepper;
pub mod refresh;
pub mod replicas;
pub mod sample;
pub mod served;
pub mod service;
pub mod setup;
pub mod telemetry;
pub mod tls;
pub mod trace_context;
mod wait;
pub mod webhooks;
pub mod write_state;

/// The version that `/health`, `--version` and the API description show.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit that this binary was built from, or `unknown` (`build.rs`).
pub const COMMIT: &str = env!("SOURCE_COMMIT");
/// Both, in the form of semantic versioning.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SOURCE_COMMIT"));
