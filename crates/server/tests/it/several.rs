//! Several series in one request, and pairs of currencies as series.

use std::collections::BTreeMap;

use lastro_model::{FxQuote, Pair, Plan, Records, Source};
use lastro_store::{Condition, Publication, PublicationItem};
use serde_json::{Value, json};

use crate::app::{TestApp, soon};

const SEVERAL: &str = "/api/v1/series/observations?limit=10000&ids=";

/// The values of one series by date, as its own endpoint gives them.
async fn values(app: &TestApp, key: &str, id: &str, query: &str) -> BTreeMap<String, Value> {
    let path = format!("/api/v1/series/{id}/observations?limit=10000{query}");
    let page = app.get(&path).key(key).send().await.expect(200).json();
    let rows = page["data"].as_array().unwrap().iter();
    rows.map(|row| (row["date"].as_str().unwrap().to_owned(), row["value"].clone())).collect()
}

#[tokio::test]
async fn series_stand_side_by_side_as_each_has_them() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (query, each) in [
        ("ipca,igpm", [("ipca", ""), ("igpm", "")]),
        (
            "IPCA,433,igpm&units=acc12&from=2025-06",
            [("ipca", "&units=acc12&from=2025-06"), ("igpm", "&units=acc12&from=2025-06")],
        ),
        (
            "ipca,usd-brl&frequency=monthly&units=433:acc12",
            [("ipca", "&units=acc12"), ("usd-brl", "&frequency=monthly")],
        ),
        (
            "usd-brl,eur-brl&frequency=quarterly&aggregation=end&units=USD-BRL:pch,eur-brl:index&base=2025-01-01",
            [
                ("usd-brl", "&frequency=quarterly&aggregation=end&units=pch"),
                ("eur-brl", "&frequency=quarterly&aggregation=end&units=index&base=2025-01-01"),
            ],
        ),
    ] {
        let page = app.get(&format!("{SEVERAL}{query}")).key(&gold).send().await.expect(200).json();
        assert_eq!(page["series"], json!(each.map(|(id, _)| id)), "{query}");
        let rows = page["data"].as_array().unwrap();
        assert!(rows.is_sorted_by(|a, b| a["date"].as_str() > b["date"].as_str()), "{query}");
        assert!(!rows.is_empty() && page["total"] == rows.len(), "{query}");
        let mut dates = 0;
        for (id, own) in each {
            let expected = values(&app, &gold, id, own).await;
            let shown = rows.iter().filter(|row| !row[id].is_null());
            let shown: BTreeMap<String, Value> =
                shown.map(|row| (row["date"].as_str().unwrap().to_owned(), row[id].clone())).collect();
            assert_eq!(shown, expected, "{id} of {query}");
            dates += expected.len();
        }
        assert!(rows.len() <= dates && rows.iter().all(|row| row.as_object().unwrap().len() == 3), "{query}");
    }
}

#[tokio::test]
async fn pages_and_orders_of_several_series_partition_the_dates() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let get = async |query: &str| {
        let path = format!("/api/v1/series/observations?ids=ipca,igpm{query}");
        app.get(&path).key(&gold).send().await.expect(200).json()["data"].as_array().unwrap().clone()
    };
    let mut whole = get("&limit=10000").await;
    for order in ["", "&order=asc"] {
        let mut paged = Vec::new();
        for offset in (0..whole.len() + 9).step_by(9) {
            paged.extend(get(&format!("&limit=9&offset={offset}{order}")).await);
        }
        assert_eq!(paged, whole, "{order}");
        whole.reverse();
    }
}

#[tokio::test]
async fn nonsense_about_several_series_is_refused_by_name() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let twenty_one: Vec<String> = (1..=21).map(|code| code.to_string()).collect();
    for (query, sentence) in [
        ("", "`ids` must be 1 to 20"),
        (",ipca", "`ids` must be 1 to 20"),
        (&twenty_one.join(","), "`ids` must be 1 to 20"),
        ("ipca,igmp", "`igmp` is none, and the nearest is `igpm`"),
        ("ipca,usd-eur", "`usd-eur` is none"),
        (
            "ipca,usd-brl",
            "`frequency` is required, monthly, quarterly or yearly: ipca is monthly, usd-brl is daily",
        ),
        ("ipca,usd-brl&frequency=daily", "`frequency` must be one of"),
        ("ipca,igpm&units=pch", "ipca: `units=pch` is not possible"),
        ("ipca,igpm&units=acc13", "`units` must be one of"),
        ("ipca,igpm&units=ipca:acc12,lin", "`units` must be one word for all"),
        ("ipca,igpm&units=inpc:acc12", "`inpc` is not one"),
        ("ipca,igpm&units=ipca:acc12,433:lin", "`433` is not one"),
        ("ipca,igpm&base=2026-01-01", "`base` is for `units=index` only"),
        ("inflation-target,ipca&frequency=monthly", "inflation-target: `frequency=monthly` is not possible"),
    ] {
        let message = app.get(&format!("{SEVERAL}{query}")).key(&gold).send().await.expect_error(400);
        assert!(message.contains(sentence), "{query}: {message}");
    }
    let missing = app.get("/api/v1/series/observations").key(&gold).send().await.expect_error(400);
    assert!(missing.starts_with("`ids` is required"), "{missing}");
    app.get(&format!("{SEVERAL}ipca,igpm&from=2020-01")).send().await.expect(403);
    app.get(&format!("{SEVERAL}ipca,igpm")).send().await.expect(200);
}

#[tokio::test]
async fn indices_have_one_base() {
    let app = TestApp::start().await;
    // The window of the Free plan begins a year before the newest value, which is not of the same month for all.
    let page = app.get(&format!("{SEVERAL}ipca,igpm,inpc&units=index")).send().await.expect(200).json();
    let rows = page["data"].as_array().unwrap();
    let of_all = |row: &&Value| ["ipca", "igpm", "inpc"].iter().all(|id| row[*id].is_number());
    let oldest = rows.iter().rev().find(of_all).unwrap();
    assert_ne!(oldest, rows.last().unwrap(), "their oldest dates differ");
    assert_eq!(["ipca", "igpm", "inpc"].map(|id| oldest[id].as_f64()), [Some(100.0); 3], "{oldest}");
    // A base of one's own is kept, and other units have none.
    let base = rows[3]["date"].as_str().unwrap();
    let query = format!("{SEVERAL}ipca,igpm&units=ipca:index&base={base}");
    let page = app.get(&query).send().await.expect(200).json();
    assert_eq!(page["data"][3]["ipca"], 100.0);
}

#[tokio::test]
async fn a_pair_is_a_series_at_its_selling_rate() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let get = async |path: &str| app.get(path).key(&gold).send().await.expect(200).json();
    let quotes = get("/api/v1/market/fx?limit=10000").await;
    let sold: BTreeMap<String, Value> = quotes["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|quote| (quote["date"].as_str().unwrap().to_owned(), quote["sell"].clone()))
        .collect();
    assert_eq!(values(&app, &gold, "usd-brl", "").await, sold);
    let series = get("/api/v1/series/USD-brl").await;
    let newest = get("/api/v1/series/usd-brl/current").await;
    let (last, value) = sold.last_key_value().unwrap();
    assert_eq!(newest, json!({ "date": last, "value": value }));
    assert_eq!(
        (&series["id"], &series["last_date"], &series["rows"]),
        (&json!("usd-brl"), &json!(last), &json!(sold.len()))
    );
    assert_eq!(
        (&series["kind"], &series["unit"], &series["frequency"]),
        (&json!("price"), &json!("brl"), &json!("daily"))
    );
    assert_eq!(
        series["source"],
        json!({ "publisher": "Banco Central do Brasil", "system": "PTAX", "code": null })
    );
    for units in series["transforms"].as_array().unwrap() {
        let path = format!("/api/v1/series/usd-brl/observations?units={}", units.as_str().unwrap());
        app.get(&path).key(&gold).send().await.expect(200);
    }
    let found = get("/api/v1/series?topic=exchange_rates&q=usd/brl").await;
    assert_eq!((&found["total"], &found["data"][0]["id"]), (&json!(1), &json!("usd-brl")));
    assert_eq!(get("/api/v1/series/usd-brl/checks").await, json!({ "data": [], "total": 0 }));
    app.get("/api/v1/series/usd-brl/observations?from=1999-01").send().await.expect(403);
    app.get("/api/v1/series/usd-brl/observations?units=acc12").key(&gold).send().await.expect(400);
}

#[tokio::test]
async fn the_revisions_of_a_pair_are_served_with_it() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let quote = |pair: &str, on: &str, buy: &str, sell: &str| FxQuote {
        day: lastro_model::Day::parse(on).unwrap(),
        pair: Pair::parse(pair).unwrap(),
        buy: buy.parse().unwrap(),
        sell: sell.parse().unwrap(),
    };
    let publish = async |replace, rows: Vec<FxQuote>| {
        let (source, at) = (Source::Fx, app.timestamp());
        let publication = Publication { source, sample: false, replace, at, condition: Condition::None };
        let (sender, receiver) = tokio::sync::mpsc::channel(2);
        sender.send(PublicationItem::Rows(Records::Fx(rows))).await.unwrap();
        sender.send(PublicationItem::Commit).await.unwrap();
        let edition = app.plain.publish(publication, receiver).await.unwrap().edition;
        soon(async || app.service.app.served.catalog.load().fx.stamp.edition == edition).await;
    };
    let (dollar, euro) = ("USD/BRL", "EUR/BRL");
    publish(true, vec![quote(dollar, "2026-10-29", "5.1", "5.2"), quote(euro, "2026-10-29", "6.1", "6.2")])
        .await;
    app.advance_seconds(86_400);
    publish(
        false,
        vec![quote(dollar, "2026-10-29", "5.1", "5.21"), quote(euro, "2026-10-29", "6.11", "6.2")],
    )
    .await;
    let get = async |path: &str| app.get(path).key(&gold).send().await.expect(200).json();
    let revised = get("/api/v1/series/usd-brl/revisions").await;
    assert_eq!(revised["total"], 1);
    assert_eq!((&revised["data"][0]["old"], &revised["data"][0]["new"]), (&json!(5.2), &json!(5.21)));
    assert_eq!(get("/api/v1/series/usd-brl/revisions?from=2026-10-30").await["total"], 0);
    assert_eq!(get("/api/v1/series/eur-brl/revisions").await["total"], 0, "its selling rate is the same");
    let before = get("/api/v1/series/usd-brl/observations?as_of=2026-11-02").await;
    assert_eq!(before["data"], json!([{ "date": "2026-10-29", "value": 5.2 }]));
    let side_by_side = get("/api/v1/series/observations?ids=usd-brl,eur-brl&as_of=2026-11-02").await;
    assert_eq!(side_by_side["data"], json!([{ "date": "2026-10-29", "usd-brl": 5.2, "eur-brl": 6.2 }]));
}
