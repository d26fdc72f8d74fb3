//! Companies: the list and its filters, lookups, and a company's filings.

use lastro_model::{Company, Day, Plan, Ticker, TradedSecurity};
use lastro_sample::{self as sample, Shape};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::app::TestApp;

/// All companies of the sample in list order.
fn expected() -> Vec<Company> {
    let mut companies = sample::companies(&Shape::SAMPLE);
    companies.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    companies
}

/// The company's tickers on the day of the tests.
fn tickers(company: &Company, securities: &[TradedSecurity]) -> Vec<Ticker> {
    let today = Day::parse("2026-11-02").unwrap();
    let of_company = securities.iter().filter(|security| security.company_id == company.id);
    let mut tickers: Vec<Ticker> =
        of_company.filter(|security| !security.has_ended(today)).map(|security| security.ticker).collect();
    tickers.sort_unstable();
    tickers
}

/// The company as the API shows it, with the tickers and the former name of the sample.
fn shown(company: &Company) -> Value {
    let mut shown = shown_with(company, &sample::tickers(&Shape::SAMPLE));
    let former_names = sample::former_names(&Shape::SAMPLE).into_iter();
    let of_company = former_names.filter(|former| former.company_id == company.id);
    shown["also_known_as"] = of_company.map(|former| former.name).collect();
    shown
}

/// The company as the API shows it, with the tickers of these securities.
pub(crate) fn shown_with(company: &Company, securities: &[TradedSecurity]) -> Value {
    let tickers: Vec<String> = tickers(company, securities).iter().map(Ticker::to_string).collect();
    json!({
        "id": company.id.to_string(),
        "name": company.name,
        "cnpj": company.cnpj.to_string(),
        "status": company.status,
        "sector": company.sector,
        "trading_name": company.trading_name,
        "registered_on": company.registered_on.map(|day| day.to_string()),
        "tickers": tickers,
        "also_known_as": [],
        "first_seen_at": null,
    })
}

fn page(rows: &[&Company], total: usize, limit: usize, offset: usize) -> Value {
    let data: Vec<Value> = rows.iter().map(|company| shown(company)).collect();
    json!({ "data": data, "total": total, "limit": limit, "offset": offset })
}

#[tokio::test]
async fn the_list_is_by_name_and_twenty_at_a_time() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    let all = expected();
    let all: Vec<&Company> = all.iter().collect();
    let first = app.get("/api/v1/companies").key(&key).send().await.expect(200).json();
    assert_eq!(first, page(&all[..20], all.len(), 20, 0));
    let rest = app.get("/api/v1/companies?limit=1000&offset=5").key(&key).send().await.expect(200).json();
    assert_eq!(rest, page(&all[5..], all.len(), 1000, 5));
    let past = app.get("/api/v1/companies?offset=72").key(&key).send().await.expect(200).json();
    assert_eq!(past, page(&[], all.len(), 20, 72));
}

#[tokio::test]
async fn filters_ignore_case_accents_and_space() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    let all = expected();
    let sector = "Energia Elétrica";
    let in_sector = |c: &&Company| c.sector.as_deref() == Some(sector);
    let starting = |word: &'static str| move |c: &&Company| c.status.starts_with(word);
    let cases: Vec<(&str, Vec<&Company>)> = vec![
        ("sector=Energia+El%C3%A9trica", all.iter().filter(in_sector).collect()),
        ("sector=%20%20energia%20ELETRICA%20", all.iter().filter(in_sector).collect()),
        ("status=ATIVO", all.iter().filter(starting("ATIVO")).collect()),
        ("status=ativo", all.iter().filter(starting("ATIVO")).collect()),
        ("status=active", all.iter().filter(starting("ATIVO")).collect()),
        ("status=Cancelled", all.iter().filter(starting("CANCELADA")).collect()),
        ("status=suspended", all.iter().filter(starting("SUSPENSO")).collect()),
        ("status=suspenso(a)+-+decisao+adm", all.iter().filter(starting("SUSPENSO")).collect()),
        (
            "status=active&sector=energia+eletrica",
            all.iter().filter(in_sector).filter(starting("ATIVO")).collect(),
        ),
    ];
    for (filter, rows) in cases {
        assert!(!rows.is_empty(), "{filter}");
        let path = format!("/api/v1/companies?limit=1000&{filter}");
        let found = app.get(&path).key(&key).send().await.expect(200).json();
        assert_eq!(found, page(&rows, rows.len(), 1000, 0), "{filter}");
    }
    for nothing in ["status=unheard-of", "sector=Energia", "sector=&status=active", "sector=%00"] {
        let path = format!("/api/v1/companies?{nothing}");
        assert_eq!(
            app.get(&path).key(&key).send().await.expect(200).json(),
            page(&[], 0, 20, 0),
            "{nothing}"
        );
    }
}

#[tokio::test]
async fn companies_are_found_by_any_spelling_of_code_or_cnpj() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    for company in &expected()[..8] {
        let (code, cnpj) = (company.id.to_string(), company.cnpj.to_string());
        let encoded = cnpj.replace('/', "%2F");
        for id in [
            code.clone(),
            format!("000{code}"),
            format!("{code:0>14}"),
            format!("{code:0>40}"),
            company.cnpj.compact().to_owned(),
            encoded.clone(),
            encoded.replace('-', "%2D"),
        ] {
            let answer = app.get(&format!("/api/v1/companies/{id}")).key(&key).send().await.expect(200);
            assert_eq!(answer.json(), shown(company), "{id}");
        }
    }
}

#[tokio::test]
async fn unknown_companies_are_not_found() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for id in [
        "7",
        "abc",
        "99999999999999",
        "00.000.000%2F0001-91",
        "-1",
        "90001x",
        "XXXX3",
        "PETR9",
        "4294967297",
        "%00",
        "%20",
        "%F0%9F%8F%AD",
    ] {
        let message = app.get(&format!("/api/v1/companies/{id}")).key(&key).send().await.expect_error(404);
        assert!(message.contains("company"), "{message}");
        app.get(&format!("/api/v1/companies/{id}/filings")).key(&key).send().await.expect(404);
    }
}

#[tokio::test]
async fn invalid_limits_and_offsets_are_rejected_with_bounds() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let lists = [
        "companies?",
        "companies/search?q=a&",
        "companies/90001/filings?",
        "filings?",
        "filings/search?q=a&",
        "search?q=a&",
    ];
    for list in lists {
        for limit in ["0", "1001", "-5", "ten", ""] {
            let message =
                app.get(&format!("/api/v1/{list}limit={limit}")).key(&key).send().await.expect_error(400);
            assert!(message.contains("`limit`") && message.contains("1 to 1000"), "{list}{limit}: {message}");
        }
        for offset in ["-1", "1.0", "x", ""] {
            let message =
                app.get(&format!("/api/v1/{list}offset={offset}")).key(&key).send().await.expect_error(400);
            assert!(message.contains("`offset`") && message.contains('0'), "{list}{offset}: {message}");
        }
        let huge = format!("/api/v1/{list}offset=99999999999999999999999999&limit=1000");
        let answer = app.get(&huge).key(&key).send().await.expect(200).json();
        assert!(answer.get("data").is_none_or(|data| data == &json!([])), "{answer}");
        app.get(&format!("/api/v1/{list}limit=1&limit=2")).key(&key).send().await.expect(400);
    }
}

#[test]
fn pages_partition_the_list() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = runtime.block_on(TestApp::start());
    let key = runtime.block_on(app.ample_key(Plan::Bronze));
    let all = expected();
    let filters = [("", ""), ("&status=active", "ATIVO"), ("&status=cancelled", "CANCELADA")];
    let config = ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(limit in 1usize..40, (filter, status) in prop::sample::select(filters.to_vec()))| {
        let expected: Vec<Value> = all.iter().filter(|c| c.status.starts_with(status)).map(shown).collect();
        let mut gathered = Vec::new();
        loop {
            let path = format!("/api/v1/companies?limit={limit}&offset={}{filter}", gathered.len());
            let page = runtime.block_on(app.get(&path).key(&key).send()).expect(200).json();
            prop_assert_eq!(&page["total"], expected.len());
            let rows = page["data"].as_array().unwrap();
            gathered.extend_from_slice(rows);
            if rows.len() < limit { break }
        }
        prop_assert_eq!(gathered, expected);
    });
}

/// The companies of the sample that have tickers, each with its tickers.
fn listed() -> Vec<(Company, Vec<Ticker>)> {
    let securities = sample::tickers(&Shape::SAMPLE);
    let with_tickers = expected().into_iter().map(|company| {
        let tickers = tickers(&company, &securities);
        (company, tickers)
    });
    with_tickers.filter(|(_, tickers)| !tickers.is_empty()).collect()
}

#[tokio::test]
async fn tickers_work_as_company_ids_in_either_case() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for (company, tickers) in listed().iter().take(6) {
        for ticker in tickers {
            for id in [ticker.to_string(), ticker.to_string().to_lowercase()] {
                let answer = app.get(&format!("/api/v1/companies/{id}")).key(&key).send().await.expect(200);
                assert_eq!(answer.json(), shown(company), "{id}");
                let both = [id, company.id.to_string()];
                for path in ["/api/v1/companies/{}/filings", "/api/v1/export/filings?company_id={}"] {
                    let [by_ticker, by_code] = both.each_ref().map(|id| path.replace("{}", id));
                    let by_ticker = app.get(&by_ticker).key(&key).send().await.expect(200).text();
                    assert_eq!(by_ticker, app.get(&by_code).key(&key).send().await.expect(200).text());
                }
            }
        }
    }
    app.get("/api/v1/export/filings?company_id=XXXX3").key(&key).send().await.expect(404);
}

#[tokio::test]
async fn ended_tickers_match_no_company() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    let today = Day::parse("2026-11-02").unwrap();
    let securities = sample::tickers(&Shape::SAMPLE);
    let ended = securities.iter().find(|security| security.has_ended(today)).unwrap();
    app.get(&format!("/api/v1/companies/{}", ended.ticker)).key(&key).send().await.expect(404);
    let path = format!("/api/v1/companies/{}", ended.company_id);
    assert_eq!(app.get(&path).key(&key).send().await.expect(200).json()["tickers"], json!([]));
}

#[tokio::test]
async fn search_ranks_ticker_and_root_matches_first() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Bronze).await;
    for (company, tickers) in listed().iter().take(6) {
        for q in [tickers[0].to_string(), tickers[0].root().to_lowercase()] {
            for (path, array) in [("companies/search", "data"), ("search", "companies")] {
                let answer = app.get(&format!("/api/v1/{path}?q={q}")).key(&key).send().await.expect(200);
                assert_eq!(answer.json()[array][0], shown(company), "{q}");
            }
        }
    }
}
