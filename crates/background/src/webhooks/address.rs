//! Public addresses: the only ones that webhooks may be delivered to.
//!
//! The tables follow IANA's registries of special-purpose addresses. In IPv6 only global unicast is open. This closes
//! unassigned ranges and every form that embeds an IPv4 address without listing them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const CLOSED_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // carriers' NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // former 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, broadcast
];

const OPEN_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

const CLOSED_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments: Teredo, benchmarking, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: an IPv4 address inside
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !CLOSED_V4.iter().any(|network| holds_v4(*network, address)),
        IpAddr::V6(address) => {
            holds_v6(OPEN_V6, address) && !CLOSED_V6.iter().any(|network| holds_v6(*network, address))
        }
    }
}

fn holds_v4((network, bits): (Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    (network.to_bits() ^ address.to_bits()) >> (32 - bits) == 0
}

fn holds_v6((network, bits): (Ipv6Addr, u32), address: Ipv6Addr) -> bool {
    (network.to_bits() ^ address.to_bits()) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn addresses_with_a_special_purpose_are_closed() {
        for address in [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",      // IPv4-compatible
            "::ffff:127.0.0.1", // IPv4-mapped
            "::ffff:10.1.2.3",
            "::ffff:a9fe:a9fe",
            "::ffff:0:127.0.0.1", // translated
            "64:ff9b::7f00:1",    // NAT64
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",     // discard
            "2001::1",    // Teredo
            "2001:2::1",  // benchmarking
            "2001:10::1", // ORCHID
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::", // 6to4
            "2002:808:808::1",
            "3fff::1",
            "5f00::1", // segment routing
            "fc00::1", // unique local
            "fd12:3456:789a::1",
            "fe80::1", // link-local
            "fec0::1", // site-local
            "ff02::1", // multicast
            "4000::1", // not assigned
        ] {
            assert!(!public(address), "{address}");
        }
    }

    #[test]
    fn addresses_of_the_internet_are_open() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00:1450:4001:80b::200e",
        ] {
            assert!(public(address), "{address}");
        }
    }

    proptest! {
        /// Compares with the special ranges that the standard library covers.
        #[test]
        fn addresses_special_in_the_standard_library_are_closed(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private() || address.is_loopback() || address.is_link_local()
                || address.is_multicast() || address.is_broadcast() || address.is_documentation()
                || address.is_unspecified();
            prop_assert!(!special || !is_public(address.into()));
            prop_assert_eq!(is_public(address.into()), is_public(address.to_ipv6_mapped().into()));
        }
    }
}
