//! The commands of the binary, one file each.

pub mod demo;
pub mod keys;
mod progress;
pub mod serve;
pub mod sync;
pub mod webhooks;

use std::path::PathBuf;

use lastro_model::text::has_control;

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

/// Names and addresses from before control characters were refused: what would move the cursor, hide or reorder text is a mark.
fn printable(text: &str) -> String {
    let shown =
        |c: char| if has_control(c.encode_utf8(&mut [0; 4])) { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).collect()
}
