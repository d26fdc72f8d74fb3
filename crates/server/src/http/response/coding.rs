//! Negotiation of content codings.

use http::HeaderMap;
use http::header::ACCEPT_ENCODING;
use lastro_encoding::Coding;

use crate::http::request::accept::{self, weight};

/// The supported coding that the client prefers; `None` is the plain body.
pub fn negotiate(headers: &HeaderMap) -> Option<Coding> {
    if !headers.contains_key(ACCEPT_ENCODING) {
        return None;
    }
    let mut best = None;
    for coding in Coding::ALL {
        let weight = weight_of(headers, coding.name());
        if weight > best.map_or(0, |(weight, _)| weight) {
            best = Some((weight, coding));
        }
    }
    best.map(|(_, coding)| coding)
}

/// The client's weight for a coding in thousandths; its own name has precedence over `*`.
fn weight_of(headers: &HeaderMap, name: &str) -> u32 {
    let mut by_star = 0;
    for (coding, parameters) in accept::items(headers, ACCEPT_ENCODING) {
        if coding.eq_ignore_ascii_case(name) {
            return weight(parameters);
        }
        if coding == "*" {
            by_star = weight(parameters);
        }
    }
    by_star
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_preference_wins_and_ours_breaks_ties() {
        for (value, chosen) in [
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("gzip;q=1.0, br;q=0.5", Some(Coding::Gzip)),
            ("br", Some(Coding::Brotli)),
            ("*", Some(Coding::Zstd)),
            ("gzip, deflate, br", Some(Coding::Gzip)),
            ("zstd;q=0, *;q=0.1", Some(Coding::Gzip)),
            ("identity", None),
            ("gzip;q=0", None),
            ("gzip;Q=0", None),
            ("gzip; Q=0.2, br;q=0.3", Some(Coding::Brotli)),
            ("gzip;q=nonsense", None),
            ("", None),
        ] {
            assert_eq!(
                negotiate(&HeaderMap::from_iter([(ACCEPT_ENCODING, http::HeaderValue::from_static(value))])),
                chosen,
                "{value}"
            );
        }
    }
}
