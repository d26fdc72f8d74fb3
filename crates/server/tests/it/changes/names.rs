//! Companies in filters: registry codes are for ever, tickers and CNPJs are what they were when a cursor was given.

use lastro_model::{Company, Records, Source};
use serde_json::json;

use super::follower::traded;
use super::waiting::streamed;
use super::{app, ask, changes, company, filing, in_service, newest, publish, put_filings, told};
use crate::answer::Answer;
use crate::app::TestApp;

/// Publishes that a ticker is a company's, or nobody's.
async fn give_ticker(app: &TestApp, holder: Option<u32>) {
    app.advance_seconds(1);
    let another = traded("NINE3", 9, 1);
    let claims = holder.map(|company| traded("QQQQ3", company, 1)).into_iter().chain([another]).collect();
    publish(&*app.plain, app.timestamp(), Source::Tickers, Records::Tickers(claims), true).await;
    in_service(app).await;
}

async fn put_companies(app: &TestApp, companies: Vec<Company>) {
    app.advance_seconds(1);
    publish(&*app.plain, app.timestamp(), Source::Companies, Records::Companies(companies), false).await;
    in_service(app).await;
}

async fn export_cursor(app: &TestApp, key: &str, path: &str) -> String {
    let answer = app.get(&format!("/api/v1/export/{path}")).key(key).send().await.expect(200);
    answer.header("x-changes-cursor").to_owned()
}

#[track_caller]
fn is_renamed(answer: &Answer) {
    let body = answer.json();
    assert_eq!((answer.status, &body["error"]), (410, &json!("cursor_expired")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("stands for another company now"), "{body}");
    assert!(!body["oldest"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn codes_need_no_company_and_other_names_do() {
    let (app, key) = app().await;
    let cursor = newest(&app, &key).await;
    put_filings(&app, vec![filing(1, 7, "Ata", "um"), filing(2, 8, "Ata", "dois")]).await;
    for (ids, rows) in [("999999", 0), ("000008", 1), ("999999,8", 1)] {
        let page = changes(&app, &key, &format!("after={cursor}&company_ids={ids}")).await;
        assert_eq!(page["data"].as_array().unwrap().len(), rows, "{ids}");
        assert_eq!(page["next"].as_str().unwrap().len(), cursor.len(), "codes need no digest");
    }
    for unknown in ["XXXX3", "11222333000181"] {
        for query in [format!("company_ids=7,{unknown}"), format!("after={cursor}&company_ids={unknown}")] {
            let message = ask(&app, &key, &query).await.expect(404).json()["message"].to_string();
            assert!(message.contains("`company_ids`") && message.contains(unknown), "{message}");
        }
    }
}

#[tokio::test]
async fn a_ticker_that_moves_ends_the_cursors_of_its_copies() {
    let (app, key) = app().await;
    give_ticker(&app, Some(7)).await;
    let whole = export_cursor(&app, &key, "filings").await;
    let exported = export_cursor(&app, &key, "filings?company_id=QQQQ3").await;
    let by_code = export_cursor(&app, &key, "filings?company_id=7").await;
    assert_eq!(whole, by_code);
    put_filings(&app, vec![filing(1, 7, "Ata", "uma"), filing(2, 8, "Aviso", "doze")]).await;
    let after = |cursor: &str, ids: &str| format!("after={cursor}&company_ids={ids}");
    let page = changes(&app, &key, &after(&exported, "qqqq3")).await;
    assert_eq!(told(&page), ["filing.updated 1"]);
    let [event, next] = [&page["data"][0]["cursor"], &page["next"]].map(|text| text.as_str().unwrap());
    assert_eq!(next, export_cursor(&app, &key, "filings?company_id=QQQQ3").await, "the same state");
    let adopted = changes(&app, &key, &after(&whole, "QQQQ3")).await;
    assert_eq!(adopted, page, "a cursor without names is adopted");
    let first = changes(&app, &key, "company_ids=QQQQ3").await["next"].as_str().unwrap().to_owned();
    for cursor in [event, next, &first, &exported] {
        ask(&app, &key, &after(cursor, "QQQQ3")).await.expect(200);
    }

    for holder in [Some(8), None] {
        give_ticker(&app, holder).await;
        for cursor in [event, next, &first, &exported] {
            is_renamed(&ask(&app, &key, &after(cursor, "QQQQ3")).await);
        }
    }
    ask(&app, &key, &after(&whole, "QQQQ3")).await.expect(404);
    let of_codes = changes(&app, &key, &after(&exported, "7")).await;
    assert_eq!(of_codes, changes(&app, &key, &after(&whole, "7")).await, "codes never change");
    changes(&app, &key, &format!("after={exported}")).await;
    give_ticker(&app, Some(7)).await;
    ask(&app, &key, &after(next, "QQQQ3")).await.expect(200);
}

#[tokio::test]
async fn a_cnpj_that_gets_another_code_ends_its_cursors() {
    let (app, key) = app().await;
    let cnpj = "33.000.167/0001-01";
    let cursors = [
        export_cursor(&app, &key, &format!("companies?cnpj={cnpj}")).await,
        export_cursor(&app, &key, "filings?company_id=33000167000101").await,
    ];
    put_companies(&app, vec![company(7, "Sete"), company(8, "Outra")]).await;
    for cursor in &cursors {
        let page = changes(&app, &key, &format!("after={cursor}&company_ids={cnpj}")).await;
        assert_eq!(told(&page), ["company.updated 8"]);
    }
    put_companies(&app, vec![company(7, "Sete"), company(8, "Outra"), company(9, "Nove")]).await;
    for cursor in &cursors {
        is_renamed(&ask(&app, &key, &format!("after={cursor}&company_ids={cnpj}")).await);
    }
    let none = export_cursor(&app, &key, "companies?cnpj=11222333000181").await;
    ask(&app, &key, &format!("after={none}&company_ids=11222333000181")).await.expect(404);
}

#[tokio::test]
async fn a_stream_ends_when_its_ticker_moves() {
    let (app, key) = app().await;
    give_ticker(&app, Some(7)).await;
    let exported = export_cursor(&app, &key, "filings?company_id=QQQQ3").await;
    let url = format!("http://{}/api/v1/changes?company_ids=QQQQ3&numbers=string", app.service.address);
    let open = async |cursor: &str| {
        let asking = crate::app::client().build().unwrap().get(&url).header("x-api-key", &key);
        asking.header("accept", "text/event-stream").header("last-event-id", cursor).send().await.unwrap()
    };
    let mut response = open(&exported).await;
    assert_eq!(streamed(&mut response, Some("\n\n")).await, format!("retry: 2000\nid: {exported}\n\n"));
    put_filings(&app, vec![filing(1, 7, "Ata", "uma"), filing(2, 8, "Aviso", "dois")]).await;
    let event = streamed(&mut response, Some("\n\n")).await;
    let id = event.lines().next().unwrap().strip_prefix("id: ").unwrap().to_owned();
    assert_eq!(id, export_cursor(&app, &key, "filings?company_id=QQQQ3").await);
    assert!(event.contains(&format!(r#"data: {{"cursor":"{id}","type":"filing.updated""#)), "{event}");
    give_ticker(&app, Some(8)).await;
    streamed(&mut response, None).await;
    assert_eq!(open(&id).await.status(), 410);
}
