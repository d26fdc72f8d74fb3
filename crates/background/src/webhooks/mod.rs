//! Webhooks: notifying customers of new data.
//!
//! A publication leaves announcements in the store. They are processed in these steps:
//!
//! 1. [`fan_out`] turns each announcement, once, into a message for every subscribed webhook. [`payload`] writes the
//!    body. It waits until every replica serves the announced edition ([`served_everywhere`]).
//! 2. [`dispatcher`] claims due messages, one per webhook at a time, and starts a task for each.
//! 3. [`delivery`] is that task: it signs ([`signature`]), sends ([`connector`]) and plans retries ([`schedule`]).
//!
//! [`endpoint`] validates receiver URLs, using [`address`] for public IP addresses and [`internal_names`] for internal
//! names. [`test_delivery`] sends the `ping` that a customer requests. The API for customers is `http/v1/webhooks` of the
//! server; it shares [`Webhooks`] with the jobs here.

pub mod address;
pub mod connector;
mod context;
pub mod delivery;
pub mod dispatcher;
pub mod endpoint;
pub mod fan_out;
pub mod internal_names;
pub mod payload;
pub mod schedule;
mod served_everywhere;
pub mod signature;
pub mod test_delivery;
pub mod test_slots;

pub use context::{Webhooks, entitled_plans};

/// Maximum number of webhooks per account.
pub const MOST_PER_ACCOUNT: usize = 10;
