//! `lastro check`: one line for each check, an exit status, and nothing changed.

use std::net::TcpListener;

use serde_json::Value;

use super::{Home, contents};
use crate::certificates::TestCertificate;

/// Runs the command on free ports, asserts that it changes nothing, and returns whether it succeeded and each status.
fn check(home: &Home, more: &[&str]) -> (bool, Vec<(String, String, String)>) {
    let before = contents(home.0.path());
    let free = ["check", "--json", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let finished = home.run(&[&free, more].concat());
    assert!(contents(home.0.path()) == before, "files were touched");
    let found: Value = serde_json::from_str(&finished.stdout).unwrap();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    let found = found.as_array().unwrap().iter();
    let found = found.map(|f| (text(f, "check"), text(f, "status"), text(f, "detail"))).collect();
    (finished.succeeded(), found)
}

/// The checks that did not succeed, with their sentences.
fn faults(home: &Home, more: &[&str]) -> Vec<(String, String)> {
    let (succeeded, found) = check(home, more);
    let failed = found.iter().any(|(_, status, _)| status == "failed");
    assert_eq!(succeeded, !failed, "{found:?}");
    found
        .into_iter()
        .filter(|(_, status, _)| status != "ok")
        .map(|(check, _, detail)| (check, detail))
        .collect()
}

#[test]
fn a_new_and_a_used_home_pass() {
    let home = Home::new();
    assert_eq!(faults(&home, &[]), []);
    home.new_key("free", &[]);
    assert_eq!(faults(&home, &[]), []);
    let lines = home.must(&["check", "--listen", "127.0.0.1:0", "--admin-listen", "off"]);
    assert!(lines.lines().count() >= 5 && lines.lines().all(|line| line.starts_with("ok ")), "{lines}");
}

#[test]
fn each_fault_is_found_by_its_check() {
    let home = Home::new();
    home.new_key("free", &[]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    TestCertificate::new().write(home.0.path());
    std::fs::write(home.file("other.key"), TestCertificate::other().key_pem()).unwrap();
    let expired = TestCertificate::expired();
    std::fs::write(home.file("expired.crt"), expired.certificate_pem()).unwrap();
    std::fs::write(home.file("expired.key"), expired.key_pem()).unwrap();
    std::fs::write(home.file("diary"), "Dear diary\n".repeat(50)).unwrap();
    std::fs::write(home.file("pepper"), "0".repeat(64)).unwrap();
    for (arguments, check, sentence) in [
        (&["--listen", &address][..], "listen", "in use"),
        (&["--admin-listen", &address], "admin-listen", "in use"),
        (&["--tls-cert", "tls.crt", "--tls-key", "other.key"], "certificate", "does not belong"),
        (
            &["--tls-cert", "expired.crt", "--tls-key", "expired.key"],
            "certificate",
            "it expired on 2021-12-31",
        ),
        (&["--trusted-proxies", "10.0.0.0/99"], "settings", "--trusted-proxies"),
        (&["--database", "sqlite:diary"], "database", "is not a Lastro database"),
        (&["--database", "sqlite:absent/lastro.db"], "writing", "cannot be written"),
        (
            &["--database", "postgres://lastro@127.0.0.1:1/lastro", "--pepper-file", "pepper"],
            "database",
            "reached",
        ),
        (&["--pepper-file", "pepper"], "pepper", "another pepper"),
        (&["--redis", "redis://127.0.0.1:1"], "redis", "it cannot be used"),
        (&["--index-dir", "diary"], "index-dir", "nothing is kept there"),
        (&["--stripe-prices", "gold=price_1"], "payments", "need --stripe-key-file"),
    ] {
        // The last of two flags counts.
        let free = [("--listen", "127.0.0.1:0"), ("--admin-listen", "127.0.0.1:0")];
        let free = free
            .iter()
            .filter(|(flag, _)| !arguments.contains(flag))
            .flat_map(|(flag, value)| [*flag, *value]);
        let all: Vec<&str> =
            ["check", "--json"].into_iter().chain(free).chain(arguments.iter().copied()).collect();
        let finished = home.run(&all);
        let found: Value = serde_json::from_str(&finished.stdout).unwrap();
        let fault = found.as_array().unwrap().iter().find(|finding| finding["check"] == check).unwrap();
        assert_ne!(fault["status"], "ok", "{arguments:?}");
        assert_eq!(finished.succeeded(), fault["status"] == "warning", "{arguments:?}: {found}");
        assert!(fault["detail"].as_str().unwrap().contains(sentence), "{fault}");
    }
}

#[test]
fn ports_of_a_running_server_are_no_fault() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (listen, admin) = (server.url.strip_prefix("http://").unwrap().to_owned(), server.admin());
    let finished = home.run(&["check", "--listen", &listen, "--admin-listen", &admin]);
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(finished.stdout.matches("by a Lastro that is running").count(), 2, "{}", finished.stdout);
    // A Lastro on one port says nothing about who has the other.
    let foreign = TcpListener::bind("127.0.0.1:0").unwrap();
    let foreign = foreign.local_addr().unwrap().to_string();
    for (listen, admin) in [(&foreign, &admin), (&listen, &foreign)] {
        let finished = home.run(&["check", "--listen", listen, "--admin-listen", admin]);
        assert!(!finished.succeeded(), "{}", finished.stdout);
        assert!(finished.stdout.contains(&format!("cannot listen on {foreign}")), "{}", finished.stdout);
        assert_eq!(finished.stdout.matches("by a Lastro that is running").count(), 1, "{}", finished.stdout);
    }
}

#[test]
fn a_running_server_with_tls_is_recognised() {
    let home = Home::new();
    TestCertificate::new().write(home.0.path());
    let tls = ["--tls-cert", "tls.crt", "--tls-key", "tls.key"];
    let server = home.serve(&tls);
    let listen = server.url.strip_prefix("https://").unwrap();
    let finished = home.run(&[&["check", "--listen", listen, "--admin-listen", "off"], &tls[..]].concat());
    assert!(finished.succeeded(), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains("by a Lastro that is running"), "{}", finished.stdout);
}

#[test]
fn typos_are_answered_with_the_nearest_name() {
    let home = Home::new();
    let mut command = home.command(&["keys", "list"]);
    command.env("LASTRO_LISTNE", "127.0.0.1:1").env("RUST_LOG", "inof");
    let told = super::Finished::of(command).stderr;
    assert!(told.contains("LASTRO_LISTNE is not a setting") && told.contains("`LASTRO_LISTEN`"), "{told}");
    assert!(told.contains("RUST_LOG has no effect") && told.contains("`info`"), "{told}");
    std::fs::write(home.file("lastro.toml"), "trusted-proxy = \"::1\"").unwrap();
    let told = home.run(&["check", "--config", "lastro.toml"]).stderr;
    assert!(told.contains("`trusted-proxy` is not a setting; did you mean `trusted-proxies`?"), "{told}");
    let told = home.run(&["--lisen", "127.0.0.1:0"]).stderr;
    assert!(told.contains("--listen"), "{told}");
}
