//! Invisible characters that change how a text looks: rejected where they would be stored, harmless in queries.

use lastro_model::Plan;
use reqwest::Method;
use serde_json::{Value, json};

use crate::app::TestApp;

const UNSEEN: [char; 14] = [
    '\0', '\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{85}', '\u{200b}', '\u{200f}', '\u{2028}', '\u{202e}',
    '\u{2066}', '\u{2060}', '\u{feff}',
];

fn with(c: char) -> impl Iterator<Item = String> {
    [format!("Ana{c}Lima"), format!("{c}Ana"), format!("Ana{c}")].into_iter()
}

#[tokio::test]
async fn registrations_with_control_characters_are_rejected() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for name in UNSEEN.into_iter().flat_map(with) {
        let body = json!({ "name": name, "email": "ana@example.com" }).to_string();
        let message = app.post("/api/v1/plans/register", body).key(&key).send().await.expect_error(400);
        assert!(message.contains("`name`"), "{name:?}: {message}");
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("name", &name[..]), ("email", "ana@example.com")])
            .finish();
        app.post("/pricing", form).key(&key).send().await.expect(400);
    }
    for c in UNSEEN {
        for email in
            [format!("an{c}a@example.com"), format!("ana@exam{c}ple.com"), format!("\"a{c}b\"@example.com")]
        {
            let body = json!({ "name": "Ana", "email": email }).to_string();
            let message = app.post("/api/v1/plans/register", body).key(&key).send().await.expect_error(400);
            assert!(message.contains("`email`"), "{email:?}: {message}");
        }
    }
    let body = json!({ "name": "  José “Zé” d’Ávila 日本 👩🏽  ", "email": "ana@example.com" }).to_string();
    app.post("/api/v1/plans/register", body).key(&key).send().await.expect(201);
}

#[tokio::test]
async fn webhooks_with_control_characters_are_rejected() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let good =
        json!({ "url": "https://receiver.invalid/", "events": ["filing.created"], "description": "Ação" });
    let made = app.post("/api/v1/webhooks", good.to_string()).key(&key).send().await.expect(201).json();
    let path = format!("/api/v1/webhooks/{}", made["id"].as_str().unwrap());
    for text in UNSEEN.into_iter().flat_map(with) {
        let bad: [(&str, Value, &str); 5] = [
            ("description", json!(text), "`description`"),
            ("url", json!(format!("https://receiver.invalid/{text}")), "`url`"),
            ("filters", json!({ "categories": ["Fato Relevante", text] }), "`filters.categories`"),
            (
                "filters",
                json!({ "company_ids": [text.replace(char::is_alphabetic, "1")] }),
                "`filters.company_ids`",
            ),
            ("filters", json!({ "series_ids": [text] }), "`filters.series_ids`"),
        ];
        for (member, value, named) in bad {
            let mut body = good.clone();
            body[member] = value;
            for (method, path) in [(Method::POST, "/api/v1/webhooks"), (Method::PATCH, &path)] {
                let ask = app.request(method, path).key(&key).body(body.to_string());
                let message = ask.send().await.expect_error(400);
                assert!(message.contains(named), "{body}: {message}");
            }
        }
    }
}

#[tokio::test]
async fn queries_with_control_characters_are_answered() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for c in UNSEEN {
        let text: String = form_urlencoded::byte_serialize(format!("a{c}b").as_bytes()).collect();
        for path in
            ["filings?category=", "companies?status=", "companies?sector=", "search?q=", "filings/search?q="]
        {
            app.get(&format!("/api/v1/{path}{text}")).key(&key).send().await.expect(200);
        }
    }
}
