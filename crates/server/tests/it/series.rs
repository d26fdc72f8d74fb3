//! The table of series, held against everything that must follow from it.

use std::collections::BTreeSet;

use lastro_model::{Frequency, Plan, Series, Source, WebhookEvent};
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::description::DESCRIPTION;

#[test]
fn the_dictionary_tells_of_every_series() {
    let dictionary = include_str!("../../../../docs/data.md");
    for series in Series::ALL {
        let about = series.about();
        let first = match about.frequency {
            Frequency::Months => about.first_day.strftime("%Y-%m").to_string(),
            Frequency::CalendarDays | Frequency::BusinessDays => about.first_day.to_string(),
        };
        let begins = format!("| `{}` | {} | {} | {} | ", about.id, about.code, about.name_pt, about.unit);
        let row = dictionary.lines().find(|line| line.starts_with(&begins));
        assert!(
            row.is_some_and(|row| row.ends_with(&format!(" | {first} |"))),
            "docs/data.md lacks: {begins}… | {first} |"
        );
    }
}

#[test]
fn the_description_lists_what_the_table_serves() {
    let events: Vec<&str> = WebhookEvent::offered().map(WebhookEvent::name).collect();
    let updates: Vec<&str> = Series::served().map(|series| series.about().updated_event).collect();
    let sources: Vec<&str> = Source::served().map(Source::name).collect();
    for (pointer, listed) in [
        ("/components/schemas/WebhookEventName/enum", events.clone()),
        ("/components/schemas/SourceHealth/properties/source/enum", sources.clone()),
        ("/components/parameters/dataset/schema/enum", sources),
    ] {
        assert_enumerated(pointer, &listed);
    }
    // Where a name leads to is no matter: some place lists them.
    assert!(lists(&DESCRIPTION.document, &[&events[..], &["ping"]].concat()), "{events:?} and ping");
    assert!(lists(&DESCRIPTION.document, &updates), "{updates:?}");
}

fn assert_enumerated(pointer: &str, names: &[&str]) {
    let listed =
        DESCRIPTION.document.pointer(pointer).unwrap_or_else(|| panic!("openapi.yaml has no {pointer}"));
    assert_eq!(set_of(listed), names.iter().copied().collect(), "{pointer} of openapi.yaml");
}

fn set_of(list: &Value) -> BTreeSet<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether some enumeration in here lists exactly these names.
fn lists(value: &Value, names: &[&str]) -> bool {
    let wanted: BTreeSet<&str> = names.iter().copied().collect();
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| (name == "enum" && set_of(member) == wanted) || lists(member, names)),
        Value::Array(items) => items.iter().any(|item| lists(item, names)),
        _ => false,
    }
}

#[tokio::test]
async fn a_series_that_is_not_served_is_held_and_shown_nowhere() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let health = app.get("/health").send().await.expect(200).json();
    let shown = |id: &str| health["sources"].as_array().unwrap().iter().any(|source| source["source"] == id);
    let catalog = app.service.app.catalog.load_full();
    for series in Series::ALL {
        let about = series.about();
        assert!(!catalog.series[series].is_empty(), "{series:?}");
        assert_eq!(shown(about.id), about.served, "{series:?}");
        let status = if about.served { 200 } else { 404 };
        app.get(&format!("/api/v1/export/{}", about.id)).key(&key).send().await.expect(status);
        let webhook = json!({ "url": "https://example.com/hook", "events": [about.updated_event] });
        let status = if about.served { 201 } else { 400 };
        app.post("/api/v1/webhooks", webhook.to_string()).key(&key).send().await.expect(status);
    }
}
