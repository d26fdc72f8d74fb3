//! The commands of the binary, one file each.

pub mod demo;
pub mod keys;
pub mod serve;
pub mod sync;

use std::path::PathBuf;

use crate::config::Common;
use crate::pepper;

/// The pepper file that goes with the database.
fn pepper_file(common: &Common) -> anyhow::Result<PathBuf> {
    common
        .pepper_file
        .clone()
        .or_else(|| pepper::default_path(&common.database))
        .ok_or_else(|| anyhow::anyhow!("name the pepper file with --pepper-file"))
}
