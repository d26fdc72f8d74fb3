//! Clients that are told nothing, or that a parameter is wrong.

use lastro_model::Records;
use reqwest::Method;

use super::{SELIC, app, ask, changes, newest, publish, put_filings, rate};
use crate::app::{id_of, soon};
use crate::changes::{filing, told};

#[tokio::test]
async fn a_waiting_key_that_ends_is_told_nothing() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let query = format!("after={cursor}&wait=25");
    let revoking = async {
        soon(async || app.service.app.changes.slots.count() == 1).await;
        app.elsewhere().await.revoke(id_of(&key), app.timestamp()).await.unwrap();
        soon(async || ask(&app, &key, "").await.status == 401).await;
        put_filings(&app, vec![filing(1, 7, "Ata", "um"), filing(3, 7, "Ata", "três")]).await;
    };
    let (page, ()) = tokio::join!(changes(&app, &key, &query), revoking);
    assert_eq!(told(&page), [""; 0]);
    assert_eq!(page["next"], cursor);
}

#[tokio::test]
async fn pairs_are_filtered_in_any_spelling() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    publish(&*app.plain, app.timestamp(), SELIC, Records::Rates(vec![rate(3, 1)]), false).await;
    for (ids, status) in [
        ("usd-brl", 200),
        ("USD-BRL", 200),
        ("usd/brl", 200),
        ("USD%2FBRL", 200),
        ("zzz-qqq", 400),
        ("usd", 400),
    ] {
        ask(&app, &key, &format!("after={cursor}&series_ids={ids}")).await.expect(status);
    }
}

#[tokio::test]
async fn the_head_of_a_stream_says_its_type() {
    let (app, key) = app().await;
    let asking = app.request(Method::HEAD, "/api/v1/changes").key(&key).header("accept", "text/event-stream");
    assert_eq!(asking.send().await.expect(200).header("content-type"), "text/event-stream");
}
