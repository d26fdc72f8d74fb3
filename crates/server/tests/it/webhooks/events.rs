//! Events that receivers get, their format, and their signatures.

use lastro_model::{Cnpj, Company, CompanyId, Day, FxQuote, Pair, Plan, RatePoint, Records, Series, Source};
use serde_json::{Value, json};

use super::{Stage, items, path, soon};
use crate::app::{START_UNIX_MS, id_of};
use crate::receiver::Receiver;

fn rate(day: &str, value: &str) -> RatePoint {
    RatePoint { day: Day::parse(day).unwrap(), value: value.parse().unwrap() }
}

fn company(id: u32, status: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: format!("Companhia \"{id}\" Ação"),
        cnpj: Cnpj::parse("12.ABC.345/01DE-35").unwrap(),
        status: status.to_owned(),
        sector: None,
        trading_name: None,
        registered_on: None,
    }
}

#[tokio::test]
async fn every_event_is_signed_and_has_items_as_in_the_api() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let all = [
        "selic.updated",
        "cdi.updated",
        "ipca.updated",
        "fx.updated",
        "company.created",
        "company.updated",
        "filing.created",
    ];
    let webhook = stage.register(&receiver, &all).await;
    for source in [Source::Series(Series::Selic), Source::Series(Series::Cdi), Source::Series(Series::Ipca)] {
        stage.publish(source, Records::Rates(vec![rate("2026-10-01", "15.00")])).await;
    }
    let quote = FxQuote {
        day: Day::parse("2026-10-30").unwrap(),
        pair: Pair::parse("USD/BRL").unwrap(),
        buy: "5.12530".parse().unwrap(),
        sell: "5.1259".parse().unwrap(),
    };
    stage.publish(Source::Fx, Records::Fx(vec![quote])).await;
    stage.publish(Source::Companies, Records::Companies(vec![company(9512, "ATIVO")])).await;
    stage.publish(Source::Companies, Records::Companies(vec![company(9512, "CANCELADA")])).await;
    stage.publish_filings(7..8).await;
    soon(async || receiver.count() == 7).await;

    for (got, event) in receiver.got().iter().zip(all) {
        assert!(got.verifies(&webhook.secret), "{event}");
        let body = got.json();
        assert_eq!(body["type"], event);
        assert_eq!(body["timestamp"], "2026-11-02T12:00:00Z");
        assert_eq!(got.header("webhook-timestamp"), (START_UNIX_MS / 1000).to_string());
        assert_eq!(got.header("content-type"), "application/json");
        assert!(got.header("user-agent").starts_with("lastro-webhooks/"));
    }
    let shown = async |path: &str| -> Value {
        let mut newest = Value::Null;
        soon(async || {
            let answer = stage.app.get(path).key(&stage.key).send().await;
            newest = if answer.status == 200 { answer.json() } else { Value::Null };
            newest["data"][0].is_object() || newest["id"].is_string()
        })
        .await;
        if newest["data"].is_array() { newest["data"][0].clone() } else { newest }
    };
    for (number, path) in [
        (0, "/api/v1/market/selic"),
        (1, "/api/v1/market/cdi"),
        (2, "/api/v1/market/ipca"),
        (3, "/api/v1/market/fx"),
        (6, "/api/v1/filings/7"),
    ] {
        assert_eq!(receiver.got()[number].json()["data"]["items"], json!([shown(path).await]), "{path}");
    }
    soon(async || shown("/api/v1/companies/9512").await["status"] == "CANCELADA").await;
    assert_eq!(receiver.got()[5].json()["data"]["items"][0], shown("/api/v1/companies/9512").await);
    assert!(receiver.got()[0].body.contains(r#"{"date":"2026-10-01","value":15.00}"#), "as published");
}

#[tokio::test]
async fn filters_select_items_and_empty_messages_are_not_sent() {
    let stage = Stage::set().await;
    let (both, company, category, nothing) =
        (Receiver::open(), Receiver::open(), Receiver::open(), Receiver::open());
    let events = ["filing.created"];
    // Filters name companies and categories that are held.
    stage.publish_filings(100..112).await;
    let minutes = lastro_model::Filing { category: "Ata".to_owned(), ..super::filing(112) };
    stage.publish(Source::Filings, Records::Filings(vec![minutes])).await;
    soon(async || stage.app.get("/api/v1/filings/112").key(&stage.key).send().await.status == 200).await;
    stage
        .register_with(&both, &events, json!({"company_ids": ["0002"], "categories": [" fato  RELEVANTE "]}))
        .await;
    stage.register_with(&company, &events, json!({"company_ids": ["1", "2"]})).await;
    stage.register_with(&category, &events, json!({"categories": ["comunicado ao mercado"]})).await;
    stage.register_with(&nothing, &events, json!({"categories": ["Ata"]})).await;
    stage.register_with(&nothing, &["selic.updated"], json!({})).await;
    stage.publish_filings(0..12).await;
    soon(async || [&both, &company, &category].iter().all(|receiver| receiver.count() == 1)).await;
    stage.settled().await;
    assert_eq!(items(&both, "id"), ["4", "10"]);
    assert_eq!(items(&company, "company_id").len(), 8);
    assert_eq!(items(&category, "id"), ["1", "3", "5", "7", "9", "11"]);
    assert_eq!(nothing.count(), 0);
}

#[tokio::test]
async fn series_events_carry_the_id_and_respect_the_filter() {
    let stage = Stage::set().await;
    let (all, some, both) = (Receiver::open(), Receiver::open(), Receiver::open());
    let webhook = stage.register(&all, &["series.updated"]).await;
    stage.register_with(&some, &["series.updated"], json!({"series_ids": ["reserves", "igpm"]})).await;
    // The filter does not apply to a series' own event.
    let filters = json!({"series_ids": ["igpm", "selic"]});
    stage.register_with(&both, &["series.updated", "selic.updated", "cdi.updated"], filters).await;
    let published = [Series::Igpm, Series::Selic, Series::Cdi, Series::Reserves];
    for series in published {
        let rows = vec![rate("2026-09-01", "0.10"), rate("2026-10-01", "1.250")];
        stage.publish(series.into(), Records::Rates(rows)).await;
    }
    soon(async || [&all, &some, &both].map(Receiver::count) == [4, 2, 4]).await;
    stage.settled().await;
    let told = |receiver: &Receiver| -> Vec<String> {
        let one = |body: Value| match body["data"]["series"].as_str() {
            Some(series) => format!("{}: {series}", body["type"].as_str().unwrap()),
            None => body["type"].as_str().unwrap().to_owned(),
        };
        receiver.got().iter().map(|got| one(got.json())).collect()
    };
    let shared = |series: Series| format!("series.updated: {}", series.about().id);
    assert_eq!(told(&all), published.map(shared));
    assert_eq!(told(&some), [shared(Series::Igpm), shared(Series::Reserves)]);
    let expected =
        [shared(Series::Igpm), "selic.updated".to_owned(), shared(Series::Selic), "cdi.updated".to_owned()];
    assert_eq!(told(&both), expected, "by both where both are asked for");
    let first = &all.got()[0];
    assert!(first.verifies(&webhook.secret));
    let data = r#""series":"igpm","items":[{"date":"2026-09-01","value":0.10},{"date":"2026-10-01","value":1.250}]}}"#;
    assert!(first.body.ends_with(data), "one message, as published: {}", first.body);
    assert_eq!(stage.deliveries(&webhook).await[0]["event"], "series.updated");
}

#[tokio::test]
async fn a_large_publication_comes_in_messages_of_a_hundred() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    stage.register(&receiver, &["filing.created"]).await;
    stage.publish_filings(0..250).await;
    soon(async || receiver.count() == 3).await;
    let sizes: Vec<usize> =
        receiver.got().iter().map(|got| got.json()["data"]["items"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [100, 100, 50]);
    assert_eq!(items(&receiver, "id"), (0..250).map(|id| id.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_first_data_of_a_source_is_not_announced() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created", "selic.updated"]).await;
    let replacing = lastro_store::Publication {
        source: Source::Filings,
        sample: false,
        replace: true,
        at: stage.app.timestamp(),
        condition: lastro_store::Condition::None,
    };
    super::publish(&*stage.app.plain, replacing, Records::Filings((0..5).map(super::filing).collect())).await;
    stage.publish(Source::Series(Series::Selic), Records::Rates(vec![rate("2026-10-01", "15.00")])).await;
    soon(async || receiver.count() == 1).await;
    assert_eq!(receiver.got()[0].json()["type"], "selic.updated");
    assert_eq!(stage.deliveries(&webhook).await.len(), 1);
}

#[tokio::test]
async fn after_a_rotation_both_secrets_sign_for_a_day() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["selic.updated"]).await;
    let rotated =
        stage.app.post(&path(&webhook, "/rotate-secret"), "").key(&stage.key).send().await.expect(201);
    let new = rotated.json()["secret"].as_str().unwrap().to_owned();
    assert_ne!(new, webhook.secret);
    let mut got = Vec::new();
    for (number, seconds) in [0, 86_399, 1].into_iter().enumerate() {
        stage.app.advance_seconds(seconds);
        let day = Day::parse("2026-10-01").unwrap().plus_days(number as i32).to_string();
        stage.publish(Source::Series(Series::Selic), Records::Rates(vec![rate(&day, "15.00")])).await;
        soon(async || receiver.count() == number + 1).await;
        let message = receiver.got().pop().unwrap();
        got.push((message.verifies(&webhook.secret), message.verifies(&new)));
        stage.settled().await;
    }
    assert_eq!(got, [(true, true), (true, true), (false, true)]);
}

#[tokio::test]
async fn nothing_is_delivered_until_the_plan_is_back() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    receiver.answer(500);
    stage.publish_filings(0..1).await;
    soon(async || receiver.count() == 1).await;
    stage.settled().await;
    receiver.answer(200);
    let set_plan = async |plan| {
        stage.app.plain.set_plan(id_of(&stage.key), plan, None).await.unwrap();
    };
    set_plan(Plan::Gold).await;
    stage.app.advance_seconds(60);
    stage.publish_filings(1..2).await;
    soon(async || stage.app.plain.announcements(1).await.unwrap().is_empty()).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(receiver.count(), 1, "neither what waited nor what is new");
    set_plan(Plan::Platinum).await;
    soon(async || receiver.count() == 2).await;
    assert_eq!(receiver.got()[0].id(), receiver.got()[1].id(), "what waited is delivered now");
    stage.app.plain.revoke(id_of(&stage.key), stage.app.timestamp()).await.unwrap();
    stage.publish_filings(2..3).await;
    soon(async || stage.app.plain.announcements(1).await.unwrap().is_empty()).await;
    let id = lastro_model::WebhookId::parse(&webhook.id).unwrap();
    assert_eq!(
        stage.app.plain.deliveries(&id, 10, 0).await.unwrap().total,
        1,
        "nobody with a key asks for it"
    );
}

#[tokio::test]
async fn a_thousand_events_to_ten_receivers_empty_the_queue() {
    let stage = Stage::set().await;
    let receivers: Vec<Receiver> = (0..10).map(|_| Receiver::open()).collect();
    for receiver in &receivers {
        stage.register(receiver, &["filing.created"]).await;
    }
    // A hundred publications of ten filings: a thousand events, each to ten receivers.
    for batch in 0..100 {
        stage.publish_filings(batch * 10..batch * 10 + 10).await;
    }
    let all: Vec<String> = (0..1000).map(|id| id.to_string()).collect();
    soon(async || receivers.iter().all(|receiver| receiver.count() >= 100)).await;
    stage.settled().await;
    for receiver in &receivers {
        assert_eq!(items(receiver, "id"), all, "each once and in order");
    }
    let state = stage.app.plain.outbox_state().await.unwrap();
    assert_eq!((state.announcements, state.pending), (0, 0));
}

#[tokio::test]
async fn words_of_a_filter_must_all_be_held() {
    let stage = Stage::set().await;
    let (held, lacking) = (Receiver::open(), Receiver::open());
    for q in ["dividendos 2026", "pagamento de dividendo em outubro de 2026"] {
        stage.register_with(&held, &["filing.created"], json!({ "q": q })).await;
    }
    for q in ["dividendos 2019", "dividendos 09/2026", "divid", "dividendos fusão", "2026"] {
        stage.register_with(&lacking, &["filing.created"], json!({ "q": q })).await;
    }
    let description = "Pagamento de dividendos".to_owned();
    let filing = lastro_model::Filing { description, ..super::filing(7) };
    stage.publish(Source::Filings, Records::Filings(vec![filing])).await;
    soon(async || held.count() == 2).await;
    stage.settled().await;
    assert_eq!(lacking.count(), 0);
}
