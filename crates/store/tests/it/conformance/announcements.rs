use lastro_model::{Company, Filing, Records, Series, Source, WebhookEvent};
use lastro_store::{Announcement, Publication, PublicationItem, Store, WebhookChange};

use super::Place;
use crate::specimen::*;

/// Publishes first data, which is not announced.
async fn first(store: &dyn Store, source: Source, rows: Records) {
    publish(store, publication(source), rows).await.unwrap();
    assert_eq!(store.announcements(10).await.unwrap(), []);
}

fn announced(number: u64, event: WebhookEvent, edition: u64, rows: Records) -> Announcement {
    let (source, edition) = (Source::Companies, lastro_model::Edition(edition));
    Announcement { source, number, event, edition, at: at(0), rows }
}

pub(crate) async fn added_and_changed_rows_are_announced_with_their_edition(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    first(&*store, Source::Companies, Records::Companies(vec![company(1), company(2)])).await;
    let renamed = Company { name: "Outra".to_owned(), ..company(2) };
    let rows = Records::Companies(vec![company(1), renamed.clone(), company(3)]);
    publish(&*store, publication(Source::Companies), rows).await.unwrap();
    let expected = [
        announced(1, WebhookEvent::CompanyCreated, 2, Records::Companies(vec![company(3)])),
        announced(2, WebhookEvent::CompanyUpdated, 2, Records::Companies(vec![renamed])),
    ];
    assert_eq!(place.open().await.announcements(10).await.unwrap(), expected);
    assert_eq!(store.announcements(1).await.unwrap(), expected[..1]);

    let again = Records::Companies(vec![company(3)]);
    publish(&*store, publication(Source::Companies), again).await.unwrap();
    assert_eq!(store.announcements(10).await.unwrap(), expected, "nothing changed");
}

pub(crate) async fn every_kind_of_row_is_announced_as_it_was_published(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    let old_rate = Records::Rates(vec![rate("2026-10-29", "15.00")]);
    for source in [Source::Series(Series::Selic), Source::Series(Series::Cdi), Source::Series(Series::Ipca)] {
        first(&*store, source, old_rate.clone()).await;
    }
    first(&*store, Source::Fx, Records::Fx(vec![quote("2026-10-29", "USD/BRL", "5.1", "5.2")])).await;
    first(&*store, Source::Filings, Records::Filings(vec![filing(1, "2026-10-29")])).await;
    let mended = Filing { description: "mended".to_owned(), ..filing(1, "2026-10-29") };
    let whole = Filing {
        kind: Some("Ata".to_owned()),
        reference_day: Some(day("2026-09-30")),
        ..filing(2, "2026-10-30")
    };
    // For a series, a corrected and a new value are one event; a corrected filing causes none.
    let rates = Records::Rates(vec![rate("2026-10-29", "15.10"), rate("2026-10-30", "-0.020")]);
    for (source, rows, event, news) in [
        (
            Source::Series(Series::Selic),
            rates.clone(),
            WebhookEvent::SeriesUpdated(Series::Selic),
            rates.clone(),
        ),
        (Source::Series(Series::Cdi), rates.clone(), WebhookEvent::SeriesUpdated(Series::Cdi), rates.clone()),
        (Source::Series(Series::Ipca), rates.clone(), WebhookEvent::SeriesUpdated(Series::Ipca), rates),
        (
            Source::Fx,
            Records::Fx(vec![quote("2026-10-30", "EUR/BRL", "6.10000", "6.2")]),
            WebhookEvent::FxUpdated,
            Records::Fx(vec![quote("2026-10-30", "EUR/BRL", "6.10000", "6.2")]),
        ),
        (
            Source::Filings,
            Records::Filings(vec![mended.clone(), whole]),
            WebhookEvent::FilingUpdated,
            Records::Filings(vec![mended]),
        ),
    ] {
        publish(&*store, publication(source), rows).await.unwrap();
        let all = store.announcements(10).await.unwrap();
        let last = all.last().unwrap();
        assert_eq!((last.event, &last.rows), (event, &news));
        assert_eq!(last.edition, store.counters().await.unwrap().edition(source));
    }
}

pub(crate) async fn the_any_series_event_is_announced_if_wanted(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    let news = async |series: Series, value: u32| {
        let rows = Records::Rates(vec![rate("2026-10-29", &value.to_string())]);
        let edition = publish(&*store, publication(series.into()), rows).await.unwrap().edition;
        let all = store.announcements(100).await.unwrap().into_iter();
        all.filter(|new| new.edition == edition).map(|new| (new.source, new.event)).collect::<Vec<_>>()
    };
    for series in [Series::Selic, Series::IbcBrSa, Series::Reserves] {
        assert_eq!(news(series, 1).await, []);
        assert_eq!(news(series, 2).await, [], "nobody asks");
    }
    let shared = |series: Series| (series.into(), WebhookEvent::AnySeriesUpdated);
    let own = (Series::Selic.into(), WebhookEvent::SeriesUpdated(Series::Selic));
    store.insert_webhook(webhook(1, 1, &[WebhookEvent::AnySeriesUpdated]), 10).await.unwrap();
    assert_eq!(news(Series::IbcBrSa, 3).await, [shared(Series::IbcBrSa)]);
    assert_eq!(news(Series::Reserves, 3).await, [], "the filter names others");
    assert_eq!(news(Series::Selic, 3).await, []);
    let mut all = webhook(2, 1, &[own.1, WebhookEvent::AnySeriesUpdated]);
    all.filters.series_ids.clear();
    store.insert_webhook(all, 10).await.unwrap();
    assert_eq!(news(Series::Reserves, 4).await, [shared(Series::Reserves)]);
    assert_eq!(news(Series::Selic, 4).await, [own, shared(Series::Selic)], "one of each");
}

pub(crate) async fn first_and_sample_data_is_not_announced(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    let rows = |value: &str| Records::Rates(vec![rate("2026-10-29", value)]);
    let made_up = Publication { sample: true, replace: true, ..publication(Source::Series(Series::Selic)) };
    first_of(&*store, made_up, rows("1.0")).await;
    first_of(&*store, Publication { replace: false, ..made_up }, rows("2.0")).await;
    // Official data may also be published over the sample.
    first_of(&*store, publication(Source::Series(Series::Selic)), rows("3.0")).await;
    first_of(
        &*store,
        Publication { replace: true, ..publication(Source::Series(Series::Selic)) },
        rows("4.0"),
    )
    .await;
    publish(&*store, publication(Source::Series(Series::Selic)), rows("5.0")).await.unwrap();
    assert_eq!(store.announcements(10).await.unwrap().len(), 1);
}

pub(crate) async fn first_data_in_parts_is_not_announced(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    let add = async |number: u64, end: PublicationItem| {
        let rows = Records::Filings(vec![filing(number, "2026-10-29")]);
        send(&*store, publication(Source::Filings), vec![PublicationItem::Rows(rows), end]).await.unwrap();
        store.announcements(10).await.unwrap().len()
    };
    assert_eq!(add(1, PublicationItem::CommitPart).await, 0);
    assert_eq!(add(2, PublicationItem::CommitPart).await, 0, "the rest of the first data");
    assert_eq!(add(3, PublicationItem::Commit).await, 0, "the last of it");
    assert_eq!(add(4, PublicationItem::CommitPart).await, 1);
}

async fn first_of(store: &dyn Store, publication: Publication, rows: Records) {
    publish(store, publication, rows).await.unwrap();
    assert_eq!(store.announcements(10).await.unwrap(), [], "{publication:?}");
}

pub(crate) async fn nothing_is_announced_without_subscribers(place: &impl Place) {
    let store = place.open().await;
    store.insert_key(new_key(1)).await.unwrap();
    first(&*store, Source::Companies, Records::Companies(vec![company(1)])).await;
    let add = async |id: u32| {
        publish(&*store, publication(Source::Companies), Records::Companies(vec![company(id)]))
            .await
            .unwrap();
        store.announcements(10).await.unwrap().len()
    };
    assert_eq!(add(2).await, 0, "there is no webhook");
    let deaf = webhook(1, 1, &[WebhookEvent::CompanyUpdated, WebhookEvent::FilingCreated]);
    store.insert_webhook(deaf.clone(), 10).await.unwrap();
    assert_eq!(add(3).await, 0, "it asks for other events");
    let ears = Some(vec![WebhookEvent::CompanyCreated]);
    let off = Some(Some(lastro_model::DisabledBy::Owner));
    let change = WebhookChange { events: ears, disabled: off, ..WebhookChange::default() };
    store.change_webhook(&deaf.id, change).await.unwrap();
    assert_eq!(add(4).await, 0, "it is disabled");
    let enable = WebhookChange { disabled: Some(None), ..WebhookChange::default() };
    store.change_webhook(&deaf.id, enable).await.unwrap();
    assert_eq!(add(5).await, 1);
}

pub(crate) async fn a_large_publication_is_announced_in_parts(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    first(&*store, Source::Filings, Records::Filings(vec![filing(0, "2026-10-29")])).await;
    let batch = |from: u64, to: u64| {
        PublicationItem::Rows(Records::Filings((from..to).map(|n| filing(n, "2026-10-30")).collect()))
    };
    let writes = vec![batch(1, 151), batch(151, 251), PublicationItem::Commit];
    send(&*store, publication(Source::Filings), writes).await.unwrap();
    let all = store.announcements(10).await.unwrap();
    let lengths: Vec<usize> = all.iter().map(|announcement| announcement.rows.len()).collect();
    assert_eq!(lengths, [100, 100, 50]);
    assert!(all.iter().all(|announcement| announcement.edition.0 == 2));
}

pub(crate) async fn an_abandoned_publication_announces_nothing(place: &impl Place) {
    let store = place.open().await;
    listening(&*store).await;
    first(&*store, Source::Filings, Records::Filings(vec![filing(0, "2026-10-29")])).await;
    let rows = (1..500).map(|n| filing(n, "2026-10-30")).collect();
    let abandoned =
        send(&*store, publication(Source::Filings), vec![PublicationItem::Rows(Records::Filings(rows))])
            .await;
    assert!(abandoned.is_err());
    assert_eq!(store.announcements(10).await.unwrap(), []);
}
