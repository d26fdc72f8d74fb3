//! Obstacles to a start are reported in one line, and left unchanged.

use std::net::TcpListener;

use super::{Home, contents};
use crate::certificates::TestCertificate;

/// A home with a closed database of ours.
async fn filled() -> Home {
    let home = Home::new();
    home.must(&["demo", "--companies", "20", "--filings", "300"]);
    home
}

/// Asserts that the start fails without changing a byte of the directory, and returns the message.
fn untouched_refusal(home: &Home) -> String {
    let before = contents(home.0.path());
    let refusal = home.refusal(&[]);
    assert!(contents(home.0.path()) == before, "files were touched: {refusal}");
    assert_eq!(refusal.lines().count(), 1, "{refusal}");
    refusal
}

#[test]
fn a_foreign_file_is_left_alone() {
    let home = Home::new();
    std::fs::write(home.database(), "Dear diary, today I did not lose my data.\n".repeat(50)).unwrap();
    assert!(untouched_refusal(&home).contains("is not a Lastro database; it was left as it is"));
}

#[tokio::test]
async fn a_truncated_database_is_reported_as_damaged() {
    let home = filled().await;
    let bytes = std::fs::read(home.database()).unwrap();
    std::fs::write(home.database(), &bytes[..bytes.len() / 2]).unwrap();
    assert!(untouched_refusal(&home).contains("the database is damaged"));
}

/// Simulates a bit flipped by a disk or by memory.
#[tokio::test]
async fn a_database_with_a_changed_value_is_reported_as_damaged() {
    let home = filled().await;
    let damage = "UPDATE rate SET value = '9' || value WHERE rowid = (SELECT MIN(rowid) FROM rate WHERE series = 'selic')";
    rusqlite::Connection::open(home.database()).unwrap().execute_batch(damage).unwrap();
    let refusal = home.refusal(&[]);
    assert!(
        refusal.contains("the database is damaged: a row of selic is not as it was written"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    let home = filled().await;
    let newer = "PRAGMA journal_mode = DELETE; INSERT INTO schema_migration VALUES (999, 'unknown', 0);";
    rusqlite::Connection::open(home.database()).unwrap().execute_batch(newer).unwrap();
    assert!(untouched_refusal(&home).contains("was written by a newer version of Lastro"));
}

#[tokio::test]
async fn another_pepper_is_refused() {
    let home = Home::new();
    home.new_key("free", &[]);
    std::fs::write(home.file("lastro.db.pepper"), "0".repeat(64)).unwrap();
    let refusal = home.refusal(&[]);
    assert!(refusal.contains("hashed with another pepper"), "{refusal}");
    std::fs::write(home.file("lastro.db.pepper"), "salt").unwrap();
    let refusal = home.refusal(&[]);
    assert!(refusal.contains("does not hold 64 hexadecimal digits"), "{refusal}");
    let rotate = home.run(&["keys", "create", "--plan", "free", "--name", "Ana", "--email", "a@example.com"]);
    assert!(!rotate.succeeded() && rotate.stdout.is_empty());
}

#[tokio::test]
async fn a_missing_pepper_is_not_replaced() {
    let home = Home::new();
    home.new_key("free", &[]);
    std::fs::remove_file(home.file("lastro.db.pepper")).unwrap();
    let refusal = home.refusal(&[]);
    assert!(refusal.contains("is missing"), "{refusal}");
    assert!(!home.file("lastro.db.pepper").exists());
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let home = Home::new();
    for flag in ["--listen", "--admin-listen"] {
        let other = if flag == "--listen" { "--admin-listen" } else { "--listen" };
        let finished = home.run(&["serve", flag, &address, other, "127.0.0.1:0"]);
        assert!(!finished.succeeded());
        let sentence = format!("cannot listen on {address}");
        assert!(finished.stderr.contains(&sentence), "{}", finished.stderr);
        assert_eq!(contents(home.0.path()), [], "nothing was created");
    }
}

#[test]
fn an_unusable_setting_creates_nothing() {
    let home = Home::new();
    for wrong in [
        ["--stripe-prices", "gold=price_1"],
        ["--stripe-key-file", "absent"],
        ["--tls-cert", "absent.pem"],
        ["--trusted-proxies", "10.0.0.0/99"],
        ["--redis", "http://host"],
        ["--pepper-file", "absent/pepper"],
        ["--redis-ca", "absent.pem"],
    ] {
        home.refusal(&wrong);
        assert_eq!(contents(home.0.path()), [], "{wrong:?}");
    }
}

#[test]
fn an_expired_certificate_is_warned_about() {
    let home = Home::new();
    TestCertificate::expired().write(home.0.path());
    let server = home.serve(&["--tls-cert", "tls.crt", "--tls-key", "tls.key"]);
    server.says("the certificate expired on 2021-12-31");
}

#[test]
fn unusable_certificates_are_rejected_by_name() {
    let home = Home::new();
    let (one, another) = (TestCertificate::new(), TestCertificate::other());
    one.write(home.0.path());
    std::fs::write(home.file("other.key"), another.key_pem()).unwrap();
    std::fs::write(home.file("empty"), "").unwrap();
    for (certificate, key, sentence) in [
        ("tls.crt", "other.key", "the key in other.key does not belong to the certificate in tls.crt"),
        ("absent", "tls.key", "cannot read absent"),
        ("tls.crt", "absent", "cannot read absent"),
        ("empty", "tls.key", "empty holds no certificate"),
        ("tls.key", "tls.key", "tls.key holds no certificate"),
        ("tls.crt", "empty", "empty holds no private key"),
        ("tls.crt", "tls.crt", "tls.crt holds no private key"),
    ] {
        let refusal = home.refusal(&["--tls-cert", certificate, "--tls-key", key]);
        assert!(refusal.contains(sentence), "{refusal}");
        assert!(!refusal.contains(&one.key_pem()[60..90]), "{refusal}");
    }
    assert!(home.refusal(&["--tls-cert", "tls.crt"]).contains("--tls-cert needs --tls-key"));
    assert!(home.refusal(&["--tls-key", "tls.key"]).contains("--tls-key needs --tls-cert"));
}

#[tokio::test]
async fn a_world_readable_tls_key_is_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let certificate = TestCertificate::new();
    certificate.write(home.0.path());
    for (mode, told) in [(0o644, true), (0o640, false)] {
        std::fs::set_permissions(home.file("tls.key"), std::fs::Permissions::from_mode(mode)).unwrap();
        let server = home.serve(&["--tls-cert", "tls.crt", "--tls-key", "tls.key"]);
        assert!(server.url.starts_with("https://"), "{}", server.url);
        let client = certificate.client().build().unwrap();
        assert_eq!(client.get(format!("{}/health", server.url)).send().await.unwrap().status(), 200);
        assert_eq!(server.log().concat().contains("can read the private key in tls.key"), told);
    }
}
