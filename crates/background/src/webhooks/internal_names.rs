//! Names that can only be internal: nobody on the internet can own them, so no customer's receiver has one.
//!
//! A name that is not listed may still resolve to a private address; the connector checks that at each connection.
//! Names that never resolve (`.invalid`, `.example`) are harmless.

/// Internal zones, each with its use. A name that ends in one of them is internal.
const INTERNAL: [(&str, &str); 15] = [
    ("localhost", "this machine (RFC 6761)"),
    ("localdomain", "this machine, in many hosts files"),
    ("local", "the local link, by multicast (RFC 6762)"),
    ("internal", "private networks (reserved by ICANN), cloud metadata"),
    ("intranet", "private networks (RFC 6762, appendix G)"),
    ("private", "private networks (RFC 6762, appendix G)"),
    ("corp", "private networks (RFC 6762, appendix G)"),
    ("home", "private networks (RFC 6762, appendix G)"),
    ("lan", "private networks (RFC 6762, appendix G)"),
    ("home.arpa", "home networks (RFC 8375)"),
    ("in-addr.arpa", "addresses turned round, no hosts (RFC 1035)"),
    ("ip6.arpa", "addresses turned round, no hosts (RFC 3596)"),
    ("test", "tests inside a network (RFC 6761)"),
    ("onion", "a network of its own, not the internet's names (RFC 7686)"),
    ("svc", "services inside a cluster"),
];

/// Whether a host from a parsed URL can only be internal. A name of one label resolves among the machine's own names,
/// so it is internal. A trailing dot changes nothing.
pub fn is_internal(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    !name.contains('.') || INTERNAL.iter().any(|(zone, _)| is_within(name, zone))
}

fn is_within(name: &str, zone: &str) -> bool {
    let Some(start) = name.len().checked_sub(zone.len()) else { return false };
    let ends_so = name.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(zone));
    ends_so && (start == 0 || name[..start].ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_zone_is_internal_with_all_its_names() {
        for (zone, _) in INTERNAL {
            for name in [zone.to_owned(), format!("{zone}."), format!("a.{zone}"), format!("a.B.{zone}..")] {
                assert!(is_internal(&name) && is_internal(&name.to_uppercase()), "{name}");
            }
            assert!(!is_internal(&format!("{zone}.example.com")), "{zone} is not the end");
            assert!(!is_internal(&format!("www.not-{zone}")), "a label that ends alike");
        }
    }

    #[test]
    fn a_name_of_one_label_is_internal() {
        for name in ["db", "router.", "com", "", "."] {
            assert!(is_internal(name), "{name}");
        }
    }

    #[test]
    fn names_of_the_internet_are_open() {
        for name in
            ["example.com", "hooks.example.com.br", "a.b.c.dev", "localhost.example.com", "mylocal.net"]
        {
            assert!(!is_internal(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_panics(name in ".{0,40}") {
            is_internal(&name);
        }
    }
}
