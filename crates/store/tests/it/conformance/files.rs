use lastro_model::{ReadFile, Records, Source};
use lastro_store::{Publication, PublicationItem, RememberedFile, Store, StoreError};

use super::Place;
use crate::specimen::*;

const REGISTRY: &str = "https://files.invalid/cad.csv";
const YEAR_2025: &str = "https://files.invalid/ipe_2025.zip";
const YEAR_2026: &str = "https://files.invalid/ipe_2026.zip";

async fn publish_files(store: &dyn Store, publication: Publication, files: Vec<ReadFile>) {
    let writes = files.into_iter().map(PublicationItem::File).chain([PublicationItem::Commit]).collect();
    send(store, publication, writes).await.unwrap();
}

async fn reject_count(store: &dyn Store, source: Source) -> u64 {
    state_of(store, source).await.rejects
}

fn remembered(file: &ReadFile) -> RememberedFile {
    RememberedFile {
        url: file.url.clone(),
        etag: file.etag.clone(),
        last_modified: file.last_modified.clone(),
        sha256: file.sha256.clone(),
        rows: file.rows,
        reject_count: file.rejects.len() as u64,
        read_at: file.read_at,
    }
}

pub(crate) async fn files_are_stored_with_their_rows(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert!(here.read_files(Source::Filings).await.unwrap().is_empty());
    assert!(here.rejects(Source::Filings, 10).await.unwrap().is_empty());
    let mut untagged = read_file(YEAR_2025, 1);
    untagged.etag = None;
    untagged.last_modified = Some("Sun, 06 Sep 2026 10:00:04 GMT".to_owned());
    let current = read_file(YEAR_2026, 2);
    let writes = vec![
        PublicationItem::File(current.clone()),
        PublicationItem::Rows(Records::Filings(vec![filing(1, "2026-10-30")])),
        PublicationItem::File(untagged.clone()),
        PublicationItem::Commit,
    ];
    send(&*here, publication(Source::Filings), writes).await.unwrap();

    let files = there.read_files(Source::Filings).await.unwrap();
    assert_eq!(files, [remembered(&untagged), remembered(&current)], "by address");
    assert_eq!(
        there.rejects(Source::Filings, 10).await.unwrap(),
        [untagged.rejects, current.rejects].concat()
    );
    assert_eq!(reject_count(&*there, Source::Filings).await, 3);
    assert_eq!(reject_count(&*there, Source::Companies).await, 0);
    assert_eq!(filings(&*there).await.len(), 1);
}

pub(crate) async fn withheld_rows_are_listed_and_no_rejects(place: &impl Place) {
    let store = place.open().await;
    let withheld = read_file(YEAR_2026, 2).rejects;
    let file = ReadFile { withheld: withheld.clone(), ..read_file(YEAR_2026, 1) };
    publish_files(&*store, publication(Source::Filings), vec![file.clone()]).await;
    let state = state_of(&*store, Source::Filings).await;
    assert_eq!((state.rejects, state.withheld, state.newest_withheld), (1, 2, Vec::new()));
    let listed = store.rejects(Source::Filings, 10).await.unwrap();
    assert_eq!(listed, [file.rejects, withheld].concat());
}

pub(crate) async fn a_file_read_again_replaces_the_stored_one(place: &impl Place) {
    let store = place.open().await;
    let other = read_file(YEAR_2025, 1);
    let files = vec![other.clone(), read_file(YEAR_2026, 5)];
    publish_files(&*store, publication(Source::Filings), files).await;

    let mut newer = read_file(YEAR_2026, 2);
    newer.etag = Some("newer".to_owned());
    newer.rows = 3_000;
    publish_files(&*store, publication(Source::Filings), vec![read_file(YEAR_2026, 9), newer.clone()]).await;
    let files = store.read_files(Source::Filings).await.unwrap();
    assert_eq!(files, [remembered(&other), remembered(&newer)]);
    let kept = store.rejects(Source::Filings, 100).await.unwrap();
    assert_eq!(kept, [other.rejects, newer.rejects].concat());
    assert_eq!(reject_count(&*store, Source::Filings).await, 3);
}

pub(crate) async fn a_failed_publication_keeps_the_stored_files(place: &impl Place) {
    let store = place.open().await;
    let old = read_file(REGISTRY, 1);
    publish_files(&*store, publication(Source::Companies), vec![old.clone()]).await;

    let newer = || PublicationItem::File(read_file(REGISTRY, 3));
    let misplaced = PublicationItem::Rows(Records::Filings(vec![filing(1, "2026-10-30")]));
    for (replace, writes, failure) in [
        (false, vec![newer()], StoreError::Abandoned),
        (true, vec![newer()], StoreError::Abandoned),
        (
            false,
            vec![newer(), misplaced, PublicationItem::Commit],
            StoreError::Misplaced { source_name: "companies" },
        ),
    ] {
        let failing = Publication { replace, ..publication(Source::Companies) };
        assert_eq!(send(&*store, failing, writes).await, Err(failure));
        assert_eq!(store.read_files(Source::Companies).await.unwrap(), [remembered(&old)]);
        assert_eq!(store.rejects(Source::Companies, 10).await.unwrap(), old.rejects);
    }
}

pub(crate) async fn the_first_thousand_rejects_are_kept_and_all_are_counted(place: &impl Place) {
    let store = place.open().await;
    let (broken, fine) = (read_file(YEAR_2025, 1_234), read_file(YEAR_2026, 1));
    publish_files(&*store, publication(Source::Filings), vec![broken.clone(), fine.clone()]).await;
    let counted: Vec<_> = store.read_files(Source::Filings).await.unwrap();
    assert_eq!(counted.iter().map(|file| file.reject_count).collect::<Vec<_>>(), [1_234, 1]);
    assert_eq!(reject_count(&*store, Source::Filings).await, 1_235);
    let kept = store.rejects(Source::Filings, usize::MAX).await.unwrap();
    assert!(kept == [&broken.rejects[..1_000], &fine.rejects].concat(), "{} are kept", kept.len());
}

pub(crate) async fn rejects_come_in_file_order_up_to_the_limit(place: &impl Place) {
    let store = place.open().await;
    let file = read_file(REGISTRY, 30);
    publish_files(&*store, publication(Source::Companies), vec![file.clone()]).await;
    for limit in [0, 1, 12, 30, 31] {
        let shown = store.rejects(Source::Companies, limit).await.unwrap();
        assert_eq!(shown, file.rejects[..limit.min(30)]);
    }
}

pub(crate) async fn replacing_forgets_the_files_of_this_source_only(place: &impl Place) {
    let store = place.open().await;
    // One address may serve two sources.
    for source in [Source::Companies, Source::Filings] {
        publish_files(&*store, publication(source), vec![read_file(REGISTRY, 2)]).await;
    }
    let replacing = Publication { replace: true, ..publication(Source::Companies) };
    let official = read_file("https://files.invalid/other.csv", 1);
    publish_files(&*store, replacing, vec![official.clone()]).await;
    assert_eq!(store.read_files(Source::Companies).await.unwrap(), [remembered(&official)]);
    assert_eq!(store.rejects(Source::Companies, 10).await.unwrap(), official.rejects);
    assert_eq!(store.read_files(Source::Filings).await.unwrap(), [remembered(&read_file(REGISTRY, 2))]);
    assert_eq!(reject_count(&*store, Source::Filings).await, 2);
}

pub(crate) async fn a_file_alone_does_not_make_an_edition(place: &impl Place) {
    let store = place.open().await;
    let rows = Records::Companies(vec![company(1)]);
    publish(&*store, publication(Source::Companies), rows.clone()).await.unwrap();
    let before = store.counters().await.unwrap();
    let file = read_file(REGISTRY, 1);
    let writes =
        vec![PublicationItem::Rows(rows), PublicationItem::File(file.clone()), PublicationItem::Commit];
    send(&*store, publication(Source::Companies), writes).await.unwrap();
    assert_eq!(store.counters().await.unwrap(), before);
    assert_eq!(store.read_files(Source::Companies).await.unwrap(), [remembered(&file)]);
}
