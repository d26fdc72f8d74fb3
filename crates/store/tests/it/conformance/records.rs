use lastro_model::{Edition, FilingId, Records, Series, Source};
use lastro_store::{Publication, PublicationItem, Published, StoreError};

use super::Place;
use crate::specimen::*;

pub(crate) async fn a_new_store_lists_every_source_without_rows(place: &impl Place) {
    let store = place.open().await;
    let states = store.source_states().await.unwrap();
    assert_eq!(states.iter().map(|state| state.source).collect::<Vec<_>>(), Source::ALL);
    for state in states {
        assert_eq!((state.edition, state.rows, state.sample), (Edition(0), 0, false));
        assert_eq!((state.last_success, state.last_attempt, state.last_error), (None, None, None));
        assert_eq!(all(&*store, state.source).await.unwrap(), (Edition(0), vec![]));
    }
    assert_eq!(store.counters().await.unwrap(), Default::default());
}

pub(crate) async fn every_kind_of_row_is_returned_as_stored(place: &impl Place) {
    let store = place.open().await;
    let mut full = filing(7, "2026-10-30");
    full.id = FilingId::Hash(u64::MAX);
    full.kind = Some("Outros".to_owned());
    full.reference_day = Some(day("2026-09-30"));
    full.version = u16::MAX;
    let mut plain = company(u32::MAX);
    plain.sector = Some("Energia Elétrica".to_owned());
    plain.trading_name = None;
    plain.registered_on = None;
    let mut ended = traded_security("AAAA3", u32::MAX);
    (ended.class, ended.segment) = (None, Some("Nível 1".to_owned()));
    (ended.trading_from, ended.trading_to) = (None, Some(day("2026-10-30")));
    for (source, records) in [
        (
            Source::Series(Series::Selic),
            Records::Rates(vec![rate("2026-10-30", "15.00"), rate("1986-06-04", "-0.0200")]),
        ),
        (Source::Series(Series::Cdi), Records::Rates(vec![rate("2026-10-30", "14.90")])),
        (Source::Series(Series::Ipca), Records::Rates(vec![rate("2026-10-01", "-0.02")])),
        (Source::Fx, Records::Fx(vec![quote("2026-10-30", "USD/BRL", "5.08460", "5.08520")])),
        (Source::Companies, Records::Companies(vec![company(0), plain])),
        (Source::Filings, Records::Filings(vec![full.clone()])),
        (Source::Tickers, Records::Tickers(vec![traded_security("AAAA3", 7), ended.clone()])),
    ] {
        let published = publish(&*store, publication(source), records.clone()).await.unwrap();
        assert_eq!(all(&*store, source).await.unwrap(), (published.edition, vec![records]));
    }
    let greatest = filing(u64::MAX, "2026-10-29");
    publish(&*store, publication(Source::Filings), Records::Filings(vec![greatest.clone()])).await.unwrap();
    assert_eq!(filings(&*store).await, [full, greatest]);
}

pub(crate) async fn several_sources_are_published_atomically(place: &impl Place) {
    let store = place.open().await;
    let [selic, cdi] = [Series::Selic, Series::Cdi].map(Source::from);
    let rows = |value| Records::Rates(vec![rate("2026-10-30", value)]);
    // A row of the wrong kind is rejected, together with the other sources.
    let misplaced =
        vec![(publication(selic), rows("15.00")), (publication(Source::Companies), rows("14.90"))];
    store.publish_together(misplaced).await.unwrap_err();
    assert_eq!(all(&*store, selic).await.unwrap(), (Edition(0), vec![]));
    let both = vec![(publication(selic), rows("15.00")), (publication(cdi), rows("14.90"))];
    let published = store.publish_together(both).await.unwrap();
    assert_eq!(published.iter().map(|published| published.added).collect::<Vec<_>>(), [1, 1]);
    for (source, published, value) in [(selic, &published[0], "15.00"), (cdi, &published[1], "14.90")] {
        assert_eq!(all(&*store, source).await.unwrap(), (published.edition, vec![rows(value)]));
    }
    assert!(published[0].edition < published[1].edition, "each has its own edition");
}

pub(crate) async fn decimals_keep_their_scale(place: &impl Place) {
    let store = place.open().await;
    let written = ["15", "15.0", "15.00", "0", "0.000", "-0.02", "5.1253", "0.0000000000000000000000000001"];
    let first = day("2026-01-01");
    let rows = written
        .iter()
        .zip(0..)
        .map(|(text, n)| lastro_model::RatePoint { day: first.plus_days(-n), value: decimal(text) });
    publish(&*store, publication(Source::Series(Series::Cdi)), Records::Rates(rows.collect())).await.unwrap();
    let read: Vec<_> =
        rates(&*store, Source::Series(Series::Cdi)).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(read, written);

    let rescaled = Records::Rates(vec![rate("2026-01-01", "15.000")]);
    let published = publish(&*store, publication(Source::Series(Series::Cdi)), rescaled).await.unwrap();
    assert_eq!((published.added, published.changed), (0, 1), "another scale is another publication");
}

pub(crate) async fn filings_come_in_batches(place: &impl Place) {
    let store = place.open().await;
    let rows: Vec<_> = (0..12_000).map(|n| filing(n, "2026-10-30")).collect();
    publish(&*store, publication(Source::Filings), Records::Filings(rows.clone())).await.unwrap();
    let (_, batches) = all(&*store, Source::Filings).await.unwrap();
    assert!(batches.len() > 1 && batches.iter().all(|batch| !batch.is_empty() && batch.len() <= 5_000));
    assert!(filings(&*store).await == rows, "each row once");
}

pub(crate) async fn only_new_and_different_rows_are_counted(place: &impl Place) {
    let store = place.open().await;
    let first = Records::Filings(vec![filing(1, "2026-10-28"), filing(2, "2026-10-29")]);
    let published = publish(&*store, publication(Source::Filings), first).await.unwrap();
    assert_eq!((published.added, published.changed), (2, 0));

    let mut corrected = filing(2, "2026-10-29");
    corrected.description = "Retificação".to_owned();
    let second = vec![filing(1, "2026-10-28"), corrected.clone(), filing(3, "2026-10-30")];
    let published = publish(&*store, publication(Source::Filings), Records::Filings(second)).await.unwrap();
    assert_eq!((published.added, published.changed), (1, 1));
    assert_eq!(
        filings(&*store).await,
        [filing(1, "2026-10-28"), corrected, filing(3, "2026-10-30")],
        "rows that were not sent again stay"
    );
}

pub(crate) async fn setting_or_clearing_a_value_is_a_change(place: &impl Place) {
    let store = place.open().await;
    let mut with_sector = company(1);
    with_sector.sector = Some("Bancos".to_owned());
    let mut changes = Vec::new();
    for row in [company(1), with_sector.clone(), with_sector, company(1), company(1)] {
        let records = Records::Companies(vec![row]);
        changes.push(publish(&*store, publication(Source::Companies), records).await.unwrap().changed);
    }
    assert_eq!(changes, [0, 1, 0, 1, 0]);

    for (buy, changed) in [("5.1", 0), ("5.2", 1), ("5.2", 0)] {
        let records = Records::Fx(vec![quote("2026-10-30", "USD/BRL", buy, "5.3")]);
        let published = publish(&*store, publication(Source::Fx), records).await.unwrap();
        assert_eq!(published.changed, changed);
    }
}

pub(crate) async fn editions_share_one_sequence(place: &impl Place) {
    let store = place.open().await;
    let mut editions = Vec::new();
    for (source, value) in [
        (Source::Series(Series::Selic), "15.00"),
        (Source::Series(Series::Cdi), "15.00"),
        (Source::Series(Series::Selic), "15.25"),
    ] {
        let records = Records::Rates(vec![rate("2026-10-30", value)]);
        editions.push(publish(&*store, publication(source), records).await.unwrap().edition);
    }
    assert_eq!(editions, [Edition(1), Edition(2), Edition(3)]);
    let counters = store.counters().await.unwrap();
    assert_eq!(counters.edition(Source::Series(Series::Selic)), Edition(3));
    assert_eq!(counters.edition(Source::Series(Series::Cdi)), Edition(2));
    assert_eq!(counters.edition(Source::Filings), Edition(0));
}

pub(crate) async fn a_publication_that_changes_nothing_keeps_the_edition(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    let rows = || Records::Rates(vec![rate("2026-10-30", "15.00"), rate("2026-10-29", "15.00")]);
    let first = publish(&*here, publication(Source::Series(Series::Selic)), rows()).await.unwrap();
    here.record_attempt(Source::Series(Series::Selic), at(60), Some("the upstream answered 503".to_owned()))
        .await
        .unwrap();
    let editions = there.counters().await.unwrap().editions;

    let later = Publication { at: at(120), ..publication(Source::Series(Series::Selic)) };
    for records in [rows(), Records::Rates(vec![])] {
        let again = publish(&*here, later, records).await.unwrap();
        assert_eq!(again, Published { edition: first.edition, added: 0, changed: 0, skipped: false });
    }
    assert_eq!(there.counters().await.unwrap().editions, editions);
    let state = there.source_states().await.unwrap().swap_remove(0);
    assert_eq!((state.last_success, state.last_attempt), (Some(at(120)), Some(at(120))));
    assert_eq!((state.last_error, state.rows, state.newest_day), (None, 2, Some(day("2026-10-30"))));

    let changed = Records::Rates(vec![rate("2026-10-30", "15.25")]);
    let next = publish(&*here, later, changed).await.unwrap();
    assert_eq!(next.edition, Edition(2), "no number was handed out in between");
}

pub(crate) async fn replacing_or_ending_a_sample_makes_a_new_edition(place: &impl Place) {
    let store = place.open().await;
    let official = publication(Source::Series(Series::Selic));
    let sample = Publication { sample: true, ..official };
    let replacing = Publication { replace: true, ..official };
    let mut editions = Vec::new();
    for publication in [sample, sample, official, official, replacing, sample] {
        let records = Records::Rates(vec![rate("2026-10-30", "15.00")]);
        editions.push(publish(&*store, publication, records).await.unwrap().edition.0);
    }
    assert_eq!(editions, [1, 1, 2, 2, 3, 4]);
    assert!(store.load(Source::Series(Series::Selic)).await.unwrap().sample);
}

pub(crate) async fn an_abandoned_publication_changes_nothing(place: &impl Place) {
    let store = place.open().await;
    publish(&*store, publication(Source::Filings), Records::Filings(vec![filing(1, "2026-10-28")]))
        .await
        .unwrap();
    let before = (store.counters().await.unwrap(), store.source_states().await.unwrap());

    let replacing = Publication { replace: true, ..publication(Source::Filings) };
    let rows = PublicationItem::Rows(Records::Filings(vec![filing(2, "2026-10-29")]));
    for writes in [vec![rows.clone(), rows], vec![]] {
        assert_eq!(send(&*store, replacing, writes).await, Err(StoreError::Abandoned));
    }
    assert_eq!(filings(&*store).await, [filing(1, "2026-10-28")]);
    assert_eq!((store.counters().await.unwrap(), store.source_states().await.unwrap()), before);
    publish(&*store, replacing, Records::Filings(vec![])).await.expect("the next one is not in the way");
}

pub(crate) async fn rows_of_another_kind_reject_the_publication(place: &impl Place) {
    let store = place.open().await;
    let writes = vec![
        PublicationItem::Rows(Records::Rates(vec![rate("2026-10-30", "15.00")])),
        PublicationItem::Rows(Records::Companies(vec![company(1)])),
        PublicationItem::Commit,
    ];
    let refused = send(&*store, publication(Source::Series(Series::Selic)), writes).await;
    assert_eq!(refused, Err(StoreError::Misplaced { source_name: "selic" }));
    assert!(rates(&*store, Source::Series(Series::Selic)).await.is_empty());
}

pub(crate) async fn former_names_are_published_with_tickers(place: &impl Place) {
    let store = place.open().await;
    let tickers = Records::Tickers(vec![traded_security("AAAA3", 7)]);
    let names =
        |names: &[&str]| Records::FormerNames(names.iter().map(|name| former_name(7, name)).collect());
    let rows = |names: Records| [tickers.clone(), names].map(PublicationItem::Rows);
    let of = publication(Source::Tickers);
    let items = [&rows(names(&["Aço", "Bronze"]))[..], &[PublicationItem::Commit]].concat();
    send(&*store, of, items).await.unwrap();
    assert_eq!(all(&*store, Source::Tickers).await.unwrap().1, [tickers.clone(), names(&["Aço", "Bronze"])]);
    assert_eq!(state_of(&*store, Source::Tickers).await.rows, 1, "names are not counted");
    let Records::FormerNames(mut later) = names(&["Aço"]) else { unreachable!() };
    later[0].until = day("2027-01-01");
    publish(&*store, of, Records::FormerNames(later.clone())).await.unwrap();
    let held = all(&*store, Source::Tickers).await.unwrap().1;
    assert_eq!(held[1], Records::FormerNames([later, vec![former_name(7, "Bronze")]].concat()));
    let replacing = Publication { replace: true, ..of };
    publish(&*store, replacing, tickers.clone()).await.unwrap();
    assert_eq!(all(&*store, Source::Tickers).await.unwrap().1, [tickers]);
}

pub(crate) async fn replacing_deletes_the_rows_of_this_source_only(place: &impl Place) {
    let store = place.open().await;
    for source in [Source::Series(Series::Selic), Source::Series(Series::Cdi)] {
        let records = Records::Rates(vec![rate("2026-10-29", "1.00"), rate("2026-10-30", "2.00")]);
        publish(&*store, Publication { sample: true, ..publication(source) }, records).await.unwrap();
    }
    let replacing = Publication { replace: true, ..publication(Source::Series(Series::Selic)) };
    let official = Records::Rates(vec![rate("2026-10-30", "15.00")]);
    let published = publish(&*store, replacing, official).await.unwrap();
    assert_eq!(published, Published { edition: Edition(3), added: 1, changed: 0, skipped: false });
    assert_eq!(
        rates(&*store, Source::Series(Series::Selic)).await,
        [(day("2026-10-30"), "15.00".to_owned())]
    );
    assert_eq!(rates(&*store, Source::Series(Series::Cdi)).await.len(), 2);
    assert!(!store.load(Source::Series(Series::Selic)).await.unwrap().sample);
    assert!(store.load(Source::Series(Series::Cdi)).await.unwrap().sample);
}

pub(crate) async fn a_load_sees_one_edition_while_the_next_is_published(place: &impl Place) {
    let store = place.open().await;
    let rows = |text: &str| {
        let rows = (0..40_000).map(|n| {
            let mut row = filing(n, "2026-10-30");
            row.description = text.to_owned();
            row
        });
        Records::Filings(rows.collect())
    };
    publish(&*store, publication(Source::Filings), rows("old")).await.unwrap();

    let mut loaded = store.load(Source::Filings).await.unwrap();
    let next = publish(&*store, publication(Source::Filings), rows("new")).await.unwrap();
    assert!(next.edition > loaded.edition && next.changed == 40_000);
    let mut seen = 0;
    while let Some(batch) = loaded.rows.recv().await {
        let Records::Filings(rows) = batch.unwrap().rows else { panic!("not filings") };
        assert!(rows.iter().all(|row| row.description == "old"));
        seen += rows.len();
    }
    assert_eq!(seen, 40_000);
}

pub(crate) async fn a_dropped_reader_blocks_no_other_call(place: &impl Place) {
    let store = place.open().await;
    let rows = (0..40_000).map(|n| filing(n, "2026-10-30")).collect();
    publish(&*store, publication(Source::Filings), Records::Filings(rows)).await.unwrap();
    // More than the number of pooled connections.
    for _ in 0..12 {
        let mut loaded = store.load(Source::Filings).await.unwrap();
        assert!(loaded.rows.recv().await.unwrap().is_ok());
    }
    let unread = store.load(Source::Filings).await.unwrap();
    assert_eq!(store.counters().await.unwrap().edition(Source::Filings), unread.edition);
}
