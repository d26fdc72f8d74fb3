//! The service: HTTP, command line, and the wiring between the crates.
//!
//! The decisions are made elsewhere (`access`: who may send requests, `catalog`: the responses, `store`: persistence,
//! `background`: the work beside requests, `billing`: payments); this crate listens and translates. Start reading at
//! [`http`], whose [`http::routes`] lists every route.

pub mod admin;
pub mod commands;
pub mod descriptors;
pub mod error;
pub mod feeds;
pub mod http;
pub mod listeners;
pub mod pepper;
pub mod sample;
pub mod service;
pub mod setup;

/// The version that `/health`, `--version` and the API description show.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit that this binary was built from, or `unknown` (`build.rs`).
pub const COMMIT: &str = env!("SOURCE_COMMIT");
/// Both, in the form of semantic versioning.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SOURCE_COMMIT"));
