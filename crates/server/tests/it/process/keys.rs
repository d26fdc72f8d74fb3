//! `lastro keys`, beside a running server.

use lastro_access::ApiKey;
use lastro_model::{Account, AccountId, KeyDigest, KeyId, NewKey, Plan};

use serde_json::Value;

use super::{Finished, Home};

const COMPANIES: &str = "/api/v1/companies";
const OVERVIEW: &str = "/api/v1/market/overview";

fn id_of(key: &str) -> String {
    ApiKey::parse(key).unwrap().id().to_string()
}

#[tokio::test]
async fn a_created_key_is_the_only_output_and_works() {
    let home = Home::new();
    let server = home.serve(&[]);
    let created =
        home.run(&["keys", "create", "--plan", "bronze", "--name", "Ana", "--email", "ana@example.com"]);
    assert!(created.succeeded(), "{}", created.stderr);
    let key = created.stdout.strip_suffix('\n').expect("one line");
    assert!(ApiKey::parse(key).is_ok(), "not a key alone");
    assert!(!created.stderr.contains(key));
    assert_eq!(server.status(COMPANIES, key).await, 200);
    assert!(!server.log().concat().contains(key));
}

#[tokio::test]
async fn a_plan_change_and_a_revocation_reach_the_running_server() {
    let home = Home::new();
    let server = home.serve(&[]);
    let key = home.new_key("free", &[]);
    assert_eq!(server.status(COMPANIES, &key).await, 403);
    home.must(&["keys", "set-plan", &id_of(&key), "bronze"]);
    server.becomes(COMPANIES, &key, 200).await;
    home.must(&["keys", "revoke", &id_of(&key)]);
    server.becomes(COMPANIES, &key, 401).await;
}

#[test]
fn erasing_a_person_lists_other_accounts_with_the_address() {
    let home = Home::new();
    let [one, other] = [(); 2].map(|()| id_of(&home.new_key("free", &[])));
    let erased = home.run(&["keys", "erase", &one]);
    assert!(erased.succeeded() && erased.stderr.contains(&other), "{}", erased.stderr);
    let last = home.run(&["keys", "erase", &other]);
    assert!(last.succeeded() && !last.stderr.contains("other accounts"), "{}", last.stderr);
}

#[tokio::test]
async fn an_erased_person_is_gone_from_the_server_and_every_file() {
    let home = Home::new();
    let server = home.serve(&[]);
    let create =
        ["keys", "create", "--plan", "gold", "--name", "Joaquim Erasmo", "--email", "erasmo@example.com"];
    let key = home.must(&create).trim_end().to_owned();
    let new = home.must(&["keys", "rotate", &id_of(&key)]).trim_end().to_owned();
    let other = home.new_key("gold", &[]);
    for key in [&key, &new, &other] {
        assert_eq!(server.status(COMPANIES, key).await, 200);
    }
    let in_files = |text: &str| {
        let found = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        super::contents(home.0.path()).iter().any(|(_, bytes)| found(bytes))
    };
    assert!(in_files("Joaquim Erasmo") && in_files("erasmo@example.com"));

    let erased: Value = serde_json::from_str(&home.must(&["keys", "erase", &id_of(&new), "--json"])).unwrap();
    assert_eq!(erased["account"], id_of(&key));
    assert_eq!(erased["keys"], serde_json::json!([id_of(&key), id_of(&new)]));
    assert_eq!((&erased["webhooks"], &erased["wiped"]), (&0.into(), &true.into()));
    assert!(!in_files("Joaquim Erasmo") && !in_files("erasmo@example.com"));
    for key in [&key, &new] {
        server.becomes(COMPANIES, key, 401).await;
    }
    assert_eq!(server.status(COMPANIES, &other).await, 200);
    assert!(!home.must(&["keys", "list"]).contains(&id_of(&new)));
    let again = home.run(&["keys", "erase", &id_of(&new)]);
    assert!(!again.succeeded() && again.stderr.contains("there is no such key"), "{}", again.stderr);
    let told = home.must(&["keys", "erase", &id_of(&other)]);
    assert!(told.contains(&id_of(&other)) && !told.contains("ana@example.com"), "{told}");
}

#[tokio::test]
async fn the_list_shows_a_revoked_key() {
    let home = Home::new();
    let key = home.new_key("free", &[]);
    home.must(&["keys", "revoke", &id_of(&key)]);
    let listed: Value = serde_json::from_str(&home.must(&["keys", "list", "--json"])).unwrap();
    assert_eq!(listed[0]["status"], "revoked");
}

#[tokio::test]
async fn a_rotated_key_shares_the_limit_of_the_new_one() {
    let home = Home::new();
    let server = home.serve(&[]);
    let old = home.new_key("free", &["--rate-limit", "6"]);
    for _ in 0..3 {
        assert_eq!(server.status(OVERVIEW, &old).await, 200);
    }
    let rotated = home.run(&["keys", "rotate", &id_of(&old)]);
    assert!(rotated.succeeded(), "{}", rotated.stderr);
    let new = rotated.stdout.trim_end();
    assert!(!rotated.stderr.contains(new));
    for key in [new, &old, new] {
        assert_eq!(server.status(OVERVIEW, key).await, 200);
    }
    for key in [new, &old] {
        assert_eq!(server.status(OVERVIEW, key).await, 429);
    }
}

#[tokio::test]
async fn a_rotation_without_grace_ends_the_old_key() {
    let home = Home::new();
    let server = home.serve(&[]);
    let old = home.new_key("platinum", &[]);
    assert_eq!(server.status(OVERVIEW, &old).await, 200);
    let new = home.must(&["keys", "rotate", &id_of(&old), "--grace-seconds", "0"]);
    server.becomes(OVERVIEW, &old, 401).await;
    assert_eq!(server.status(OVERVIEW, new.trim_end()).await, 200);
}

#[test]
fn lists_show_every_key_and_no_secret() {
    let home = Home::new();
    let keys = [home.new_key("gold", &["--rate-limit", "7"]), home.new_key("free", &[])];
    let listed = home.must(&["keys", "list", "--json"]);
    let all: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(all[0]["id"], *id_of(&keys[0]));
    assert_eq!((&all[0]["plan"], &all[0]["rate_limit"]), (&"gold".into(), &7.into()));
    assert_eq!((&all[1]["plan"], &all[1]["rate_limit"]), (&"free".into(), &30.into()));
    assert_eq!(all[1]["status"], "active");
    for text in [listed, home.must(&["keys", "list"])] {
        for key in &keys {
            assert!(text.contains(&id_of(key)) && !text.contains(key.as_str()));
        }
    }
}

/// Such names are rejected today; an older database may hold some.
#[tokio::test]
async fn a_name_cannot_forge_the_list() {
    let home = Home::new();
    home.new_key("free", &[]);
    let id = KeyId::parse("Zz12Cd34").unwrap();
    let account = Account {
        id: AccountId(id),
        name: "Ana\u{1b}[31m\u{202e}\nAb12Cd34  platinum".to_owned(),
        email: "ana@example.com".to_owned(),
        plan: Plan::Free,
        rate_limit: None,
    };
    let new = NewKey {
        id,
        digest: KeyDigest([0; 32]),
        account,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        self_registered: false,
    };
    lastro_store::open_existing(&home.url()).await.unwrap().insert_key(new).await.unwrap();
    let listed = home.must(&["keys", "list"]);
    assert_eq!(listed.trim_end().lines().count(), 3, "{listed}");
    assert!(!listed.contains(['\u{1b}', '\u{202e}']), "{listed}");
}

#[test]
fn settings_are_accepted_before_the_command() {
    let home = Home::new();
    home.new_key("gold", &[]);
    let url = home.url();
    let mut command = home.command(&["--database", &url, "keys", "list"]);
    command.env_remove("LASTRO_DATABASE");
    let finished = Finished::of(command);
    assert!(finished.succeeded(), "{}", finished.stderr);
    assert_eq!(finished.stdout.lines().count(), 2);
}

#[test]
fn mistakes_end_with_a_message_and_a_status() {
    let home = Home::new();
    let key = home.new_key("free", &[]);
    let id = id_of(&key);
    let create = |plan, name, email| vec!["keys", "create", "--plan", plan, "--name", name, "--email", email];
    for (arguments, sentence) in [
        (vec!["keys", "set-plan", "abcdefgh", "gold"], "there is no such key"),
        (vec!["keys", "rotate", "abcdefgh"], "there is no such key"),
        (vec!["keys", "revoke", "abcdefgh"], "there is no such key"),
        (vec!["keys", "revoke", "nonsense!"], "must be a key id"),
        (vec!["keys", "set-plan", &id, "golden"], "must be one of free, bronze, gold, platinum"),
        (create("golden", "Ana", "ana@example.com"), "must be one of free, bronze, gold, platinum"),
        (create("gold", " ", "ana@example.com"), "name"),
        (create("gold", "Ana", "nowhere"), "email"),
        (vec!["keys", "revoke", &key], "must be a key id"),
    ] {
        let finished = home.run(&arguments);
        assert!(!finished.succeeded(), "{arguments:?}");
        assert!(finished.stderr.contains(sentence), "{arguments:?}: {}", finished.stderr);
        assert_eq!(finished.stdout, "", "{arguments:?}");
        assert!(!finished.stderr.contains(&key), "{arguments:?} repeats a key");
    }
}

#[test]
fn listing_keys_does_not_create_a_database() {
    let home = Home::new();
    let finished = home.run(&["keys", "list"]);
    assert!(!finished.succeeded() && finished.stderr.contains("there is no database"), "{}", finished.stderr);
    assert!(!home.database().exists());
}

#[test]
fn a_name_with_control_characters_makes_no_key() {
    let home = Home::new();
    for name in ["Ana\nLima", "Ana\u{1b}[2J", "\u{202e}anA", "Ana\u{200b}"] {
        let refused =
            home.run(&["keys", "create", "--plan", "free", "--name", name, "--email", "ana@example.com"]);
        assert!(!refused.succeeded() && refused.stdout.is_empty(), "{name:?}");
        assert!(refused.stderr.contains("name"), "{}", refused.stderr);
    }
    assert!(!home.file("lastro.db").exists(), "not even a database was made for them");
}
