//! Clients that are gone, or that fell behind what is kept; editions that the log lacks.

use std::time::Duration;

use lastro_background::changes::ReadError;
use lastro_background::changes::filter::ChangeFilter;
use lastro_model::{Records, Source};
use lastro_store::{Condition, Publication, PublicationItem};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::waiting::{stream, streamed};
use super::{SELIC, app, ask, changes, filing, in_service, newest, prompt, publish, put_filings, rate, told};
use crate::app::{TestApp, soon};

/// Changes the database as another version would.
fn change(app: &TestApp, sql: &str) {
    let file = rusqlite::Connection::open(app.directory.path().join("lastro.db")).unwrap();
    file.busy_timeout(Duration::from_secs(5)).unwrap();
    file.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_client_that_is_gone_gives_its_place_back() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let slots = &app.service.app.changes.slots;
    let mut clients = Vec::new();
    for accept in ["application/json", "text/event-stream"].repeat(2) {
        let mut client = TcpStream::connect(app.service.address).await.unwrap();
        let request = format!(
            "GET /api/v1/changes?wait=25&after={cursor} HTTP/1.1\r\nhost: lastro\r\nx-api-key: {key}\r\naccept: {accept}\r\n\r\n"
        );
        client.write_all(request.as_bytes()).await.unwrap();
        clients.push(client);
    }
    soon(async || slots.count() == 4).await;
    clients[0].write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(slots.count(), 4, "one that sends its next request waits on");
    drop(clients.split_off(1));
    soon(async || slots.count() == 1).await;
    ask(&app, &key, &format!("after={cursor}&wait=1")).await.expect(200);
}

#[tokio::test]
async fn a_client_that_is_gone_after_pipelining_gives_its_place_back() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let slots = &app.service.app.changes.slots;
    let mut client = TcpStream::connect(app.service.address).await.unwrap();
    let wait = format!(
        "GET /api/v1/changes?wait=25&after={cursor} HTTP/1.1\r\nhost: lastro\r\nx-api-key: {key}\r\n\r\n"
    );
    // More than is read ahead, in one piece.
    client.write_all(wait.repeat(3).as_bytes()).await.unwrap();
    soon(async || slots.count() == 1).await;
    drop(client);
    soon(async || slots.count() == 0).await;
}

#[tokio::test]
async fn a_reader_that_retention_has_passed_is_told_so() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    put_filings(&app, vec![filing(1, 7, "Ata", "um"), filing(3, 7, "Ata", "três")]).await;
    // Nothing is in memory after a restart.
    let app = app.restart_with(prompt).await;
    let service = &app.service.app.changes;
    let place = service.place_of(&cursor).await.unwrap().mark;
    let page = service.page(place, &ChangeFilter::default(), 1).await.unwrap();
    assert_eq!(page.entries.len(), 1);
    let mut open = stream(&app, &key, "x-none", "").await;
    streamed(&mut open, Some("\n\n")).await;
    app.plain.forget_changes(app.timestamp() + Duration::from_secs(1)).await.unwrap();
    for place in [place, page.next] {
        let read = service.page(place, &ChangeFilter::default(), 9).await;
        assert!(matches!(read, Err(ReadError::Expired { .. })), "{read:?}");
    }
    put_filings(&app, vec![filing(1, 7, "Ata", "um")]).await;
    assert!(streamed(&mut open, Some("\n\n")).await.contains("filing.removed"), "this one had read all");
    ask(&app, &key, &format!("after={cursor}")).await.expect(410);
}

#[tokio::test]
async fn an_unlogged_edition_is_told_whatever_came_before_it() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    change(&app, "UPDATE counter SET value = value + 1 WHERE name = 'edition'");
    put_filings(&app, vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Aviso", "x")]).await;
    change(
        &app,
        "UPDATE source_state SET edition = (SELECT value - 1 FROM counter WHERE name = 'edition')
        WHERE source = 'selic'",
    );
    soon(async || {
        let page = changes(&app, &key, &format!("after={cursor}")).await;
        told(&page) == ["filing.updated 2", "source.replaced selic"]
    })
    .await;
}

#[tokio::test]
async fn a_release_with_another_shape_starts_during_a_publication() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    change(&app, "UPDATE shown_as SET digest = 'before' WHERE source IN ('selic', 'fx')");
    let (store, at) = (app.elsewhere().await, app.timestamp());
    let (sender, rows) = mpsc::channel(1);
    let condition = Condition::None;
    let publication = Publication { source: Source::Filings, sample: false, replace: false, at, condition };
    let publishing = tokio::spawn(async move { store.publish(publication, rows).await });
    for id in 11..14 {
        let rows = Records::Filings(vec![filing(id, 7, "Ata", "novo")]);
        sender.send(PublicationItem::Rows(rows)).await.unwrap();
    }
    let app = app.restart_with(prompt).await;
    ask(&app, &key, &format!("after={cursor}")).await.expect(200);
    sender.send(PublicationItem::Commit).await.unwrap();
    publishing.await.unwrap().unwrap();
    let wanted = ["source.replaced fx", "source.replaced selic"];
    for _ in 0..200 {
        let page = changes(&app, &key, &format!("after={cursor}")).await;
        if wanted.iter().all(|wanted| told(&page).iter().any(|told| told == wanted)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the replacement is never told");
}

#[tokio::test]
async fn a_large_edition_keeps_the_tail_within_its_bounds() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let many = (1..7_000).map(|id| filing(id, 7, "Ata", "um")).collect();
    put_filings(&app, many).await;
    publish(&*app.plain, app.timestamp(), SELIC, Records::Rates(vec![rate(2, 1525)]), false).await;
    in_service(&app).await;
    let (mut place, mut read) = (cursor, 0);
    loop {
        let page = changes(&app, &key, &format!("after={place}&limit=1000")).await;
        read += page["data"].as_array().unwrap().len();
        place = page["next"].as_str().unwrap().to_owned();
        if page["more"] == false {
            break;
        }
    }
    // The first filing is as it was, and the series has a change.
    assert_eq!(read, 6_999);
}
