use std::net::IpAddr;

use lastro_access::{ClientAddr, TrustedProxies};
use proptest::prelude::*;

const PROXY: &str = "10.0.0.1";

fn client(trusted: &str, peer: &str, lines: &[&str]) -> String {
    let trusted = TrustedProxies::parse(trusted).unwrap();
    trusted.client(peer.parse().unwrap(), lines.iter().map(|line| line.as_bytes())).to_string()
}

#[test]
fn an_untrusted_peer_is_the_client_whatever_it_writes() {
    assert_eq!(client("", "203.0.113.7", &["198.51.100.1"]), "203.0.113.7");
    assert_eq!(client("10.0.0.0/8", "203.0.113.7", &["198.51.100.1", "10.0.0.2"]), "203.0.113.7");
}

#[test]
fn the_rightmost_untrusted_address_is_the_client() {
    let table: &[(&[&str], &str)] = &[
        (&[], PROXY),
        (&["198.51.100.1"], "198.51.100.1"),
        // The client wrote the left part; the proxy appended the address of its peer.
        (&["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        (&["1.1.1.1, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),
        // Several header lines form one list, in order.
        (&["1.1.1.1", "198.51.100.1"], "198.51.100.1"),
        (&["1.1.1.1,198.51.100.1", "10.2.3.4, 10.2.3.5"], "198.51.100.1"),
        // All entries are trusted: the farthest proxy is the client.
        (&["10.1.1.1", "10.2.2.2"], "10.1.1.1"),
    ];
    for (lines, expected) in table {
        assert_eq!(client("10.0.0.0/8", PROXY, lines), *expected, "{lines:?}");
    }
}

#[test]
fn nothing_left_of_garbage_is_believed() {
    let table: &[(&[&str], &str)] = &[
        (&["198.51.100.1, unknown"], PROXY),
        (&["198.51.100.1, unknown, 10.3.3.3"], "10.3.3.3"),
        (&["198.51.100.1, "], PROXY),
        (&["198.51.100.1", ""], PROXY),
        (&["198.51.100.1, unix:"], PROXY),
        (&["198.51.100.1, 1.2.3.4:99999"], PROXY),
        (&["198.51.100.1, 1.2.3.4:"], PROXY),
        (&["198.51.100.1, [1.2.3.4]"], PROXY),
        (&["198.51.100.1, 010.0.0.1"], PROXY),
        (&["unknown, 198.51.100.1"], "198.51.100.1"),
    ];
    for (lines, expected) in table {
        assert_eq!(client("10.0.0.0/8", PROXY, lines), *expected, "{lines:?}");
    }
    let trusted = TrustedProxies::parse(PROXY).unwrap();
    let peer = PROXY.parse().unwrap();
    let bytes: [&[u8]; 1] = [b"198.51.100.1, \xff\xfe"];
    assert_eq!(trusted.client(peer, bytes.into_iter()).to_string(), PROXY);
}

#[test]
fn entries_may_carry_ports_brackets_and_spaces() {
    let table = [
        ("198.51.100.1:4711", "198.51.100.1"),
        ("\t 198.51.100.1 ", "198.51.100.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:3::4]", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:3::4]:4711", "2001:db8:1:2::/64"),
    ];
    for (entry, expected) in table {
        assert_eq!(client(PROXY, PROXY, &[entry]), expected, "{entry}");
    }
}

#[test]
fn mapped_addresses_are_ipv4_everywhere() {
    assert_eq!(client("10.0.0.0/8", "::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
    assert_eq!(client("::ffff:10.0.0.0/104", PROXY, &["198.51.100.1"]), "198.51.100.1");
    assert_eq!(client("::ffff:10.0.0.1", PROXY, &["198.51.100.1"]), "198.51.100.1");
    assert_eq!(client(PROXY, PROXY, &["::ffff:198.51.100.1"]), "198.51.100.1");
    assert_eq!(client(PROXY, PROXY, &["[::ffff:198.51.100.1]:80"]), "198.51.100.1");
    assert_eq!(client("", "::ffff:203.0.113.7", &[]), "203.0.113.7");
    assert_ne!(client("", "::ffff:203.0.113.7", &[]), client("", "::ffff:203.0.113.8", &[]));
}

#[test]
fn ipv6_clients_are_grouped_by_64_bits() {
    let addr = |text: &str| ClientAddr::from(text.parse::<IpAddr>().unwrap());
    assert_eq!(addr("2001:db8:1:2::1"), addr("2001:db8:1:2:ffff::9"));
    assert_ne!(addr("2001:db8:1:2::1"), addr("2001:db8:1:3::1"));
    assert_ne!(addr("203.0.113.7"), addr("203.0.113.8"));
}

#[test]
fn a_list_of_proxies_is_read_or_refused_with_its_fault() {
    for good in ["", " ", "10.0.0.1", "10.0.0.0/8, ::1,fd00::/8 ,", "0.0.0.0/0"] {
        assert!(TrustedProxies::parse(good).is_ok(), "{good}");
    }
    for bad in ["10.0.0.0/33", "localhost", "10.0.0", "10.0.0.0/8;::1", "::1/129"] {
        assert!(TrustedProxies::parse(bad).unwrap_err().contains(bad), "{bad}");
    }
}

proptest! {
    /// No header of a client can change the address that its proxy appended.
    #[test]
    fn a_client_cannot_choose_its_address(forged in prop::collection::vec("[0-9a-f.:, \\[\\]x]{0,40}", 0..4), own: [u8; 4]) {
        let own = IpAddr::from(own);
        prop_assume!(own.to_string() != PROXY);
        let appended = forged.last().map_or(own.to_string(), |line| format!("{line}, {own}"));
        let lines: Vec<&str> = forged.iter().rev().skip(1).rev().map(String::as_str).chain([&*appended]).collect();
        prop_assert_eq!(client(PROXY, PROXY, &lines), own.to_string());
    }

    #[test]
    fn no_header_panics(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..4)) {
        let trusted = TrustedProxies::parse("0.0.0.0/0, ::/0").unwrap();
        let _ = trusted.client(PROXY.parse().unwrap(), lines.iter().map(Vec::as_slice));
    }

    #[test]
    fn no_list_of_proxies_panics(text in ".{0,40}") {
        let _ = TrustedProxies::parse(&text);
    }
}
