use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU32, Ordering};

use lastro_access::{AddressRings, ClientAddr};
use proptest::prelude::*;

use crate::{MINUTE, SECOND};

const LIMIT: u32 = 30;

fn v4(bits: u32) -> ClientAddr {
    IpAddr::from(Ipv4Addr::from_bits(bits)).into()
}

/// The /64 with this number, so that numbers 65,536 apart have different /48s.
fn v6(number: u64) -> ClientAddr {
    IpAddr::from(Ipv6Addr::from_bits(u128::from(0x2001_0db8_0000_0000 + number) << 64)).into()
}

fn admitted(rings: &AddressRings, clients: impl Iterator<Item = ClientAddr>, now: u64) -> usize {
    clients.filter(|client| rings.take(*client, LIMIT, now).admitted).count()
}

#[test]
fn each_address_has_its_own_quota() {
    let rings = AddressRings::new(MINUTE, 100);
    for client in [v4(1), v4(2), v6(1), v6(2)] {
        assert_eq!(admitted(&rings, std::iter::repeat_n(client, 40), 0), 30);
    }
    assert_eq!(rings.len(), 4);
}

#[test]
fn peek_holds_no_ring() {
    let rings = AddressRings::new(MINUTE, 100);
    let verdict = rings.peek(v4(1), LIMIT, 0);
    assert_eq!((verdict.admitted, verdict.remaining, verdict.next_ns, verdict.full_ns), (true, 30, 0, 0));
    assert!(rings.is_empty());
    rings.take(v4(1), LIMIT, 0);
    assert_eq!(rings.peek(v4(1), LIMIT, 0).remaining, 29);
    assert_eq!(rings.peek(v4(1), LIMIT, 0).remaining, 29);
}

#[test]
fn million_addresses_stay_within_memory_and_limit() {
    let capacity = 1000;
    let rings = AddressRings::new(MINUTE, capacity);
    let mut passed = 0;
    for number in 0..500_000u32 {
        let now = u64::from(number) * 1000;
        // 1,953 IPv4 networks, and as many IPv6 networks as addresses.
        passed += u32::from(rings.take(v4(number), LIMIT, now).admitted);
        passed += u32::from(rings.take(v6(u64::from(number) << 16), LIMIT, now).admitted);
        assert!(rings.len() <= 2 * capacity);
    }
    // One each for the first thousand addresses, then the quotas of a thousand networks, then that of the last ring.
    assert!(passed <= (capacity + capacity * 30 + 30) as u32, "{passed} passed");
    assert!(passed >= capacity as u32);
    assert!(!rings.peek(v6(77), LIMIT, SECOND).admitted);
    rings.sweep(2 * MINUTE);
    assert!(rings.is_empty());
    assert_eq!(rings.peek(v6(77), LIMIT, 2 * MINUTE).remaining, 30);
}

#[test]
fn addresses_beyond_capacity_share_network_then_last_ring() {
    let rings = AddressRings::new(MINUTE, 1);
    rings.take(v4(0), LIMIT, 0);
    let neighbours = (0..60).map(|host| v4(0x0a00_0000 + host));
    assert_eq!(admitted(&rings, neighbours, 0), 30, "one network, one quota");
    let strangers = (0..60).map(|network| v4(0x0b00_0000 + (network << 8)));
    assert_eq!(admitted(&rings, strangers, 0), 30, "all others, one quota");
    assert_eq!(admitted(&rings, (0..60).map(|n| v6(n << 16)), 0), 0);
    assert_eq!(rings.take(v4(0), LIMIT, 0).remaining, 28, "who was there before keeps its own");
    assert_eq!(rings.len(), 2);
}

#[test]
fn a_full_table_makes_room_when_rings_have_gone_idle() {
    let rings = AddressRings::new(MINUTE, 1);
    assert_eq!(admitted(&rings, std::iter::repeat_n(v4(1), 40), 0), 30);
    rings.sweep(MINUTE + SECOND);
    assert_eq!(rings.len(), 1, "who waited as told finds its own ring");
    rings.sweep(MINUTE + 5 * SECOND);
    assert!(rings.is_empty());
    assert_eq!(admitted(&rings, std::iter::repeat_n(v4(2), 40), 2 * MINUTE), 30);
}

#[test]
fn leaving_a_shared_ring_yields_no_fresh_quota() {
    let rings = AddressRings::new(MINUTE, 1);
    rings.take(v4(1), LIMIT, 0);
    let newcomer = v4(0x0a00_0001);
    assert_eq!(admitted(&rings, std::iter::repeat_n(newcomer, 20), 30 * SECOND), 20);
    // Later there is room for a ring of its own.
    let later = 70 * SECOND;
    rings.sweep(later);
    assert_eq!(rings.peek(newcomer, LIMIT, later).remaining, 10);
    assert_eq!(admitted(&rings, std::iter::repeat_n(newcomer, 20), later), 10);
    assert_eq!(rings.peek(newcomer, LIMIT, 90 * SECOND).remaining, 20);
}

#[test]
fn a_capacity_of_nothing_still_limits() {
    let rings = AddressRings::new(MINUTE, 0);
    assert_eq!(admitted(&rings, (0..100).map(v4), 0), 30);
    assert!(rings.is_empty());
}

#[test]
fn many_threads_admit_exactly_the_limit_of_each_address() {
    let rings = AddressRings::new(MINUTE, 1000);
    let passed = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for step in 0..400 {
                    let verdict = rings.take(v4(step % 10), LIMIT, u64::from(step));
                    passed.fetch_add(u32::from(verdict.admitted), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(passed.into_inner(), 10 * LIMIT);
    assert_eq!(rings.len(), 10);
}

/// A client in one of three networks, with two addresses in each.
fn of_three_networks(client: u32) -> ClientAddr {
    v4(((client / 2) << 8) | (client % 2))
}

proptest! {
    /// No address gets more than the limit in any window, in any pattern of filling, draining and sharing.
    #[test]
    fn no_address_exceeds_its_limit_in_a_crowded_table(
        capacity in 0usize..4, steps in prop::collection::vec((0u32..6, 0u64..20 * SECOND, 0u8..8), 1..150)
    ) {
        let (limit, mut now) = (3, 0);
        let rings = AddressRings::new(MINUTE, capacity);
        let mut passed: [Vec<u64>; 6] = Default::default();
        for (client, gap, action) in steps {
            now += gap / u64::from(action + 1);
            if action == 0 {
                rings.sweep(now);
            }
            let address = of_three_networks(client);
            let foretold = rings.peek(address, limit, now);
            let verdict = rings.take(address, limit, now);
            prop_assert_eq!(foretold.admitted, verdict.admitted);
            if verdict.admitted {
                passed[client as usize].push(now);
            }
            prop_assert!(rings.len() <= 2 * capacity);
        }
        for instants in passed {
            prop_assert!(instants.windows(limit as usize + 1).all(|span| span[limit as usize] - span[0] >= MINUTE));
        }
    }

    /// The retry time of a shared ring is right as long as no other client uses the ring meanwhile.
    #[test]
    fn retry_after_admits_in_shared_rings_too(
        steps in prop::collection::vec((0u32..6, 0u64..10 * SECOND), 1..60)
    ) {
        let (limit, mut now) = (3, 0);
        let rings = AddressRings::new(MINUTE, 3);
        for (client, gap) in steps {
            now += gap;
            rings.take(of_three_networks(client), limit, now);
        }
        let mut told: Vec<_> = (0..6)
            .map(|client| (rings.peek(of_three_networks(client), limit, now), client))
            .filter(|(verdict, _)| !verdict.admitted)
            .map(|(refused, client)| (refused.retry_after_seconds(), client))
            .collect();
        told.sort_unstable();
        for (wait, client) in told {
            prop_assert!(rings.peek(of_three_networks(client), limit, now + wait * SECOND).admitted);
        }
    }
}
