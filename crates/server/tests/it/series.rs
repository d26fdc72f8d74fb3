//! The table of series, compared with everything that must follow from it.

use std::collections::BTreeSet;

use lastro_model::{About, Frequency, Series, WebhookEvent};
use serde_json::Value;

use crate::app::TestApp;
use crate::description::DESCRIPTION;

#[test]
fn the_dictionary_lists_every_series() {
    let dictionary = include_str!("../../../../docs/series.md");
    for series in Series::ALL {
        let About { id, code, name, name_pt, unit, frequency, first_day, .. } = series.about();
        let first = match frequency {
            Frequency::Years => first_day.strftime("%Y").to_string(),
            Frequency::Months => first_day.strftime("%Y-%m").to_string(),
            Frequency::CalendarDays | Frequency::BusinessDays => first_day.to_string(),
        };
        let (unit, frequency) = (unit.id(), frequency.id());
        let row = format!("| `{id}` | {code} | {name} | {name_pt} | `{unit}` | {frequency} | {first} |");
        assert!(dictionary.lines().any(|line| line == row), "docs/series.md lacks: {row}");
    }
}

#[test]
fn the_description_matches_the_table() {
    let events: Vec<&str> = WebhookEvent::offered().map(WebhookEvent::name).collect();
    let updates: Vec<&str> = Series::market().filter_map(|series| series.about().updated_event).collect();
    let market: Vec<&str> = Series::market().map(|series| series.about().id).collect();
    assert_enumerated("/components/schemas/WebhookEventName/enum", &events);
    assert_enumerated(
        "/components/parameters/dataset/schema/enum",
        &[&market[..], &["companies", "filings", "fx", "series"]].concat(),
    );
    // The place of these two lists does not matter: some enumeration has them.
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

/// Whether some enumeration in the document lists exactly these names.
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
async fn every_series_has_a_sample_and_is_reported_on() {
    let app = TestApp::start().await;
    let health = app.get("/health").send().await.expect(200).json();
    let shown = |id: &str| health["sources"].as_array().unwrap().iter().any(|source| source["source"] == id);
    let catalog = app.service.app.served.catalog.load_full();
    for series in Series::ALL {
        assert!(!catalog.series[series].is_empty(), "{series:?}");
        assert!(shown(series.about().id), "{series:?}");
    }
}
