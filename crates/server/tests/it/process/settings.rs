//! Flags, their environment variables, and the settings file.

use serde_json::Value;

use super::{Finished, Home, Running};

#[test]
fn help_names_every_flag_with_its_environment_variable() {
    let home = Home::new();
    for arguments in [&["--help"][..], &["serve", "--help"]] {
        let help = home.must(arguments);
        let flags: Vec<&str> = help.lines().filter_map(|line| line.trim_start().strip_prefix("--")).collect();
        assert!(flags.len() >= 10, "{help}");
        for flag in flags {
            let name = flag.split([' ', ',']).next().unwrap();
            let twin = format!("[env: LASTRO_{}", name.to_uppercase().replace('-', "_"));
            assert!(help.contains(&twin), "{arguments:?}: --{name} has no {twin}");
        }
    }
}

#[tokio::test]
async fn settings_are_read_from_the_environment() {
    let home = Home::new();
    let mut command = home.command(&[]);
    command.env("LASTRO_LISTEN", "127.0.0.1:0").env("LASTRO_ADMIN_LISTEN", "off");
    let server = Running::of(command);
    assert!(!server.url.ends_with(":8080"));
    assert_eq!(server.get("/health", None).await.0, 200);
    assert!(!server.log().concat().contains("for the operator"));
}

#[tokio::test]
async fn settings_are_read_from_the_file() {
    let home = Home::new();
    let file = "listen = \"127.0.0.1:0\"\nadmin-listen = \"off\"\nregistrations-per-hour = 0\n";
    std::fs::write(home.file("lastro.toml"), file).unwrap();
    let server = Running::of(home.command(&["serve", "--config", "lastro.toml"]));
    let body = r#"{"name":"Ana","email":"ana@example.com"}"#;
    let url = format!("{}/api/v1/plans/register", server.url);
    assert_eq!(super::client().post(url).body(body).send().await.unwrap().status(), 429);
}

#[test]
fn a_file_with_an_unknown_setting_is_refused_by_name() {
    let home = Home::new();
    std::fs::write(home.file("lastro.toml"), "lisen = \"127.0.0.1:0\"\n").unwrap();
    let refusal = home.refusal(&["--config", "lastro.toml"]);
    assert!(refusal.contains("`lisen` is not a setting"), "{refusal}");
    assert!(home.refusal(&["--config", "absent.toml"]).contains("cannot read absent.toml"));
    assert!(!home.database().exists());
}

#[test]
fn invalid_redis_addresses_are_rejected_and_not_printed() {
    let home = Home::new();
    for address in ["hunter2", "http://:hunter2@host", "redis://:hunter2@host:port"] {
        let refusal = home.refusal(&["--redis", address]);
        assert!(refusal.contains("--redis") && !refusal.contains("hunter2"), "{refusal}");
    }
    let refusal = home.refusal(&["--redis", "redis://host", "--redis-prefix", "two words"]);
    assert!(refusal.contains("prefix"), "{refusal}");
    assert!(!home.database().exists());
    let mut help = home.command(&["--help"]);
    help.env("LASTRO_REDIS", "redis://:hunter2@host");
    assert!(!Finished::of(help).stdout.contains("hunter2"));
}

#[test]
fn a_serve_flag_before_another_command_is_rejected() {
    let home = Home::new();
    for command in [&["serve"][..], &["demo"]] {
        let finished = Finished::of(home.command(&[&["--listen", "127.0.0.1:1"], command].concat()));
        assert!(!finished.succeeded());
        assert!(finished.stderr.contains("--listen"), "{}", finished.stderr);
    }
}

#[tokio::test]
async fn json_logs_are_one_object_a_line() {
    let home = Home::new();
    let mut command = home.command(&[super::FREE_PORTS, &["--log-format", "json"]].concat());
    command.env("RUST_LOG", "debug");
    let server = Running::of(command);
    server.get("/api/v1/market/overview", None).await;
    server.get("/nowhere", None).await;
    server.terminate();
    let (status, log) = server.ended();
    assert!(status.success());
    assert!(log.len() > 5);
    for line in log {
        let entry: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert!(entry["level"].is_string() && entry["timestamp"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn text_logs_have_no_colours_outside_a_terminal() {
    let home = Home::new();
    let server = home.serve(&[]);
    assert!(!server.log().concat().contains('\u{1b}'));
}

/// Runs without the environment variable that every test here has.
fn with_database_file(home: &Home, arguments: &[&str]) -> Finished {
    let mut command = home.command(arguments);
    command.env_remove("LASTRO_DATABASE");
    Finished::of(command)
}

#[test]
fn the_database_may_be_named_by_a_file() {
    let home = Home::new();
    std::fs::write(home.file("url"), " sqlite:named.db \n").unwrap();
    let demo = ["demo", "--companies", "20", "--filings", "300"];
    let finished = with_database_file(&home, &[&demo[..], &["--database-file", "url"]].concat());
    assert!(finished.succeeded(), "{}", finished.stderr);
    assert!(home.file("named.db").exists() && !home.database().exists());
    let mut command = home.command(&["keys", "list"]);
    command.env_remove("LASTRO_DATABASE").env("LASTRO_DATABASE_FILE", "url");
    assert!(Finished::of(command).succeeded());
    // Either flag overrides the settings file.
    std::fs::write(home.file("lastro.toml"), "database-file = \"absent\"\n").unwrap();
    let listed = ["keys", "list", "--config", "lastro.toml", "--database", "sqlite:named.db"];
    assert!(with_database_file(&home, &listed).succeeded());
    std::fs::write(home.file("lastro.toml"), "database = \"sqlite:absent.db\"\n").unwrap();
    let listed = ["keys", "list", "--config", "lastro.toml", "--database-file", "url"];
    assert!(with_database_file(&home, &listed).succeeded());
}

#[test]
fn duplicate_or_empty_database_settings_are_rejected() {
    let home = Home::new();
    std::fs::write(home.file("url"), "postgres://lastro:hunter2@127.0.0.1:1/lastro\n").unwrap();
    std::fs::write(home.file("empty"), "\nhunter2").unwrap();
    let twice = home.run(&["keys", "list", "--database-file", "url"]);
    assert!(twice.stderr.contains("--database and --database-file"), "{}", twice.stderr);
    for (file, sentence) in [("absent", "cannot read absent"), ("empty", "empty is empty"), ("url", "")] {
        let finished = with_database_file(&home, &["keys", "list", "--database-file", file]);
        assert!(!finished.succeeded() && finished.stderr.contains(sentence), "{}", finished.stderr);
        assert!(!finished.stderr.contains("hunter2"), "{}", finished.stderr);
    }
}

#[test]
fn redis_may_be_named_by_a_file_and_is_not_printed() {
    let home = Home::new();
    std::fs::write(home.file("url"), "redis://:hunter2@127.0.0.1:port\n").unwrap();
    let before_and_after: [&[&str]; 2] = [&["--redis-file"], &["serve", "--redis-file"]];
    for words in before_and_after {
        for (file, sentence) in [("absent", "cannot read absent"), ("url", "--redis")] {
            let finished = home.run(&[words, &[file]].concat());
            assert!(!finished.succeeded() && finished.stderr.contains(sentence), "{}", finished.stderr);
            assert!(!finished.stderr.contains("hunter2"), "{}", finished.stderr);
        }
    }
    let twice = home.run(&["--redis", "redis://127.0.0.1", "--redis-file", "url"]);
    assert!(twice.stderr.contains("--redis and --redis-file"), "{}", twice.stderr);
}
