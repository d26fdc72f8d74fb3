//! The completions and the manual page match `--help`.

use std::collections::BTreeSet;

use super::Home;

/// Every command with its own flags, as its help lists them.
fn commands(home: &Home, path: &[&str], all: &mut Vec<(Vec<String>, BTreeSet<String>)>) {
    let help = home.must(&[path, &["--help"]].concat());
    let flags = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let long = line.strip_prefix("--").or_else(|| line.split_once(", --").map(|(_, rest)| rest))?;
        line.starts_with('-').then(|| format!("--{}", long.split([' ', ',', '[']).next().unwrap()))
    });
    all.push((path.iter().map(|word| (*word).to_owned()).collect(), flags.collect()));
    let listed = help.split_once("\nCommands:\n").map(|(_, rest)| rest.split("\n\n").next().unwrap());
    for name in listed.unwrap_or_default().lines().filter_map(|line| line.split_whitespace().next()) {
        if name != "help" {
            commands(home, &[path, &[name]].concat(), all);
        }
    }
}

fn all_commands(home: &Home) -> Vec<(Vec<String>, BTreeSet<String>)> {
    let mut all = Vec::new();
    commands(home, &[], &mut all);
    assert!(all.len() > 15, "{all:?}");
    assert!(all[0].1.len() > 25 && all[0].1.contains("--drain"), "{all:?}");
    all
}

#[test]
fn the_manual_page_lists_every_command_and_flag() {
    let home = Home::new();
    let page = home.must(&["man"]).replace("\\-", "-");
    assert!(page.contains("\n.TH lastro 1 "), "{page}");
    for (path, flags) in all_commands(&home) {
        let name = [&["lastro".to_owned()], &path[..]].concat().join(" ");
        assert!(path.is_empty() || page.contains(&format!(".SS \"{name}\"\n")), "{name}");
        for flag in flags {
            assert!(
                page.contains(&format!("\\fB{flag}\\f")) || page.contains(&format!(", {flag}\\f")),
                "{name} {flag}"
            );
        }
    }
}

#[test]
fn completions_cover_every_command_and_flag() {
    let home = Home::new();
    let all = all_commands(&home);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.must(&["completions", shell]);
        for (path, flags) in &all {
            // fish writes flags without dashes.
            let known =
                |flag: &String| script.contains(flag) || script.contains(&format!("-l {}", &flag[2..]));
            assert!(flags.iter().all(known), "{shell}: {path:?} {flags:?}");
            assert!(path.iter().all(|word| script.contains(word)), "{shell}: {path:?}");
        }
    }
    assert!(!home.run(&["completions", "tcsh"]).succeeded());
}

#[test]
fn help_and_manual_open_no_database_and_show_no_address() {
    let home = Home::new();
    for arguments in [&["man"][..], &["completions", "zsh"], &["--help"], &["keys", "create", "--help"]] {
        let mut command = home.command(arguments);
        command.env("LASTRO_DATABASE", "postgres://lastro:hunter2@db/lastro");
        let finished = super::Finished::of(command);
        assert!(finished.succeeded() && !finished.stdout.contains("hunter2"), "{arguments:?}");
    }
    assert!(std::fs::read_dir(home.0.path()).unwrap().next().is_none());
}
