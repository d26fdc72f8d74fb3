//! Tickers: two years of forms that belong together, and trading periods that end.

use lastro_model::{CompanyId, FormerName, Source, TradedSecurity};
use serde_json::{Value, json};

use super::{Stage, day};
use crate::publisher::PublisherData;

/// A company of the sample with the securities of this year's form.
fn listed(publisher_data: &PublisherData) -> (CompanyId, Vec<TradedSecurity>) {
    let securities = &publisher_data.securities;
    let of = |id: CompanyId| -> Vec<TradedSecurity> {
        securities.iter().filter(|security| security.company_id == id).cloned().collect()
    };
    let lasting =
        |security: &TradedSecurity| security.reference_day.year() == 2026 && security.trading_to.is_none();
    let id = securities
        .iter()
        .find(|security| lasting(security) && of(security.company_id).len() > 1)
        .unwrap()
        .company_id;
    (id, of(id))
}

/// A stage with official companies and tickers.
async fn synchronised() -> Stage {
    let stage = Stage::set().await;
    for source in [Source::Companies, Source::Tickers] {
        stage.run(source).await.unwrap();
    }
    stage.caught_up().await;
    stage
}

async fn tickers(stage: &Stage, id: CompanyId) -> Value {
    stage.caught_up().await;
    stage.json(&format!("/api/v1/companies/{id}")).await["tickers"].clone()
}

async fn tag(stage: &Stage, path: &str) -> String {
    stage.app.get(path).key(&stage.key).send().await.expect(200).header("etag").to_owned()
}

#[tokio::test]
async fn the_newest_form_replaces_older_tickers() {
    let stage = synchronised().await;
    let (id, securities) = listed(&stage.publisher.publisher_data());
    let codes: Vec<String> = securities.iter().map(|security| security.ticker.to_string()).collect();
    assert_eq!(tickers(&stage, id).await, json!(codes));
    let code = &codes[0];
    let drawn_from_tickers = [
        format!("/api/v1/companies/{id}"),
        format!("/api/v1/companies/search?q={code}"),
        format!("/api/v1/filings/search?q={code}"),
        format!("/api/v1/search?q={code}"),
        format!("/api/v1/search/suggest?q={code}"),
    ];
    let mut tags = Vec::new();
    for path in &drawn_from_tickers {
        tags.push(tag(&stage, path).await);
    }
    stage.publisher.change(|publisher_data| {
        publisher_data.securities.retain(|security| security.company_id != id);
        publisher_data.securities.push(TradedSecurity { version: 2, ..securities[1].clone() });
    });
    stage.run(Source::Tickers).await.unwrap();
    assert_eq!(tickers(&stage, id).await, json!([codes[1]]));
    for (path, before) in drawn_from_tickers.iter().zip(tags) {
        assert_ne!(tag(&stage, path).await, before, "an answer of another state has another tag: {path}");
    }
    stage.app.get(&format!("/api/v1/companies/{}", codes[0])).key(&stage.key).send().await.expect(404);
    let renamed = stage.json(&format!("/api/v1/companies/search?q={}", codes[1])).await;
    assert_eq!(renamed["data"][0]["id"], id.to_string());
}

#[tokio::test]
async fn a_second_run_checks_two_files_and_keeps_the_edition() {
    let stage = synchronised().await;
    let edition = stage.health(Source::Tickers).await["edition"].clone();
    stage.publisher.forget();
    stage.run(Source::Tickers).await.unwrap();
    assert_eq!((stage.publisher.asked("/FCA/"), stage.publisher.sent()), (2, 0));
    // Another file with the same content is not a new edition.
    stage.publisher.change(|publisher_data| publisher_data.securities.reverse());
    stage.publisher.forget();
    stage.run(Source::Tickers).await.unwrap();
    stage.caught_up().await;
    assert!((2..=3).contains(&stage.publisher.asked("/FCA/")));
    assert_eq!(stage.health(Source::Tickers).await["edition"], edition);
    stage.publisher.forget();
    stage.run(Source::Tickers).await.unwrap();
    assert_eq!((stage.publisher.asked("/FCA/"), stage.publisher.sent()), (2, 0), "it is remembered");
}

#[tokio::test]
async fn a_ticker_is_shown_until_its_last_trading_day_is_over() {
    let stage = synchronised().await;
    let (id, securities) = listed(&stage.publisher.publisher_data());
    let first = securities[0].ticker;
    stage.publisher.change(|publisher_data| {
        for security in publisher_data.securities.iter_mut().filter(|security| security.ticker == first) {
            security.trading_to = Some(day("2026-11-03"));
        }
    });
    for expected in [securities.len(), securities.len(), securities.len() - 1] {
        stage.run(Source::Tickers).await.unwrap();
        assert_eq!(tickers(&stage, id).await.as_array().unwrap().len(), expected);
        stage.app.advance_seconds(86_400);
    }
    stage.app.get(&format!("/api/v1/companies/{first}")).key(&stage.key).send().await.expect(404);
    stage.publisher.forget();
    stage.run(Source::Tickers).await.unwrap();
    assert_eq!(stage.publisher.sent(), 0, "only the day on which it ends needs another edition");
}

#[tokio::test]
async fn unreadable_rows_of_securities_are_counted_and_listed() {
    let stage = Stage::set().await;
    stage.publisher.change(|publisher_data| publisher_data.broken_securities = vec!["too;few".into()]);
    stage.run(Source::Tickers).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Tickers).await["rejects"], 2, "one in each year");
    let listed = stage.app.elsewhere().await.rejects(Source::Tickers, 10).await.unwrap();
    assert_eq!(listed[0].file, "fca_cia_aberta_valor_mobiliario_2025.csv");
}

#[tokio::test]
async fn the_forms_of_last_year_are_enough_in_january() {
    let stage = Stage::set().await;
    stage.publisher.change(|publisher_data| {
        publisher_data.withdraw(&crate::publisher::forms_path(2026));
    });
    stage.run(Source::Tickers).await.unwrap();
    stage.caught_up().await;
    let health = stage.health(Source::Tickers).await;
    assert_eq!((&health["sample"], &health["stale"]), (&json!(false), &json!(false)));
    let nothing = Stage::set().await;
    nothing.publisher.change(|publisher_data| {
        for year in [2025, 2026] {
            publisher_data.withdraw(&crate::publisher::forms_path(year));
        }
    });
    let told = nothing.run(Source::Tickers).await.unwrap_err().to_string();
    assert!(told.contains("no registration forms"), "{told}");
}

#[tokio::test]
async fn former_names_are_shown_and_found() {
    let stage = synchronised().await;
    let (id, securities) = listed(&stage.publisher.publisher_data());
    let path = format!("/api/v1/companies/{id}");
    stage.caught_up().await;
    assert_eq!(stage.json(&path).await["also_known_as"], json!([]));
    let (before, edition) =
        (tag(&stage, &path).await, stage.health(Source::Tickers).await["edition"].clone());
    let former = FormerName {
        company_id: id,
        name: "VESPERÂNIA MERIDIONAL S.A.".to_owned(),
        until: securities[0].reference_day,
    };
    stage.publisher.change(|publisher_data| publisher_data.former_names = vec![former.clone()]);
    stage.run(Source::Tickers).await.unwrap();
    stage.caught_up().await;
    assert_eq!(stage.json(&path).await["also_known_as"], json!(["VESPERÂNIA MERIDIONAL S.A."]));
    assert_ne!(tag(&stage, &path).await, before);
    assert_ne!(stage.health(Source::Tickers).await["edition"], edition);
    for q in ["vesperania", "vesperania meridional", "vesperamia meridional"] {
        let found = stage.json(&format!("/api/v1/companies/search?q={}", q.replace(' ', "%20"))).await;
        assert_eq!(found["data"][0]["id"], id.to_string(), "{q}");
    }
    let marked = stage.json("/api/v1/companies/search?q=vesperania&highlight=true").await;
    assert_eq!(marked["data"][0]["matches"], json!({"also_known_as": [[[0, 10]]]}));
    // The next form tells the next name, and then none: both stay.
    let cursor = stage.json("/api/v1/changes").await["next"].as_str().unwrap().to_owned();
    let later = FormerName { name: "BOREALINA S.A.".to_owned(), ..former };
    stage.publisher.change(|publisher_data| publisher_data.former_names = vec![later]);
    stage.run(Source::Tickers).await.unwrap();
    stage.publisher.change(|publisher_data| publisher_data.former_names.clear());
    stage.run(Source::Tickers).await.unwrap();
    stage.caught_up().await;
    let both = json!(["BOREALINA S.A.", "VESPERÂNIA MERIDIONAL S.A."]);
    assert_eq!(stage.json(&path).await["also_known_as"], both);
    let changes = stage.json(&format!("/api/v1/changes?after={cursor}")).await;
    let told = (&changes["data"][0]["type"], &changes["data"][0]["item"]["also_known_as"]);
    assert_eq!(told, (&json!("company.updated"), &both));
    assert_eq!(changes["data"].as_array().unwrap().len(), 1, "a name that is no longer told is no change");
}
