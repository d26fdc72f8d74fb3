//! Changes: followed from any export on, in order and without a gap, with filters, waits and streams.

mod documentation;
mod follower;
mod gone;
mod interleaved;
mod kept_alive;
mod names;
mod refusals;
mod waiting;

use std::time::Duration;

use jiff::Timestamp;
use lastro::setup::Setup;
use lastro_model::{
    Company, CompanyId, Day, Decimal, Filing, FilingId, Plan, RatePoint, Records, Series, Source,
};
use lastro_store::{Condition, ListedFile, Publication, PublicationItem, Store};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::answer::Answer;
use crate::app::{TestApp, soon};

/// Sets a short interval of looking for new editions.
pub(crate) fn prompt(setup: &mut Setup) {
    setup.settings.poll_interval = Duration::from_millis(10);
}

pub(crate) fn filing(id: u64, company: u32, category: &str, text: &str) -> Filing {
    Filing {
        id: FilingId::Protocol(id),
        company_id: CompanyId(company),
        company_name: format!("Companhia {company}"),
        category: category.to_owned(),
        kind: None,
        delivered_on: Day::parse("2026-05-04").unwrap(),
        reference_day: None,
        description: text.to_owned(),
        version: 1,
        url: format!("https://sample.invalid/{id}"),
    }
}

pub(crate) fn company(id: u32, name: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: lastro_model::Cnpj::parse("33.000.167/0001-01").unwrap(),
        status: "ATIVO".to_owned(),
        sector: None,
        trading_name: None,
        registered_on: None,
    }
}

pub(crate) fn rate(day: u8, value: i64) -> RatePoint {
    RatePoint { day: Day::parse(&format!("2026-10-{day:02}")).unwrap(), value: Decimal::new(value, 2) }
}

/// Publishes official rows, all that their file lists.
pub(crate) async fn publish(store: &dyn Store, at: Timestamp, source: Source, rows: Records, replace: bool) {
    let (sender, receiver) = mpsc::channel(4);
    let end = match source {
        Source::Companies => Some(ListedFile::Registry),
        Source::Filings => Some(ListedFile::Year(2026)),
        _ => None,
    };
    sender.send(PublicationItem::Rows(rows)).await.unwrap();
    if let Some(file) = end {
        sender.send(PublicationItem::EndOfList(file)).await.unwrap();
    }
    sender.send(PublicationItem::Commit).await.unwrap();
    let publication = Publication { source, sample: false, replace, at, condition: Condition::None };
    store.publish(publication, receiver).await.unwrap();
}

const SELIC: Source = Source::Series(Series::Selic);

/// A server with a little official data, and a key that may follow it.
async fn app() -> (TestApp, String) {
    let app = TestApp::start_with(prompt).await;
    let key = app.ample_key(Plan::Platinum).await;
    let rows = vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Aviso", "dois")];
    publish(&*app.plain, app.timestamp(), Source::Filings, Records::Filings(rows), true).await;
    publish(&*app.plain, app.timestamp(), SELIC, Records::Rates(vec![rate(1, 1500)]), true).await;
    let companies = vec![company(7, "Sete"), company(8, "Oito")];
    publish(&*app.plain, app.timestamp(), Source::Companies, Records::Companies(companies), true).await;
    in_service(&app).await;
    (app, key)
}

/// Waits until everything published is in service.
pub(crate) async fn in_service(app: &TestApp) {
    let editions = app.plain.counters().await.unwrap().editions;
    soon(async || {
        let catalog = app.service.app.served.catalog.load();
        catalog.editions() == editions && app.service.app.changes.mark() == catalog.mark
    })
    .await;
}

async fn put_filings(app: &TestApp, filings: Vec<Filing>) {
    publish(&*app.plain, app.timestamp(), Source::Filings, Records::Filings(filings), false).await;
    in_service(app).await;
}

async fn ask(app: &TestApp, key: &str, query: &str) -> Answer {
    app.get(&format!("/api/v1/changes?{query}")).key(key).send().await
}

async fn changes(app: &TestApp, key: &str, query: &str) -> Value {
    ask(app, key, query).await.expect(200).json()
}

async fn newest(app: &TestApp, key: &str) -> String {
    let page = changes(app, key, "").await;
    assert_eq!((&page["data"], &page["more"]), (&json!([]), &json!(false)));
    page["next"].as_str().unwrap().to_owned()
}

/// The types and ids of the changes of a page.
fn told(page: &Value) -> Vec<String> {
    let words = |change: &Value| {
        let item = &change["item"];
        let id = ["id", "source", "date"].into_iter().find_map(|name| item[name].as_str()).unwrap();
        format!("{} {id}", change["type"].as_str().unwrap())
    };
    page["data"].as_array().unwrap().iter().map(words).collect()
}

#[tokio::test]
async fn a_cnpj_in_a_filter_stands_for_all_its_codes() {
    let (app, key) = app().await;
    let get = async |path: &str| app.get(path).key(&key).send().await.expect(200);
    for (path, members) in [
        ("/api/v1/filings?company_id=33000167000101", "data"),
        ("/api/v1/filings/recent?company_id=33000167000101,7", "data"),
        ("/api/v1/filings/search?q=companhia&company_id=33.000.167%2F0001-01", "data"),
    ] {
        let found = get(path).await.json();
        assert_eq!(found[members].as_array().unwrap().len(), 2, "{path}: {found}");
    }
    let exported = get("/api/v1/export/filings?company_id=33000167000101").await.text();
    assert_eq!(exported.lines().count(), 2);
    let of_one = get("/api/v1/filings?company_id=8").await.json();
    assert_eq!((&of_one["total"], &of_one["data"][0]["id"]), (&json!(1), &json!("2")));
    let of_path = get("/api/v1/companies/33000167000101/filings").await.json();
    assert_eq!(of_path["total"], 1, "a path names one company");
    let webhook = r#"{"url":"https://93.184.216.34/","events":["filing.created"],"filters":{"company_ids":["8","33000167000101"]}}"#;
    let webhook = app.post("/api/v1/webhooks", webhook).key(&key).send().await.expect(201).json();
    assert_eq!(webhook["filters"]["company_ids"], json!(["8", "7"]));
    let feed = r#"{"name":"x","company_ids":["33000167000101"]}"#;
    let feed = app.post("/api/v1/feeds", feed).key(&key).send().await.expect(201).json();
    assert_eq!(feed["company_ids"].as_array().unwrap().len(), 2, "{feed}");
}

#[tokio::test]
async fn created_updated_and_removed_rows_are_told_in_order() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    app.advance_seconds(5);
    put_filings(&app, vec![filing(1, 7, "Ata", "outro"), filing(3, 7, "Ata", "três")]).await;
    let page = changes(&app, &key, &format!("after={cursor}")).await;
    assert_eq!(told(&page), ["filing.updated 1", "filing.created 3", "filing.removed 2"]);
    let [updated, created, removed] = [0, 1, 2].map(|index| page["data"][index].clone());
    assert_eq!(updated["old"], json!({ "description": "um" }));
    assert_eq!(updated["item"], app.get("/api/v1/filings/1").key(&key).send().await.json());
    assert_eq!(created["item"], app.get("/api/v1/filings/3").key(&key).send().await.json());
    assert_eq!(created["item"]["first_seen_at"], app.timestamp().to_string());
    assert_eq!((&removed["item"], removed.get("old")), (&json!({ "id": "2" }), None));
    assert_eq!(page["next"], removed["cursor"]);
    let middle = created["cursor"].as_str().unwrap();
    assert_eq!(told(&changes(&app, &key, &format!("after={middle}")).await), ["filing.removed 2"]);
    let first = changes(&app, &key, &format!("after={cursor}&limit=1")).await;
    assert_eq!((told(&first), &first["more"]), (vec!["filing.updated 1".to_owned()], &json!(true)));

    put_filings(
        &app,
        vec![filing(1, 7, "Ata", "outro"), filing(2, 8, "Aviso", "dois"), filing(3, 7, "Ata", "três")],
    )
    .await;
    let next = page["next"].as_str().unwrap();
    let back = changes(&app, &key, &format!("after={next}")).await;
    assert_eq!(told(&back), ["filing.created 2"]);
    let earlier = back["data"][0]["item"]["first_seen_at"].as_str().unwrap().to_owned();
    assert_ne!(earlier, app.timestamp().to_string(), "it was seen before");
}

#[tokio::test]
async fn withdrawn_rows_are_shown_by_id_and_on_request() {
    let (app, key) = app().await;
    app.advance_seconds(5);
    put_filings(&app, vec![filing(1, 7, "Ata", "um")]).await;
    let get = async |path: &str| app.get(path).key(&key).send().await;
    assert_eq!(get("/api/v1/filings").await.json()["total"], 1);
    assert_eq!(get("/api/v1/filings/search?q=dois").await.json()["total"], 0);
    assert_eq!(get("/api/v1/export/filings").await.number("x-total-count"), 1);
    let all = get("/api/v1/filings?withdrawn=include").await.json();
    assert_eq!(all["total"], 2);
    let withdrawn = get("/api/v1/filings/2").await.json();
    assert_eq!(withdrawn["withdrawn_at"], app.timestamp().to_string());
    assert_eq!(all["data"][0], withdrawn);
    assert!(get("/api/v1/filings/1").await.json().get("withdrawn_at").is_none());
    assert_eq!(get("/api/v1/companies/8/filings?withdrawn=include").await.json()["total"], 1);
    assert_eq!(get("/api/v1/filings?withdrawn=yes").await.status, 400);
    publish(
        &*app.plain,
        app.timestamp(),
        Source::Companies,
        Records::Companies(vec![company(7, "Sete")]),
        false,
    )
    .await;
    in_service(&app).await;
    assert_eq!(get("/api/v1/companies").await.json()["total"], 1);
    assert_eq!(get("/api/v1/companies?withdrawn=include").await.json()["total"], 2);
    assert_eq!(get("/api/v1/companies/8").await.json()["withdrawn_at"], app.timestamp().to_string());
    let withdrawn_at = format!(",{}", app.timestamp());
    for (list, id) in [("filings", 2), ("filings/recent", 2), ("companies/8/filings", 2), ("companies", 8)] {
        let csv = get(&format!("/api/v1/{list}?withdrawn=include&format=csv")).await.text();
        let (header, rows) = csv.split_once("\r\n").unwrap();
        assert!(header.ends_with(",first_seen_at,withdrawn_at"), "{csv}");
        let (withdrawn, listed): (Vec<_>, Vec<_>) =
            rows.lines().partition(|row| row.starts_with(&format!("{id},")));
        assert!(withdrawn.len() == 1 && withdrawn[0].ends_with(&withdrawn_at), "{list}: {csv}");
        assert!(listed.iter().all(|row| row.ends_with(',')), "{list}: {csv}");
        let csv = get(&format!("/api/v1/{list}?format=csv")).await.text();
        assert!(csv.lines().next().unwrap().ends_with(",first_seen_at"), "{csv}");
    }
}

#[tokio::test]
async fn late_deliveries_are_found_by_the_day_they_were_seen() {
    let (app, key) = app().await;
    app.advance_seconds(3 * 86_400);
    let today = app.timestamp().to_string()[..10].to_owned();
    put_filings(
        &app,
        vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Aviso", "dois"), filing(9, 8, "Ata", "tarde")],
    )
    .await;
    let page = app.get(&format!("/api/v1/filings?seen_from={today}")).key(&key).send().await.json();
    assert_eq!((&page["total"], &page["data"][0]["id"]), (&json!(1), &json!("9")));
}

#[tokio::test]
async fn a_change_that_leaves_a_filter_is_told_as_removed() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    put_filings(&app, vec![filing(1, 7, "Aviso", "um"), filing(2, 8, "Aviso", "dois")]).await;
    publish(&*app.plain, app.timestamp(), SELIC, Records::Rates(vec![rate(2, 1525)]), false).await;
    in_service(&app).await;
    let of = async |query: &str| told(&changes(&app, &key, &format!("after={cursor}&{query}")).await);
    assert_eq!(of("categories=ata").await, ["filing.removed 1"]);
    assert_eq!(of("categories=Aviso,Outra").await, ["filing.updated 1"]);
    assert_eq!(of("company_ids=8").await, [""; 0]);
    assert_eq!(
        of("company_ids=0007&series_ids=selic").await,
        ["filing.updated 1", "observation.created 2026-10-02"]
    );
    assert_eq!(of("series_ids=cdi,usd-brl").await, [""; 0]);
    assert_eq!(of("types=observation.created").await, ["observation.created 2026-10-02"]);
    assert_eq!(of("types=filing.removed&categories=Ata").await, ["filing.removed 1"]);
    publish(
        &*app.plain,
        app.timestamp(),
        Source::Filings,
        Records::Filings(vec![filing(1, 7, "Ata", "x")]),
        true,
    )
    .await;
    in_service(&app).await;
    assert_eq!(of("types=fx.created").await, ["source.replaced filings"], "it passes every filter");
}

#[tokio::test]
async fn bad_parameters_and_unknown_cursors_are_refused() {
    let (app, key) = app().await;
    for bad in [
        "after=x",
        "after=",
        "limit=0",
        "limit=1001",
        "wait=26",
        "wait=-1",
        "types=filing.changed",
        "types=",
        "series_ids=none",
        "company_ids=%21",
    ] {
        assert_eq!(ask(&app, &key, bad).await.status, 400, "{bad}");
    }
    let (other, other_key) = self::app().await;
    let foreign = newest(&other, &other_key).await;
    let expired = ask(&app, &key, &format!("after={foreign}")).await.expect(410).json();
    assert_eq!(expired["error"], "cursor_expired");
    let oldest = expired["oldest"].as_str().unwrap();
    let all = changes(&app, &key, &format!("after={oldest}&limit=1000")).await;
    assert_eq!(all, changes(&app, &key, "after=oldest&limit=1000").await);
    assert!(told(&all).contains(&"source.replaced filings".to_owned()));
    let gold = app.ample_key(Plan::Bronze).await;
    assert_eq!(ask(&app, &gold, "").await.status, 403);
}

#[tokio::test]
async fn changes_outlive_restarts_and_end_with_their_retention() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    put_filings(
        &app,
        vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Aviso", "dois"), filing(3, 7, "Ata", "três")],
    )
    .await;
    let before = changes(&app, &key, &format!("after={cursor}")).await;
    let app = app.restart_with(prompt).await;
    assert_eq!(changes(&app, &key, &format!("after={cursor}")).await, before);
    app.advance_seconds(29 * 86_400);
    let app = app.restart_with(prompt).await;
    app.plain.forget_changes(app.timestamp() - jiff::SignedDuration::from_hours(30 * 24)).await.unwrap();
    assert_eq!(changes(&app, &key, &format!("after={cursor}")).await, before);
    app.advance_seconds(2 * 86_400);
    let app = app.restart_with(prompt).await;
    soon(async || ask(&app, &key, &format!("after={cursor}")).await.status == 410).await;
    let next = before["next"].as_str().unwrap();
    assert_eq!(told(&changes(&app, &key, &format!("after={next}")).await), [""; 0], "the newest place stays");
}

#[tokio::test]
async fn an_export_names_the_place_that_changes_lead_on_from() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    for dataset in ["filings", "companies", "selic", "fx", "series"] {
        let answer = app.get(&format!("/api/v1/export/{dataset}")).key(&key).send().await.expect(200);
        assert_eq!(answer.header("x-changes-cursor"), cursor, "{dataset}");
        let tag = answer.header("etag").to_owned();
        let again = app.get(&answer.path).key(&key).header("if-none-match", &tag).send().await.expect(304);
        assert_eq!(again.header("x-changes-cursor"), cursor);
    }
}
