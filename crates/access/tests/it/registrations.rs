use std::net::{IpAddr, Ipv4Addr};

use lastro_access::{ClientAddr, RegistrationLimits, RegistrationRefusal, Registrations};
use proptest::prelude::*;

use crate::SECOND;

const HOUR: u64 = 3600 * SECOND;

fn client(network: u32, host: u32) -> ClientAddr {
    IpAddr::from(Ipv4Addr::from_bits((network << 8) + host)).into()
}

fn at(address: &str) -> ClientAddr {
    address.parse::<IpAddr>().unwrap().into()
}

fn registrations() -> Registrations {
    Registrations::new(RegistrationLimits::USUAL, 100_000)
}

#[test]
fn an_address_has_thirty_an_hour_and_a_network_three_hundred() {
    let registrations = registrations();
    for host in 0..10 {
        for _ in 0..30 {
            registrations.take(client(1, host), 0).unwrap();
        }
        let refused = registrations.take(client(1, host), SECOND);
        assert_eq!(refused, Err(RegistrationRefusal::Address { retry_after_seconds: 3599 }));
    }
    let refused = registrations.take(client(1, 99), SECOND);
    assert_eq!(refused, Err(RegistrationRefusal::Network { retry_after_seconds: 3599 }));
    assert_eq!(registrations.take(client(1, 99), HOUR), Ok(()), "who waits as told is let in");
}

#[test]
fn ipv6_addresses_count_by_64_bits_and_networks_by_48() {
    let registrations = registrations();
    // Thirty from one /64, each from another address of it.
    for host in 0..30 {
        registrations.take(at(&format!("2001:db8:1:2::{host:x}")), 0).unwrap();
    }
    let refused = registrations.take(at("2001:db8:1:2:ffff:ffff:ffff:ffff"), SECOND);
    assert_eq!(refused, Err(RegistrationRefusal::Address { retry_after_seconds: 3599 }));
    // The other 270 of its /48, each from another /64.
    for subnet in 0x100..0x100 + 270 {
        registrations.take(at(&format!("2001:db8:1:{subnet:x}::1")), 0).unwrap();
    }
    let refused = registrations.take(at("2001:db8:1:ffff::1"), SECOND);
    assert_eq!(refused, Err(RegistrationRefusal::Network { retry_after_seconds: 3599 }));
    assert_eq!(registrations.take(at("2001:db8:2:2::1"), SECOND), Ok(()), "another /48");
}

#[test]
fn mapped_addresses_are_counted_with_their_ipv4() {
    let registrations = registrations();
    for number in 0..30 {
        let notation = ["192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207"][number % 3];
        registrations.take(at(notation), 0).unwrap();
    }
    let refused = registrations.take(at("::ffff:192.0.2.7"), SECOND);
    assert_eq!(refused, Err(RegistrationRefusal::Address { retry_after_seconds: 3599 }));
    // Cut to 64 bits, all of IPv4 would be one client.
    assert_eq!(registrations.take(at("::ffff:192.0.2.8"), SECOND), Ok(()));
}

#[test]
fn half_of_the_burst_is_reserved_for_new_networks() {
    let registrations = registrations();
    // A flood from two networks gets half of the burst, of which the first registration of each is a newcomer's.
    let flood: Vec<_> =
        (0..600).map(|number| registrations.take(client(1 + number % 2, number / 20), 0)).collect();
    assert_eq!(flood.iter().filter(|taken| taken.is_ok()).count(), 300);
    assert_eq!(flood[599], Err(RegistrationRefusal::InAll { retry_after_seconds: 1 }));
    for network in 0..300 {
        assert_eq!(registrations.take(client(100 + network, 1), 0), Ok(()), "newcomer {network}");
    }
    // The bucket is empty: a newcomer waits for seconds, the flood until the newcomers' half is full again.
    let refused = registrations.take(client(900, 1), 0);
    assert_eq!(refused, Err(RegistrationRefusal::InAll { retry_after_seconds: 1 }));
    let refused = registrations.take(client(1, 255), 0);
    assert_eq!(refused, Err(RegistrationRefusal::InAll { retry_after_seconds: 301 }));
    assert_eq!(registrations.take(client(900, 1), SECOND), Ok(()));
}

#[test]
fn refused_or_returned_registrations_cost_nothing() {
    let limits = RegistrationLimits { burst: 1, ..RegistrationLimits::USUAL };
    let registrations = Registrations::new(limits, 1000);
    registrations.take(client(1, 1), 0).unwrap();
    for _ in 0..1000 {
        assert!(registrations.take(client(2, 1), 0).is_err());
    }
    registrations.give_back(client(1, 1), 0);
    registrations.take(client(2, 1), 0).unwrap();
}

proptest! {
    /// In any span of time there are at most the burst and one a second, in any pattern of arrival.
    #[test]
    fn in_all_the_average_holds(steps in prop::collection::vec((0u64..3_000, 0u32..500, 0u32..4), 1..600)) {
        let registrations = registrations();
        let (mut now, mut admitted) = (0, 0u64);
        for (milliseconds, network, host) in steps {
            now += milliseconds * 1_000_000;
            admitted += u64::from(registrations.take(client(network, host), now).is_ok());
            prop_assert!(admitted <= 600 + now / SECOND);
        }
    }
}
