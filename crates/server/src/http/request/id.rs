//! The id that a trusted proxy has given a request.

use http::header::{HeaderMap, HeaderName};

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is kept. Those of the usual proxies have 16 to 80 letters.
const LONGEST: usize = 128;

/// The id in the headers of a trusted proxy, if it sent exactly one and it is well-formed.
pub fn given(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(X_REQUEST_ID).iter();
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    line.to_str().ok().filter(|id| is_id(id))
}

/// Letters, digits and the signs of the ids that proxies make; nothing that could look like another part of a log line.
fn is_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@~".contains(&byte);
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_usual_proxies_are_kept() {
        for id in [
            "7b3c1a0e9f5d4b6c8a2e1f0d3c4b5a69",
            "0af76519-16cd-43dd-8448-eb211c80319c",
            "C0A80001:D6A4_7F000001:1F90_65B2C3D4_0001:0A2F",
            "Root=1-67891233-abcdef012345678912345678",
        ] {
            assert!(is_id(id), "{id}");
        }
        for id in ["", "a b", "a\"b", "a,b", "ä", &"a".repeat(129)] {
            assert!(!is_id(id), "{id}");
        }
    }
}
