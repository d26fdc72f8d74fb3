//! Responses, from a handler's reply to the bytes on the socket.
//!
//! - [`reply`]: a handler's reply. [`csv`]: a table as its body. [`export`]: a whole data set, streamed.
//! - [`decimals`]: decimals as strings.
//! - [`conditional`]: entity tags, and conditional requests.
//! - [`coding`], [`compression`], [`compression_cache`]: content codings.
//! - [`envelope`]: the headers common to all responses.
//! - [`body`], [`outgoing`]: the source of the bytes, and their sending.

pub mod body;
pub mod changes;
pub mod coding;
pub mod compression;
pub mod compression_cache;
pub mod conditional;
pub mod csv;
pub mod decimals;
pub mod envelope;
pub mod export;
pub mod outgoing;
pub mod reply;
