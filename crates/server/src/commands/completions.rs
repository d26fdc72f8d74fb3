//! `lastro completions SHELL`: what a shell needs to complete this command line.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::config::Cli;

pub fn run(shell: Shell) -> anyhow::Result<()> {
    // Written at once: the generator would panic where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lastro", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
