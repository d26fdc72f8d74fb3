//! What a request says, each part read strictly and once.
//!
//! - [`authority`]: which host is asked. [`origin`]: whether a page of another origin asks.
//! - [`caller`]: who asks, and the quota of that caller. [`key_turns`]: which request asks the store for a new key.
//! - [`path`], [`query`], [`body`]: with which parameters, and with what body.
//! - [`accept`]: headers that list what a client takes. [`format`]: the format it wants.
//!
//! Nothing here knows a handler or a reply.

pub mod accept;
pub mod authority;
pub mod body;
pub mod caller;
pub mod charge;
pub mod format;
pub mod head;
pub mod key_turns;
pub mod origin;
pub mod path;
pub mod query;
