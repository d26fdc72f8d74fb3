use lastro_model::{KeyChange, KeyDigest, KeyId, KeyRecord, Plan};
use lastro_store::{Store, StoreError};

use super::Place;
use crate::specimen::*;

pub(crate) async fn a_key_is_returned_as_stored(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let mut new = new_key(200);
    new.account.plan = Plan::Gold;
    new.account.rate_limit = Some(100_000_000);
    let kept = here.insert_key(new.clone()).await.unwrap();
    let expected = KeyRecord {
        id: new.id,
        digest: new.digest,
        account: new.account,
        created_at: new.created_at,
        ends_at: None,
        revoked: false,
        revision: 1,
    };
    assert_eq!(kept, expected);
    assert_eq!(there.key(new.id).await.unwrap(), Some(expected.clone()));
    here.insert_key(new_key(100)).await.unwrap();
    let listed: Vec<_> = there.list_keys().await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(listed, [key_id(100), key_id(200)], "oldest first");
}

pub(crate) async fn a_taken_id_is_a_conflict_and_leaves_no_trace(place: &impl Place) {
    let store = place.open().await;
    let kept = store.insert_key(new_key(1)).await.unwrap();
    let mut again = new_key(1);
    again.digest = KeyDigest([9; 32]);
    again.account.email = "other@example.com".to_owned();
    assert_eq!(store.insert_key(again).await, Err(StoreError::KeyIdTaken));
    store.insert_key(new_key(2)).await.unwrap();
    let rotated = store.rotate(key_id(1), key_id(2), KeyDigest([3; 32]), at(5), at(6)).await;
    assert_eq!(rotated, Err(StoreError::KeyIdTaken));
    assert_eq!(store.key(key_id(1)).await.unwrap(), Some(kept));
    assert_eq!(store.counters().await.unwrap().key_revision, 2);
}

pub(crate) async fn keys_since_returns_every_change(place: &impl Place) {
    let (writer, reader) = (place.open().await, place.open().await);
    let mut ring = Ring::default();
    writer.insert_key(new_key(1)).await.unwrap();
    writer.insert_key(new_key(2)).await.unwrap();
    ring.catch_up(&*reader).await;
    writer.rotate(key_id(1), key_id(3), KeyDigest([3; 32]), at(10), at(20)).await.unwrap();
    ring.catch_up(&*reader).await;
    writer.set_plan(key_id(3), Plan::Platinum, None).await.unwrap();
    ring.catch_up(&*reader).await;
    writer.revoke(key_id(2), at(30)).await.unwrap();
    writer.insert_key(new_key(4)).await.unwrap();
    ring.catch_up(&*reader).await;
    writer.erase(key_id(4), at(40)).await.unwrap();
    writer.close_ended_keys(at(20)).await.unwrap();
    ring.catch_up(&*reader).await;

    let mut known: Vec<_> = ring.keys.into_values().collect();
    known.sort_by_key(|key| (key.created_at, key.id));
    assert_eq!(known, reader.list_keys().await.unwrap());
    assert_eq!(ring.revision, reader.counters().await.unwrap().key_revision);
}

/// Follows the store's changes one key at a time, the hardest case.
#[derive(Default)]
struct Ring {
    revision: u64,
    keys: std::collections::HashMap<KeyId, KeyRecord>,
}

impl Ring {
    async fn catch_up(&mut self, store: &dyn Store) {
        while let Some(change) = store.keys_since(self.revision, 1).await.unwrap().pop() {
            assert!(change.revision() > self.revision);
            self.revision = change.revision();
            match change {
                KeyChange::Changed(key) => self.keys.insert(key.id, key),
                KeyChange::Removed { id, .. } => self.keys.remove(&id),
            };
        }
    }
}

pub(crate) async fn a_plan_applies_to_all_keys_of_the_account(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    store.insert_key(new_key(2)).await.unwrap();
    store.rotate(key_id(1), key_id(3), KeyDigest([3; 32]), at(10), at(20)).await.unwrap();
    let before = store.counters().await.unwrap().key_revision;

    let changed = store.set_plan(key_id(3), Plan::Gold, None).await.unwrap();
    let mut ids: Vec<_> = changed.iter().map(|key| key.id).collect();
    ids.sort();
    assert_eq!(ids, [key_id(1), key_id(3)]);
    assert!(changed.iter().all(|key| key.account.plan == Plan::Gold && key.revision > before));
    let told: Vec<_> = changed.iter().cloned().map(KeyChange::Changed).collect();
    assert_eq!(store.keys_since(before, 10).await.unwrap(), told);
    assert_eq!(store.key(key_id(2)).await.unwrap().unwrap().account.plan, Plan::Free);
}

pub(crate) async fn an_agreed_limit_can_be_set_kept_and_removed(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    for (given, expected) in
        [(None, None), (Some(Some(5_000)), Some(5_000)), (None, Some(5_000)), (Some(None), None)]
    {
        let keys = store.set_plan(key_id(1), Plan::Bronze, given).await.unwrap();
        assert_eq!(keys[0].account.rate_limit, expected, "{given:?}");
    }
}

pub(crate) async fn the_earliest_end_of_a_key_is_kept(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let revoked = store.revoke(key_id(1), at(100)).await.unwrap();
    assert_eq!((revoked.ends_at, revoked.revoked), (Some(at(100)), true));
    for moment in [100, 200] {
        let again = store.revoke(key_id(1), at(moment)).await.unwrap();
        assert_eq!(again, revoked, "nothing changed, so no new revision");
    }
    let earlier = store.revoke(key_id(1), at(50)).await.unwrap();
    assert_eq!(earlier.ends_at, Some(at(50)));
    assert!(earlier.revision > revoked.revision);
}

pub(crate) async fn a_rotated_key_shares_the_account_and_ends_the_old_one(place: &impl Place) {
    let store = place.open().await;
    let first = store.insert_key(new_key(1)).await.unwrap();
    let rotated = store.rotate(key_id(1), key_id(2), KeyDigest([2; 32]), at(10), at(3_610)).await.unwrap();
    let second = rotated.new;
    assert_eq!((second.id, second.digest, second.created_at), (key_id(2), KeyDigest([2; 32]), at(10)));
    assert_eq!((second.account, second.ends_at), (first.account, None));
    assert_eq!((rotated.old.ends_at, rotated.old.revoked), (Some(at(3_610)), false));
    assert_eq!(store.key(key_id(1)).await.unwrap(), Some(rotated.old));
}

pub(crate) async fn a_key_that_has_an_end_cannot_be_rotated(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    store.revoke(key_id(1), at(10)).await.unwrap();
    for moment in [9, 10, 11] {
        let rotated = store.rotate(key_id(1), key_id(2), KeyDigest([2; 32]), at(moment), at(50)).await;
        assert_eq!(rotated, Err(StoreError::KeyEnded));
    }
    assert_eq!(store.key(key_id(2)).await.unwrap(), None);
}

pub(crate) async fn an_account_without_a_lasting_key_gets_a_new_one(place: &impl Place) {
    let store = place.open().await;
    let first = store.insert_key(new_key(1)).await.unwrap();
    let reissue = async |old, new| store.reissue(key_id(old), key_id(new), KeyDigest([2; 32]), at(30)).await;
    assert_eq!(reissue(1, 2).await, Err(StoreError::KeyEnded), "it is to be rotated");
    store.rotate(key_id(1), key_id(2), KeyDigest([2; 32]), at(10), at(3_610)).await.unwrap();
    assert_eq!(reissue(1, 3).await, Err(StoreError::KeyEnded), "the newer one is to be rotated");
    let revoked = store.revoke(key_id(2), at(20)).await.unwrap();
    let third = reissue(2, 3).await.unwrap();
    assert_eq!((third.id, third.created_at, third.ends_at), (key_id(3), at(30), None));
    assert_eq!((&third.account, third.revoked), (&first.account, false));
    assert!(third.revision > revoked.revision, "running servers notice");
    assert_eq!(store.key(key_id(2)).await.unwrap(), Some(revoked));
    assert_eq!(store.key(key_id(1)).await.unwrap().unwrap().ends_at, Some(at(3_610)));
    assert_eq!(reissue(2, 4).await, Err(StoreError::KeyEnded));
    assert_eq!(reissue(404, 4).await, Err(StoreError::NotFound));
}

pub(crate) async fn unknown_keys_are_not_found(place: &impl Place) {
    let store = place.open().await;
    let unknown = key_id(404);
    assert_eq!(store.key(unknown).await.unwrap(), None);
    assert_eq!(store.set_plan(unknown, Plan::Gold, None).await, Err(StoreError::NotFound));
    assert_eq!(store.revoke(unknown, at(1)).await, Err(StoreError::NotFound));
    let rotated = store.rotate(unknown, key_id(2), KeyDigest([2; 32]), at(1), at(2)).await;
    assert_eq!(rotated, Err(StoreError::NotFound));
    assert_eq!(store.counters().await.unwrap().key_revision, 0);
}

pub(crate) async fn a_key_rotated_without_grace_is_revoked(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let rotated = store.rotate(key_id(1), key_id(2), KeyDigest([2; 32]), at(10), at(10)).await.unwrap();
    assert!(rotated.old.revoked && !rotated.new.revoked);
}

pub(crate) async fn ended_keys_are_revoked_for_good(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    for number in 1..=3 {
        here.insert_key(new_key(number)).await.unwrap();
    }
    here.rotate(key_id(1), key_id(11), KeyDigest([2; 32]), at(10), at(100)).await.unwrap();
    here.rotate(key_id(2), key_id(12), KeyDigest([2; 32]), at(10), at(200)).await.unwrap();
    assert_eq!(here.close_ended_keys(at(99)).await.unwrap(), 0);
    let before = there.counters().await.unwrap().key_revision;
    assert_eq!(here.close_ended_keys(at(100)).await.unwrap(), 1);
    let closed = there.key(key_id(1)).await.unwrap().unwrap();
    assert_eq!((closed.revoked, closed.ends_at), (true, Some(at(100))));
    assert_eq!(there.keys_since(before, 10).await.unwrap(), [KeyChange::Changed(closed)]);
    assert_eq!(here.close_ended_keys(at(100)).await.unwrap(), 0, "once is enough");
    assert_eq!(here.close_ended_keys(at(900)).await.unwrap(), 1);
    let open: Vec<_> = there.list_keys().await.unwrap().into_iter().filter(|key| !key.revoked).collect();
    assert_eq!(open.iter().map(|key| key.id).collect::<Vec<_>>(), [key_id(3), key_id(11), key_id(12)]);
}
