use jiff::Timestamp;
use lastro_store::{LONGEST_LEASE, Store};

use super::Place;
use crate::specimen::at;

/// Whether the taker holds the lease after trying to take it.
async fn takes(store: &dyn Store, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> bool {
    store.take_lease(name, holder, now, until).await.unwrap().holder == holder
}

pub(crate) async fn a_lease_has_one_holder_until_it_ends(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert!(takes(&*here, "sync", "ana", at(0), at(60)).await);
    let standing = there.take_lease("sync", "bia", at(59), at(119)).await.unwrap();
    assert_eq!((&*standing.holder, standing.until), ("ana", at(60)), "whoever asks is told who holds it");
    assert!(takes(&*there, "other", "bia", at(59), at(119)).await, "leases of other names are others");
    assert!(takes(&*there, "sync", "bia", at(60), at(120)).await, "an end is an end");
    assert!(!here.renew_lease("sync", "ana", at(180)).await.unwrap(), "it is no longer hers");
    here.release_lease("sync", "ana").await.unwrap();
    assert!(!takes(&*here, "sync", "ana", at(61), at(121)).await, "nor hers to give up");
}

pub(crate) async fn a_renewed_lease_does_not_end(place: &impl Place) {
    let store = place.open().await;
    assert!(!store.renew_lease("sync", "ana", at(60)).await.unwrap(), "nobody took it");
    assert!(takes(&*store, "sync", "ana", at(0), at(60)).await);
    assert!(store.renew_lease("sync", "ana", at(90)).await.unwrap());
    assert!(!takes(&*store, "sync", "bia", at(89), at(200)).await);
    // Late, but before another holder took it.
    assert!(store.renew_lease("sync", "ana", at(150)).await.unwrap());
    assert!(!takes(&*store, "sync", "bia", at(149), at(200)).await);
    let again = store.take_lease("sync", "ana", at(149), at(160)).await.unwrap();
    assert_eq!(again.until, at(160), "a holder may take what it holds");
}

pub(crate) async fn a_released_lease_is_free_at_once(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert!(takes(&*here, "sync", "ana", at(0), at(60)).await);
    here.release_lease("sync", "ana").await.unwrap();
    here.release_lease("sync", "ana").await.unwrap();
    assert!(takes(&*there, "sync", "bia", at(1), at(61)).await);
}

pub(crate) async fn only_one_of_many_takers_succeeds(place: &impl Place) {
    let store = place.open().await;
    for round in 0..5 {
        let (now, until) = (at(round * 60), at(round * 60 + 60));
        let mut taking = tokio::task::JoinSet::new();
        for number in 0..8 {
            let store = std::sync::Arc::clone(&store);
            taking
                .spawn(async move { takes(&*store, "sync", &format!("holder {number}"), now, until).await });
        }
        let taken = taking.join_all().await;
        assert_eq!(taken.iter().filter(|taken| **taken).count(), 1, "{taken:?}");
    }
}

pub(crate) async fn a_lease_beyond_the_longest_end_is_taken_over(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let year = 365 * 86_400;
    assert!(takes(&*here, "sync", "ana", at(year), at(year + 60)).await);
    assert!(takes(&*there, "sync", "bia", at(0), at(60)).await, "her clock was a year ahead");
    assert!(!here.renew_lease("sync", "ana", at(year + 90)).await.unwrap());
    // A request for more than the longest lease is cut to it.
    let longest = i64::try_from(LONGEST_LEASE.as_secs()).unwrap();
    let standing = there.take_lease("sync", "bia", at(0), at(2 * longest)).await.unwrap();
    assert_eq!(standing.until, at(longest));
    assert!(!takes(&*here, "sync", "ana", at(1), at(61)).await);
    assert!(takes(&*here, "sync", "ana", at(longest), at(longest + 60)).await);
}
