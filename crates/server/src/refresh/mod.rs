//! From the store to the catalog: what was published comes into service.
//!
//! [`follow`] hears of new editions, [`parts`] builds what changed aside and swaps it in, [`filings`] by the shortest way,
//! [`background`] if requests are being answered meanwhile. The [`snapshot_file`] keeps what takes long to build.

pub mod background;
mod filings;
pub mod follow;
pub mod parts;
mod rows;
mod series;
pub mod snapshot_file;
