//! Settings that are accepted or refused, without showing a password.

use lastro_quota::{Settings, SettingsError};

fn shown(url: &str) -> String {
    format!("{:?}", Settings::new(url, None, "lastro").unwrap())
}

#[test]
fn debug_output_shows_the_address_without_a_password() {
    let settings = shown("rediss://user:s3cret@redis.example:6380/2");
    let expected =
        r#"Settings { host: "redis.example", port: 6380, database: 2, tls: true, prefix: "lastro", .. }"#;
    assert_eq!(settings, expected);
    assert!(shown("redis://127.0.0.1").contains("port: 6379, database: 0, tls: false"));
    assert!(shown("rediss://[::1]:6379").contains("tls: true"));
}

#[test]
fn an_invalid_address_is_refused_and_not_repeated() {
    for bad in ["", "s3cret", "http://s3cret@host", "redis://", "redis://:s3cret@host:port", "unix:///s3cret"]
    {
        let error = Settings::new(bad, None, "lastro").unwrap_err();
        assert_eq!(error, SettingsError::Address, "{bad}");
        assert!(!error.to_string().contains("s3cret"));
    }
}

#[test]
fn a_prefix_is_a_plain_word() {
    for bad in ["", "a b", "a{b}", "é", &"x".repeat(65)] {
        assert_eq!(Settings::new("redis://h", None, bad).unwrap_err(), SettingsError::Prefix, "{bad}");
    }
}

#[test]
fn authorities_must_be_certificates_and_need_tls() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let with = |url| Settings::new(url, Some(file.path()), "lastro").unwrap_err();
    assert_eq!(with("redis://h"), SettingsError::NeedlessAuthorities);
    assert!(matches!(with("rediss://h"), SettingsError::Authorities(_)));
}
