//! Names of settings: the one that a typo probably means, environment variables that are none, and values that changed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use clap::{ArgMatches, CommandFactory};

use super::Cli;

/// Similarity from which a name is proposed, the same as that of the command line's own proposals.
const SIMILAR: f64 = 0.7;

/// The known name that is most similar, if any is similar enough.
fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = known.into_iter().map(|known| (strsim::jaro(name, known), known));
    rated.filter(|(rate, _)| *rate > SIMILAR).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

/// The end of a sentence about an unknown name, if there is a similar one.
pub(super) fn proposal<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// One sentence for each of these variables that looks like a setting and is none.
pub fn unknown_variables(variables: impl IntoIterator<Item = OsString>) -> Vec<String> {
    let mut known = Vec::new();
    collect_variables(&Cli::command(), &mut known);
    let ours = |variable: OsString| variable.into_string().ok().filter(|name| name.starts_with("LASTRO_"));
    let unknown = variables.into_iter().filter_map(ours).filter(|name| !known.contains(name));
    unknown
        .map(|name| {
            let proposal = proposal(&name, known.iter().map(String::as_str));
            format!("the environment variable {name} is not a setting and has no effect{proposal}")
        })
        .collect()
}

fn collect_variables(command: &clap::Command, known: &mut Vec<String>) {
    let named = command.get_arguments().filter_map(|argument| argument.get_env().and_then(OsStr::to_str));
    known.extend(named.map(str::to_owned));
    command.get_subcommands().for_each(|subcommand| collect_variables(subcommand, known));
}

/// The values of all settings as they were given, wherever they came from.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Given(BTreeMap<String, Vec<OsString>>);

/// Omits the values, which may hold passwords.
impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Given {
    pub(super) fn of(matches: &ArgMatches) -> Self {
        // The settings of `lastro` alone, or those of the command that follows.
        let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
        let value = |id: &str| {
            let raw = matches.try_get_raw(id).ok().flatten()?;
            Some((id.to_owned(), raw.map(OsStr::to_owned).collect()))
        };
        let command = Cli::command();
        Self(command.get_arguments().filter_map(|argument| value(argument.get_id().as_str())).collect())
    }

    /// The names of the settings that have another value in `other`, as flags without dashes.
    pub fn changed(&self, other: &Self) -> Vec<String> {
        let all: std::collections::BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let differs = |id: &&String| self.0.get(*id) != other.0.get(*id);
        all.into_iter().filter(differs).map(|id| id.replace('_', "-")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_answered_with_the_nearest_variable() {
        let told =
            unknown_variables(["LASTRO_LISTNE", "LASTRO_LISTEN", "HOME", "LASTRO_QQQQQ"].map(OsString::from));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].ends_with("; did you mean `LASTRO_LISTEN`?"), "{told:?}");
        assert!(told[1].contains("LASTRO_QQQQQ"), "{told:?}");
    }

    #[test]
    fn changed_settings_are_named_wherever_they_come_from() {
        let given = |arguments: &[&str]| Given::of(&Cli::command().get_matches_from(arguments));
        let before = given(&["lastro", "--drain", "5s"]);
        assert_eq!(before.changed(&given(&["lastro", "serve", "--drain", "5s"])), Vec::<String>::new());
        let after = given(&["lastro", "serve", "--key-cache", "10", "--log", "debug"]);
        assert_eq!(before.changed(&after), ["drain", "key-cache", "log"]);
    }
}
