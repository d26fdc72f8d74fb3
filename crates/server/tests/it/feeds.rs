//! Atom feeds of series and of saved searches.

use lastro_model::{Plan, Records, Source};
use reqwest::Method;
use serde_json::Value;

use crate::app::{TestApp, id_of};
use crate::changes::{filing, in_service, prompt, publish};

async fn app() -> (TestApp, String) {
    let app = TestApp::start_with(prompt).await;
    let key = app.ample_key(Plan::Gold).await;
    let mut rows: Vec<_> = (1..=60).map(|id| filing(id, 7, "Ata", "Reunião")).collect();
    rows.push(filing(70, 8, "Aviso", "Dividendos & <juros>"));
    publish(&*app.plain, app.timestamp(), Source::Filings, Records::Filings(rows), true).await;
    in_service(&app).await;
    (app, key)
}

async fn create(app: &TestApp, key: &str, body: &str) -> Value {
    app.post("/api/v1/feeds", body.to_owned()).key(key).send().await.expect(201).json()
}

fn entries(xml: &str) -> usize {
    xml.matches("<entry>").count()
}

/// Parses a document with feedparser, if the machine has it, and returns its number of entries.
fn parsed(xml: &str) -> Option<usize> {
    use std::io::Write;
    let code = "import sys, feedparser\nf = feedparser.parse(sys.stdin.buffer.read())\n\
        assert not f.bozo, f.bozo_exception\nassert f.version == 'atom10'\n\
        assert f.feed.id and f.feed.title and f.feed.updated_parsed\n\
        assert all(e.id and e.title and e.updated_parsed and e.link for e in f.entries)\nprint(len(f.entries))";
    let mut command = std::process::Command::new("python3");
    command.args(["-c", code]).stdin(std::process::Stdio::piped());
    let has_parser = std::process::Command::new("python3").args(["-c", "import feedparser"]).output().ok()?;
    has_parser.status.success().then_some(())?;
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(xml.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    assert!(output.status.success(), "{xml}");
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[tokio::test]
async fn a_saved_search_is_read_by_its_address_until_deleted() {
    let (app, key) = app().await;
    let all = create(&app, &key, r#"{"name":"Tudo <&>"}"#).await;
    let found = create(&app, &key, r#"{"name":"Proventos","q":"dividendo","company_ids":["8"]}"#).await;
    let read = async |feed: &Value| app.get(feed["url"].as_str().unwrap()).send().await;
    let answer = read(&all).await.expect(200);
    assert_eq!(answer.header("content-type"), "application/atom+xml; charset=utf-8");
    assert_eq!(entries(&answer.text()), 50);
    assert!(parsed(&answer.text()).is_none_or(|entries| entries == 50));
    let tag = answer.header("etag").to_owned();
    app.get(all["url"].as_str().unwrap()).header("if-none-match", &tag).send().await.expect(304);
    let one = read(&found).await.expect(200).text();
    assert_eq!(entries(&one), 1);
    assert!(
        one.contains("<id>tag:lastro,2026:filing/70</id>") && one.contains("https://sample.invalid/70"),
        "{one}"
    );
    assert!(
        one.contains("Dividendos &amp; &lt;juros&gt;") && parsed(&one).is_none_or(|entries| entries == 1)
    );

    let list = app.get("/api/v1/feeds").key(&key).send().await.expect(200).json();
    assert_eq!(list["total"], 2);
    assert!(list["data"].as_array().unwrap().iter().all(|feed| feed.get("url").is_none()));
    let path = format!("/api/v1/feeds/{}", found["id"].as_str().unwrap());
    let other = app.ample_key(Plan::Gold).await;
    app.request(Method::DELETE, &path).key(&other).send().await.expect(404);
    app.request(Method::DELETE, &path).key(&key).send().await.expect(204);
    read(&found).await.expect(404);
    app.plain.set_plan(id_of(&key), Plan::Bronze, None).await.unwrap();
    assert_eq!(read(&all).await.expect(410).json()["error"], "gone");
}

#[tokio::test]
async fn bad_feeds_are_refused_and_their_number_is_limited() {
    let (app, key) = app().await;
    for bad in [
        "",
        "[]",
        "{}",
        r#"{"name":" "}"#,
        r#"{"name":7}"#,
        r#"{"name":"a","q":""}"#,
        r#"{"name":"a","company_ids":["x"]}"#,
        r#"{"name":"a","unknown":1}"#,
    ] {
        app.post("/api/v1/feeds", bad).key(&key).send().await.expect(400);
    }
    for _ in 0..20 {
        create(&app, &key, r#"{"name":"a"}"#).await;
    }
    app.post("/api/v1/feeds", r#"{"name":"a"}"#).key(&key).send().await.expect(400);
    for path in ["/feeds/none.atom", "/feeds/none", "/feeds/series/none.atom", "/feeds/series/ipca"] {
        app.get(path).send().await.expect(404);
    }
}

#[tokio::test]
async fn a_series_feed_has_its_newest_values_within_the_free_window() {
    let app = TestApp::start().await;
    let answer = app.get("/feeds/series/ipca.atom").send().await.expect(200);
    let xml = answer.text();
    assert!((12..=13).contains(&entries(&xml)), "a year of months: {}", entries(&xml));
    assert!(parsed(&xml).is_none_or(|parsed| parsed == entries(&xml)));
    let daily = app.get("/feeds/series/selic.atom").send().await.expect(200).text();
    assert_eq!(entries(&daily), 50);
    let page = app.get("/series/ipca").header("accept", "text/html").send().await.expect(200).text();
    assert!(page.contains("href=\"/feeds/series/ipca.atom\""));
}
