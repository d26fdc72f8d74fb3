//! Bulk export: whole data sets with exactly the announced number of rows. No client can block it.

mod parquet;
mod running;

use lastro_access::{Feature, terms};
use lastro_model::Plan;
use proptest::prelude::*;
use reqwest::Method;
use serde_json::Value;

use crate::answer::Answer;
use crate::app::TestApp;
use crate::csv_reader::{DIALECTS, Object};
use crate::filled::SHAPE;

/// Every data set, and the list that shows the same rows.
const DATASETS: [(&str, &str); 6] = [
    ("companies", "/api/v1/companies?limit=1000"),
    ("filings", "/api/v1/filings?limit=1000"),
    ("selic", "/api/v1/market/selic?limit=10000"),
    ("cdi", "/api/v1/market/cdi?limit=10000"),
    ("ipca", "/api/v1/market/ipca?limit=10000"),
    ("fx", "/api/v1/market/fx?limit=10000"),
];

/// The rows of an export, after a check of its headers.
fn lines(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let text = answer.text();
    assert!(text.is_empty() || text.ends_with('\n'));
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len() as i64, answer.number("x-total-count"), "{}", answer.path);
    lines
}

async fn export(app: &TestApp, key: &str, path: &str) -> Answer {
    app.get(&format!("/api/v1/export/{path}")).key(key).send().await.expect(200)
}

/// All rows of a list, page by page.
async fn listed(app: &TestApp, key: &str, path: &str) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    loop {
        let page = app.get(&format!("{path}&offset={}", rows.len())).key(key).send().await.expect(200).json();
        rows.extend_from_slice(page["data"].as_array().unwrap());
        if page["total"].as_u64().is_none_or(|total| rows.len() as u64 >= total) {
            return rows;
        }
    }
}

fn parsed(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn every_export_holds_all_rows_of_its_list() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for (dataset, list) in DATASETS {
        let query = if dataset == "fx" { "?pair=USD/BRL" } else { "?" };
        let answer = export(&app, &key, &format!("{dataset}{query}")).await;
        let name = format!("attachment; filename=\"lastro-{dataset}-2026-11-02.ndjson\"");
        assert_eq!(answer.header("content-disposition"), name);
        assert!(answer.header("link").ends_with("odbl/1-0/>; rel=\"license\""));
        let lines = lines(&answer);
        assert_eq!(parsed(&lines), listed(&app, &key, list).await, "{dataset}");
        let objects: Vec<Object> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        for dialect in DIALECTS {
            let file =
                export(&app, &key, &format!("{dataset}{query}&format=csv&locale={}", dialect.locale)).await;
            assert_eq!(dialect.read(&file.text()), dialect.of_objects(&objects), "{dataset}");
            assert_eq!(file.number("x-total-count"), lines.len() as i64);
        }
    }
}

#[tokio::test]
async fn without_a_pair_all_pairs_are_exported() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let mut apart = Vec::new();
    for pair in ["EUR/BRL", "GBP/BRL", "JPY/BRL", "USD/BRL"] {
        let path = format!("fx?pair={pair}&from=2026-01-01&to=2026-06-30");
        apart.extend(lines(&export(&app, &key, &path).await));
    }
    let together = lines(&export(&app, &key, "fx?from=2026-01-01&to=2026-06-30").await);
    assert_eq!(together, apart);
    assert!(!together.is_empty());
}

#[tokio::test]
async fn exports_match_the_plan_table() {
    let app = TestApp::start().await;
    for plan in Plan::ALL {
        let key = app.ample_key(plan).await;
        for (dataset, _) in DATASETS {
            for (query, accept, feature) in [
                ("", "*/*", Feature::BulkExport),
                ("?format=ndjson", "text/csv", Feature::BulkExport),
                ("?format=csv", "*/*", Feature::CsvExport),
                ("", "text/csv", Feature::CsvExport),
                ("", "application/x-ndjson, text/csv;q=0.5", Feature::BulkExport),
            ] {
                let path = format!("/api/v1/export/{dataset}{query}");
                let answer = app.get(&path).key(&key).header("accept", accept).send().await;
                if terms(plan).includes(feature) {
                    let kind =
                        if feature == Feature::CsvExport { "text/csv" } else { "application/x-ndjson" };
                    assert!(answer.expect(200).header("content-type").starts_with(kind), "{path}");
                } else {
                    let bulk = terms(plan).includes(Feature::BulkExport);
                    let missing = if bulk { feature } else { Feature::BulkExport };
                    assert_eq!(answer.expect(403).json()["feature"], missing.id(), "{path} {plan:?}");
                }
            }
        }
    }
    app.get("/api/v1/export/selic").send().await.expect(403);
}

#[tokio::test]
async fn invalid_parameters_are_rejected_with_a_message() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for (path, status, word) in [
        ("selic?limit=5", 400, "`limit`"),
        ("filings?offset=0", 400, "`offset`"),
        ("filings?limit=", 400, "`limit`"),
        ("selic?from=2023-02-29", 400, "`from`"),
        ("selic?from=2026-02-01&to=2026-01-01", 400, "`from`"),
        ("fx?pair=XXX/BRL", 400, "`pair` must be one of EUR/BRL"),
        ("fx?pair=", 400, "`pair`"),
        ("companies?to=", 400, "`to`"),
        ("selic?pair=dollar", 400, "`pair`"),
        ("selic?format=json", 400, "`format` must be ndjson, csv or parquet"),
        ("selic?format=csv&locale=de", 400, "`locale` must be en or pt-BR"),
        ("companies?status=a&status=b", 400, "`status`"),
        ("filings?category=%FF", 400, "UTF-8"),
        ("filings?company_id=7", 404, "company"),
        ("filings?company_id=00.000.000/0001-91", 404, "company"),
        ("filings?company_id=%00", 400, "`company_id`"),
        ("filings?company_id=&format=csv", 400, "`company_id`"),
        ("selic?company_id=aurora", 400, "`company_id`"),
        ("nothing", 404, "companies, filings, selic, cdi, ipca, fx and series"),
        ("Selic", 404, "data set"),
        ("selic%00", 404, "data set"),
        ("%FF", 400, "UTF-8"),
    ] {
        let message = app.get(&format!("/api/v1/export/{path}")).key(&key).send().await.expect_error(status);
        assert!(message.contains(word), "{path}: {message}");
    }
    app.get("/api/v1/export/").key(&key).send().await.expect(404);
    let answer = app.get("/api/v1/export/nothing?format=xml").key(&key).send().await.expect(400);
    assert!(answer.text().contains("format"), "parameters are checked before existence");
    app.get("/api/v1/export/selic/x").key(&key).send().await.expect(404);
    app.post("/api/v1/export/selic", "").key(&key).send().await.expect(405);
    for (foreign, sentence) in [
        ("selic?company_id=90001", "`company_id` is not for selic, which takes from, to"),
        ("companies?category=Ata", "`category` is not for companies"),
        ("filings?status=active", "`status` is not for filings"),
        ("fx?id=ipca", "`id` is not for fx, which takes pair, from, to"),
        ("series?id=usd-brl", "`id` is not for exchange rates; they are in `/api/v1/export/fx?pair=USD/BRL`"),
        ("series?id=usd-xxx", "`id` must be the id or the code of a series"),
    ] {
        let refused = app.get(&format!("/api/v1/export/{foreign}")).key(&key).send().await.expect_error(400);
        assert!(refused.starts_with(sentence), "{refused}");
    }
    for (companies, list) in [("90001,90002", ""), ("90002,90001,90001", "&category=Fato+Relevante")] {
        let path = format!("filings?company_id={companies}{list}");
        let exported = lines(&export(&app, &key, &path).await);
        assert_eq!(
            parsed(&exported),
            listed(&app, &key, &format!("/api/v1/{path}&limit=1000")).await,
            "{path}"
        );
    }
}

#[tokio::test]
async fn filters_that_match_nothing_give_an_empty_file() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for path in
        ["filings?category=none", "companies?sector=none", "selic?from=2090-01-01", "fx?to=1980-01-01"]
    {
        assert!(lines(&export(&app, &key, path).await).is_empty());
        for dialect in DIALECTS {
            let file = export(&app, &key, &format!("{path}&format=csv&locale={}", dialect.locale)).await;
            assert_eq!(dialect.read(&file.text()).len(), 1, "{path}");
        }
    }
}

#[tokio::test]
async fn head_returns_the_count_without_a_body() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for (dataset, _) in DATASETS {
        let get = export(&app, &key, dataset).await;
        let head = app.request(Method::HEAD, &format!("/api/v1/export/{dataset}")).key(&key).send().await;
        let head = head.expect(200);
        assert!(head.body.is_empty());
        for name in ["x-total-count", "content-type", "content-disposition", "etag", "content-length"] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
        assert_eq!(head.header("content-length"), "");
        assert_eq!(head.number("x-ratelimit-remaining"), get.number("x-ratelimit-remaining") - 1);
    }
}

#[tokio::test]
async fn exports_survive_every_content_coding() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    for path in ["filings", "ipca", "filings?category=none", "filings?format=csv&locale=pt-BR"] {
        let plain = export(&app, &key, path).await;
        assert_eq!((plain.header("content-encoding"), plain.header("content-length")), ("", ""));
        for coding in ["gzip", "br", "zstd"] {
            let asking =
                app.get(&format!("/api/v1/export/{path}")).key(&key).header("accept-encoding", coding);
            let packed = asking.send().await.expect(200);
            assert_eq!(packed.header("content-encoding"), coding);
            assert_eq!(packed.plain(), plain.body, "{path} {coding}");
            assert_eq!(packed.header("etag"), plain.header("etag"));
            assert!(path != "filings" || packed.body.len() < plain.body.len() / 4, "{coding}");
        }
    }
}

#[tokio::test]
async fn a_matching_tag_gets_a_304() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let mut tags: Vec<String> = Vec::new();
    for form in ["", "?format=csv", "?format=csv&locale=pt-BR"] {
        let path = format!("/api/v1/export/cdi{form}");
        let tag = app.get(&path).key(&key).send().await.expect(200).header("etag").to_owned();
        let short = app.get(&path).key(&key).header("if-none-match", &tag).send().await.expect(304);
        assert!(short.body.is_empty());
        for other in &tags {
            app.get(&path).key(&key).header("if-none-match", other).send().await.expect(200);
        }
        tags.push(tag);
    }
}

#[tokio::test]
async fn http_2_carries_exports_too() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let client = crate::app::client().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/api/v1/export/filings", app.service.address);
    let asking = (0..2).map(|_| client.get(&url).header("x-api-key", &key).send());
    for answer in futures_util::future::join_all(asking).await {
        let text = answer.unwrap().text().await.unwrap();
        assert_eq!(text.lines().count(), SHAPE.filings);
    }
}

/// Random filters, as query strings of the list and of the export.
fn any_filter() -> impl Strategy<Value = (&'static str, String, String)> {
    let days = (prop::option::of((2024i32..2027, 1u32..13)), prop::option::of((2024i32..2027, 1u32..13)));
    let of_filings =
        (prop::option::of(90_001u32..90_073), prop::sample::select(vec!["", "Fato+Relevante", "none"]));
    let of_companies = (
        prop::sample::select(vec!["", "active", "CANCELADA", "none"]),
        prop::sample::select(vec!["", "Energia+Eletrica", "none"]),
    );
    (0usize..4, days, of_filings, of_companies).prop_map(
        |(which, (from, to), (company, category), (status, sector))| {
            let (from, to) =
                if from.zip(to).is_some_and(|(from, to)| from > to) { (to, from) } else { (from, to) };
            let day = |name: &str, day: Option<(i32, u32)>| {
                day.map_or(String::new(), |(year, month)| format!("&{name}={year}-{month:02}-15"))
            };
            let word = |name: &str, word: &str| {
                if word.is_empty() { String::new() } else { format!("&{name}={word}") }
            };
            let days = day("from", from) + &day("to", to);
            match which {
                0 => {
                    let list = company.map_or("/api/v1/filings?".to_owned(), |id| {
                        format!("/api/v1/companies/{id}/filings?")
                    });
                    let by_company = company.map_or(String::new(), |id| format!("&company_id=0{id}"));
                    let filter = word("category", category) + &days;
                    ("filings", format!("{list}{filter}&limit=1000"), filter + &by_company)
                }
                1 => {
                    let filter = word("status", status) + &word("sector", sector);
                    ("companies", format!("/api/v1/companies?{filter}&limit=1000"), filter)
                }
                2 => ("cdi", format!("/api/v1/market/cdi?{days}&limit=10000"), days),
                _ => (
                    "fx",
                    format!("/api/v1/market/fx?pair=eur/brl{days}&limit=10000"),
                    format!("pair=eur/brl{days}"),
                ),
            }
        },
    )
}

#[test]
fn exports_match_their_list_for_any_filter() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = runtime.block_on(TestApp::start());
    let key = runtime.block_on(app.ample_key(Plan::Gold));
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((dataset, list, filter) in any_filter())| {
        let exported = lines(&runtime.block_on(export(&app, &key, &format!("{dataset}?{filter}"))));
        prop_assert_eq!(parsed(&exported), runtime.block_on(listed(&app, &key, &list)));
    });
}
