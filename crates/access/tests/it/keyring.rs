use std::sync::Arc;

use lastro_access::{ActiveKey, ApiKey, KeyRing, Lookup};
use lastro_model::{AccountId, KeyChange, KeyId, Now, Plan};
use proptest::prelude::*;

use crate::{SECOND, randomness, record_of, some_key, some_pepper};

const NOW_MS: i64 = 1_790_000_000_000;
const NOW: Now = Now { monotonic_ns: 0, unix_ms: NOW_MS };

fn ring() -> KeyRing {
    KeyRing::new(some_pepper(), 1000)
}

fn found(ring: &KeyRing, key: &ApiKey) -> Arc<ActiveKey> {
    match ring.find(key, NOW) {
        Lookup::Found(found_key) => found_key,
        other => panic!("{other:?}"),
    }
}

/// A well-formed key with the id of another one.
fn forged(key: &ApiKey) -> ApiKey {
    let body = format!("lastro_{}_{}", key.id(), "x".repeat(32));
    let mut rest = crc32fast::hash(body.as_bytes()) as usize;
    let mut checksum = String::new();
    for _ in 0..6 {
        let alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        checksum.insert(0, alphabet.as_bytes()[rest % 62].into());
        rest /= 62;
    }
    ApiKey::parse(&(body + &checksum)).unwrap()
}

#[test]
fn a_known_key_is_found_with_its_terms() {
    let (ring, key) = (ring(), some_key(1));
    assert!(matches!(ring.find(&key, NOW), Lookup::Unknown));
    ring.upsert(record_of(&key, Plan::Gold, 1), 0);
    let found_key = found(&ring, &key);
    assert_eq!((found_key.id, found_key.plan, found_key.limit), (key.id(), Plan::Gold, 500));
    assert_eq!(found_key.account, AccountId(key.id()));
    assert_eq!(ring.len(), 1);
}

#[test]
fn a_custom_limit_replaces_the_plans() {
    let (ring, key) = (ring(), some_key(1));
    let mut record = record_of(&key, Plan::Free, 1);
    record.account.rate_limit = Some(100_000_000);
    ring.upsert(record, 0);
    assert_eq!(found(&ring, &key).limit, 100_000_000);
}

#[test]
fn a_wrong_secret_is_refused() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    assert!(matches!(ring.find(&forged(&key), NOW), Lookup::Refused));
}

#[test]
fn a_key_works_until_the_moment_of_its_end() {
    let (ring, key) = (ring(), some_key(1));
    let mut record = record_of(&key, Plan::Free, 1);
    record.ends_at = Some(jiff::Timestamp::from_millisecond(NOW_MS).unwrap());
    ring.upsert(record, 0);
    assert!(matches!(ring.find(&key, Now { unix_ms: NOW_MS - 1, ..NOW }), Lookup::Found(_)));
    assert!(matches!(ring.find(&key, NOW), Lookup::Refused));
}

#[test]
fn revoked_key_is_refused_at_any_time() {
    let (ring, key) = (ring(), some_key(1));
    let ends_at = jiff::Timestamp::from_millisecond(NOW_MS).ok();
    ring.upsert(lastro_model::KeyRecord { ends_at, revoked: true, ..record_of(&key, Plan::Free, 1) }, 0);
    for unix_ms in [0, NOW_MS - 1, NOW_MS] {
        assert!(matches!(ring.find(&key, Now { unix_ms, ..NOW }), Lookup::Refused));
    }
}

#[test]
fn removed_key_is_unknown() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    ring.catch_up([KeyChange::Removed { id: key.id(), revision: 2 }], 0);
    assert!(matches!(ring.find(&key, NOW), Lookup::Unknown));
    assert_eq!(ring.revision(), 2);
}

#[test]
fn a_change_of_plan_keeps_the_used_quota() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    let before = found(&ring, &key);
    assert_eq!(before.holder.take(before.limit, 0).remaining, 29);
    ring.upsert(record_of(&key, Plan::Bronze, 2), 0);
    let after = found(&ring, &key);
    assert_eq!(after.holder.take(after.limit, 0).remaining, 98);
}

#[test]
fn all_keys_of_an_account_share_one_holder() {
    let (ring, old, new) = (ring(), some_key(1), some_key(2));
    let first = record_of(&old, Plan::Free, 1);
    let mut second = record_of(&new, Plan::Free, 2);
    second.account.id = first.account.id;
    ring.upsert(first, 0);
    ring.upsert(second, 0);
    assert!(Arc::ptr_eq(&found(&ring, &old).holder, &found(&ring, &new).holder));
    assert_eq!(ring.len(), 2);
}

#[test]
fn upsert_does_not_skip_earlier_changes() {
    let (ring, revoked, new) = (ring(), some_key(1), some_key(2));
    ring.upsert(record_of(&revoked, Plan::Free, 7), 0);
    ring.start_at(7);
    // Registered here as revision 9, before revision 8, a revocation by another process, was read.
    ring.upsert(record_of(&new, Plan::Free, 9), 0);
    assert_eq!(ring.revision(), 7);
    let mut revocation = record_of(&revoked, Plan::Free, 8);
    revocation.ends_at = Some(jiff::Timestamp::UNIX_EPOCH);
    ring.catch_up([revocation, record_of(&new, Plan::Free, 9)].map(KeyChange::Changed), 0);
    assert!(matches!(ring.find(&revoked, NOW), Lookup::Refused));
    assert_eq!(ring.revision(), 9);
}

#[test]
fn key_changed_during_lookup_is_looked_up_again() {
    let (ring, key) = (ring(), some_key(1));
    let (as_of, read) = (ring.revision(), record_of(&key, Plan::Free, 1));
    // Meanwhile the key is removed, and the ring applies the removal.
    ring.catch_up([KeyChange::Removed { id: key.id(), revision: 2 }], 0);
    assert!(matches!(ring.take_in(&key, read.clone(), as_of, NOW), Lookup::Unknown));
    assert!(matches!(ring.take_in(&key, read, ring.revision(), NOW), Lookup::Found(_)));
}

#[test]
fn upsert_ignores_records_behind_the_ring() {
    let (ring, key) = (ring(), some_key(1));
    ring.catch_up([KeyChange::Removed { id: key.id(), revision: 2 }], 0);
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    assert!(matches!(ring.find(&key, NOW), Lookup::Unknown));
}

#[test]
fn changes_of_unused_keys_take_no_memory() {
    let ring = ring();
    ring.catch_up((1..100).map(|seed| KeyChange::Changed(record_of(&some_key(seed), Plan::Free, seed))), 0);
    assert_eq!((ring.len(), ring.revision()), (0, 99));
}

#[test]
fn a_miss_is_remembered_for_a_second_and_in_fixed_memory() {
    let (ring, id) = (ring(), some_key(1).id());
    assert!(!ring.is_known_miss(id, 0));
    ring.remember_miss(id, 5);
    assert!(ring.is_known_miss(id, 5));
    assert!(ring.is_known_miss(id, 4 + SECOND));
    assert!(!ring.is_known_miss(id, 5 + SECOND));
    assert!(!ring.is_known_miss(some_key(2).id(), 5));
    let mut random = randomness(4);
    for _ in 0..10_000 {
        let other = ApiKey::generate(&mut random).id();
        ring.remember_miss(other, 6);
        assert!(ring.is_known_miss(other, 6));
    }
}

#[test]
fn sweeping_frees_no_quota_in_use() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    let found_key = found(&ring, &key);
    found_key.holder.take(30, 0);
    ring.sweep(59 * SECOND);
    assert_eq!(found_key.holder.peek(30, 59 * SECOND).remaining, 29);
    ring.sweep(60 * SECOND);
    assert_eq!(found_key.holder.peek(30, 60 * SECOND).remaining, 30);
}

fn at(second: u64) -> Now {
    Now { monotonic_ns: second * SECOND, ..NOW }
}

fn is_held(ring: &KeyRing, key: &ApiKey, now: Now) -> bool {
    !matches!(ring.find(key, now), Lookup::Unknown)
}

#[test]
fn least_recently_used_keys_are_evicted() {
    let ring = KeyRing::new(some_pepper(), 80);
    let keys: Vec<ApiKey> = (0..80).map(some_key).collect();
    for (second, key) in keys.iter().enumerate() {
        ring.upsert(record_of(key, Plan::Free, second as u64 + 1), second as u64 * SECOND);
    }
    assert!(is_held(&ring, &keys[0], at(100)), "it was the oldest, and is used again");
    ring.upsert(record_of(&some_key(80), Plan::Free, 81), 101 * SECOND);
    assert_eq!(ring.len(), 71, "an eighth goes at once");
    assert!(is_held(&ring, &keys[0], at(102)) && is_held(&ring, &some_key(80), at(102)));
    assert!((1..=10).all(|place| !is_held(&ring, &keys[place], at(102))));
    assert!((11..80).all(|place| is_held(&ring, &keys[place], at(102))));
}

#[test]
fn key_with_used_quota_is_evicted_only_when_idle() {
    let ring = KeyRing::new(some_pepper(), 8);
    let busy = some_key(1000);
    ring.upsert(record_of(&busy, Plan::Free, 1), 0);
    found(&ring, &busy).holder.take(30, 50 * SECOND);
    for seed in 0..100 {
        ring.upsert(record_of(&some_key(seed), Plan::Free, seed + 2), 60 * SECOND);
    }
    assert!(ring.len() <= 9);
    assert_eq!(found(&ring, &busy).holder.peek(30, 60 * SECOND).remaining, 29);
    // Two windows later its quota is unused, and it may be evicted like the others.
    for seed in 200..300 {
        ring.upsert(record_of(&some_key(seed), Plan::Free, seed + 2), 200 * SECOND);
    }
    assert!(!is_held(&ring, &busy, at(200)));
}

#[test]
fn busy_keys_exceed_capacity_until_they_are_idle() {
    let ring = KeyRing::new(some_pepper(), 8);
    for seed in 0..100 {
        ring.upsert(record_of(&some_key(seed), Plan::Free, seed + 1), 5 * SECOND);
        found(&ring, &some_key(seed)).holder.take(30, 5 * SECOND);
    }
    assert_eq!(ring.len(), 100);
    ring.sweep(70 * SECOND);
    assert!(ring.len() <= 8, "{}", ring.len());
}

#[test]
fn request_in_progress_keeps_its_holder_after_eviction() {
    let ring = KeyRing::new(some_pepper(), 8);
    let key = some_key(1000);
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    let found_key = found(&ring, &key);
    for seed in 0..100 {
        ring.upsert(record_of(&some_key(seed), Plan::Free, seed + 2), 60 * SECOND);
    }
    assert!(!is_held(&ring, &key, at(61)));
    ring.upsert(record_of(&key, Plan::Free, 1), 62 * SECOND);
    assert!(Arc::ptr_eq(&found(&ring, &key).holder, &found_key.holder), "one account, one quota");
}

#[test]
fn debug_shows_no_secret_and_no_address() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    let text = format!("{ring:?} {:?}", ring.find(&key, NOW));
    assert!(text.contains(key.id().as_str()));
    for secret in [&key.reveal()[16..], "ana@example.com", "Ana"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn readers_see_a_whole_record_while_it_is_replaced() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for revision in 2..500 {
                let plan = Plan::ALL[revision % 4];
                ring.upsert(record_of(&key, plan, revision as u64), 0);
            }
        });
        scope.spawn(|| {
            for _ in 0..500 {
                let found_key = found(&ring, &key);
                assert_eq!(found_key.limit, lastro_access::terms(found_key.plan).requests_per_minute);
            }
        });
    });
    assert_eq!(found(&ring, &key).plan, Plan::ALL[499 % 4]);
}

proptest! {
    /// The newest record wins, in any order of arrival.
    #[test]
    fn an_older_revision_never_replaces_a_newer_one(revisions in prop::collection::vec(1u64..20, 1..20)) {
        let (ring, key) = (ring(), some_key(1));
        for revision in &revisions {
            ring.upsert(record_of(&key, Plan::ALL[(*revision % 4) as usize], *revision), 0);
        }
        let newest = revisions.iter().max().unwrap();
        prop_assert_eq!(found(&ring, &key).plan, Plan::ALL[(newest % 4) as usize]);
    }

    #[test]
    fn an_id_from_outside_is_never_a_known_miss_by_itself(text in "[0-9A-Za-z]{8}") {
        prop_assert!(!ring().is_known_miss(KeyId::parse(&text).unwrap(), 0));
    }
}
