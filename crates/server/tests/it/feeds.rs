//! Atom feeds of series and of saved searches.

use lastro_model::{Day, Filing, Plan, Records, Series, Source};
use reqwest::Method;
use serde_json::Value;

use crate::app::{TestApp, id_of, soon};
use crate::changes::{filing, in_service, prompt, publish, rate};

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
    let deleted = read(&found).await.expect(410).json();
    assert!(deleted["error"] == "gone" && deleted["message"].as_str().unwrap().contains("deleted"));
    app.plain.set_plan(id_of(&key), Plan::Bronze, None).await.unwrap();
    assert_eq!(read(&all).await.expect(410).json()["error"], "gone");
}

#[tokio::test]
async fn the_feed_of_an_erased_account_is_gone_for_a_year() {
    let (app, key) = app().await;
    let feed = create(&app, &key, r#"{"name":"Tudo"}"#).await;
    let url = feed["url"].as_str().unwrap();
    app.get(url).send().await.expect(200);
    app.elsewhere().await.erase(id_of(&key), app.timestamp()).await.unwrap();
    assert_eq!(app.get(url).send().await.expect(410).json()["error"], "gone");
    let app = app.restart_with(prompt).await;
    app.get(url).send().await.expect(410);
    app.advance_seconds(366 * 86_400);
    let app = app.restart_with(prompt).await;
    soon(async || app.get(url).send().await.status == 404).await;
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
        r#"{"name":"a","q":"de"}"#,
        r#"{"name":"a","q":"\"da\" e"}"#,
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

#[tokio::test]
async fn exchange_rates_have_feeds_as_series_do() {
    let app = TestApp::start().await;
    let xml = app.get("/feeds/series/usd-brl.atom").send().await.expect(200).text();
    assert_eq!(entries(&xml), 50);
    assert!(xml.contains("<title>USD/BRL") && xml.contains("/fx/usd-brl\""), "{xml}");
    assert!(parsed(&xml).is_none_or(|parsed| parsed == 50));
    let page = app.get("/fx/usd-brl").header("accept", "text/html").send().await.expect(200).text();
    assert_eq!(page.matches("href=\"/feeds/series/usd-brl.atom\"").count(), 2);
    app.get("/feeds/series/usd-usd.atom").send().await.expect(404);
}

#[tokio::test]
async fn a_corrected_value_is_updated_when_it_was_corrected() {
    let app = TestApp::start_with(prompt).await;
    let source = Source::Series(Series::Selic);
    for (value, replace) in [(1500, true), (1510, false)] {
        let rows = Records::Rates(vec![rate(1, value), rate(2, 1600)]);
        publish(&*app.plain, app.timestamp(), source, rows, replace).await;
    }
    in_service(&app).await;
    let xml = app.get("/feeds/series/selic.atom").send().await.expect(200).text();
    let updated: Vec<bool> = xml.split("<entry>").skip(1).map(|entry| entry.contains(UPDATED)).collect();
    assert_eq!(updated, [false, true], "{xml}");
}

/// The time of everything that is published here.
const UPDATED: &str = "<updated>2026-11-02T12:00:00Z</updated>";

#[tokio::test]
async fn a_saved_search_has_its_newest_filings_of_any_age() {
    let (app, key) = app().await;
    let on = |day: &str, filing: Filing| Filing { delivered_on: Day::parse(day).unwrap(), ..filing };
    let old = |id, category| on("2025-03-10", filing(id, 7, category, "Efeitos da pandemia"));
    let mut rows: Vec<Filing> = (1000..1060).map(|id| old(id, "Aviso")).collect();
    rows.extend((1100..1160).map(|id| old(id, "Ata")));
    rows.push(on("2026-06-01", filing(1200, 8, "Ata", "Orçamento de 2019 após a pandemia")));
    publish(&*app.plain, app.timestamp(), Source::Filings, Records::Filings(rows), false).await;
    in_service(&app).await;
    let ids = async |q: &str, others: &str| -> Vec<String> {
        let feed = create(&app, &key, &format!(r#"{{"name":"a","q":"{q}"{others}}}"#)).await;
        let xml = app.get(feed["url"].as_str().unwrap()).send().await.expect(200).text();
        let tags = xml.split(":filing/").skip(1);
        tags.map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
    };
    let newest: Vec<String> = (1010..1060).rev().map(|id| id.to_string()).collect();
    assert_eq!(ids("pandemia", r#","categories":["AVISO"]"#).await, newest);
    assert_eq!(ids("pandemia", r#","categories":["Ata","Aviso"],"company_ids":["8"]"#).await, ["1200"]);
    assert_eq!(ids("pandemia", "").await[..2], ["1200", "1159"]);
    assert_eq!(ids("pandemia março de 2025", "").await[0], "1159", "by the day of delivery");
    assert_eq!(ids("pandemia 2019", "").await, ["1200"], "by the text");
    assert!(ids("pandemia 2020", "").await.is_empty() && ids("pandemai", "").await.is_empty());
}

#[tokio::test]
async fn guessed_addresses_lock_out_neither_feeds_nor_keys() {
    let (app, key) = app().await;
    let feed = create(&app, &key, r#"{"name":"a"}"#).await;
    for number in 0..60 {
        app.get(&format!("/feeds/unknown{number}.atom")).send().await.expect(404);
    }
    let refused = app.get("/feeds/unknown.atom").send().await.expect(429);
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    app.get(feed["url"].as_str().unwrap()).send().await.expect(200);
    let other = app.ample_key(Plan::Gold).await;
    app.get("/api/v1/feeds").key(&other).send().await.expect(200);
    app.advance_seconds(seconds);
    app.get("/feeds/unknown.atom").send().await.expect(404);
}
