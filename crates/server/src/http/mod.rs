//! The public HTTP interface.
//!
//! A request passes these rooms in this order, and nothing else stands between the socket and a handler:
//!
//! 1. [`listener`] accepts the connection and speaks HTTP/1.1 or HTTP/2; [`connections`] lists it, and ends it if need be.
//! 2. [`edge`] runs the checks in the order the contract gives: identity, rate limit, route and method, plan gate.
//! 3. [`routes`] names the handler: every route of the service stands on that page. [`handler`] says what a handler is.
//! 4. A handler of [`v1`] or of [`pages`] reads what it needs with [`request`] and answers with a reply of [`response`].
//! 5. [`edge`] makes the reply a response: conditional, compressed, with the headers that every response carries.
//! 6. [`response::outgoing`] hands the body over as the client takes it.
//!
//! There is no middleware framework: the order of the checks is public behaviour, so it is written down once, as code.

pub mod certificate;
pub mod connections;
pub mod edge;
pub mod handler;
pub mod listener;
pub mod pages;
pub mod request;
pub mod response;
pub mod routes;
pub mod v1;
