//! The public HTTP interface.
//!
//! A request passes these rooms in this order, and nothing else stands between the socket and a handler:
//!
//! 1. [`listener`] accepts the connection and speaks HTTP/1.1 or HTTP/2; [`connections`] lists it, and ends it if need be.
//! 2. [`edge`] runs the checks in the order the contract gives: identity, rate limit, route and method, plan gate.
//! 3. [`routes`] names the handler: every route of the service stands on that page.
//! 4. A handler of [`v1`] or of [`crate::web`] reads its parameters with [`query`] and builds a [`reply`].
//! 5. [`edge`] dresses the reply: [`conditional`], [`encoding`], then the headers of [`envelope`] that every response carries.
//! 6. [`outgoing`] hands the body over as the client takes it.
//!
//! A list can also be answered as a [`csv`] file, and a whole data set as an [`export`], which is streamed; [`form`] tells what is asked for.
//!
//! There is no middleware framework: the order of the checks is public behaviour, so it is written down once, as code.

mod authority;
pub mod body;
pub mod caller;
pub mod conditional;
pub mod connections;
pub mod csv;
pub mod edge;
pub mod encoding;
pub mod envelope;
pub mod export;
pub mod form;
pub mod intake;
pub mod listener;
pub mod origin;
pub mod outgoing;
pub mod packed;
pub mod query;
pub mod reply;
pub mod routes;
pub mod v1;
