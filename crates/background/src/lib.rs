//! The work beside requests, and the state that requests read of it.
//!
//! - [`refresh`]: follows the store and puts new editions into service ([`served`]).
//! - [`changes`]: the end of the change log, and the requests that wait for more of it.
//! - [`webhooks`]: deliveries to subscribers.
//! - [`replicas`]: the other processes that serve the same database.
//! - [`access`]: writes usage and follows keys; the rules are in `lastro-access`.
//! - [`jobs`]: supervises all of these, and the synchronisation with the publishers.
//! - [`operations`], [`metrics`], [`write_state`]: what the operator watches.
//!
//! This crate answers no request and reads no command line.

pub mod access;
pub mod account_slots;
pub mod changes;
pub mod clock;
pub mod jobs;
pub mod metrics;
pub mod operations;
pub mod refresh;
pub mod replicas;
pub mod served;
pub mod tls;
pub mod trace_context;
pub mod wait;
pub mod webhooks;
pub mod write_state;
