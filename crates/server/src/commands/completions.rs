//! `lastro completions SHELL`: prints the completion script of this command line for a shell.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::config::Cli;

pub fn run(shell: Shell) -> anyhow::Result<()> {
    // Generated into memory first: the generator would panic on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lastro", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
