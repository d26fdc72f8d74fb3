//! What is answered, from a handler's reply to the bytes on the socket.
//!
//! - [`reply`]: what a handler answers with. [`csv`]: a table as its body. [`export`]: a whole data set, streamed.
//! - [`conditional`]: tags, and who has the body already.
//! - [`coding`], [`compression`], [`compression_cache`]: the content coding a client likes best.
//! - [`envelope`]: the headers that every response carries.
//! - [`body`], [`outgoing`]: where the bytes come from, and how they leave.

pub mod body;
pub mod coding;
pub mod compression;
pub mod compression_cache;
pub mod conditional;
pub mod csv;
pub mod envelope;
pub mod export;
pub mod outgoing;
pub mod reply;
