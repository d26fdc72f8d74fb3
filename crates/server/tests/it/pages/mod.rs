//! The pages for people: complete, without JavaScript, and without any other host.

mod calculator;
mod check;
mod debt;
mod documents;
mod failures;
mod foreign_words;
mod fx;
mod keeping;
mod languages;
mod pictures;
mod series;
mod site;

use std::collections::BTreeSet;

use lastro_access::plans;
use lastro_model::{Plan, Source};
use lastro_store::{Condition, Publication, PublicationItem, RecordStore};
use lastro_web::assets::OWN;

use crate::app::{TestApp, soon};

/// Every kind of page.
pub(crate) const PAGES: [&str; 23] = [
    "/",
    "/series",
    "/series/selic",
    "/series/ipca",
    "/series/cdi?compare=usd-month-end",
    "/fx/usd-brl",
    "/calculator",
    "/calculator?kind=accumulation",
    "/calculator?kind=debt",
    "/calculator/savings?from=2026-01-10&to=2026-06-10&amount=1000",
    "/calculator/correction?index=ipca&from=2026-01&to=2026-06&amount=1000",
    "/calculator/check",
    "/calculator/check/D0",
    "/explore",
    "/explore/companies/PETR4",
    "/usage",
    "/status",
    "/indices",
    "/privacy",
    "/versions",
    "/changelog",
    "/pricing",
    "/docs",
];

#[tokio::test]
async fn pricing_shows_every_plan_of_the_table() {
    let app = TestApp::start().await;
    let page = app.get("/pricing").send().await.expect(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let html = page.text();
    for terms in plans() {
        let card =
            html.split(&format!("id=\"plan-{}\"", terms.plan.id())).nth(1).expect("a card for each plan");
        let card = &card[..card.find("</li>\n      <li class=\"plan").unwrap_or(card.len())];
        let requests = match terms.requests_per_minute {
            many @ 1000.. => format!(">{},{:03}<", many / 1000, many % 1000),
            few => format!(">{few}<"),
        };
        for text in [terms.plan.name(), &format!(">${}<", terms.price_usd), &requests, terms.tagline.en] {
            assert!(card.contains(text), "{}: {text}", terms.plan);
        }
        for sentence in terms.features().iter().chain(terms.restrictions) {
            assert!(html.contains(sentence.en), "{}: {}", terms.plan, sentence.en);
        }
    }
}

#[tokio::test]
async fn the_form_works_without_javascript_and_shows_the_key_once() {
    let app = TestApp::start().await;
    let form = "name=Zo%C3%AB+%3Cb%3E&email=zoe%40example.com";
    let answer =
        app.post("/pricing", form).header("content-type", "application/x-www-form-urlencoded").send().await;
    let answer = answer.expect(201);
    assert_eq!((answer.header("cache-control"), answer.header("content-encoding")), ("no-store", ""));
    let html = answer.text();
    assert!(!html.contains("<b>"), "what was typed must be escaped");
    let start = html.find("lastro_").expect("the key");
    let key = &html[start..start + 54];
    let used = app.get("/api/v1/market/overview").key(key).send().await.expect(200);
    assert_eq!(used.header("x-plan"), "free");
    for path in ["/pricing", "/docs"] {
        assert!(!app.get(path).send().await.expect(200).text().contains(key));
    }
}

#[tokio::test]
async fn the_form_shows_errors_beside_fields_and_keeps_the_input() {
    let app = TestApp::start().await;
    let cases = [
        ("name=&email=ana%40example.com", "name", "value=\"ana@example.com\""),
        ("name=Ana%22%3E&email=ana", "email", "value=\"Ana&#34;&#62;\""),
        ("email=ana%40example.com", "name", "value=\"ana@example.com\""),
        ("", "name", "value=\"\""),
    ];
    for (form, field, kept) in cases {
        let html = app.post("/pricing", form).send().await.expect(400).text();
        let message = html.split(&format!("id=\"{field}-error\">")).nth(1).expect("a visible error");
        assert!(message.starts_with(&format!("{field} must")), "{form}: {}", &message[..60]);
        assert!(html.contains(kept) && html.contains("aria-invalid=\"true\""), "{form}");
        assert!(!html.contains("lastro_"), "{form}");
    }
}

#[tokio::test]
async fn too_many_registrations_are_refused_on_the_page() {
    let app = TestApp::start_with(|setup| setup.settings.registrations.registrations_per_hour = 1).await;
    app.post("/pricing", "name=Ana&email=ana%40example.com").send().await.expect(201);
    let refused = app.post("/pricing", "name=Ana&email=ana%40example.com").send().await;
    assert_eq!((refused.status, refused.header("content-type")), (429, "text/html; charset=utf-8"));
    assert!(refused.number("retry-after") > 3500);
    assert!(refused.text().contains("too many registrations"));
}

#[tokio::test]
async fn pages_run_no_inline_script_and_load_nothing_from_elsewhere() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    let mut texts = Vec::new();
    for path in PAGES {
        let page = app.get(path).key(&key).send().await.expect(200);
        let policy = page.header("content-security-policy").to_owned();
        let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap();
        assert_eq!(scripts.trim(), "script-src 'self'", "{path}");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("http"), "{policy}");
        let html = page.text();
        assert!(
            !html.contains(" style=") && !html.contains("<style") && !html.contains(" onclick="),
            "{path}"
        );
        assert_eq!(html.matches("<script").count(), html.matches("<script src=\"/").count(), "{path}");
        texts.push((path.to_owned(), html));
    }
    for asset in OWN.iter().filter(|asset| !asset.content_type.contains("icon")) {
        texts.push((asset.name.to_owned(), String::from_utf8(asset.bytes.to_vec()).unwrap()));
    }
    let here = format!("http://{}", app.service.address);
    for (name, text) in texts {
        let own = text.replace(&here, "").replace("http://127.0.0.1:8080", "");
        let own = own.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !own.contains("http://") && !own.contains("https://") && !own.contains("=\"//"),
            "{name} names another host"
        );
    }
}

/// The links a page loads from its own host: every `src` and `href`.
fn linked(html: &str) -> Vec<String> {
    let quoted = |attribute: &str| {
        html.split(&format!(" {attribute}=\""))
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut links = quoted("src");
    links.extend(quoted("href"));
    links.retain(|link| link.starts_with('/'));
    links
}

#[tokio::test]
async fn every_link_of_a_page_works() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    let mut links = BTreeSet::new();
    for path in PAGES {
        let found = linked(&app.get(path).key(&key).send().await.expect(200).text());
        assert!(found.len() >= 4, "{found:?}");
        links.extend(found.into_iter().map(|link| link.replace("&#38;", "&")));
    }
    app.advance_seconds(61);
    for link in links {
        app.get(&link).key(&key).send().await.expect(200);
    }
    app.advance_seconds(61);
    for asset in &OWN {
        let answer = app.get(&format!("/assets/{}", asset.name)).send().await.expect(200);
        assert_eq!((answer.header("content-type"), &answer.body[..]), (asset.content_type, asset.bytes));
        assert_eq!(answer.header("cache-control"), "private, max-age=600");
        let linked = app.get(asset.path).send().await.expect(200);
        assert_eq!(linked.body, answer.body);
        assert_eq!(linked.header("cache-control"), "private, max-age=31536000, immutable");
    }
    let yaml = app.get("/docs/openapi.yaml").send().await.expect(200);
    assert_eq!(yaml.text(), include_str!("../../../../../openapi.yaml"));
    assert_eq!(yaml.header("content-type"), "application/yaml");
}

/// Replaces a source's sample with an empty official edition.
async fn replace_sample(app: &TestApp, source: Source) {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    sender.send(PublicationItem::Commit).await.unwrap();
    let publication =
        Publication { source, sample: false, replace: true, at: app.timestamp(), condition: Condition::None };
    app.faults.publish(publication, receiver).await.unwrap();
}

#[tokio::test]
async fn the_sample_is_labelled_until_the_last_source_is_official() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let labelled =
        async || app.get("/pricing").key(&key).send().await.expect(200).text().contains("sample data");
    assert!(labelled().await);
    assert!(app.get("/docs").key(&key).send().await.expect(200).text().contains("sample data"));
    for source in Source::ALL {
        assert!(labelled().await, "{source}");
        replace_sample(&app, source).await;
    }
    soon(async || !labelled().await).await;
    let health = app.get("/health").key(&key).send().await.expect(200).json();
    assert_eq!(health["sample"], false);
    let registry = health["sources"].as_array().unwrap().iter().find(|s| s["source"] == "companies").unwrap();
    assert_eq!(registry["stale"], false, "{registry}");
    // Nothing is held now: lists are empty, and endpoints without a value report it.
    for path in ["/api/v1/market/selic", "/api/v1/companies", "/api/v1/filings/recent"] {
        assert_eq!(app.get(path).key(&key).send().await.expect(200).json()["data"], serde_json::json!([]));
    }
    for path in ["selic/current", "overview"] {
        app.get(&format!("/api/v1/market/{path}")).key(&key).send().await.expect(503);
    }
    // No page fails for it either.
    for path in ["/", "/series", "/series/selic", "/series/ipca?compare=cdi", "/calculator", "/status"] {
        app.get(path).key(&key).send().await.expect(200);
    }
    let empty = app.get("/series/selic").key(&key).send().await.expect(200).text();
    assert!(
        empty.contains("There is no value yet.") && !empty.contains("1970"),
        "an empty series has no picture"
    );
    app.get("/fx/usd-brl").key(&key).send().await.expect(404);
}
