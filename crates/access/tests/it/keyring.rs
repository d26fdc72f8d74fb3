use std::sync::Arc;

use lastro_access::{ApiKey, Holding, KeyRing, Lookup};
use lastro_model::{KeyChange, KeyId, Plan};
use proptest::prelude::*;

use crate::{SECOND, randomness, record_of, some_key, some_pepper};

const NOW_MS: i64 = 1_790_000_000_000;

fn ring() -> KeyRing {
    KeyRing::new(some_pepper())
}

fn found(ring: &KeyRing, key: &ApiKey) -> Arc<Holding> {
    match ring.find(key, NOW_MS) {
        Lookup::Found(holding) => holding,
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
    assert!(matches!(ring.find(&key, NOW_MS), Lookup::Unknown));
    ring.upsert(record_of(&key, Plan::Gold, 1));
    let holding = found(&ring, &key);
    assert_eq!((holding.key, holding.plan, holding.limit), (key.id(), Plan::Gold, 500));
    assert_eq!(holding.account.name, "Ana");
    assert_eq!(ring.len(), 1);
}

#[test]
fn a_custom_limit_replaces_the_plans() {
    let (ring, key) = (ring(), some_key(1));
    let mut record = record_of(&key, Plan::Free, 1);
    record.account.rate_limit = Some(100_000_000);
    ring.upsert(record);
    assert_eq!(found(&ring, &key).limit, 100_000_000);
}

#[test]
fn a_wrong_secret_is_refused() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1));
    assert!(matches!(ring.find(&forged(&key), NOW_MS), Lookup::Refused));
}

#[test]
fn a_key_works_until_the_moment_of_its_end() {
    let (ring, key) = (ring(), some_key(1));
    let mut record = record_of(&key, Plan::Free, 1);
    record.ends_at = Some(jiff::Timestamp::from_millisecond(NOW_MS).unwrap());
    ring.upsert(record);
    assert!(matches!(ring.find(&key, NOW_MS - 1), Lookup::Found(_)));
    assert!(matches!(ring.find(&key, NOW_MS), Lookup::Refused));
}

#[test]
fn a_revoked_key_is_refused_whatever_the_clock_says_about_its_end() {
    let (ring, key) = (ring(), some_key(1));
    let ends_at = jiff::Timestamp::from_millisecond(NOW_MS).ok();
    ring.upsert(lastro_model::KeyRecord { ends_at, revoked: true, ..record_of(&key, Plan::Free, 1) });
    for now in [0, NOW_MS - 1, NOW_MS] {
        assert!(matches!(ring.find(&key, now), Lookup::Refused));
    }
}

#[test]
fn a_removed_key_is_known_no_more() {
    let (ring, key) = (ring(), some_key(1));
    ring.catch_up([KeyChange::Changed(record_of(&key, Plan::Free, 1))]);
    ring.catch_up([KeyChange::Removed { id: key.id(), revision: 2 }]);
    assert!(matches!(ring.find(&key, NOW_MS), Lookup::Unknown));
    assert_eq!(ring.revision(), 2);
}

#[test]
fn a_change_of_plan_keeps_the_used_quota() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1));
    let before = found(&ring, &key);
    assert_eq!(before.holder.take(before.limit, 0).remaining, 29);
    ring.upsert(record_of(&key, Plan::Bronze, 2));
    let after = found(&ring, &key);
    assert_eq!(after.holder.take(after.limit, 0).remaining, 98);
}

#[test]
fn all_keys_of_an_account_share_one_holder() {
    let (ring, old, new) = (ring(), some_key(1), some_key(2));
    let first = record_of(&old, Plan::Free, 1);
    let mut second = record_of(&new, Plan::Free, 2);
    second.account.id = first.account.id;
    ring.catch_up([first, second].map(KeyChange::Changed));
    assert!(Arc::ptr_eq(&found(&ring, &old).holder, &found(&ring, &new).holder));
    assert_eq!(ring.len(), 2);
}

#[test]
fn one_key_taken_in_early_does_not_hide_the_changes_before_it() {
    let (ring, revoked, new) = (ring(), some_key(1), some_key(2));
    ring.catch_up([KeyChange::Changed(record_of(&revoked, Plan::Free, 7))]);
    // Registered here as revision 9, while revision 8, a revocation by another process, was not read yet.
    ring.upsert(record_of(&new, Plan::Free, 9));
    assert_eq!(ring.revision(), 7);
    let mut revocation = record_of(&revoked, Plan::Free, 8);
    revocation.ends_at = Some(jiff::Timestamp::UNIX_EPOCH);
    ring.catch_up([revocation, record_of(&new, Plan::Free, 9)].map(KeyChange::Changed));
    assert!(matches!(ring.find(&revoked, NOW_MS), Lookup::Refused));
    assert_eq!(ring.revision(), 9);
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
    ring.upsert(record_of(&key, Plan::Free, 1));
    let holding = found(&ring, &key);
    holding.holder.take(30, 0);
    ring.sweep(59 * SECOND);
    assert_eq!(holding.holder.peek(30, 59 * SECOND).remaining, 29);
    ring.sweep(60 * SECOND);
    assert_eq!(holding.holder.peek(30, 60 * SECOND).remaining, 30);
}

#[test]
fn debug_shows_no_secret_and_no_address() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1));
    let text = format!("{ring:?} {:?}", ring.find(&key, NOW_MS));
    assert!(text.contains(key.id().as_str()));
    for secret in [&key.reveal()[16..], "ana@example.com", "Ana"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn readers_see_a_whole_record_while_it_is_replaced() {
    let (ring, key) = (ring(), some_key(1));
    ring.upsert(record_of(&key, Plan::Free, 1));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for revision in 2..500 {
                let plan = Plan::ALL[revision % 4];
                ring.upsert(record_of(&key, plan, revision as u64));
            }
        });
        scope.spawn(|| {
            for _ in 0..500 {
                let holding = found(&ring, &key);
                assert_eq!(holding.limit, lastro_access::terms(holding.plan).requests_per_minute);
            }
        });
    });
    assert_eq!(found(&ring, &key).plan, Plan::ALL[499 % 4]);
}

proptest! {
    /// Whatever the order in which records arrive, the newest one stands.
    #[test]
    fn an_older_revision_never_replaces_a_newer_one(revisions in prop::collection::vec(0u64..20, 1..20)) {
        let (ring, key) = (ring(), some_key(1));
        for revision in &revisions {
            ring.upsert(record_of(&key, Plan::ALL[(*revision % 4) as usize], *revision));
        }
        let newest = revisions.iter().max().unwrap();
        prop_assert_eq!(found(&ring, &key).plan, Plan::ALL[(newest % 4) as usize]);
    }

    #[test]
    fn an_id_from_outside_is_never_a_known_miss_by_itself(text in "[0-9A-Za-z]{8}") {
        prop_assert!(!ring().is_known_miss(KeyId::parse(&text).unwrap(), 0));
    }
}
