//! Signals that do not stop a server: SIGHUP reads the settings again, SIGUSR1 and SIGUSR2 log its state.

use super::{Home, Running};

#[tokio::test]
async fn a_hangup_applies_the_settings_that_can_change() {
    let home = Home::new();
    let settings = |log: &str, more: &str| {
        std::fs::write(home.file("lastro.toml"), format!("log = \"{log}\"\n{more}\n")).unwrap();
    };
    settings("warn", "");
    let mut command =
        home.command(&["--listen", "127.0.0.1:0", "--admin-listen", "off", "--config", "lastro.toml"]);
    // The first log line with the address is an `info`.
    command.env("LASTRO_LOG", "info");
    let server = Running::of(command);
    settings("info", "trusted-proxies = \"127.0.0.1\"\nkey-cache = 99");
    server.signal("HUP");
    server.says("these settings changed and take effect at the next start: key-cache");
    let forwarded = async || {
        let request = super::client().get(format!("{}/health", server.url));
        let sent = request.header("x-forwarded-for", "203.0.113.7").send().await.unwrap();
        sent.headers()["x-ratelimit-remaining"].to_str().unwrap().to_owned()
    };
    let first = forwarded().await;
    let (status, _) = server.get("/health", None).await;
    assert_eq!(status, 200);
    assert_ne!(forwarded().await, first, "the forwarded address has its own quota");
    settings("info", "trusted-proxies = \"nonsense\"");
    server.signal("HUP");
    server.says("the settings cannot be used; nothing was changed");
    assert_eq!(server.get("/health", None).await.0, 200);
}

/// A setting that waits for the next start must not prevent it.
#[tokio::test]
async fn a_hangup_refuses_settings_that_no_start_accepts() {
    let home = Home::new();
    std::fs::write(home.file("lastro.toml"), "").unwrap();
    let server = home.serve(&["--config", "lastro.toml"]);
    for (wrong, named) in [
        ("redis = \"http://host\"", "--redis"),
        ("tls-cert = \"tls.crt\"", "--tls-cert needs --tls-key"),
        ("stripe-prices = \"gold=price_1\"", "payments through Stripe need --stripe-key-file"),
    ] {
        std::fs::write(home.file("lastro.toml"), wrong).unwrap();
        server.signal("HUP");
        server.says(named);
    }
    let refusals = server.log().concat().matches("the settings cannot be used; nothing was changed").count();
    assert_eq!(refusals, 3);
    assert_eq!(server.get("/health", None).await.0, 200);
}

#[tokio::test]
async fn a_hangup_changes_what_is_logged() {
    let home = Home::new();
    std::fs::write(home.file("lastro.toml"), "").unwrap();
    let server = home.serve(&["--config", "lastro.toml"]);
    assert_eq!(server.get("/health", None).await.0, 200);
    std::fs::write(home.file("lastro.toml"), "log = \"info,lastro::access=debug\"").unwrap();
    server.signal("HUP");
    server.says("the settings were read again");
    assert!(!server.log().concat().contains("answered"), "a request is a line for debugging");
    assert_eq!(server.get("/health", None).await.0, 200);
    server.says("answered");
}

#[test]
fn user_signals_log_the_state_and_stop_nothing() {
    let home = Home::new();
    let server = home.serve(&[]);
    for name in ["USR1", "USR2"] {
        server.signal(name);
    }
    server.says("state: ready");
    server.terminate();
    assert!(server.ended().0.success());
}
