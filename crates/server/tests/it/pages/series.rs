//! The pages of series show the same values as the API, limited by the reader's plan.

use lastro_model::{Plan, Series};

use crate::app::TestApp;

#[tokio::test]
async fn every_series_has_a_page_with_its_newest_value_and_a_chart() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    let list = app.get("/series").send().await.expect(200).text();
    for series in Series::ALL {
        let about = series.about();
        assert!(list.contains(&format!("href=\"/series/{}\"", about.id)), "{}", about.id);
        let page = app.get(&format!("/series/{}", about.id)).send().await.expect(200).text();
        let current =
            app.get(&format!("/api/v1/series/{}/current", about.id)).key(&key).send().await.expect(200);
        let text = current.text();
        let value = text.split("\"value\":").nth(1).unwrap().trim_end_matches('}');
        assert!(page.contains(&format!("<data value=\"{value}\">")), "{}: {value}", about.id);
        assert!(
            page.contains("role=\"img\"") && page.contains("<desc ") && page.contains("data-x="),
            "{}",
            about.id
        );
    }
}

#[tokio::test]
async fn a_series_is_also_found_by_its_code_and_nothing_else_is() {
    let app = TestApp::start().await;
    let by_code = app.get("/series/433").send().await.expect(200).text();
    assert!(by_code.contains("href=\"/series/ipca?lang=pt\""));
    app.get("/series/nothing").send().await.expect_error(404);
    app.get("/series/ipca?compare=nothing").send().await.expect_error(400);
}

#[tokio::test]
async fn charts_are_limited_by_the_plan() {
    let app = TestApp::start().await;
    let rows = |html: &str| html.matches("<tr data-x=").count();
    let year = app.get("/series/ipca/chart?range=1y").send().await.expect(200).text();
    // The newest month and the twelve before it, as Free sees in the API.
    assert_eq!(rows(&year), 13);
    for range in ["5y", "all"] {
        let path = format!("/series/ipca/chart?range={range}");
        let prompt = app.get(&path).send().await.expect(403).json();
        assert_eq!(
            (&prompt["required_plan"], &prompt["feature"]),
            (&"gold".into(), &"historical_data".into())
        );
        let bronze = app.key(Plan::Bronze).await;
        app.get(&path).key(&bronze).send().await.expect(403);
        let gold = app.key(Plan::Gold).await;
        let chart = app.get(&path).key(&gold).send().await.expect(200).text();
        assert!(rows(&chart) > 13, "{range}");
    }
    app.get("/series/ipca/chart?range=2y").send().await.expect_error(400);
    // No page shows more than the newest year, whatever the caller's plan.
    let gold = app.key(Plan::Gold).await;
    let page = app.get("/series/ipca").key(&gold).send().await.expect(200).text();
    assert_eq!(rows(&page), 13);
}

#[tokio::test]
async fn a_chart_costs_one_unit_and_a_page_costs_nothing() {
    let app = TestApp::start().await;
    let left = async |path: &str| app.get(path).send().await.expect(200).number("x-ratelimit-remaining");
    assert_eq!(left("/series/ipca").await, 30);
    assert_eq!(left("/series/ipca/chart").await, 29);
    assert_eq!(left("/calculator").await, 29);
    assert_eq!(left("/calculator/correction?index=ipca&from=2026-01&to=2026-02&amount=1").await, 28);
    assert_eq!(left("/").await, 28);
}

#[tokio::test]
async fn a_long_chart_has_a_short_table_and_names_the_full_call() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let values = app.get("/api/v1/series/cdi/observations?limit=1").key(&key).send().await.expect(200).json();
    assert!(values["total"].as_u64().unwrap() > 600);
    let chart = app.get("/series/cdi/chart?range=all").key(&key).send().await.expect(200).text();
    let rows = chart.matches("<tr data-x=").count();
    assert!((100..=600).contains(&rows), "{rows}");
    assert!(chart.contains(
        "One row a week: its last value. All values: <code>/api/v1/series/cdi/observations</code>"
    ));
    // The first row is the newest value, whichever rows are left out.
    let newest = app.get("/api/v1/series/cdi/current").send().await.expect(200).json();
    let first = chart.split("<tr data-x=").nth(1).unwrap();
    assert!(first.contains(newest["date"].as_str().unwrap()), "{first}");
    // The chart of a year has every value.
    let year = app.get("/series/cdi").send().await.expect(200).text();
    assert!(!year.contains("All values:"));
}

#[tokio::test]
async fn two_series_can_be_compared() {
    let app = TestApp::start().await;
    let html = app.get("/series/cdi?compare=ipca").send().await.expect(200).text();
    assert!(html.contains("data-series=\"first\"") && html.contains("data-series=\"second\""));
    assert!(html.contains("<option value=\"ipca\" selected>"));
    let alone = app.get("/series/cdi?compare=cdi").send().await.expect(200).text();
    assert!(!alone.contains("data-series=\"second\""));
}

#[tokio::test]
async fn the_catalogue_is_filtered_without_scripts_too() {
    let app = TestApp::start().await;
    let rows = async |q: &str| {
        let html = app.get(&format!("/series?q={q}")).send().await.expect(200).text();
        html.matches("class=\"series-row\"").count()
    };
    // Includes four currency pairs.
    assert_eq!(rows("").await, Series::ALL.len() + 4);
    assert_eq!(rows("libra").await, 1);
    assert_eq!(rows("433").await, 1);
    assert_eq!(rows("INFLA%C3%87%C3%83O").await, 1);
    assert_eq!(rows("nothing+has+this").await, 0);
    let html = app.get("/series?q=%3Cb%3E%22").send().await.expect(200).text();
    assert!(!html.contains("<b>"));
}

#[tokio::test]
async fn no_page_shows_a_company_or_a_filing() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Platinum).await;
    let companies = app.get("/api/v1/companies?limit=100").key(&key).send().await.expect(200).json();
    for path in super::PAGES {
        let html = app.get(path).key(&key).send().await.expect(200).text();
        for company in companies["data"].as_array().unwrap() {
            assert!(!html.contains(company["name"].as_str().unwrap()), "{path}");
        }
    }
}

#[tokio::test]
async fn a_cached_page_gets_a_304() {
    let app = TestApp::start().await;
    for path in super::PAGES {
        let page = app.get(path).send().await.expect(200);
        let tag = page.header("etag").to_owned();
        assert!(!tag.is_empty(), "{path}");
        app.get(path).header("if-none-match", &tag).send().await.expect(304);
        let other = app.get(path).header("accept-language", "pt").header("if-none-match", &tag).send().await;
        assert_eq!(other.expect(200).header("content-language"), "pt-BR", "{path}");
    }
}

#[tokio::test]
async fn values_have_their_unit_once_and_checks_have_sentences() {
    let app = TestApp::start().await;
    let page = async |path: &str| app.get(path).send().await.expect(200).text();
    let gdp = page("/series/gdp-month?lang=pt").await;
    assert!(gdp.contains("<p class=\"when\">milhões <span"), "{gdp}");
    let previous = gdp.split("<p class=\"before\">Valor anterior: R$").nth(1).unwrap();
    assert!(previous.split("</p>").next().unwrap().contains(" milhões"), "{previous}");
    assert!(!gdp.contains("Pode ser negativo"));
    let wage = page("/series/minimum-wage?lang=pt").await;
    assert!(wage.contains("<p class=\"when\"><time") && !wage.contains("Preço em reais"), "{wage}");
    assert!(page("/fx/usd-brl?lang=pt").await.contains("<p class=\"when\">por unidade <span"));
    let ipca = page("/series/ipca?lang=pt").await;
    assert!(ipca.contains("<td>O IPCA em 12 meses é o acumulado das doze variações mensais</td>"), "{ipca}");
    // Its rows are months; those that count the days of a year are years.
    let checks = ipca.split("id=\"checks-title\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(!checks.contains("(01/") && checks.contains("/20"), "{checks}");
    let daily = page("/series/selic-daily?lang=pt").await;
    let counted = daily.split("Há uma Selic diária para cada dia útil").nth(1).unwrap();
    assert!(!counted.split("</tr>").next().unwrap().contains("/20"), "{counted}");
    let savings = page("/series/savings?lang=pt").await;
    assert!(savings.contains("<h1>Depósitos de poupança a partir de 04/05/2012"), "{savings}");
}

#[tokio::test]
async fn the_page_of_a_company_names_the_filters_it_has() {
    let app = TestApp::start().await;
    for (path, has_company) in [("/explore", true), ("/explore/companies/9512", false)] {
        let page = app.get(&format!("{path}?lang=pt")).send().await.expect(200).text();
        let named = page.split("<summary>").nth(1).unwrap().split("</summary>").next().unwrap();
        assert_eq!(named.contains("empresa"), has_company, "{named}");
        assert_eq!(page.contains("name=\"company_id\""), has_company);
    }
}
