//! `lastro health`: one line and an exit status.

use std::net::TcpListener;

use super::{Finished, Home};

fn asked(home: &Home, address: &str) -> Finished {
    home.run(&["health", "--admin-listen", address])
}

/// Asserts that it is not ready: status 1, nothing on standard output, and one line with this sentence.
fn refused(finished: &Finished, sentence: &str) {
    assert_eq!(finished.status.code(), Some(1));
    assert_eq!((finished.stdout.as_str(), finished.stderr.lines().count()), ("", 1), "{}", finished.stderr);
    assert!(finished.stderr.contains(sentence), "{}", finished.stderr);
}

#[test]
fn a_ready_server_gives_exit_status_zero() {
    let home = Home::new();
    let server = home.serve(&[]);
    let admin = server.admin();
    let finished = asked(&home, &admin);
    assert_eq!((finished.status.code(), finished.stdout.as_str()), (Some(0), "ready\n"));
    let port = admin.rsplit_once(':').unwrap().1;
    assert!(asked(&home, &format!("0.0.0.0:{port}")).succeeded());
    let mut by_environment = home.command(&["health"]);
    by_environment.env("LASTRO_ADMIN_LISTEN", &admin);
    assert!(Finished::of(by_environment).succeeded());
    std::fs::write(home.file("lastro.toml"), format!("admin-listen = \"{admin}\"\n")).unwrap();
    assert!(home.run(&["health", "--config", "lastro.toml"]).succeeded());
}

/// The command opens no database: a running server is ready, whatever this process may read.
#[test]
fn a_database_that_cannot_be_opened_does_not_matter() {
    let home = Home::new();
    let server = home.serve(&[]);
    let mut command =
        home.command(&["health", "--database-file", "absent", "--admin-listen", &server.admin()]);
    command.env_remove("LASTRO_DATABASE");
    assert!(Finished::of(command).succeeded());
}

#[test]
fn absent_silent_and_foreign_servers_are_not_ready() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    refused(&asked(&home, &free), &format!("nobody answers on {free}"));
    // The system accepts the connection, and no response follows.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let finished = home.run(&["health", "--admin-listen", &address, "--timeout", "200ms"]);
    refused(&finished, &format!("no answer from {address}"));
    let api = home.serve(&[]);
    let address = api.url.trim_start_matches("http://").to_owned();
    refused(&asked(&home, &address), &format!("{address} answers 404"));
    refused(&asked(&home, "off"), "--admin-listen is off");
}
