//! Brings published data from the store into the served catalog.
//!
//! [`follow`] detects new editions and swaps in the catalogs that [`parts`] builds. [`filings`] rebuilds from changes
//! only if possible. [`marks`] finds the place in the log of changes up to which a catalog is in service, [`replacements`] adds
//! what the log lacks. [`background`] runs the builds at low priority while requests are served. [`snapshot_file`] saves
//! the filings, which take long to build.

pub mod background;
mod filings;
pub mod follow;
pub mod marks;
pub mod parts;
pub mod replacements;
mod rows;
mod series;
pub mod snapshot_file;
