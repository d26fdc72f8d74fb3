//! `lastro man`: prints one manual page for all commands, generated from the command line definition.

use std::io::Write;

use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

/// Date of the last notable change of the command line. A manual page must have a date.
const CHANGED: &str = "2026-11-17";

const ENVIRONMENT: &str = "Every option of `serve`, and every option that all commands take, has a twin in the \
    environment, which is named beside it. A flag wins over the environment, and the environment over the file that \
    --config names. --log, or else RUST_LOG, chooses what is logged.";

const EXIT_STATUS: &str = "0 where the command did all that it was asked for; 1 where it did not, with the reason on \
    standard error; 2 for a command line that cannot be read.";

pub fn run() -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(&page()?)?)
}

fn page() -> std::io::Result<Vec<u8>> {
    let mut command = super::command_line().disable_help_subcommand(true);
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone()).date(CHANGED).manual("Lastro").render_title(&mut page)?;
    let mut rest = Roff::new();
    rest.control("SH", ["NAME"]).text([roman(format!("lastro - {}", about(&command)))]);
    rest.control("SH", ["SYNOPSIS"]);
    rest.text([
        bold("lastro"),
        roman(" ["),
        italic("OPTION"),
        roman(" ...] ["),
        italic("COMMAND"),
        roman(" ...]"),
    ]);
    rest.control("SH", ["DESCRIPTION"]);
    let description = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    for (number, paragraph) in description.split("\n\n").enumerate() {
        if number > 0 {
            rest.control("PP", []);
        }
        rest.text([roman(paragraph)]);
    }
    rest.control("SH", ["OPTIONS"]);
    command.get_arguments().for_each(|argument| describe_argument(argument, &mut rest));
    rest.control("SH", ["COMMANDS"]);
    command.get_subcommands().for_each(|subcommand| describe(subcommand, &[&command], &mut rest));
    rest.control("SH", ["ENVIRONMENT"]).text([roman(ENVIRONMENT)]);
    rest.control("SH", ["EXIT STATUS"]).text([roman(EXIT_STATUS)]);
    page.extend_from_slice(rest.to_roff().as_bytes());
    Ok(page)
}

/// Describes a command and then its subcommands. Global options of the commands above are not repeated.
fn describe(command: &Command, above: &[&Command], out: &mut Roff) {
    out.control("SS", [command.get_bin_name().unwrap_or_else(|| command.get_name())]);
    out.text([roman(about(command))]);
    if ["serve", "check"].contains(&command.get_name()) {
        out.control("PP", []).text([roman("It takes the options that are listed above.")]);
    }
    if command.get_name() == "serve" {
        return;
    }
    let is_listed_above = |argument: &Arg| {
        let same = |other: &Arg| other.get_id() == argument.get_id();
        let takes_all = command.get_name() == "check";
        ["help", "version"].contains(&argument.get_id().as_str())
            || above.iter().any(|above| {
                above.get_arguments().any(|other| same(other) && (takes_all || other.is_global_set()))
            })
    };
    command
        .get_arguments()
        .filter(|argument| !is_listed_above(argument))
        .for_each(|argument| describe_argument(argument, out));
    let above = [above, &[command]].concat();
    command.get_subcommands().for_each(|subcommand| describe(subcommand, &above, out));
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Describes a flag and its value: purpose, possible values, default and environment variable.
fn describe_argument(argument: &Arg, out: &mut Roff) {
    out.control("TP", []).text(names(argument));
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let may_be: Vec<_> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if argument.get_action().takes_values() && !may_be.is_empty() {
        text.push_str(&format!(" [one of: {}]", may_be.join(", ")));
    }
    let default = argument.get_default_values().first().map(|value| value.to_string_lossy());
    if let Some(default) = default.filter(|value| !value.is_empty() && argument.get_action().takes_values()) {
        text.push_str(&format!(" [default: {default}]"));
    }
    if let Some(twin) = argument.get_env() {
        text.push_str(&format!(" [env: {}]", twin.to_string_lossy()));
    }
    out.text([roman(text)]);
}

fn names(argument: &Arg) -> Vec<Inline> {
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let flags: Vec<_> = short.into_iter().chain(long).collect();
    let mut names = vec![bold(flags.join(", "))];
    if argument.get_action().takes_values() {
        let values = argument.get_value_names().unwrap_or_default();
        let space = if flags.is_empty() { "" } else { " " };
        names.push(italic(format!("{space}{}", values.join(" "))));
    }
    names
}
