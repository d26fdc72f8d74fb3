//! Requests that wait for changes, and streams of them.

use std::time::Duration;

use lastro_model::Records;
use serde_json::{Value, json};

use super::{SELIC, app, ask, changes, filing, in_service, newest, prompt, publish, put_filings, rate, told};
use crate::app::{TestApp, soon};

#[tokio::test]
async fn a_waiting_request_is_answered_with_the_change() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let query = format!("after={cursor}&wait=25&types=filing.created");
    let waiting = changes(&app, &key, &query);
    let publishing = async {
        soon(async || app.service.app.changes.slots.count() == 1).await;
        publish(&*app.plain, app.timestamp(), SELIC, Records::Rates(vec![rate(3, 1)]), false).await;
        in_service(&app).await;
        assert_eq!(app.service.app.changes.slots.count(), 1, "nothing for it");
        put_filings(
            &app,
            vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Aviso", "dois"), filing(3, 7, "Ata", "três")],
        )
        .await;
    };
    let (page, ()) = tokio::join!(waiting, publishing);
    assert_eq!(told(&page), ["filing.created 3"]);
    assert_eq!(app.service.app.changes.slots.count(), 0);
    let page = changes(&app, &key, "wait=1").await;
    assert_eq!(page["data"], json!([]), "nothing within a second");
}

#[tokio::test]
async fn a_fifth_request_is_admitted_after_retry_after() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let slots = &app.service.app.changes.slots;
    let wait = async |seconds: u32| changes(&app, &key, &format!("after={cursor}&wait={seconds}")).await;
    let fifth = async {
        soon(async || slots.count() == 4).await;
        let refused = ask(&app, &key, &format!("after={cursor}&wait=25")).await.expect(429);
        let seconds = refused.number("retry-after");
        assert!((2..=5).contains(&seconds), "until the earliest ends: {seconds}");
        assert_eq!(refused.json()["retry_after"], seconds);
        tokio::time::sleep(Duration::from_secs(seconds.unsigned_abs())).await;
        ask(&app, &key, &format!("after={cursor}&wait=1")).await.expect(200);
        app.service.drain();
    };
    tokio::join!(wait(25), wait(3), wait(25), wait(25), fifth);
    let app = app.restart_with(prompt).await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(stream(&app, &key, "x-none", "").await);
    }
    let refused = ask(&app, &key, &format!("after={cursor}&wait=25")).await.expect(429);
    assert_eq!(refused.number("retry-after"), 5, "the end of a stream is unknown");
}

#[tokio::test]
async fn four_requests_wait_at_a_time_and_a_drain_ends_them() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let query = format!("after={cursor}&wait=25");
    let wait = || changes(&app, &key, &query);
    let draining = async {
        soon(async || app.service.app.changes.slots.count() == 4).await;
        let refused = ask(&app, &key, &query).await.expect(429);
        assert_eq!(refused.json()["error"], "rate_limited");
        app.service.drain();
    };
    let (first, .., ()) = tokio::join!(wait(), wait(), wait(), wait(), draining);
    assert_eq!(first, json!({ "data": [], "next": cursor, "more": false }));
    assert_eq!(wait().await["next"], cursor, "no request waits any more");
}

/// Reads a stream of events until it holds a text, or to its end.
pub(super) async fn streamed(response: &mut reqwest::Response, until: Option<&str>) -> String {
    let mut text = String::new();
    let reading = async {
        while let Some(piece) = response.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&piece).unwrap());
            if until.is_some_and(|until| text.contains(until)) {
                return;
            }
        }
    };
    let read = tokio::time::timeout(Duration::from_secs(20), reading).await;
    assert!(read.is_ok(), "nothing after {text:?}");
    text
}

pub(super) async fn stream(app: &TestApp, key: &str, name: &str, value: &str) -> reqwest::Response {
    let url = format!("http://{}/api/v1/changes", app.service.address);
    let asking = crate::app::client().build().unwrap().get(url).header("x-api-key", key);
    let response = asking.header("accept", "text/event-stream").header(name, value).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response
}

#[tokio::test]
async fn a_stream_tells_events_resumes_and_ends_with_its_key() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    let mut response = stream(&app, &key, "x-none", "").await;
    let start = streamed(&mut response, Some("\n\n")).await;
    assert_eq!(start, format!("retry: 2000\nid: {cursor}\n\n"));
    let with_third =
        vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Aviso", "dois"), filing(3, 7, "Ata", "três")];
    put_filings(&app, with_third).await;
    let event = streamed(&mut response, Some("\n\n")).await;
    let page = changes(&app, &key, &format!("after={cursor}")).await;
    let [id, name, data] = event.trim_end().lines().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(id, format!("id: {}", page["next"].as_str().unwrap()));
    assert_eq!(name, "event: filing.created");
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(data, page["data"][0]);
    drop(response);
    let mut resumed = stream(&app, &key, "last-event-id", &cursor).await;
    assert!(streamed(&mut resumed, Some("filing.created")).await.starts_with("retry: 2000\n"));
    app.elsewhere().await.revoke(crate::app::id_of(&key), app.timestamp()).await.unwrap();
    assert_eq!(streamed(&mut resumed, None).await, "", "it ends");
    soon(async || app.service.app.changes.slots.count() == 0).await;
}
