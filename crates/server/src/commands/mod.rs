//! The commands of the binary, one file each.

pub mod billing;
pub mod check;
pub mod completions;
pub mod demo;
mod erasure;
pub mod health;
pub mod keys;
pub mod manual;
pub mod migrate;
mod progress;
mod reload;
pub mod replicas;
pub mod run;
mod running;
pub mod serve;
mod settings;
mod signals;
pub mod sync;
pub mod webhooks;

use clap::CommandFactory;
use lastro_config::Cli;
use lastro_model::text::has_control;

/// What `--version` prints after the name.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("SOURCE_COMMIT"), ")");

/// The whole command line, for what is generated from it.
fn command_line() -> clap::Command {
    Cli::command().version(VERSION)
}

/// Replaces characters that would move the cursor, hide or reorder text, which names stored by old versions may hold.
fn printable(text: &str) -> String {
    let shown =
        |c: char| if has_control(c.encode_utf8(&mut [0; 4])) { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).collect()
}
