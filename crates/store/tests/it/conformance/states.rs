use lastro_model::{Edition, KeyDigest, Records, Series, Source};
use lastro_store::{Condition, Fate, LastAttempt, Publication, PublicationItem, Published};

use super::Place;
use crate::specimen::*;

pub(crate) async fn source_states_show_extent_and_freshness(place: &impl Place) {
    let store = place.open().await;
    let rows = vec![rate("2026-10-30", "15.00"), rate("2026-10-29", "15.00")];
    publish(&*store, publication(Source::Series(Series::Ipca)), Records::Rates(rows)).await.unwrap();
    let mut younger = company(2);
    younger.registered_on = Some(day("2026-10-15"));
    let mut undated = company(3);
    undated.registered_on = None;
    let companies = Records::Companies(vec![company(1), younger, undated]);
    publish(&*store, publication(Source::Companies), companies).await.unwrap();

    let states = store.source_states().await.unwrap();
    let of = |source| states.iter().find(|state| state.source == source).unwrap();
    let ipca = of(Source::Series(Series::Ipca));
    assert_eq!((ipca.rows, ipca.newest_day), (2, Some(day("2026-10-30"))));
    assert_eq!((ipca.last_success, ipca.last_attempt), (Some(at(0)), Some(at(0))));
    let companies = of(Source::Companies);
    assert_eq!((companies.rows, companies.newest_day), (3, Some(day("2026-10-15"))));
    assert_eq!(of(Source::Series(Series::Selic)).rows, 0, "series that share a table are counted apart");
}

pub(crate) async fn a_sample_does_not_count_as_synchronisation(place: &impl Place) {
    let store = place.open().await;
    let sample = Publication { sample: true, ..publication(Source::Series(Series::Selic)) };
    publish(&*store, sample, Records::Rates(vec![rate("2026-10-30", "15.00")])).await.unwrap();
    let state = store.source_states().await.unwrap().swap_remove(0);
    assert_eq!((state.sample, state.rows), (true, 1));
    assert_eq!((state.last_success, state.last_attempt), (None, None));
}

pub(crate) async fn a_failed_attempt_keeps_the_rows_and_stores_its_error(place: &impl Place) {
    let store = place.open().await;
    let rows = Records::Rates(vec![rate("2026-10-30", "15.00")]);
    publish(&*store, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    let sentence = "the upstream answered 503".to_owned();
    store.record_attempt(Source::Series(Series::Selic), at(60), Some(sentence.clone())).await.unwrap();
    let state = store.source_states().await.unwrap().swap_remove(0);
    assert_eq!((state.last_success, state.last_attempt), (Some(at(0)), Some(at(60))));
    assert_eq!((state.last_error, state.edition, state.rows), (Some(sentence), Edition(1), 1));

    store.record_attempt(Source::Series(Series::Selic), at(120), None).await.unwrap();
    let state = store.source_states().await.unwrap().swap_remove(0);
    assert_eq!((state.last_success, state.last_attempt), (Some(at(120)), Some(at(120))));
    assert_eq!((state.last_error, state.edition), (None, Edition(1)));
}

pub(crate) async fn a_partial_commit_is_not_a_success(place: &impl Place) {
    let store = place.open().await;
    publish(&*store, publication(Source::Filings), Records::Filings(vec![filing(1, "2026-10-29")]))
        .await
        .unwrap();
    let later = Publication { at: at(60), ..publication(Source::Filings) };
    let writes = vec![
        PublicationItem::Rows(Records::Filings(vec![filing(2, "2026-10-30")])),
        PublicationItem::CommitPart,
    ];
    let published = send(&*store, later, writes).await.unwrap();
    assert_eq!((published.edition, published.added), (Edition(2), 1));
    let state = state_of(&*store, Source::Filings).await;
    assert_eq!((state.rows, state.newest_day), (2, Some(day("2026-10-30"))));
    assert_eq!((state.last_success, state.last_attempt), (Some(at(0)), Some(at(0))));
}

pub(crate) async fn counters_show_writes_of_other_handles(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert_eq!(here.counters().await.unwrap(), Default::default());
    let rows = Records::Rates(vec![rate("2026-10-30", "15.00")]);
    let published = publish(&*there, publication(Source::Series(Series::Cdi)), rows).await.unwrap();
    assert_eq!(here.counters().await.unwrap().edition(Source::Series(Series::Cdi)), published.edition);
    let key = there.insert_key(new_key(1)).await.unwrap();
    assert_eq!(here.counters().await.unwrap().key_revision, key.revision);
}

pub(crate) async fn counters_show_attempts_without_a_new_edition(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let attempt = async || here.counters().await.unwrap().attempts[Source::Fx];
    assert_eq!(attempt().await, None);
    there.record_attempt(Source::Fx, at(1), Some("no answer".to_owned())).await.unwrap();
    assert_eq!(attempt().await, Some(LastAttempt { at: at(1), failed: true }));
    there.record_attempt(Source::Fx, at(1), None).await.unwrap();
    assert_eq!(attempt().await, Some(LastAttempt { at: at(1), failed: false }));
    assert_eq!(here.counters().await.unwrap().editions, Default::default());
}

pub(crate) async fn conditions_restrict_publications(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let rows = |value: &str| Records::Rates(vec![rate("2026-10-29", value)]);
    let sample = Publication {
        sample: true,
        replace: true,
        condition: Condition::NeverPublished,
        ..publication(Source::Series(Series::Selic))
    };
    let first = publish(&*here, sample, rows("1.0")).await.unwrap();
    assert_eq!(first, Published { edition: Edition(1), added: 1, changed: 0, skipped: false });
    let standing = Published { edition: Edition(1), added: 0, changed: 0, skipped: true };
    assert_eq!(publish(&*there, sample, rows("2.0")).await.unwrap(), standing);
    let over_sample = Publication { condition: Condition::NothingOfficial, ..sample };
    assert_eq!(publish(&*there, over_sample, rows("3.0")).await.unwrap().edition, Edition(2));
    publish(&*there, publication(Source::Series(Series::Selic)), rows("15.0")).await.unwrap();
    for made_up in [sample, over_sample] {
        let skipped = publish(&*here, made_up, rows("4.0")).await.unwrap();
        assert_eq!(skipped, Published { edition: Edition(3), ..standing });
    }
    assert_eq!(rates(&*here, Source::Series(Series::Selic)).await, [(day("2026-10-29"), "15.0".to_owned())]);
    let state = state_of(&*here, Source::Series(Series::Selic)).await;
    assert!(!state.sample && state.last_success.is_some(), "official data was not touched");
}

pub(crate) async fn an_edition_has_its_publication_time(place: &impl Place) {
    let store = place.open().await;
    let rows = |value: &str| Records::Rates(vec![rate("2026-10-29", value)]);
    for (second, value, told) in [(10, "1.0", 10), (20, "2.0", 20), (30, "2.0", 20)] {
        let publication = Publication { at: at(second), ..publication(Source::Series(Series::Selic)) };
        publish(&*store, publication, rows(value)).await.unwrap();
        assert_eq!(
            store.load(Source::Series(Series::Selic)).await.unwrap().published_at,
            at(told),
            "{value} at {second}"
        );
    }
}

pub(crate) async fn counters_show_what_there_is_to_do(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let work = async || {
        let counters = here.counters().await.unwrap();
        (counters.has_announcements, counters.has_pending_messages, counters.has_ending_keys)
    };
    assert_eq!(work().await, (false, false, false));
    let webhook = listening(&*there).await;
    for value in ["1.0", "2.0"] {
        let rows = Records::Rates(vec![rate("2026-10-29", value)]);
        publish(&*there, publication(Source::Series(Series::Selic)), rows).await.unwrap();
    }
    assert_eq!(work().await, (true, false, false));
    let number = there.announcements(1).await.unwrap()[0].number;
    there.fan_out(number, vec![message(1, &webhook.id)]).await.unwrap();
    assert_eq!(work().await, (false, true, false));
    let claimed = there.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    assert_eq!(work().await, (false, true, false), "it is not delivered yet");
    let settled = vec![settlement(&claimed[0], "a", Fate::Delivered)];
    there.settle_and_claim(settled, claim(2, "a")).await.unwrap();
    assert_eq!(work().await, (false, false, false));
    there.rotate(key_id(1), key_id(2), KeyDigest([3; 32]), at(1), at(9)).await.unwrap();
    assert_eq!(work().await, (false, false, true));
    there.close_ended_keys(at(9)).await.unwrap();
    assert_eq!(work().await, (false, false, false));
}
