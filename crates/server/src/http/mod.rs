//! The public HTTP interface.
//!
//! A request passes these modules in this order, and nothing else is between the socket and a handler:
//!
//! 1. [`listener`] accepts the connection and serves HTTP/1.1 or HTTP/2 (with [`streams`]); [`connections`] tracks it and enforces
//!    limits.
//! 2. [`edge`] runs the checks in the order of the contract: identity, rate limit, route and method, plan gate.
//! 3. [`routes`] finds the handler in the table of all routes. [`handler`] defines the handler types, [`parameters`] the
//!    query parameters of each route.
//! 4. A handler of [`v1`], [`mcp`] or [`pages`] parses its input with [`request`] and returns a reply of [`response`].
//! 5. [`edge`] turns the reply into a response: conditional, compressed, with the headers common to all responses.
//! 6. [`response::outgoing`] sends the body as fast as the client reads it; [`parked`] one that waits for changes.
//!
//! [`app`] is the running service, in parts; [`site`] has the settings and caches of the pages.
//!
//! There is no middleware framework: the order of the checks is public behaviour, so it is written down once, as code.

pub mod app;
pub mod certificate;
pub mod connections;
pub mod edge;
pub mod handler;
pub mod listener;
pub mod mcp;
pub mod pages;
pub mod parameters;
pub mod parked;
pub mod request;
pub mod response;
pub mod routes;
pub mod site;
pub mod streams;
pub mod v1;
