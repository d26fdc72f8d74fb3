//! The host of a request. Any host is accepted, but an ambiguous one is not: a proxy in front of us may have read the
//! other one.

use http::{HeaderValue, Version, header, request};

use crate::error::ApiError;

/// The longest host name with a port: pages repeat the requested host.
const LONGEST: usize = 253 + 6;

/// Requires exactly one host: in `Host`, which HTTP/1.0 may omit, or over HTTP/2 in the target.
pub fn check(head: &request::Parts) -> Result<(), ApiError> {
    let mut lines = head.headers.get_all(header::HOST).iter().map(HeaderValue::as_bytes);
    let (host, another) = (lines.next(), lines.next());
    let target = (head.version == Version::HTTP_2)
        .then(|| head.uri.authority().map(|authority| authority.as_str().as_bytes()))
        .flatten();
    let told_once = match (host, target) {
        (Some(host), None) => is_host(host),
        (None, Some(target)) => is_host(target),
        (Some(host), Some(target)) => is_host(host) && host.eq_ignore_ascii_case(target),
        (None, None) => head.version < Version::HTTP_11,
    };
    if told_once && another.is_none() {
        return Ok(());
    }
    Err(ApiError::BadRequest("a request names its host once, as `Host: name` or `Host: name:port`".into()))
}

/// Whether this is a name or an address, with an optional port.
fn is_host(text: &[u8]) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let (name, port) = match text.strip_prefix(b"[").map(|rest| split_before(rest, b']')) {
        Some((address, [b']', port @ ..])) => {
            return is_made_of(address, |byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
                && is_port(port);
        }
        Some(_) => return false,
        None => split_before(text, b':'),
    };
    // The URI grammar allows more characters; host names do not.
    is_made_of(name, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        && is_port(port)
}

fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.len() <= 5 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn is_made_of(text: &[u8], allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.iter().all(|byte| allowed(*byte))
}

/// Splits before the first such byte.
fn split_before(text: &[u8], byte: u8) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|other| *other == byte).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_or_addresses_with_or_without_a_port() {
        for host in [
            "x",
            "example.com",
            "EXAMPLE.com:8080",
            "127.0.0.1",
            "127.0.0.1:80",
            "[::1]",
            "[::ffff:1.2.3.4]:443",
            "a_b-c.example.",
            "xn--bcher-kva.example",
            "x:",
        ] {
            assert!(is_host(host.as_bytes()), "{host}");
        }
        for bad in [
            "",
            " ",
            ":80",
            "a b",
            "a,b",
            "a/b",
            "http://a",
            "user@a",
            "a:b",
            "a:80:80",
            "a:123456",
            "[::1",
            "::1",
            "[]",
            "[::1]x",
            "[::1]:x",
            "a?b",
            "a#b",
            "caf\u{e9}",
            "a\tb",
            "a\\b",
            "<a>",
        ] {
            assert!(!is_host(bad.as_bytes()), "{bad}");
        }
        assert!(is_host("a".repeat(253).as_bytes()) && !is_host("a".repeat(260).as_bytes()));
    }
}
