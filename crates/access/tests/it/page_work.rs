use std::net::{IpAddr, Ipv4Addr};

use lastro_access::{ClientAddr, PageWork, PageWorkRefusal};

use crate::SECOND;

const UNIT: usize = 16 * 1024;

fn client(bits: u32) -> ClientAddr {
    IpAddr::from(Ipv4Addr::from_bits(bits)).into()
}

fn refused(work: &PageWork, client: ClientAddr, now_ns: u64) -> u64 {
    match work.check(client, now_ns) {
        Err(PageWorkRefusal::TooMuch(verdict)) => verdict.retry_after_seconds(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_address_is_refused_until_its_work_is_a_minute_old() {
    let work = PageWork::new(1000);
    work.charge(client(1), 400 * UNIT, 0);
    work.charge(client(1), 599 * UNIT, 2 * SECOND);
    assert_eq!(work.check(client(1), 4 * SECOND), Ok(()), "one unit is left");
    work.charge(client(1), 300 * UNIT, 4 * SECOND);
    assert_eq!(refused(&work, client(1), 10 * SECOND), 50, "the last page exceeded it");
    assert_eq!(work.check(client(2), 10 * SECOND), Ok(()), "a neighbour has its own");
    assert_eq!(work.check(client(1), 60 * SECOND), Ok(()), "who waits as told is let in");
}

/// Work beyond the limit is counted: the first unit that expires does not admit another page.
#[test]
fn work_beyond_the_limit_counts() {
    let work = PageWork::new(1000);
    work.charge(client(1), UNIT, 0);
    work.charge(client(1), 1500 * UNIT, 10 * SECOND);
    assert_eq!(refused(&work, client(1), 60 * SECOND), 10, "one of 1,501 units has left the minute");
    for _ in 0..3 {
        work.charge(client(7 << 8), 400 * UNIT, 80 * SECOND);
    }
    let newcomer = client(99 << 8);
    assert_eq!(work.check(newcomer, 81 * SECOND - 1), Err(PageWorkRefusal::Busy));
    assert_eq!(work.check(newcomer, 81 * SECOND), Ok(()));
}

#[test]
fn a_network_has_four_times_what_an_address_has() {
    let work = PageWork::new(1000);
    for host in 0..8 {
        work.charge(client(0x0a00_0000 + host), 500 * UNIT, u64::from(host) * 2 * SECOND);
    }
    assert_eq!(refused(&work, client(0x0a00_00ff), 20 * SECOND), 40);
    assert_eq!(work.check(client(0x0a00_0100), 20 * SECOND), Ok(()), "another network");
}

#[test]
fn everybody_together_has_a_share_of_each_second() {
    let work = PageWork::new(1000);
    for number in 0..50 {
        assert!(work.take(client(number << 8), 10 * UNIT, 0));
    }
    assert_eq!(work.check(client(99 << 8), SECOND - 1), Err(PageWorkRefusal::Busy));
    assert!(!work.take(client(99 << 8), UNIT, SECOND - 1));
    assert!(work.take(client(99 << 8), UNIT, SECOND));
}

#[test]
fn half_of_each_second_is_reserved_for_light_networks() {
    let work = PageWork::new(1000);
    let (busy, newcomer) = (client(1), client(1 << 8));
    work.charge(busy, 400 * UNIT, 0);
    assert!(work.take(busy, 250 * UNIT, 10 * SECOND));
    assert_eq!(work.check(busy, 10 * SECOND), Err(PageWorkRefusal::Busy));
    assert!(work.take(newcomer, 250 * UNIT, 10 * SECOND));
    assert_eq!(work.check(newcomer, 10 * SECOND), Err(PageWorkRefusal::Busy));
    assert!(work.take(busy, UNIT, 11 * SECOND));
}

#[test]
fn a_flood_of_addresses_shares_what_networks_have() {
    let work = PageWork::new(4);
    for number in 0..4 {
        work.charge(client(number), 1, 0);
    }
    // A client without a ring of its own shares its network's, with the work counted there.
    for number in 0..10 {
        work.charge(client(0x0b00_0000 + number), 100 * UNIT, u64::from(number) * SECOND);
    }
    refused(&work, client(0x0b00_00ff), 12 * SECOND);
}
