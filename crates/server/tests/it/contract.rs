//! The description and the service match in both directions, and every documented status can occur.

use std::collections::BTreeSet;
use std::time::Duration;

use lastro::http::connections::unsent::Unsent;
use lastro::http::handler::Route;
use lastro::http::response::decimals::INTEGERS;
use lastro::http::routes::ROUTES;
use lastro_access::Feature;
use lastro_model::{Plan, Series};
use lastro_store::faulty::Operation;
use reqwest::Method;
use serde_json::json;

use crate::answer::Answer;
use crate::app::{Ask, TestApp, stray_key};
use crate::billing::stripe::Stripe;
use crate::billing::{give_customer, is_ready, switch_on};
use crate::description::DESCRIPTION;
use crate::known_webhook;
use crate::mcp;

fn documented_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.described)
}

#[test]
fn every_route_is_described_and_every_description_is_a_route() {
    let routes: BTreeSet<String> = documented_routes().map(|route| route.endpoint.to_owned()).collect();
    assert_eq!(routes, DESCRIPTION.operations());
}

#[test]
fn the_plan_of_every_operation_is_that_of_its_route() {
    for route in documented_routes() {
        let plan = match route.feature {
            Feature::Public => "public",
            Feature::OwnKey => "any-key",
            feature => feature.required_plan().id(),
        };
        let described = DESCRIPTION.operation(route.endpoint).map(|operation| &operation["x-plan"]);
        assert_eq!(described, Some(&plan.into()), "{}", route.endpoint);
    }
}

#[test]
fn every_route_takes_the_parameters_of_its_operation() {
    for route in documented_routes() {
        let known: BTreeSet<&str> = route.parameters.into_iter().flatten().copied().collect();
        assert_eq!(known, DESCRIPTION.query_parameters(route.endpoint), "{}", route.endpoint);
        assert_eq!(route.parameters.is_some(), route.path().starts_with("/api/"), "{}", route.endpoint);
    }
}

#[test]
fn integers_are_told_from_decimals_by_name() {
    let [integers, decimals] = ["integer", "number"].map(|kind| DESCRIPTION.members_of_type(kind));
    let known: BTreeSet<&str> = INTEGERS.iter().copied().collect();
    assert_eq!(integers.difference(&known).collect::<Vec<_>>(), [&""; 0], "integers that are not listed");
    assert_eq!(decimals.intersection(&known).collect::<Vec<_>>(), [&""; 0], "decimals among the integers");
    assert!(Series::ALL.iter().all(|series| !known.contains(series.about().id)));
}

#[test]
fn the_description_is_of_this_version_and_of_this_server() {
    let document = &DESCRIPTION.document;
    assert_eq!(document["openapi"], "3.0.3");
    assert_eq!(document["info"]["version"], lastro::VERSION);
    assert_eq!(document["servers"][0]["url"], "/");
}

#[test]
fn every_response_declares_the_headers_of_all_responses() {
    const ALWAYS: [&str; 7] = [
        "x-plan",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "ratelimit-policy",
        "ratelimit",
        "x-request-id",
    ];
    for endpoint in DESCRIPTION.operations() {
        for status in DESCRIPTION.statuses(&endpoint) {
            let required = DESCRIPTION.required_headers(&endpoint, status);
            for name in ALWAYS {
                assert!(required.contains(&name.to_owned()), "{endpoint} {status} does not require {name}");
            }
            if [429, 503].contains(&status) {
                assert!(required.contains(&"retry-after".to_owned()), "{endpoint} {status}");
            }
        }
    }
}

/// A request for an operation that succeeds if the caller is allowed to make it.
pub(crate) fn ask<'a>(app: &'a TestApp, endpoint: &str) -> Ask<'a> {
    let (method, template) = endpoint.split_once(' ').unwrap();
    let path = match template {
        "/api/v1/filings/{id}" => template.replace("{id}", "9000000"),
        _ if template.starts_with("/api/v1/webhooks") => {
            template.replace("{id}", known_webhook::WEBHOOK).replace("{delivery}", known_webhook::DELIVERY)
        }
        "/api/v1/feeds/{id}" => template.replace("{id}", known_webhook::FEED),
        "/feeds/series/{id}" => "/feeds/series/ipca.atom".to_owned(),
        "/feeds/{token}" => format!("/feeds/{}.atom", known_webhook::FEED_TOKEN),
        "/api/v1/series/observations" => format!("{template}?ids=ipca,igpm"),
        _ if template.starts_with("/api/v1/series/") || template.starts_with("/series/") => {
            template.replace("{id}", "ipca")
        }
        _ if template.starts_with("/fx/") => template.replace("{id}", "usd-brl"),
        "/api/v1/calc/correction" | "/calculator/correction" => {
            format!("{template}?index=ipca&from=2026-01&to=2026-06&amount=1000")
        }
        "/api/v1/calc/accumulation" | "/calculator/accumulation" => {
            format!("{template}?rate=cdi&from=2026-06-01&to=2026-06-15")
        }
        "/api/v1/calc/legal-interest" | "/calculator/legal-interest" => {
            format!("{template}?from=2026-06-01&to=2026-06-15")
        }
        "/api/v1/calc/savings" | "/calculator/savings" => {
            format!("{template}?from=2026-03-10&to=2026-06-15")
        }
        "/api/v1/calc/rent" | "/calculator/rent" => format!("{template}?index=igpm&month=2026-06"),
        "/api/v1/calc/minimum-wages" | "/calculator/minimum-wages" => {
            format!("{template}?month=2026-01&amount=1000")
        }
        "/api/v1/calendar/business-days" => format!("{template}?from=2026-06-01&to=2026-06-15"),
        "/api/v1/calendar/shift" => format!("{template}?date=2026-06-01&days=5"),
        "/api/v1/calendar/holidays" => format!("{template}?year=2026"),
        "/api/v1/calendar/days/{date}" => template.replace("{date}", "2026-11-16"),
        _ if template.ends_with("/search") || template.ends_with("/suggest") => {
            format!("{template}?q=energia")
        }
        "/calculator/check/{code}" => template.replace("{code}", "C0"),
        _ => template.replace("{id}", "90001").replace("{dataset}", "selic"),
    };
    let ask = app.request(method.parse().unwrap(), &path);
    match endpoint {
        "POST /pricing" => ask.body("name=Ana&email=ana%40example.com"),
        "POST /api/v1/plans/register" => ask.body(r#"{"name":"Ana","email":"ana@example.com"}"#),
        "POST /api/v1/billing/checkout" => ask.body(r#"{"plan":"gold"}"#),
        "POST /api/v1/webhooks" => {
            ask.body(r#"{"url":"https://receiver.invalid/","events":["filing.created"]}"#)
        }
        "POST /api/v1/feeds" => ask.body(r#"{"name":"Dividendos","q":"dividendos"}"#),
        "POST /mcp" => ask.body(mcp::CURRENT_VALUES),
        "POST /api/v1/calc/debt" => ask.body(format!("{{{DEBT}}}")),
        "POST /calculator/check/{code}" => ask.body(format!("{{{DEBT},\"result\":1}}")),
        "POST /calculator/debt" => {
            ask.body("to=2026-06-15&index=ipca&rule=legal&instalments=2026-01-10+1000")
        }
        "PATCH /api/v1/webhooks/{id}" => ask.body(r#"{"description":"Avisos"}"#),
        _ => ask,
    }
}

/// The members of a debt.
const DEBT: &str = r#""to":"2026-06-15","index":"ipca","interest":{"rule":"legal"},"instalments":[{"date":"2026-01-10","amount":"1000"}]"#;

/// The status of a successful request.
pub(crate) fn success(endpoint: &str) -> u16 {
    match endpoint.split_once(' ').unwrap() {
        ("POST", path) if path.ends_with("/test") || path == "/mcp" => 200,
        ("POST", path) if path.contains("/calc") => 200,
        ("POST", path) if path.ends_with("/redeliver") => 202,
        ("POST", _) => 201,
        ("DELETE", _) => 204,
        ("GET", "/calculator/debt") => 302,
        _ => 200,
    }
}

/// Whether the endpoint is a public read, which needs no key and never queries the store.
fn asks_nobody(endpoint: &str) -> bool {
    let public = |route: &Route| route.feature == Feature::Public && route.method() == "GET";
    documented_routes().any(|route| route.endpoint == endpoint && public(route))
}

/// Makes a request while unread responses use up all memory, for longer than a request waits.
async fn without_room(app: &TestApp, asking: impl Future<Output = Answer>) -> Answer {
    let connections = &app.service.app.connections;
    let place = connections.admit([192, 0, 2, 1].into(), true).unwrap();
    let _unread = Unsent::new(place.connection(), 2 * connections.limits().client_memory.unsent);
    let waiting = async {
        loop {
            tokio::time::sleep(Duration::from_millis(50)).await;
            app.advance_seconds(2);
            connections.sweep();
        }
    };
    tokio::select! {
        answer = asking => answer,
        () = waiting => unreachable!("it goes on forever"),
    }
}

/// Whether the data is free and only a format is sold.
fn endpoint_is_free(endpoint: &str) -> bool {
    DESCRIPTION.operation(endpoint).is_some_and(|operation| operation["x-plan"] == "free")
}

/// Makes an operation respond with one of its documented statuses.
async fn provoke(app: &TestApp, endpoint: &str, status: u16) -> Answer {
    let best = app.ample_key(Plan::Platinum).await;
    known_webhook::give(app, &best).await;
    let (_, template) = endpoint.split_once(' ').unwrap();
    if (endpoint, status) == ("DELETE /api/v1/keys/current", 200) || template.ends_with("/portal") {
        give_customer(app, &best).await;
    }
    match status {
        202 if template == "/mcp" => app.post("/mcp", mcp::NOTIFICATION).key(&best).send().await,
        200 | 201 | 202 | 204 => ask(app, endpoint).key(&best).send().await,
        206 | 416 => {
            let range = if status == 206 { "bytes=0-3" } else { "bytes=999999999-" };
            app.get("/api/v1/export/selic?format=parquet").key(&best).header("range", range).send().await
        }
        304 => {
            let tag = ask(app, endpoint).key(&best).send().await.header("etag").to_owned();
            ask(app, endpoint).key(&best).header("if-none-match", &tag).send().await
        }
        400 => {
            let bearer = format!("Bearer {}", stray_key());
            ask(app, endpoint).key(&best).header("authorization", &bearer).send().await
        }
        401 => ask(app, endpoint).key("no-key-at-all").send().await,
        403 if template.ends_with("/register") || ["/pricing", "/mcp"].contains(&template) => {
            ask(app, endpoint).header("origin", "https://elsewhere.example").send().await
        }
        403 if template.contains("/market/") => app.get(&format!("{template}?from=1990-01-01")).send().await,
        403 if template.ends_with("/observations") => {
            let path = template.replace("{id}", "ipca");
            app.get(&format!("{path}?from=1990-01-01{}", if path == template { "&ids=ipca" } else { "" }))
                .send()
                .await
        }
        403 if endpoint_is_free(endpoint) => ask(app, endpoint).header("accept", "text/csv").send().await,
        403 => ask(app, endpoint).send().await,
        404 if template.starts_with("/api/v1/billing") => ask(&TestApp::start().await, endpoint).send().await,
        404 if template.starts_with("/api/v1/filings") && !template.contains('{') => {
            let q = if template.ends_with("/search") { "&q=ata" } else { "" };
            app.get(&format!("{template}?company_id=7{q}")).key(&best).send().await
        }
        404 if template == "/api/v1/changes" => {
            app.get("/api/v1/changes?company_ids=XXXX3").key(&best).send().await
        }
        404 if template == "/mcp" => mcp::modern(app, "prompts/list", json!({})).key(&best).send().await,
        404 => {
            let path = template.replace("{id}", "7").replace("{delivery}", "7").replace("{dataset}", "none");
            let method = endpoint.split(' ').next().unwrap().parse().unwrap();
            app.request(method, &path).key(&best).body("{}").send().await
        }
        410 => {
            app.get("/api/v1/changes?after=AQAAAAAAAF7tAAAAAAAAAAoAAAGhnCFyAAAAAAE").key(&best).send().await
        }
        413 if template == "/mcp" => ask(app, endpoint).key(&best).body(vec![b' '; 257 * 1024]).send().await,
        413 => ask(app, endpoint).key(&best).body(vec![b' '; 65 * 1024]).send().await,
        429 if ["POST /pricing", "POST /api/v1/plans/register"].contains(&endpoint) => loop {
            let answer = ask(app, endpoint).send().await;
            if answer.status != 201 {
                app.advance_seconds(3600);
                break answer;
            }
        },
        429 if ["/pricing", "/docs", "/docs/openapi.yaml"].contains(&template) => {
            for _ in 0..600 {
                app.request(Method::HEAD, "/assets/lastro.css").send().await;
            }
            ask(app, endpoint).send().await
        }
        429 => {
            let scarce = app.key_with_limit(Plan::Platinum, Some(1)).await;
            app.get("/api/v1/plans").key(&scarce).send().await.expect(200);
            ask(app, endpoint).key(&scarce).send().await
        }
        503 if ["POST /pricing", "POST /api/v1/plans/register"].contains(&endpoint) => {
            app.faults.fail_next(Operation::InsertKey);
            ask(app, endpoint).key(&best).send().await
        }
        503 if asks_nobody(endpoint) => without_room(app, ask(app, endpoint).send()).await,
        503 => {
            app.faults.fail_next(Operation::Key);
            ask(app, endpoint).key(&stray_key()).send().await
        }
        other => panic!("{endpoint} documents {other}, and no way to it is known"),
    }
}

#[tokio::test]
async fn every_documented_status_can_occur() {
    let stripe = Stripe::open();
    let app = TestApp::start_with(|setup| {
        setup.settings.registrations.registrations_per_hour = 40;
        switch_on(setup, &stripe);
    })
    .await;
    is_ready(&app).await;
    for endpoint in DESCRIPTION.operations() {
        for status in DESCRIPTION.statuses(&endpoint).into_iter().filter(|status| *status != 500) {
            app.advance_seconds(61);
            provoke(&app, &endpoint, status).await.expect(status);
        }
    }
}

/// A panic is provoked where the store is queried. Public reads do not query it, so their 500 has no real cause.
#[tokio::test]
async fn a_panic_is_answered_like_any_other_failure() {
    let app = TestApp::start().await;
    app.faults.panic_on(Operation::Key);
    app.faults.panic_on(Operation::InsertKey);
    let mut panics = 0;
    for route in documented_routes() {
        if route.feature == Feature::Public && route.method() == "GET" {
            continue;
        }
        app.advance_seconds(61);
        let asking = ask(&app, route.endpoint);
        let asking = if route.feature == Feature::Public { asking } else { asking.key(&stray_key()) };
        let text = asking.send().await.expect(500).text();
        assert!(!text.contains("told to panic"), "{text}");
        panics += 1;
    }
    let (_, metrics) = app.admin("/metrics").await;
    assert!(metrics.contains(&format!("lastro_panics_total {panics}\n")), "{metrics}");
    app.get("/health").send().await.expect(200);
}
