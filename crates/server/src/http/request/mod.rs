//! Parsing of requests, each part strictly and once.
//!
//! - [`authority`]: the host. [`origin`]: whether the request comes from a page of another origin.
//! - [`id`]: the id that a proxy gave it. [`caller`]: the caller. [`charge`]: its quota; [`tab`]: the same, charged by
//!   the handler. [`key_turns`]: one store lookup at a time for each new key.
//! - [`path`], [`query`], [`body`]: the parameters and the body. [`nearest`]: the known word nearest to an unknown one.
//!   [`company_ids`]: names of companies.
//! - [`accept`]: headers that list what a client accepts. [`format`]: the requested format.
//!
//! Nothing here depends on handlers or replies.

pub mod accept;
pub mod authority;
pub mod body;
pub mod caller;
pub mod charge;
pub mod company_ids;
pub mod format;
pub mod head;
pub mod id;
pub mod nearest;
pub mod origin;
pub mod path;
pub mod query;
pub mod tab;
