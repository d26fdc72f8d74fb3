//! The webhook endpoints: accepted input, rejected input, and ownership.

use lastro_config::Switch;
use lastro_model::Plan;
use lastro_store::WebhookChange;
use lastro_store::faulty::Operation;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Stage, path, soon};
use crate::app::{TestApp, id_of, stray_key};
use crate::known_webhook;
use crate::receiver::Receiver;

const GOOD: &str = r#"{"url":"https://receiver.invalid/hook","events":["filing.created"]}"#;
const URL: &str = "https://receiver.invalid/hook";

#[tokio::test]
async fn a_webhook_is_made_shown_changed_and_deleted() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let body = json!({
        "url": "HTTPS://Receiver.invalid:443/hook?token=1",
        "events": ["filing.created", "selic.updated", "filing.created"],
        "description": "Avisos — \"ação\"",
        "filters": {
            "company_ids": ["090001", "90001"],
            "categories": ["Fato Relevante", "Fato Relevante"],
            "series_ids": ["IGPM", "igpm"],
        },
    });
    let created = app.post("/api/v1/webhooks", body.to_string()).key(&key).send().await.expect(201);
    assert_eq!(created.header("cache-control"), "no-store");
    let mut created = created.json();
    let secret = created.as_object_mut().unwrap().remove("secret").unwrap();
    assert!(secret.as_str().unwrap().starts_with("whsec_"));
    let id = created["id"].as_str().unwrap().to_owned();
    let expected = json!({
        "id": id,
        "url": "https://receiver.invalid/hook?token=1",
        "description": "Avisos — \"ação\"",
        "events": ["selic.updated", "filing.created"],
        "filters": { "company_ids": ["90001"], "categories": ["Fato Relevante"], "series_ids": ["igpm"], "q": null },
        "status": "enabled",
        "disabled_reason": null,
        "failing_since": null,
        "created_at": "2026-11-02T12:00:00Z",
    });
    assert_eq!(created, expected);

    let path = format!("/api/v1/webhooks/{id}");
    assert_eq!(app.get(&path).key(&key).send().await.expect(200).json(), expected, "without the secret");
    let list = app.get("/api/v1/webhooks").key(&key).send().await.expect(200).json();
    assert_eq!(list, json!({ "data": [expected], "total": 1 }));

    let change = async |body: Value| {
        app.request(Method::PATCH, &path).key(&key).body(body.to_string()).send().await.expect(200).json()
    };
    assert_eq!(change(json!({})).await, expected);
    let changed = change(json!({ "description": null, "filters": null, "status": "disabled" })).await;
    assert_eq!((&changed["description"], &changed["filters"]["company_ids"]), (&Value::Null, &json!([])));
    assert_eq!(
        (&changed["status"], &changed["disabled_reason"]),
        (&json!("disabled"), &json!("disabled by its owner"))
    );
    assert_eq!(changed["url"], expected["url"]);
    let changed = change(json!({ "url": URL, "events": ["fx.updated"], "status": "enabled" })).await;
    assert_eq!(
        (&changed["url"], &changed["events"], &changed["status"]),
        (&json!(URL), &json!(["fx.updated"]), &json!("enabled"))
    );

    let gone = app.request(Method::DELETE, &path).key(&key).send().await.expect(204);
    assert!(gone.body.is_empty());
    app.get(&path).key(&key).send().await.expect(404);
    app.request(Method::DELETE, &path).key(&key).send().await.expect(404);
}

#[tokio::test]
async fn bad_input_is_rejected_with_the_field_name() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let many: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    let long = "x".repeat(201);
    let full = |member: &str, value: Value| {
        let mut body = json!({ "url": URL, "events": ["filing.created"] });
        body[member] = value;
        body.to_string()
    };
    let create_only =
        [("{}".to_owned(), "`url` is required"), (json!({ "url": URL }).to_string(), "`events` is required")];
    let both = [
        (String::new(), "not valid JSON"),
        ("{".to_owned(), "not valid JSON"),
        ("\"text\"".to_owned(), "JSON object"),
        (format!("[\"{URL}\", [\"filing.created\"]]"), "JSON object"),
        (format!(r#"{{"url":"{URL}","url":"{URL}","events":["filing.created"]}}"#), "once"),
        (full("url", json!(7)), "`url`"),
        (full("url", Value::Null), "`url`"),
        (full("url", json!("http://receiver.invalid/")), "https"),
        (full("url", json!("https://127.0.0.1/")), "public"),
        (full("url", json!("https://0x7f.1/")), "public"),
        (full("url", json!("https://[::ffff:169.254.169.254]/")), "public"),
        (full("url", json!("https://localhost/")), "public"),
        (full("url", json!("https://LOCALHOST.:8443/x")), "public"),
        (full("url", json!("https://db.%6cocal/")), "public"),
        (full("url", json!("https://metadata。google．internal/")), "public"),
        (full("url", json!("https://printer/")), "public"),
        (full("url", json!("https://user:pass@receiver.invalid/")), "password"),
        (full("url", json!("https://receiver.invalid/#x")), "fragment"),
        (full("url", json!(format!("https://receiver.invalid/{}", "x".repeat(2048)))), "2048"),
        (full("events", json!([])), "`events`"),
        (full("events", json!("filing.created")), "`events`"),
        (full("events", json!(["filing.changed"])), "filing.created"),
        (full("events", json!(["ping"])), "`events`"),
        (full("events", Value::Null), "`events`"),
        (full("description", json!(5)), "`description`"),
        (full("description", json!(long)), "`description`"),
        (full("filters", json!([])), "`filters`"),
        (full("filters", json!([["1"], ["x"]])), "`filters`"),
        (full("filters", json!("all")), "`filters`"),
        (full("filters", json!({ "company_ids": "1" })), "`filters.company_ids`"),
        (full("filters", json!({ "company_ids": [1] })), "`filters.company_ids`"),
        (full("filters", json!({ "company_ids": ["1a"] })), "`filters.company_ids`"),
        (full("filters", json!({ "company_ids": ["9999999999"] })), "`filters.company_ids`"),
        (full("filters", json!({ "company_ids": many })), "100"),
        (full("filters", json!({ "series_ids": "igpm" })), "`filters.series_ids`"),
        (full("filters", json!({ "series_ids": ["igpm", "igp-m"] })), "`filters.series_ids`"),
        (full("filters", json!({ "series_ids": ["igpm", "igp-m"] })), "`igp-m`"),
        (full("filters", json!({ "series_ids": ["USD-BRL"] })), "`usd-brl` is an exchange rate"),
        (full("filters", json!({ "series_ids": ["usd-brl"] })), "the event `fx.updated`"),
        (full("filters", json!({ "company_ids": ["PETR99"] })), "`filters.company_ids`"),
        (full("filters", json!({ "company_ids": ["7"] })), "no company is called `7`"),
        (full("filters", json!({ "company_ids": ["00.000.000/0001-91"] })), "`00.000.000/0001-91`"),
        (full("filters", json!({ "categories": ["Fatos Relevantes"] })), "near it are Fato Relevante"),
        (full("filters", json!({ "company_id": [] })), "`filters.company_id` is not a member"),
        (full("filter", json!({})), "the nearest one is `filters`"),
        (full("filters", json!({ "series_ids": ["x".repeat(5_000)] })), "`filters.series_ids`"),
        (full("filters", json!({ "series_ids": vec!["igpm"; 101] })), "100"),
        (full("filters", json!({ "categories": [" "] })), "`filters.categories`"),
        (full("filters", json!({ "q": "de" })), "`filters.q` must have a word to look for"),
        (full("filters", json!({ "categories": [long] })), "`filters.categories`"),
    ];
    let change_only = [(full("status", json!("on")), "`status`"), (full("status", Value::Null), "`status`")];
    for (body, sentence) in create_only.iter().chain(&both) {
        let message = app.post("/api/v1/webhooks", body.clone()).key(&key).send().await.expect_error(400);
        assert!(message.contains(sentence), "{body}: {message}");
    }
    let made = app.post("/api/v1/webhooks", GOOD).key(&key).send().await.expect(201).json();
    let path = format!("/api/v1/webhooks/{}", made["id"].as_str().unwrap());
    for (body, sentence) in both.iter().chain(&change_only) {
        let message =
            app.request(Method::PATCH, &path).key(&key).body(body.clone()).send().await.expect_error(400);
        assert!(message.contains(sentence), "{body}: {message}");
    }
    let unknown = "/api/v1/webhooks/wh_ffffffffffffffffffffffff";
    app.request(Method::PATCH, unknown).key(&key).body("{").send().await.expect(400);
    app.request(Method::PATCH, unknown).key(&key).body("{}").send().await.expect(404);
    app.get(&format!("{path}/deliveries?limit=0")).key(&key).send().await.expect(400);
    app.get("/api/v1/webhooks/%FF").key(&key).send().await.expect(400);
    app.post("/api/v1/webhooks", vec![0xff, 0xfe]).key(&key).send().await.expect(400);
}

#[tokio::test]
async fn operations_without_a_body_take_no_members() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    known_webhook::give(&app, &key).await;
    let (webhook, delivery) = (known_webhook::WEBHOOK, known_webhook::DELIVERY);
    for operation in ["test", "rotate-secret", &format!("deliveries/{delivery}/redeliver")] {
        let path = format!("/api/v1/webhooks/{webhook}/{operation}");
        for bad in [r#"{"x":1}"#, "[]", "x"] {
            let message = app.post(&path, bad).key(&key).send().await.expect_error(400);
            assert!(bad != r#"{"x":1}"# || message.contains("`x` is not a member"), "{operation}: {message}");
        }
        assert!(
            [200, 201, 202].contains(&app.post(&path, " {} ").key(&key).send().await.status),
            "{operation}"
        );
    }
    let feed = app.post("/api/v1/feeds", r#"{"name":"x"}"#).key(&key).send().await.expect(201).json();
    let feed = format!("/api/v1/feeds/{}", feed["id"].as_str().unwrap());
    for path in [&format!("/api/v1/webhooks/{webhook}"), &feed, "/api/v1/keys/current"] {
        let delete = |body: &'static str| app.request(Method::DELETE, path).key(&key).body(body).send();
        let message = delete(r#"{"dry_run":true}"#).await.expect_error(400);
        assert!(message.contains("`dry_run` is not a member"), "{path}: {message}");
        delete("{}").await.expect(204);
    }
}

/// Every request that names a webhook, as another customer would send it.
fn all_calls(id: &str) -> Vec<(Method, String)> {
    let path = format!("/api/v1/webhooks/{id}");
    vec![
        (Method::GET, path.clone()),
        (Method::PATCH, path.clone()),
        (Method::POST, format!("{path}/test")),
        (Method::POST, format!("{path}/rotate-secret")),
        (Method::GET, format!("{path}/deliveries")),
        (Method::POST, format!("{path}/deliveries/{}/redeliver", known_webhook::DELIVERY)),
        (Method::DELETE, path),
    ]
}

#[tokio::test]
async fn a_foreign_webhook_looks_like_an_unknown_one() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let stranger = stage.app.ample_key(Plan::Platinum).await;
    let answers = async |id: &str, key: &str| {
        let mut bodies = Vec::new();
        for (method, path) in all_calls(id) {
            let answer = stage.app.request(method, &path).key(key).body("{}").send().await;
            bodies.push((answer.status, answer.text()));
        }
        bodies
    };
    let anothers = answers(&webhook.id, &stranger).await;
    assert!(anothers.iter().all(|(status, _)| *status == 404), "{anothers:?}");
    for id in ["wh_ffffffffffffffffffffffff", "wh_", "7", "..%2F..", "'; DROP TABLE webhook; --"] {
        assert_eq!(answers(&id.replace([' ', ';'], "%20"), &stranger).await, anothers, "{id}");
    }
    assert_eq!(receiver.count(), 0);
    assert_eq!(stage.webhook(&webhook).await["status"], "enabled");
    assert_eq!(stage.app.get("/api/v1/webhooks").key(&stranger).send().await.expect(200).json()["total"], 0);
    let strange_delivery = path(&webhook, "/deliveries/msg_ffffffffffffffffffffffff/redeliver");
    stage.app.post(&strange_delivery, "").key(&stage.key).send().await.expect(404);
}

#[tokio::test]
async fn every_request_needs_the_plan_and_a_valid_key() {
    let app = TestApp::start().await;
    let mut calls = all_calls(known_webhook::WEBHOOK);
    calls.extend([
        (Method::GET, "/api/v1/webhooks".to_owned()),
        (Method::POST, "/api/v1/webhooks".to_owned()),
    ]);
    for (method, path) in calls {
        app.advance_seconds(61);
        for plan in [Plan::Free, Plan::Bronze, Plan::Gold] {
            let key = app.ample_key(plan).await;
            let prompt =
                app.request(method.clone(), &path).key(&key).body(GOOD).send().await.expect(403).json();
            assert_eq!(
                (&prompt["feature"], &prompt["required_plan"]),
                (&json!("webhooks"), &json!("platinum"))
            );
        }
        app.request(method.clone(), &path).body(GOOD).send().await.expect(403);
        app.request(method.clone(), &path).key(&stray_key()).body(GOOD).send().await.expect(401);
    }
}

#[tokio::test]
async fn an_account_has_at_most_ten_webhooks_and_its_keys_share_them() {
    let app = TestApp::start().await;
    let old = app.ample_key(Plan::Platinum).await;
    for _ in 0..10 {
        app.post("/api/v1/webhooks", GOOD).key(&old).send().await.expect(201);
    }
    let message = app.post("/api/v1/webhooks", GOOD).key(&old).send().await.expect_error(400);
    assert!(message.contains("10 webhooks"), "{message}");
    app.post("/api/v1/webhooks", GOOD).key(&app.ample_key(Plan::Platinum).await).send().await.expect(201);

    let new = lastro_access::ApiKey::generate(&mut lastro_background::clock::fill_random);
    let (pepper, now) = (app.service.app.access.keys.pepper(), app.timestamp());
    app.plain.rotate(id_of(&old), new.id(), pepper.digest(&new), now, now).await.unwrap();
    soon(async || app.get("/api/v1/webhooks").key(new.reveal()).send().await.status == 200).await;
    let list = app.get("/api/v1/webhooks").key(new.reveal()).send().await.expect(200).json();
    assert_eq!(list["total"], 10);
    let first = list["data"][0]["id"].as_str().unwrap();
    app.request(Method::DELETE, &format!("/api/v1/webhooks/{first}"))
        .key(new.reveal())
        .send()
        .await
        .expect(204);
    app.post("/api/v1/webhooks", GOOD).key(new.reveal()).send().await.expect(201);
}

#[tokio::test]
async fn private_addresses_are_not_reached_without_permission() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    // The webhooks stay when the permission is withdrawn.
    let app = stage.app.restart_with(|setup| {
        super::eager(setup);
        setup.settings.webhooks.webhooks_allow_private = Switch::Off;
    });
    let stage = Stage { app: app.await, key: stage.key };
    let outcome =
        stage.app.post(&path(&webhook, "/test"), "").key(&stage.key).send().await.expect(200).json();
    assert_eq!(
        (&outcome["delivered"], &outcome["attempt"]["error"]),
        (&json!(false), &json!("the address is not an https one"))
    );
    let id = lastro_model::WebhookId::parse(&webhook.id).unwrap();
    let port = receiver.url().rsplit(':').next().unwrap().to_owned();
    for host in ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "no-such-name.invalid"] {
        let url = Some(format!("https://{host}:{port}"));
        stage.app.plain.change_webhook(&id, WebhookChange { url, ..WebhookChange::default() }).await.unwrap();
        let outcome =
            stage.app.post(&path(&webhook, "/test"), "").key(&stage.key).send().await.expect(200).json();
        assert_eq!(outcome["attempt"]["error"], "no public address is known for this receiver", "{host}");
    }
    stage.publish_filings(0..1).await;
    soon(async || stage.deliveries(&webhook).await.len() == 7).await;
    stage.settled().await;
    assert_eq!(
        stage.deliveries(&webhook).await[0]["attempts"][0]["error"],
        "no public address is known for this receiver"
    );
    assert_eq!(receiver.count(), 0);
}

#[tokio::test]
async fn a_failing_store_is_reported_as_unavailable() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for (endpoint, operation) in [
        ("POST /api/v1/webhooks", Operation::InsertWebhook),
        ("GET /api/v1/webhooks", Operation::WebhooksOf),
        ("GET /api/v1/webhooks/{id}", Operation::Webhook),
        ("PATCH /api/v1/webhooks/{id}", Operation::ChangeWebhook),
        ("DELETE /api/v1/webhooks/{id}", Operation::DeleteWebhook),
        ("POST /api/v1/webhooks/{id}/test", Operation::RecordDelivery),
        ("POST /api/v1/webhooks/{id}/rotate-secret", Operation::RotateWebhookSecret),
        ("GET /api/v1/webhooks/{id}/deliveries", Operation::Deliveries),
        ("POST /api/v1/webhooks/{id}/deliveries/{delivery}/redeliver", Operation::Redeliver),
    ] {
        known_webhook::give(&app, &key).await;
        app.faults.fail_next(operation);
        crate::contract::ask(&app, endpoint).key(&key).send().await.expect(503);
        crate::contract::ask(&app, endpoint)
            .key(&key)
            .send()
            .await
            .expect(crate::contract::success(endpoint));
    }
}

#[tokio::test]
async fn a_webhook_disabled_by_the_operator_stays_disabled() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let id = lastro_model::WebhookId::parse(&webhook.id).unwrap();
    let disabled = Some(Some(lastro_model::DisabledBy::Operator));
    stage
        .app
        .plain
        .change_webhook(&id, WebhookChange { disabled, ..WebhookChange::default() })
        .await
        .unwrap();
    for status in ["enabled", "disabled"] {
        let body = json!({ "status": status }).to_string();
        let change = stage.app.request(Method::PATCH, &path(&webhook, "")).key(&stage.key).body(body);
        assert!(change.send().await.expect_error(400).contains("operator"));
    }
    let test = stage.app.post(&path(&webhook, "/test"), "").key(&stage.key).send().await;
    assert!(test.expect_error(400).contains("operator"));
    assert_eq!(receiver.count(), 0);
    let rename =
        stage.app.request(Method::PATCH, &path(&webhook, "")).key(&stage.key).body(r#"{"description":"x"}"#);
    assert_eq!(rename.send().await.expect(200).json()["status"], "disabled");
}

#[tokio::test]
async fn no_secret_and_no_address_is_in_a_debug_text() {
    let stage = Stage::set().await;
    let receiver = Receiver::open();
    let webhook = stage.register(&receiver, &["filing.created"]).await;
    let stored = stage.app.plain.list_webhooks().await.unwrap();
    let text = format!("{stored:?} {:?}", stage.app.service.app.webhooks);
    for secret in [&webhook.secret[6..], &receiver.url()] {
        assert!(!text.contains(secret), "{text}");
    }
}
