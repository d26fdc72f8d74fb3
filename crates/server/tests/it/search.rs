//! Search: matches, spellings, and query text that is never more than text.

use std::collections::BTreeSet;

use lastro_model::Plan;
use lastro_sample::{self as sample, Shape};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::app::TestApp;

const SEARCHES: [&str; 3] = ["/api/v1/companies/search", "/api/v1/filings/search", "/api/v1/search"];

async fn find(app: &TestApp, key: &str, path: &str, q: &str) -> Value {
    let q: String = form_urlencoded::byte_serialize(q.as_bytes()).collect();
    app.get(&format!("{path}?limit=1000&q={q}")).key(key).send().await.expect(200).json()
}

/// Ids of the rows found, in any order.
fn ids(found: &Value) -> BTreeSet<String> {
    found["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn case_accents_and_word_forms_do_not_matter() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let sets: [(&str, &[&str]); 4] = [
        (SEARCHES[0], &["energia elétrica", "ENERGIA ELETRICA", "Energias Elétricas", "elétrica energia"]),
        (SEARCHES[1], &["debêntures", "DEBENTURES", "debenture"]),
        (SEARCHES[0], &["energia SA", "energia S.A.", "energia S. A.", "energia S. A", "energia s/a"]),
        (SEARCHES[0], &["energia", "energia do", "energia de", "energia e a"]),
    ];
    for (path, spellings) in sets {
        let first = find(&app, &key, path, spellings[0]).await;
        assert!(first["total"].as_u64().unwrap() > 0, "{path}");
        assert_eq!(first["total"], first["data"].as_array().unwrap().len());
        for spelling in spellings {
            assert_eq!(ids(&find(&app, &key, path, spelling).await), ids(&first), "{spelling}");
        }
    }
    let singular = ids(&find(&app, &key, SEARCHES[1], "ação ordinária").await);
    assert_eq!(singular, ids(&find(&app, &key, SEARCHES[1], "ações ordinárias").await));
}

#[tokio::test]
async fn the_last_word_matches_as_a_prefix() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let whole = ids(&find(&app, &key, SEARCHES[0], "energia").await);
    let begun = ids(&find(&app, &key, SEARCHES[0], "ener").await);
    assert!(!whole.is_empty() && whole.is_subset(&begun));
}

#[tokio::test]
async fn companies_are_found_by_code_and_by_cnpj() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    for company in &sample::companies(&Shape::SAMPLE)[..5] {
        let (code, cnpj) = (company.id.to_string(), company.cnpj.to_string());
        for q in [
            code.as_str(),
            cnpj.as_str(),
            company.cnpj.compact(),
            &format!(" {cnpj} "),
            company.name.as_str(),
        ] {
            let found = find(&app, &key, SEARCHES[0], q).await;
            assert_eq!(found["data"][0]["id"], code, "{q}");
        }
    }
}

#[tokio::test]
async fn one_search_fills_both_lists_from_bronze_on() {
    let app = TestApp::start().await;
    let bronze = app.ample_key(Plan::Bronze).await;
    let gold = app.ample_key(Plan::Gold).await;
    let both = app.get("/api/v1/search?q=energia&limit=5").key(&bronze).send().await.expect(200).json();
    let companies =
        app.get("/api/v1/companies/search?q=energia&limit=5").key(&gold).send().await.expect(200).json();
    let filings =
        app.get("/api/v1/filings/search?q=energia&limit=5").key(&gold).send().await.expect(200).json();
    assert_eq!(both, json!({ "companies": companies["data"], "filings": filings["data"] }));
    assert!(
        !both["companies"].as_array().unwrap().is_empty() && !both["filings"].as_array().unwrap().is_empty()
    );
}

#[tokio::test]
async fn pages_partition_the_search_results() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for path in &SEARCHES[..2] {
        let whole = find(&app, &key, path, "energia").await;
        let mut gathered = Vec::new();
        while gathered.len() < whole["total"].as_u64().unwrap() as usize {
            let page = format!("{path}?q=energia&limit=7&offset={}", gathered.len());
            let page = app.get(&page).key(&key).send().await.expect(200).json();
            assert_eq!(page["total"], whole["total"]);
            let rows = page["data"].as_array().unwrap();
            assert!(!rows.is_empty());
            gathered.extend_from_slice(rows);
        }
        assert_eq!(json!(gathered), whole["data"], "{path}");
    }
}

#[tokio::test]
async fn a_search_without_a_query_is_rejected_by_name() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for path in SEARCHES {
        for query in ["", "?", "?q", "?q=", "?q=%20%09+", "?Q=energia", "?query=energia"] {
            let message = app.get(&format!("{path}{query}")).key(&key).send().await.expect_error(400);
            assert!(message.contains("`q`"), "{path}{query}: {message}");
        }
        let longest = "%C3%A7".repeat(200);
        app.get(&format!("{path}?q={longest}")).key(&key).send().await.expect(200);
        app.get(&format!("{path}?q=++{longest}+")).key(&key).send().await.expect(200);
        let message = app.get(&format!("{path}?q={longest}x")).key(&key).send().await.expect_error(400);
        assert!(message.contains("`q`") && message.contains("200"), "{message}");
    }
}

#[tokio::test]
async fn operators_and_reserved_words_are_plain_text() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let nasty = [
        "AND",
        "OR NOT",
        "energia AND",
        "\"energia",
        "name:energia",
        "*",
        "energia*",
        "[a TO z]",
        "(",
        "))",
        "\\",
        "~2",
        "^9",
        "+",
        "-energia",
        "'; DROP TABLE companies; --",
        "energia\0",
        "\u{202e}",
        "💵",
        "a̐",
        "ﬁ",
        "..",
        "%",
        "{}",
    ];
    for path in SEARCHES {
        for q in nasty {
            find(&app, &key, path, q).await;
        }
        let quoted = find(&app, &key, path, "\"energia\"").await;
        assert_eq!(quoted, find(&app, &key, path, "energia").await, "{path}");
    }
}

#[test]
fn no_text_makes_a_search_fail() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = runtime.block_on(TestApp::start());
    let key = runtime.block_on(app.ample_key(Plan::Gold));
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(q in "\\PC{1,60}", path in prop::sample::select(SEARCHES.to_vec()))| {
        let query: String = form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let answer = runtime.block_on(app.get(&format!("{path}?q={query}")).key(&key).send());
        prop_assert_eq!(answer.status, if q.trim().is_empty() { 400 } else { 200 });
    });
}

#[tokio::test]
async fn mistyped_words_are_corrected_and_marked() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for path in &SEARCHES[..2] {
        let (right, wrong) =
            (find(&app, &key, path, "energia").await, find(&app, &key, path, "enregia").await);
        assert_eq!(wrong["corrected"], "energia", "{path}");
        assert_eq!((&wrong["data"], &wrong["total"]), (&right["data"], &right["total"]), "{path}");
        assert!(right.get("corrected").is_none() && right.get("relaxed").is_none(), "{path}");
    }
    let both = find(&app, &key, SEARCHES[2], "enregia").await;
    assert_eq!(both["corrected"], json!({ "companies": "energia", "filings": "energia" }));
    assert!(both.get("relaxed").is_none());
}

#[tokio::test]
async fn relaxed_searches_are_marked_in_the_response() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for path in &SEARCHES[..2] {
        let found = find(&app, &key, path, "energia qwxzk").await;
        assert_eq!(found["relaxed"], true, "{path}");
        assert_eq!(
            found["total"],
            find(&app, &key, path, "energia ").await["total"].as_u64().unwrap(),
            "{path}"
        );
    }
    let both = find(&app, &key, SEARCHES[2], "energia qwxzk").await;
    assert_eq!(both["relaxed"], json!({ "companies": true, "filings": true }));
    let nothing = find(&app, &key, SEARCHES[0], "qwxzk").await;
    assert_eq!(nothing, json!({ "data": [], "total": 0 }));
}

#[tokio::test]
async fn highlights_are_character_spans_of_the_shown_text() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for (path, q) in [(SEARCHES[0], "eletrica"), (SEARCHES[1], "debenture"), (SEARCHES[1], "emissoes")] {
        let found =
            app.get(&format!("{path}?q={q}&highlight=true")).key(&key).send().await.expect(200).json();
        let hits = found["data"].as_array().unwrap();
        assert!(!hits.is_empty(), "{q}");
        for hit in hits {
            let matches = hit["matches"].as_object().unwrap();
            assert!(!matches.is_empty(), "{hit}");
            for (field, spans) in matches {
                let text: Vec<char> = hit[field].as_str().unwrap().chars().collect();
                for span in spans.as_array().unwrap() {
                    let (start, length) =
                        (span[0].as_u64().unwrap() as usize, span[1].as_u64().unwrap() as usize);
                    let word: String = text[start..start + length].iter().collect();
                    let folded = lastro_catalog::fold_label(&word);
                    assert!(folded.starts_with(&q[..4]), "{q}: {word}");
                }
            }
        }
    }
    let plain = app.get("/api/v1/search?q=energia&highlight=false").key(&key).send().await.expect(200).json();
    assert!(plain["companies"][0].get("matches").is_none());
    let both = app.get("/api/v1/search?q=energia&highlight=true").key(&key).send().await.expect(200).json();
    assert!(both["companies"][0]["matches"].is_object() && both["filings"][0]["matches"].is_object());
    let message = app.get("/api/v1/search?q=energia&highlight=yes").key(&key).send().await.expect_error(400);
    assert!(message.contains("`highlight`"), "{message}");
}

#[tokio::test]
async fn company_identifiers_highlight_the_company_id_of_filings() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let companies = app.get("/api/v1/companies?limit=1000").key(&key).send().await.expect(200).json();
    let of_filing = app.get("/api/v1/filings/recent?limit=1000").key(&key).send().await.expect(200).json();
    let has_filing =
        |id: &Value| of_filing["data"].as_array().unwrap().iter().any(|one| one["company_id"] == *id);
    let mut listed = companies["data"].as_array().unwrap().iter();
    let company = listed.find(|one| one["tickers"][0].is_string() && has_filing(&one["id"])).unwrap();
    let id = company["id"].as_str().unwrap();
    let [ticker, cnpj] = [&company["tickers"][0], &company["cnpj"]].map(|text| text.as_str().unwrap());
    for q in [ticker, cnpj, &cnpj.replace('.', "")] {
        let path = format!("{}?highlight=true&q={q}", SEARCHES[1]);
        let found = app.get(&path).key(&key).send().await.expect(200).json();
        let hits = found["data"].as_array().unwrap();
        assert!(!hits.is_empty(), "{q}");
        for hit in hits {
            assert_eq!(
                (&hit["company_id"], &hit["matches"]),
                (&json!(id), &json!({ "company_id": [[0, id.len()]] }))
            );
        }
    }
}

#[tokio::test]
async fn suggestions_include_companies_and_categories() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    let ask = async |query: &str| -> Value {
        app.get(&format!("/api/v1/search/suggest?{query}")).key(&key).send().await.expect(200).json()
    };
    let companies = ask("q=ener").await;
    let companies = companies["data"].as_array().unwrap();
    assert!(companies.iter().any(|one| one["kind"] == "company" && one["id"].is_string()), "{companies:?}");
    assert!(companies.len() <= 10);
    let categories = ask("q=fato+rel").await;
    assert_eq!(categories["data"][0], json!({ "kind": "category", "text": "Fato Relevante" }));
    assert_eq!(ask("q=e&limit=1").await["data"].as_array().unwrap().len(), 1);
    for bad in ["limit=21&q=a", "limit=0&q=a", "q=", ""] {
        app.get(&format!("/api/v1/search/suggest?{bad}")).key(&key).send().await.expect_error(400);
    }
    let free = app.ample_key(Plan::Free).await;
    app.get("/api/v1/search/suggest?q=energia").key(&free).send().await.expect(403);
}
