//! `lastro completions SHELL`: prints the completion script of this command line for a shell.

use std::io::Write;

use clap_complete::Shell;

pub fn run(shell: Shell) -> anyhow::Result<()> {
    // Generated into memory first: the generator would panic on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::command_line(), "lastro", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
