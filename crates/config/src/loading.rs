//! Reads the settings: the command line, the environment and the optional file.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches};

use super::names::{self, Given};
use super::{Cli, Command, RedisUrl, Serve, secret_file};

/// The settings, parsed and as they were given.
#[derive(Debug)]
pub struct Loaded {
    pub cli: Cli,
    pub given: Given,
}

/// Reads the command line, the environment and the file. An invalid command line ends the program with a message,
/// and `--version` with the given one.
pub fn from_environment(version: &'static str) -> anyhow::Result<Loaded> {
    load(|command| Ok(command.version(version).get_matches()))
}

/// Reads the same again, for a running service: an invalid setting is an error and ends nothing.
pub fn read_again() -> anyhow::Result<Loaded> {
    let first_line = |error: &clap::Error| error.to_string().lines().next().unwrap_or_default().to_owned();
    load(|command| command.try_get_matches().map_err(|error| anyhow::anyhow!(first_line(&error))))
}

fn load(parse: impl FnOnce(clap::Command) -> anyhow::Result<ArgMatches>) -> anyhow::Result<Loaded> {
    let mut command = Cli::command();
    if let Some(path) =
        config_path(std::env::args_os()).or_else(|| std::env::var_os("LASTRO_CONFIG").map(PathBuf::from))
    {
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        command = with_file(command, &text).with_context(|| format!("in {}", path.display()))?;
    }
    let matches = parse(command)?;
    refuse_misplaced(&matches)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if cli.command.as_ref().is_none_or(Command::opens_the_database)
        && let Some(url) = secret_file::chosen(&matches, "database", cli.common.database_file.as_deref())?
    {
        cli.common.database = url;
    }
    if let Some((serve, matches)) = serving(&mut cli, &matches)
        && let Some(url) = secret_file::chosen(matches, "redis", serve.redis.redis_file.as_deref())?
    {
        serve.redis.redis = Some(RedisUrl(url));
    }
    Ok(Loaded { cli, given: Given::of(&matches) })
}

/// The settings of `serve` and the matches they were parsed from, if that is the command or the one to check.
fn serving<'a>(cli: &'a mut Cli, matches: &'a ArgMatches) -> Option<(&'a mut Serve, &'a ArgMatches)> {
    match (&mut cli.command, matches.subcommand()) {
        (None, _) => Some((&mut cli.serve, matches)),
        (Some(Command::Serve(serve)), Some((_, matches))) => Some((serve, matches)),
        (Some(Command::Check(check)), Some((_, matches))) => Some((&mut check.serve, matches)),
        _ => None,
    }
}

/// Rejects a setting of `serve` before another command, where it would be silently ignored.
fn refuse_misplaced(matches: &ArgMatches) -> anyhow::Result<()> {
    let settings = Serve::augment_args(clap::Command::new("serve"));
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    match settings.get_arguments().map(|argument| argument.get_id().as_str()).find(|id| given(id)) {
        Some(id) if matches.subcommand().is_some() => {
            bail!("--{} is a setting of `serve` and stands after that word", id.replace('_', "-"))
        }
        _ => Ok(()),
    }
}

/// Finds `--config` before the rest is parsed, because the file changes the defaults.
fn config_path(mut arguments: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    while let Some(argument) = arguments.next() {
        if argument == "--config" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix("--config=")) {
            return Some(PathBuf::from(path));
        }
    }
    None
}

/// Makes the values of the file the defaults of the flags of those names, here and in the commands that have them. A
/// name that is not a flag is an error.
fn with_file(mut command: clap::Command, text: &str) -> anyhow::Result<clap::Command> {
    let table = text.parse::<toml::Table>().map_err(|error| without_its_line(text, &error))?;
    if let Some(name) = table.keys().find(|name| table.contains_key(&format!("{name}-file"))) {
        bail!("`{name}` and `{name}-file` say the same; one of them must go");
    }
    for (name, value) in table {
        let id = name.replace('-', "_");
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            _ => bail!("`{name}` must be a text or a whole number"),
        };
        let known = |command: &clap::Command| {
            command.get_arguments().any(|a| a.get_id() == id.as_str() && id != "config")
        };
        if !known(&command) {
            let ids = command.get_arguments().map(|argument| argument.get_id().as_str().replace('_', "-"));
            let known: Vec<String> = ids.filter(|id| id != "config").collect();
            let proposal = names::proposal(&name, known.iter().map(String::as_str));
            bail!("`{name}` is not a setting{proposal} (`lastro --help` lists all)");
        }
        // A value hidden when it comes from the environment is hidden when it comes from the file too.
        let said = |argument: Arg| {
            let hidden = argument.is_hide_env_values_set();
            argument.default_value(value.clone()).hide_default_value(hidden)
        };
        command = command.mut_arg(&id, said);
        for name in ["serve", "check", "sync", "health"] {
            if command.find_subcommand(name).is_some_and(&known) {
                command = command.mut_subcommand(name, |command| command.mut_arg(&id, said));
            }
        }
        let erase = command.find_subcommand("keys").and_then(|keys| keys.find_subcommand("erase"));
        if erase.is_some_and(&known) {
            command = command.mut_subcommand("keys", |keys| {
                keys.mut_subcommand("erase", |erase| erase.mut_arg(&id, said))
            });
        }
    }
    Ok(command)
}

/// The error with its line number but without the line itself, which may hold a password.
fn without_its_line(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let before = error.span().and_then(|span| text.as_bytes().get(..span.start)).unwrap_or_default();
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    anyhow::anyhow!("line {line}: {}", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Switch;

    fn parse(file: &str, arguments: &[&str]) -> anyhow::Result<Cli> {
        let matches = with_file(Cli::command(), file)?.try_get_matches_from(arguments)?;
        Ok(Cli::from_arg_matches(&matches)?)
    }

    #[test]
    fn the_file_sets_values_that_no_flag_sets() {
        let file = "listen = \"127.0.0.1:1\"\ndatabase = \"sqlite:x.db\"\nregistrations-per-hour = 5";
        let cli = parse(file, &["lastro", "--listen", "127.0.0.1:2"]).unwrap();
        assert_eq!(cli.serve.listen.port(), 2);
        assert_eq!(cli.serve.registrations.registrations_per_hour, 5);
        assert_eq!(cli.common.database, "sqlite:x.db");
        let cli = parse(file, &["lastro", "serve"]).unwrap();
        let Some(Command::Serve(serve)) = cli.command else { panic!("not serve") };
        assert_eq!((serve.listen.port(), serve.registrations.registrations_per_hour), (1, 5));
        assert_eq!(cli.common.database, "sqlite:x.db");
    }

    #[test]
    fn a_switch_flag_without_a_value_turns_it_on() {
        let switched =
            |arguments: &[&str]| parse("", arguments).unwrap().serve.webhooks.webhooks_allow_private;
        assert_eq!(switched(&["lastro"]), Switch::Off);
        assert_eq!(switched(&["lastro", "--webhooks-allow-private"]), Switch::On);
        assert_eq!(switched(&["lastro", "--webhooks-allow-private", "off"]), Switch::Off);
        let cli = parse("webhooks-allow-private = \"on\"", &["lastro"]).unwrap();
        assert_eq!(cli.serve.webhooks.webhooks_allow_private, Switch::On);
    }

    #[test]
    fn a_file_with_a_mistake_is_refused() {
        for bad in
            ["listne = \"x\"", "listen = true", "listen = \"nowhere\"", "not toml", "config = \"other.toml\""]
        {
            assert!(parse(bad, &["lastro"]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_password_in_the_file_is_never_shown() {
        let mut command = with_file(Cli::command(), "database = \"postgres://a:hunter2@b/c\"").unwrap();
        assert!(!command.render_long_help().to_string().contains("hunter2"));
        let broken = with_file(Cli::command(), "sync = \"off\"\ndatabase = \"postgres://a:hunter2@b/c\n");
        let refusal = format!("{:#}", broken.unwrap_err());
        assert!(refusal.starts_with("line 2: ") && !refusal.contains("hunter2"), "{refusal}");
        let cli = parse("database = \"postgres://a:hunter2@b/c\"", &["lastro"]).unwrap();
        assert!(!format!("{cli:?}").contains("hunter2"));
    }

    #[test]
    fn a_file_that_names_the_database_twice_is_refused() {
        let twice =
            with_file(Cli::command(), "database = \"sqlite:x.db\"\ndatabase-file = \"url\"").unwrap_err();
        assert!(twice.to_string().contains("`database` and `database-file`"), "{twice}");
    }
}
