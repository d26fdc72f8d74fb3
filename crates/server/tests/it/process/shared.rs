//! Several servers on one database, and the files beside it.

use std::collections::BTreeSet;

use lastro_model::Source;

use super::Home;

const NEIGHBOUR: &str = "another server uses this database";

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn three_servers_started_together_fill_a_database_once() {
    let home = Home::new();
    let servers = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..3).map(|_| scope.spawn(|| home.serve(&[]))).collect();
        starting.into_iter().map(|server| server.join().unwrap()).collect::<Vec<_>>()
    });
    for server in &servers {
        assert!(server.rows().await.iter().all(|(_, rows)| *rows > 0));
    }
    let store = lastro_store::open_existing(&home.url()).await.unwrap();
    let editions = store.counters().await.unwrap().editions;
    let numbers: BTreeSet<u64> = editions.iter().map(|(_, edition)| edition.0).collect();
    assert_eq!(numbers, (1..=Source::ALL.len() as u64).collect(), "one each");
    let warned = servers.iter().filter(|server| server.log().concat().contains(NEIGHBOUR)).count();
    assert_eq!(warned, 2, "all but the first");
}

#[test]
fn a_second_server_warns_that_limits_are_not_shared() {
    let home = Home::new();
    let first = home.serve(&[]);
    let second = home.serve(&[]);
    assert!(!first.log().concat().contains(NEIGHBOUR));
    assert!(second.log().concat().contains(NEIGHBOUR));
    first.kill();
    second.kill();
    assert!(!home.serve(&[]).log().concat().contains(NEIGHBOUR), "a dead one is no neighbour");
}

#[test]
fn a_pepper_beside_the_database_is_warned_about_once() {
    let home = Home::new();
    let told = |log: Vec<String>| log.iter().filter(|line| line.contains("pepper lies beside")).count();
    let server = home.serve(&[]);
    assert_eq!(told(server.log()), 1);
    server.kill();
    std::fs::create_dir(home.file("secrets")).unwrap();
    std::fs::rename(home.file("lastro.db.pepper"), home.file("secrets/pepper")).unwrap();
    assert_eq!(told(home.serve(&["--pepper-file", "secrets/pepper"]).log()), 0);
}

#[test]
fn a_server_does_not_start_without_its_accounts_file() {
    let home = Home::new();
    home.new_key("gold", &[]);
    std::fs::remove_file(home.file("lastro.db.accounts")).unwrap();
    let refusal = home.refusal(&[]);
    assert!(refusal.contains("lastro.db.accounts is missing"), "{refusal}");
    let listed = home.run(&["keys", "list"]);
    assert!(!listed.succeeded() && listed.stderr.contains("is missing"), "{}", listed.stderr);
}
