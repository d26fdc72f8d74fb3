//! Filings: the list and its filters, lookups, and the newest ones.

use std::collections::BTreeSet;

use lastro_model::{Day, Filing, Plan};
use lastro_sample as sample;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::filled::SHAPE;

/// All filings of the sample, newest first; within a day, greatest id first.
fn expected() -> Vec<Filing> {
    let companies = sample::companies(&SHAPE);
    let mut filings: Vec<Filing> = sample::filings(&SHAPE, &companies).collect();
    filings.sort_by_key(|filing| std::cmp::Reverse((filing.delivered_on, filing.id)));
    filings
}

/// The filing as the API shows it.
pub(crate) fn shown(filing: &Filing) -> Value {
    json!({
        "id": filing.id.to_string(),
        "company_id": filing.company_id.to_string(),
        "company_name": filing.company_name,
        "category": filing.category,
        "date": format!("{}T00:00:00-03:00", filing.delivered_on),
        "description": filing.description,
        "type": filing.kind,
        "reference_date": filing.reference_day.map(|day| day.to_string()),
        "version": filing.version,
        "url": filing.url,
        "first_seen_at": null,
    })
}

fn shown_all<'a>(filings: impl IntoIterator<Item = &'a Filing>) -> Vec<Value> {
    filings.into_iter().map(shown).collect()
}

#[tokio::test]
async fn every_filing_is_shown_whole_newest_first() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let all = expected();
    let mut gathered = Vec::new();
    for offset in [0, 1000, 2000] {
        let path = format!("/api/v1/filings?limit=1000&offset={offset}");
        let page = app.get(&path).key(&key).send().await.expect(200).json();
        assert_eq!(
            (&page["total"], &page["limit"], &page["offset"]),
            (&json!(SHAPE.filings), &json!(1000), &json!(offset))
        );
        gathered.extend_from_slice(page["data"].as_array().unwrap());
    }
    assert_eq!(gathered, shown_all(&all));
    let recent = app.get("/api/v1/filings/recent").key(&key).send().await.expect(200).json();
    assert_eq!(recent, json!({ "data": shown_all(&all[..20]) }));
    let three = app.get("/api/v1/filings/recent?limit=3").key(&key).send().await.expect(200).json();
    assert_eq!(three, json!({ "data": shown_all(&all[..3]) }));
    app.get("/api/v1/filings/recent?limit=1001").key(&key).send().await.expect(400);
}

#[tokio::test]
async fn a_filing_is_found_by_its_id_and_by_nothing_else() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for filing in expected().iter().step_by(301) {
        let path = format!("/api/v1/filings/{}", filing.id);
        assert_eq!(app.get(&path).key(&key).send().await.expect(200).json(), shown(filing));
        app.get(&format!("/api/v1/filings/0{}", filing.id)).key(&key).send().await.expect(404);
    }
    for id in ["1", "abc", "h-0000000000000000", "99999999999999999999999", "%00", "recente", "-9000000"] {
        let message = app.get(&format!("/api/v1/filings/{id}")).key(&key).send().await.expect_error(404);
        assert!(message.contains("filing"), "{message}");
    }
}

#[tokio::test]
async fn categories_are_matched_ignoring_case_accents_and_space() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let all = expected();
    let category = &all.iter().find(|filing| filing.category.contains('ã')).unwrap().category;
    let of_category: Vec<&Filing> = all.iter().filter(|filing| &filing.category == category).collect();
    let plain: String = category.to_uppercase().replace('Ã', "a").replace('Ç', "c");
    for spelling in [category.clone(), plain, format!("  {category} ")] {
        let ask = app.get(&format!("/api/v1/filings?limit=1000&category={}", encoded(&spelling)));
        let page = ask.key(&key).send().await.expect(200).json();
        assert_eq!(page["total"], of_category.len(), "{spelling}");
        assert_eq!(page["data"], json!(shown_all(of_category.iter().copied().take(1000))), "{spelling}");
    }
    let none = app.get("/api/v1/filings?category=Receita+de+bolo").key(&key).send().await.expect(200).json();
    assert_eq!((&none["data"], &none["total"]), (&json!([]), &json!(0)));
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn a_companys_filings_take_the_same_filters() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let all = expected();
    let first = &all[0];
    let of_company: Vec<&Filing> =
        all.iter().filter(|filing| filing.company_id == first.company_id).collect();
    let path = format!("/api/v1/companies/{}/filings?limit=1000", first.company_id);
    let page = app.get(&path).key(&key).send().await.expect(200).json();
    assert_eq!(page, json!({ "data": shown_all(of_company.iter().copied()), "total": of_company.len() }));
    let (from, to) = (of_company[of_company.len() - 2].delivered_on, of_company[1].delivered_on);
    let narrowed: Vec<&Filing> = of_company
        .iter()
        .copied()
        .filter(|f| (from..=to).contains(&f.delivered_on) && f.category == first.category)
        .collect();
    let path = format!("{path}&from={from}&to={to}&category={}", encoded(&first.category));
    let page = app.get(&path).key(&key).send().await.expect(200).json();
    assert_eq!(page, json!({ "data": shown_all(narrowed.iter().copied()), "total": narrowed.len() }));
}

#[tokio::test]
async fn invalid_dates_are_rejected() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for list in ["filings?", "companies/90001/filings?"] {
        for (name, value) in
            [("from", "2023-02-29"), ("to", "2026-10-32"), ("from", "01/10/2026"), ("to", "")]
        {
            let path = format!("/api/v1/{list}{name}={value}");
            let message = app.get(&path).key(&key).send().await.expect_error(400);
            assert!(message.contains(&format!("`{name}`")), "{path}: {message}");
        }
        app.get(&format!("/api/v1/{list}from=2026-10-02&to=2026-10-01")).key(&key).send().await.expect(400);
        app.get(&format!("/api/v1/{list}from=2026-10-01&to=2026-10-01")).key(&key).send().await.expect(200);
    }
}

/// A random filter.
#[derive(Debug, Clone)]
struct Filter {
    company: Option<u32>,
    category: Option<String>,
    from: Option<Day>,
    to: Option<Day>,
}

fn any_filter(all: &[Filing]) -> impl Strategy<Value = Filter> + use<> {
    let categories: BTreeSet<String> = all.iter().map(|filing| filing.category.clone()).collect();
    let category = prop::option::of(prop::sample::select(Vec::from_iter(categories)));
    let company = prop::option::weighted(0.3, 90_001u32..90_073);
    let oldest = all[all.len() - 1].delivered_on;
    let days = (prop::option::of(0i32..1100), prop::option::of(0i32..400));
    (company, category, days).prop_map(move |(company, category, (from, length))| {
        let from = from.map(|days| oldest.plus_days(days));
        let to = length.map(|days| from.unwrap_or(oldest).plus_days(days));
        Filter { company, category, from, to }
    })
}

impl Filter {
    fn lets_through(&self, filing: &Filing) -> bool {
        self.category.as_ref().is_none_or(|category| &filing.category == category)
            && self.company.is_none_or(|company| filing.company_id.0 == company)
            && self.from.is_none_or(|from| filing.delivered_on >= from)
            && self.to.is_none_or(|to| filing.delivered_on <= to)
    }

    /// The path of the list, with the filter's parameters.
    fn path(&self) -> String {
        let mut path = match self.company {
            Some(id) => format!("/api/v1/companies/{id}/filings?"),
            None => "/api/v1/filings?".to_owned(),
        };
        let category = self.category.as_deref().map(encoded);
        let [from, to] = [self.from, self.to].map(|day| day.map(|day| day.to_string()));
        for (name, value) in [("category", category), ("from", from), ("to", to)] {
            path += &value.map_or(String::new(), |value| format!("{name}={value}&"));
        }
        path
    }
}

#[test]
fn pages_partition_any_filtered_list() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = runtime.block_on(TestApp::start());
    let key = runtime.block_on(app.ample_key(Plan::Gold));
    let all = expected();
    let config = ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(filter in any_filter(&all), pages in 1usize..6)| {
        let expected = shown_all(all.iter().filter(|filing| filter.lets_through(filing)));
        let limit = (expected.len() / pages).clamp(1, 1000);
        let mut gathered = Vec::new();
        loop {
            let path = format!("{}limit={limit}&offset={}", filter.path(), gathered.len());
            let page = runtime.block_on(app.get(&path).key(&key).send()).expect(200).json();
            prop_assert_eq!(&page["total"], expected.len());
            let rows = page["data"].as_array().unwrap();
            prop_assert_eq!(rows.len(), limit.min(expected.len() - gathered.len()));
            gathered.extend_from_slice(rows);
            if rows.len() < limit { break }
        }
        prop_assert_eq!(gathered, expected);
    });
}
