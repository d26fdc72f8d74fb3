//! Content codings and Parquet files: the bytes of a body in another form.
//!
//! [`Coding`] names the codings of HTTP; [`compress`] is for complete bodies, [`Encoder`] for bodies made in chunks, and
//! [`parquet`] writes rows as a file. The libraries behind them are generic, and large when compiled: here that happens
//! once, beside the other crates.

mod coding;
mod encoder;
pub mod parquet;

pub use coding::{Coding, compress};
pub use encoder::Encoder;
