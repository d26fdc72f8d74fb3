//! The service: HTTP, background jobs, command line, and the wiring between the rooms.
//!
//! Everything that decides is elsewhere (`access` who may ask, `catalog` what is answered, `store` what lasts);
//! this crate listens, translates and schedules. Start reading at [`http`]: every route stands on its first page.

pub mod admin;
pub mod clock;
pub mod commands;
pub mod config;
pub mod descriptors;
pub mod error;
pub mod http;
pub mod jobs;
pub mod metrics;
pub mod pepper;
pub mod refresh;
pub mod replicas;
pub mod sample;
pub mod service;
pub mod state;
pub mod telemetry;
pub mod tls;
pub mod webhooks;

/// The version that `/health`, `--version` and the API description show.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
