use lastro_model::{Records, Series, Source, Withheld};
use lastro_store::{Publication, PublicationItem, Store, StoreError, WITHHELD_SHOWN};

use super::Place;
use crate::specimen::*;

fn rate_withheld(on: &str, value: &str) -> Withheld {
    Withheld { point: rate(on, value).into(), first_seen: at(5), reason: format!("{value} on {on}") }
}

async fn withhold(store: &dyn Store, source: Source, points: &[Withheld]) {
    let writes = vec![PublicationItem::Withheld(points.to_vec()), PublicationItem::Commit];
    send(store, publication(source), writes).await.unwrap();
}

pub(crate) async fn withheld_points_are_returned_as_stored(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert!(here.withheld(Source::Series(Series::Selic)).await.unwrap().is_empty());
    let rates: Vec<Withheld> =
        (1..=5).rev().map(|n| rate_withheld(&format!("2026-11-0{n}"), "1500.00")).collect();
    let quoted = |pair| Withheld {
        point: quote("2026-11-02", pair, "51.2530", "51.2590").into(),
        first_seen: at(7),
        reason: "too much".to_owned(),
    };
    let quotes = [quoted("EUR/BRL"), quoted("USD/BRL")];
    withhold(&*here, Source::Series(Series::Selic), &rates).await;
    withhold(&*here, Source::Fx, &quotes).await;
    assert_eq!(there.withheld(Source::Series(Series::Selic)).await.unwrap(), rates);
    assert_eq!(there.withheld(Source::Fx).await.unwrap(), quotes);
    let selic = state_of(&*there, Source::Series(Series::Selic)).await;
    assert_eq!((selic.withheld, &selic.newest_withheld[..]), (5, &rates[..WITHHELD_SHOWN]));
    let fx = state_of(&*there, Source::Fx).await;
    assert_eq!((fx.withheld, &fx.newest_withheld[..]), (2, &quotes[..]));
    let cdi = state_of(&*there, Source::Series(Series::Cdi)).await;
    assert_eq!((cdi.withheld, cdi.newest_withheld), (0, Vec::new()));
}

pub(crate) async fn a_new_list_replaces_the_old_one(place: &impl Place) {
    let store = place.open().await;
    let [first, second] = [rate_withheld("2026-11-01", "150"), rate_withheld("2026-11-02", "151")];
    withhold(&*store, Source::Series(Series::Selic), &[second.clone(), first.clone()]).await;
    withhold(&*store, Source::Series(Series::Cdi), std::slice::from_ref(&first)).await;
    withhold(&*store, Source::Series(Series::Selic), std::slice::from_ref(&second)).await;
    assert_eq!(store.withheld(Source::Series(Series::Selic)).await.unwrap(), [second]);
    withhold(&*store, Source::Series(Series::Selic), &[]).await;
    assert!(store.withheld(Source::Series(Series::Selic)).await.unwrap().is_empty());
    assert_eq!(store.withheld(Source::Series(Series::Cdi)).await.unwrap(), [first]);
}

pub(crate) async fn a_publication_without_a_list_keeps_the_old_one(place: &impl Place) {
    let store = place.open().await;
    let doubted = [rate_withheld("2026-11-02", "1500")];
    withhold(&*store, Source::Series(Series::Selic), &doubted).await;
    let before = store.counters().await.unwrap();
    withhold(&*store, Source::Series(Series::Selic), &doubted).await;
    assert_eq!(store.counters().await.unwrap(), before, "it is no new edition");
    let rows = Records::Rates(vec![rate("2026-11-01", "15")]);
    publish(&*store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    assert_eq!(store.withheld(Source::Series(Series::Selic)).await.unwrap(), doubted);
}

pub(crate) async fn a_failed_publication_keeps_the_withheld_points(place: &impl Place) {
    let store = place.open().await;
    let doubted = [rate_withheld("2026-11-02", "1500")];
    withhold(&*store, Source::Series(Series::Selic), &doubted).await;
    let abandoned = vec![PublicationItem::Withheld(Vec::new())];
    assert_eq!(
        send(&*store, publication(Source::Series(Series::Selic)), abandoned).await,
        Err(StoreError::Abandoned)
    );
    assert_eq!(store.withheld(Source::Series(Series::Selic)).await.unwrap(), doubted);
}

pub(crate) async fn replacing_forgets_withheld_points_of_this_source_only(place: &impl Place) {
    let store = place.open().await;
    let doubted = [rate_withheld("2026-11-02", "1500")];
    for source in [Source::Series(Series::Selic), Source::Series(Series::Cdi)] {
        withhold(&*store, source, &doubted).await;
    }
    let replacing = Publication { replace: true, ..publication(Source::Series(Series::Selic)) };
    publish(&*store, replacing, Records::Rates(vec![rate("2026-11-01", "15")])).await.unwrap();
    assert!(store.withheld(Source::Series(Series::Selic)).await.unwrap().is_empty());
    assert_eq!(store.withheld(Source::Series(Series::Cdi)).await.unwrap(), doubted);
}
