//! Moving everything from one database to another: compared row by row, interrupted, refused.

mod refusals;

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use lastro_model::{
    AccountId, KeyDigest, ManualClock, NewKey, Outcome, Plan, ReadFile, Records, Series, Source, UsageCount,
    Withheld,
};
use lastro_store::{
    Database, Fate, ListedFile, Options, Publication, PublicationItem, Replica, Store, StoreError,
    TransferContext, TransferProgress, TransferStep, TransferredTable, open, open_existing, open_untouched,
};
use tokio::sync::Notify;

use crate::conformance::Place;
use crate::conformance::billing::paying;
use crate::conformance::log::{log, saved_feed};
use crate::postgres::TemporaryDatabase;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;
use crate::tables::Inspected;

const SELIC: Source = Source::Series(Series::Selic);

type Transferred = Result<Vec<TransferredTable>, StoreError>;

fn is_alive(replica: &Replica, now: Timestamp) -> bool {
    now.as_millisecond().abs_diff(replica.seen_at.as_millisecond()) <= 10_000
}

/// The sentence of a refused transfer.
async fn refusal(from: &impl Place, to: &impl Place) -> String {
    transfer(from, to).await.unwrap_err().to_string()
}

async fn transfer_as(
    holder: &str,
    from: &impl Place,
    to: &impl Place,
    report: &(dyn Fn(TransferProgress) + Send + Sync),
) -> Transferred {
    let clock = ManualClock::starting_at(at(0).as_millisecond());
    let context = TransferContext { holder, clock: &clock, is_alive };
    lastro_store::transfer(&from.url(), &to.url(), &Options::default(), context, report).await
}

async fn transfer(from: &impl Place, to: &impl Place) -> Transferred {
    transfer_as("the test", from, to, &|_| {}).await
}

fn selic(second: i64) -> Publication {
    Publication { at: at(second), ..publication(SELIC) }
}

/// Writes rows into every table that is copied.
async fn fill(store: &dyn Store) {
    store.setting_or("pepper_fingerprint", "print of a pepper").await.unwrap();
    let webhook = listening(store).await;
    publish_everything(store).await;
    assert!(store.insert_feed(saved_feed(1, 1), "digest of a token".to_owned(), 20).await.unwrap());
    assert!(store.insert_feed(saved_feed(2, 1), "digest of an ended one".to_owned(), 20).await.unwrap());
    assert!(store.delete_feed(saved_feed(2, 1).account, &saved_feed(2, 1).id, at(11)).await.unwrap());
    store.log_replacements(vec![(SELIC, "a".to_owned())], at(40)).await.unwrap();
    let number = store.announcements(1).await.unwrap()[0].number;
    let messages = (1..=3).map(|number| message(number, &webhook.id)).collect();
    assert!(store.fan_out(number, messages).await.unwrap());
    let claimed = store.settle_and_claim(Vec::new(), claim(1, "a")).await.unwrap();
    let settled = vec![settlement(&claimed[0], "a", Fate::Due(at(90)))];
    store.settle_and_claim(settled, claim(2, "a")).await.unwrap();
    store.record_delivery(message(9, &webhook.id), settlement_attempt(), false).await.unwrap();

    for number in 2..=5 {
        let self_registered = number == 4;
        store.insert_key(NewKey { self_registered, ..new_key(number) }).await.unwrap();
    }
    store.set_plan(key_id(2), Plan::Gold, Some(Some(5_000))).await.unwrap();
    store.rotate(key_id(2), key_id(22), KeyDigest([22; 32]), at(10), at(20)).await.unwrap();
    store.revoke(key_id(3), at(11)).await.unwrap();
    store.record_billing(paying(2, at(11)), None).await.unwrap();
    store.remember_billing_event("evt_1", at(11)).await.unwrap();
    store.erase(key_id(5), at(12)).await.unwrap();
    for sequence in 1..=2 {
        store.add_usage("boot a", sequence, at(13), &[usage(7)]).await.unwrap();
    }
}

fn usage(requests: u64) -> UsageCount {
    UsageCount {
        account: AccountId(key_id(2)),
        day: day("2026-10-30"),
        endpoint: "GET /api/v1/market/selic".to_owned(),
        outcome: Outcome::Ok,
        requests,
    }
}

async fn publish_everything(store: &dyn Store) {
    let others = [
        (Source::Fx, Records::Fx(vec![quote("2026-10-29", "USD/BRL", "5.10", "5.1150")])),
        (Source::Companies, Records::Companies(vec![company(9512), company(2)])),
        (Source::Filings, Records::Filings((0..200).map(|id| filing(id, "2026-10-29")).collect())),
        (Source::Filings, Records::Filings((190..210).map(|id| filing(id, "2026-10-30")).collect())),
        (Source::Tickers, Records::Tickers(vec![traded_security("PETR4", 9512)])),
        (Source::Tickers, Records::FormerNames(vec![former_name(9512, "AÇOS 'de' ontem")])),
    ];
    for (source, rows) in others {
        publish(store, publication(source), rows).await.unwrap();
    }
    let year = vec![
        PublicationItem::Rows(Records::Filings((3..200).map(|id| filing(id, "2026-10-29")).collect())),
        PublicationItem::Rows(Records::Filings(vec![filing(210, "2025-12-31")])),
        PublicationItem::EndOfList(ListedFile::Year(2026)),
        PublicationItem::Commit,
    ];
    send(store, publication(Source::Filings), year).await.unwrap();
    let withheld =
        Withheld { point: rate("2026-10-30", "1500").into(), first_seen: at(5), reason: "ação".to_owned() };
    let files = [
        PublicationItem::File(ReadFile {
            withheld: read_file("https://sample.invalid/a", 2).rejects,
            ..read_file("https://sample.invalid/a", 3)
        }),
        PublicationItem::Withheld(vec![withheld]),
    ];
    for (second, value) in [(1, "15.00"), (2, "15.25"), (3, "15.250")] {
        let rows = PublicationItem::Rows(Records::Rates(vec![rate("2026-10-29", value)]));
        let items = [&files[..], &[rows, PublicationItem::Commit]].concat();
        send(store, selic(second), items).await.unwrap();
    }
    store.record_attempt(Source::Companies, at(30), Some("não respondeu".to_owned())).await.unwrap();
}

/// Everything that the store's traits return, as text.
async fn told(store: &dyn Store) -> String {
    let mut text = String::new();
    let mut add = |value: &dyn std::fmt::Debug| writeln!(text, "{value:#?}").unwrap();
    add(&store.counters().await.unwrap());
    add(&store.source_states().await.unwrap());
    add(&store.remembered_editions(Source::Filings).await.unwrap());
    add(&store.announcements(100).await.unwrap());
    add(&store.outbox_state().await.unwrap());
    add(&store.list_keys().await.unwrap());
    add(&store.keys_since(0, 100).await.unwrap());
    add(&store.list_billing().await.unwrap());
    add(&store.usage(AccountId(key_id(2)), day("2026-01-01"), day("2026-12-31")).await.unwrap());
    for webhook in store.list_webhooks().await.unwrap() {
        add(&store.deliveries(&webhook.id, 100, 0).await.unwrap());
        add(&webhook);
    }
    for source in [SELIC, Source::Fx, Source::Companies, Source::Tickers] {
        add(&all(store, source).await.unwrap());
        add(&store.revisions(source).await.unwrap());
        add(&store.withheld(source).await.unwrap());
        add(&store.read_files(source).await.unwrap());
        add(&store.rejects(source, 100).await.unwrap());
    }
    add(&filings(store).await);
    add(&log(store).await);
    text
}

/// Numbers go on where the source stopped: no key, edition, announcement or message gets one twice.
async fn goes_on(store: &dyn Store) {
    let before = store.counters().await.unwrap();
    let numbers: Vec<u64> = store.announcements(100).await.unwrap().iter().map(|news| news.number).collect();
    store.set_plan(key_id(2), Plan::Platinum, None).await.unwrap();
    store.insert_key(new_key(100)).await.unwrap();
    assert_eq!(store.counters().await.unwrap().key_revision, before.key_revision + 3);
    let rows = Records::Rates(vec![rate("2026-10-30", "15.5")]);
    let published = publish(store, selic(40), rows).await.unwrap();
    assert!(before.editions.iter().all(|(_, edition)| *edition < published.edition));
    let news = store.announcements(100).await.unwrap();
    assert!(news.iter().any(|news| news.edition == published.edition && !numbers.contains(&news.number)));
    let webhook = store.list_webhooks().await.unwrap().remove(0);
    assert!(store.fan_out(news[0].number, vec![message(50, &webhook.id)]).await.unwrap());
    let newest = store.deliveries(&webhook.id, 1, 0).await.unwrap().page.remove(0);
    assert_eq!(newest.message, message(50, &webhook.id).id, "the newest number is the greatest");
    store.add_usage("boot b", 1, at(50), &[usage(1)]).await.unwrap();
    let counted = store.usage(AccountId(key_id(2)), day("2026-10-30"), day("2026-10-30")).await.unwrap();
    assert_eq!(counted, [usage(15)]);
}

#[tokio::test]
async fn moving_to_postgres_and_back_loses_nothing() {
    let (file, server, other_file) = (TemporaryFile::new(), TemporaryDatabase::bare(), TemporaryFile::new());
    let store = file.open().await;
    fill(&*store).await;
    // Only the migration of an earlier version's database writes to it.
    file.change("INSERT INTO unread_year (year) VALUES (2019)");
    let before = told(&*store).await;
    drop(store);
    let rows = file.everything();
    let empty: Vec<_> = rows.iter().filter(|(_, rows)| rows.is_empty()).map(|(name, _)| name).collect();
    assert!(empty.is_empty(), "nothing is tried with {empty:?}");

    let there = transfer(&file, &server).await.unwrap();
    assert_eq!(server.everything(), rows);
    assert_eq!(told(&*server.open().await).await, before);
    let back = transfer(&server, &other_file).await.unwrap();
    assert_eq!((other_file.everything(), &back), (rows, &there));
    assert_eq!(told(&*other_file.open().await).await, before);
    let unchecked = "SELECT CAST(COUNT(*) AS TEXT) FROM filing WHERE checksum IS NULL";
    assert_eq!(other_file.text(Database::Data, unchecked), "0");

    goes_on(&*server.open().await).await;
    goes_on(&*other_file.open().await).await;
}

#[tokio::test]
async fn the_files_of_the_source_are_not_changed() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    fill(&*file.open().await).await;
    let before = file.contents();
    transfer(&file, &server).await.unwrap();
    assert!(file.contents() == before, "a file was written, made or removed");
}

#[tokio::test]
async fn the_log_of_a_killed_service_is_moved_and_not_changed() {
    let (file, killed, server) = (TemporaryFile::new(), TemporaryFile::new(), TemporaryDatabase::new());
    let store = file.open().await;
    fill(&*store).await;
    for (path, bytes) in file.contents() {
        std::fs::write(killed.directory().join(path.file_name().unwrap()), bytes).unwrap();
    }
    let before = told(&*store).await;
    drop(store);
    // The index of a log is rebuilt by whoever reads it, and an empty log is removed.
    let files = || {
        let mut files = killed.contents();
        files.retain(|path, bytes| !bytes.is_empty() && !path.to_string_lossy().ends_with("-shm"));
        files
    };
    let left = files();
    assert!(left.keys().any(|path| path.ends_with("lastro.db.accounts-wal")));
    transfer(&killed, &server).await.unwrap();
    assert!(files() == left);
    assert_eq!(told(&*server.open().await).await, before);
}

/// Runs a transfer until it has reported this often. Returns whether it had ended before.
async fn interrupted(from: &impl Place, to: &impl Place, after: usize) -> bool {
    let reports = AtomicUsize::new(0);
    interrupted_when(from, to, &|_| reports.fetch_add(1, Ordering::SeqCst) == after).await
}

/// The same until it reports something that is waited for.
async fn interrupted_when(
    from: &impl Place,
    to: &impl Place,
    is_time: &(dyn Fn(TransferProgress) -> bool + Sync),
) -> bool {
    let cut = Notify::new();
    let report = |progress| {
        if is_time(progress) {
            cut.notify_one();
        }
    };
    let ended = tokio::select! {
        biased;
        () = cut.notified() => false,
        outcome = transfer_as("the test", from, to, &report) => outcome.is_ok(),
    };
    to.settle().await;
    ended
}

async fn goes_on_after_every_interruption(from: &impl Inspected, to: &impl Inspected) {
    fill(&*from.open().await).await;
    let mut runs = 0;
    while !interrupted(from, to, 4 * runs).await {
        assert_eq!(open(&to.url()).await.unwrap_err(), StoreError::Unfinished);
        assert_eq!(open_existing(&to.url()).await.unwrap_err(), StoreError::Unfinished);
        // The lease of a killed process, which would end by itself.
        to.change_accounts("DELETE FROM lease");
        runs += 1;
        assert!(runs < 50, "it never ends");
    }
    assert!(runs > 10, "{runs} interruptions");
    assert_eq!(to.everything(), from.everything());
    goes_on(&*to.open().await).await;
}

#[tokio::test]
async fn an_interrupted_move_to_postgres_goes_on() {
    goes_on_after_every_interruption(&TemporaryFile::new(), &TemporaryDatabase::new()).await;
}

#[tokio::test]
async fn an_interrupted_move_to_sqlite_goes_on() {
    goes_on_after_every_interruption(&TemporaryDatabase::new(), &TemporaryFile::new()).await;
}

#[tokio::test]
async fn large_tables_are_copied_in_parts_and_not_twice() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    let rows = Records::Filings((0..12_000).map(|id| filing(id, "2026-10-29")).collect());
    publish(&*file.open().await, publication(Source::Filings), rows).await.unwrap();
    let seen = Mutex::new(Vec::new());
    let note = |progress: TransferProgress| {
        if progress.step == TransferStep::Copy && progress.table == "filing" {
            assert_eq!(progress.total, 12_000);
            seen.lock().unwrap().push(progress.rows);
        }
    };
    tokio::select! {
        _ = transfer_as("the test", &file, &server, &note) => panic!("it was not interrupted"),
        () = async { while seen.lock().unwrap().len() < 2 { tokio::task::yield_now().await } } => {}
    }
    server.settle().await;
    assert_eq!(seen.lock().unwrap()[..2], [0, 5_000]);
    seen.lock().unwrap().clear();
    server.change("DELETE FROM lease");
    transfer_as("the test", &file, &server, &note).await.unwrap();
    let seen = seen.into_inner().unwrap();
    assert!(seen[0] >= 5_000 && seen.last() == Some(&12_000), "{seen:?}");
    assert_eq!(server.everything(), file.everything());
}

#[tokio::test]
async fn a_source_written_to_meanwhile_is_not_taken_for_the_same() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    fill(&*file.open().await).await;
    let is_time = |progress: TransferProgress| progress.table == "webhook";
    assert!(!interrupted_when(&file, &server, &is_time).await);
    server.change("DELETE FROM lease");
    file.open().await.add_usage("boot a", 3, at(14), &[usage(1)]).await.unwrap();
    let refused = refusal(&file, &server).await;
    assert!(refused.contains("the table usage_count is not the same"), "{refused}");
    assert_eq!(open(&server.url()).await.unwrap_err(), StoreError::Unfinished);
}

#[tokio::test]
async fn a_damaged_row_is_not_moved() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    fill(&*file.open().await).await;
    file.change("UPDATE rate SET value = '99'");
    let refused = refusal(&file, &server).await;
    assert!(refused.contains("a row of the table rate is not as it was written"), "{refused}");
}

#[tokio::test]
async fn an_untouched_store_can_be_read_and_not_written() {
    let (file, server) = (TemporaryFile::new(), TemporaryDatabase::new());
    for url in [file.url(), server.url()] {
        open(&url).await.unwrap().setting_or("a", "b").await.unwrap();
        let store = open_untouched(&url, &Options::default()).await.unwrap();
        assert_eq!(store.setting("a").await.unwrap().as_deref(), Some("b"));
    }
    let store = open_untouched(&file.url(), &Options::default()).await.unwrap();
    store.setting_or("c", "d").await.unwrap_err();
}
