use std::net::{IpAddr, Ipv4Addr};

use lastro_access::{ClientAddr, LookupRefusal, Lookups};

use crate::SECOND;

fn client(bits: u32) -> ClientAddr {
    IpAddr::from(Ipv4Addr::from_bits(bits)).into()
}

fn refused(lookups: &Lookups, client: ClientAddr, now_ns: u64) -> u64 {
    match lookups.begin(client, now_ns) {
        Err(LookupRefusal::TooMany(verdict)) => verdict.retry_after_seconds(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn address_may_miss_sixty_times_a_minute() {
    let lookups = Lookups::new(1000);
    for _ in 0..60 {
        drop(lookups.begin(client(1), 0).unwrap());
    }
    assert_eq!(refused(&lookups, client(1), 10 * SECOND), 50);
    assert!(lookups.begin(client(2), 10 * SECOND).is_ok(), "a neighbour has its own");
    assert!(lookups.begin(client(1), 60 * SECOND).is_ok(), "who waits as told is let in");
}

#[test]
fn network_may_miss_six_hundred_times_a_minute() {
    let lookups = Lookups::new(1000);
    for host in 0..20 {
        for _ in 0..30 {
            drop(lookups.begin(client(0x0a00_0000 + host), 0).unwrap());
        }
    }
    assert_eq!(refused(&lookups, client(0x0a00_00ff), SECOND), 59);
    assert!(lookups.begin(client(0x0a00_0100), SECOND).is_ok(), "another network");
}

#[test]
fn lookup_that_finds_its_key_is_free() {
    let lookups = Lookups::new(1000);
    for _ in 0..10_000 {
        lookups.begin(client(1), 0).unwrap().costs_nothing();
    }
    for _ in 0..60 {
        drop(lookups.begin(client(1), 0).unwrap());
    }
    refused(&lookups, client(1), 0);
}

#[test]
fn at_most_64_lookups_run_at_once() {
    let lookups = Lookups::new(1000);
    let mut under_way: Vec<_> =
        (0..64).map(|number| lookups.begin(client(number << 8), 0).unwrap()).collect();
    assert!(matches!(lookups.begin(client(99 << 8), 0), Err(LookupRefusal::Busy)));
    under_way.pop();
    // A rejected lookup keeps no place.
    for _ in 0..60 {
        drop(lookups.begin(client(98 << 8), 0).unwrap());
    }
    refused(&lookups, client(98 << 8), 0);
    assert!(lookups.begin(client(99 << 8), 0).is_ok());
}
