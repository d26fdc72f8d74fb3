//! The commands of the binary, one file each.

pub mod demo;
pub mod keys;
pub mod serve;
pub mod sync;
pub mod webhooks;

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

/// Customers choose their names and addresses: what would move the cursor, hide or reorder text is shown as a mark.
fn printable(text: &str) -> String {
    let deceives = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if deceives(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
