//! Validation of receiver URLs.

use lastro_model::text::has_control;

use super::address::is_public;
use super::connector::literal_address;
use super::internal_names::is_internal;

const LONGEST: usize = 2048;

/// Returns the normalised URL, or the reason for rejecting it. A name's addresses are checked at each connection.
pub fn parse(text: &str, allow_private: bool) -> Result<String, &'static str> {
    // URL parsing silently drops some of them.
    if has_control(text) {
        return Err("must not hold control characters");
    }
    let url = reqwest::Url::parse(text).map_err(|_| "must be an absolute https URL")?;
    let open = allow_private && url.scheme() == "http";
    if url.scheme() != "https" && !open {
        return Err("must begin with https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or a password");
    }
    if url.fragment().is_some() {
        return Err("must not hold a fragment");
    }
    if text.len() > LONGEST || url.as_str().len() > LONGEST {
        return Err("must have at most 2048 characters");
    }
    if !allow_private && leads_inside(&url) {
        return Err("must lead to a public address");
    }
    Ok(url.into())
}

/// Whether the host is a private IP literal or an internal name. URL parsing has normalised both.
fn leads_inside(url: &reqwest::Url) -> bool {
    match literal_address(url) {
        Some(address) => !is_public(address),
        None => url.host_str().is_none_or(is_internal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn urls_are_normalised() {
        assert_eq!(
            parse("HTTPS://Example.COM:443/a b?q=ç", false).unwrap(),
            "https://example.com/a%20b?q=%C3%A7"
        );
        assert_eq!(parse("https://1.1.1.1:8443", false).unwrap(), "https://1.1.1.1:8443/");
        assert_eq!(parse("https://bücher.example/", false).unwrap(), "https://xn--bcher-kva.example/");
        assert_eq!(parse("http://10.0.0.1/", true).unwrap(), "http://10.0.0.1/");
    }

    #[test]
    fn invalid_receiver_urls_are_rejected() {
        let long = format!("https://example.com/{}", "x".repeat(2048));
        for (bad, sentence) in [
            ("", "absolute"),
            ("example.com", "absolute"),
            ("/hook", "absolute"),
            ("https://", "absolute"),
            ("https://a b/", "absolute"),
            ("http://example.com/", "https"),
            ("ftp://example.com/", "https"),
            ("file:///etc/passwd", "https"),
            ("javascript:alert(1)", "https"),
            ("data:,x", "https"),
            ("https://user@example.com/", "user"),
            ("https://:secret@example.com/", "user"),
            ("https://example.com/#top", "fragment"),
            (&long, "2048"),
            ("https://127.0.0.1/", "public"),
            ("https://0x7f.1/", "public"),
            ("https://2130706433/", "public"),
            ("https://0177.0.0.1/", "public"),
            ("https://[::1]/", "public"),
            ("https://[::ffff:10.0.0.1]/", "public"),
            ("https://169.254.169.254/latest/meta-data", "public"),
            ("https://localhost/", "public"),
            ("https://LocalHost:8443/", "public"),
            ("https://localhost./", "public"),
            ("https://%6cocalhost/", "public"),
            ("https://ｌｏｃａｌｈｏｓｔ/", "public"),
            ("https://api。internal/", "public"),
            ("https://printer．local./", "public"),
            ("https://metadata.google.internal/", "public"),
            ("https://intranet/", "public"),
            ("https://nas.home.arpa/", "public"),
            ("https://kubernetes.default.svc/", "public"),
            ("https://exam\nple.com/", "control"),
            ("https://example.com/\u{202e}", "control"),
        ] {
            let refusal = parse(bad, false).unwrap_err();
            assert!(refusal.contains(sentence), "{bad}: {refusal}");
        }
        for good in ["http://localhost:8080/hook", "https://printer.local/", "http://db/"] {
            assert!(parse(good, true).is_ok(), "{good}");
        }
        for bad in ["ftp://10.0.0.1/", "file:///etc/passwd", "http://u:p@10.0.0.1/"] {
            assert!(parse(bad, true).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn normalised_urls_are_accepted_unchanged(text in "https?://[ -~]{0,30}", allow_private: bool) {
            if let Ok(url) = parse(&text, allow_private) {
                prop_assert_eq!(parse(&url, allow_private), Ok(url));
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = parse(&text, false);
        }
    }
}
