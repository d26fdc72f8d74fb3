//! Telling customers what is new.
//!
//! A publication leaves announcements in the store. From there, in the order of the flow:
//!
//! 1. [`fan_out`] turns each announcement, once, into a message for every webhook that wants it, with a body by [`payload`],
//!    once every replica serves what it tells of ([`served_everywhere`]).
//! 2. [`dispatcher`] claims messages that are due, one of each webhook at a time, and gives each to a task.
//! 3. [`delivery`] is that task: [`signature`], [`connector`], and the verdict by [`schedule`].
//!
//! [`endpoint`] says what may be a receiver's address, [`address`] which numbers are public, [`internal_names`] which names cannot be,
//! [`test_delivery`] sends the `ping` that a customer asks for, and [`view`] is how webhooks are shown. The customers' side of
//! all this is `http/v1/webhooks`; what it shares with the jobs here is [`Webhooks`].

pub mod address;
pub mod connector;
mod context;
pub mod delivery;
pub mod dispatcher;
pub mod endpoint;
pub mod fan_out;
pub mod internal_names;
pub mod payload;
pub mod running_tests;
pub mod schedule;
mod served_everywhere;
pub mod signature;
pub mod test_delivery;
pub mod view;

pub use context::{Webhooks, entitled_plans};

/// An account may have so many webhooks.
pub const MOST_PER_ACCOUNT: usize = 10;
