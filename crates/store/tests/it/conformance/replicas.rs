use jiff::Timestamp;
use lastro_model::{BySource, Edition, Source};
use lastro_store::Replica;

use super::Place;
use crate::specimen::at;

fn replica(boot: &str, seen_at: Timestamp) -> Replica {
    let mut editions = BySource::default();
    editions[Source::Fx] = Some(Edition(7));
    editions[Source::Filings] = Some(Edition(u64::from(u32::MAX)));
    let (name, version) = (format!("são-paulo-{boot}"), "0.4.0".to_owned());
    Replica { boot: boot.to_owned(), name, version, started_at: at(0), seen_at, editions }
}

pub(crate) async fn replicas_see_each_others_latest_row(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert_eq!(here.replicas().await.unwrap(), []);
    here.beat(replica("b", at(1))).await.unwrap();
    let told = there.beat(replica("a", at(2))).await.unwrap();
    assert_eq!(told, [replica("a", at(2)), replica("b", at(1))], "by their boots");
    assert_eq!(here.replicas().await.unwrap(), told);
    let mut later = Replica { version: "0.5.0".to_owned(), ..replica("b", at(3)) };
    later.editions[Source::Fx] = Some(Edition(8));
    here.beat(later.clone()).await.unwrap();
    assert_eq!(there.replicas().await.unwrap(), [replica("a", at(2)), later], "one row each");
}

pub(crate) async fn a_replica_that_leaves_is_gone_at_once(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    here.beat(replica("a", at(1))).await.unwrap();
    there.beat(replica("b", at(1))).await.unwrap();
    here.leave("a").await.unwrap();
    here.leave("a").await.unwrap();
    assert_eq!(there.replicas().await.unwrap(), [replica("b", at(1))]);
}

pub(crate) async fn replicas_not_seen_for_long_are_forgotten(place: &impl Place) {
    let store = place.open().await;
    for (boot, seen) in [("a", 10), ("b", 20), ("c", 30)] {
        store.beat(replica(boot, at(seen))).await.unwrap();
    }
    assert_eq!(store.forget_replicas(at(20)).await.unwrap(), 1);
    assert_eq!(store.replicas().await.unwrap(), [replica("b", at(20)), replica("c", at(30))]);
    assert_eq!(store.forget_replicas(at(20)).await.unwrap(), 0);
}

pub(crate) async fn concurrent_replicas_are_all_seen(place: &impl Place) {
    let store = place.open().await;
    let mut writing = tokio::task::JoinSet::new();
    for number in 0..12 {
        let store = std::sync::Arc::clone(&store);
        writing.spawn(async move { store.beat(replica(&format!("{:x}", number % 6), at(number))).await });
    }
    assert!(writing.join_all().await.iter().all(Result::is_ok));
    let boots: Vec<String> =
        store.replicas().await.unwrap().into_iter().map(|replica| replica.boot).collect();
    assert_eq!(boots, ["0", "1", "2", "3", "4", "5"]);
}

/// A store has a clock that advances, the same for every handle, or none.
pub(crate) async fn all_handles_share_one_clock_or_none(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let first = here.time().await.unwrap();
    let second = there.time().await.unwrap();
    assert_eq!(first.is_some(), second.is_some());
    assert!(second >= first, "{first:?} then {second:?}");
}
