//! Failures are pages for browsers, and JSON for other clients and in the API.

use crate::app::TestApp;

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn a_browser_gets_a_page_and_a_program_gets_json() {
    let app = TestApp::start().await;
    for path in
        ["/nothing", "/series/nothing", "/assets/nothing", "/api", "/healthy", "/series/ipca/chart?range=5y"]
    {
        let status = if path.contains("chart") { 403 } else { 404 };
        let page = app.get(path).header("accept", BROWSER).send().await.expect(status);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!((page.header("cache-control"), page.header("etag")), ("no-store", ""), "{path}");
        assert!(page.header("content-security-policy").contains("script-src 'self'"), "{path}");
        assert!(page.text().contains(&format!(">{status}<")), "{path}");
        for accept in ["*/*", "application/json", "text/csv"] {
            let json = app.get(path).header("accept", accept).send().await.expect(status);
            assert_eq!(json.header("content-type"), "application/json", "{path} {accept}");
        }
    }
}

#[tokio::test]
async fn the_api_and_health_always_respond_with_json() {
    let app = TestApp::start().await;
    for (path, status) in
        [("/api/v1/nothing", 404), ("/api/v1/companies", 403), ("/api/v1/plans/usage", 401), ("/api/", 404)]
    {
        let answer = app.get(path).header("accept", BROWSER).send().await.expect(status);
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
    }
    assert_eq!(
        app.get("/health").header("accept", BROWSER).send().await.expect(200).header("content-type"),
        "application/json"
    );
}

#[tokio::test]
async fn error_pages_do_not_echo_the_url_and_have_two_languages() {
    let app = TestApp::start().await;
    let path = "/%3Cscript%3Ealert(1)%3C/script%3E?x=%22onload=%22";
    let english = app.get(path).header("accept", BROWSER).send().await.expect(404).text();
    assert!(!english.contains("alert") && !english.contains("onload"), "{english}");
    let asking = app.get(path).header("accept", BROWSER).header("accept-language", "pt-BR");
    assert!(asking.send().await.expect(404).text().contains("Página não encontrada"));
}

/// The messages of the API are in English, so they explain errors on English pages only.
#[tokio::test]
async fn the_detail_of_an_error_is_told_to_english_readers() {
    let app = TestApp::start().await;
    for (language, has_detail) in [("en", true), ("pt-BR", false)] {
        let asking = app.get("/series/ipca?compare=nothing").header("accept", BROWSER);
        let page = asking.header("accept-language", language).send().await.expect(400).text();
        assert_eq!(page.contains("<p class=\"note\">"), has_detail, "{language}");
    }
}

#[tokio::test]
async fn too_many_pages_are_rejected_on_a_page_with_the_wait() {
    let app = TestApp::start().await;
    for _ in 0..600 {
        app.request(reqwest::Method::HEAD, "/robots.txt").send().await;
    }
    let page = app.get("/series").header("accept", BROWSER).send().await.expect(429);
    let seconds = page.number("retry-after");
    assert!(page.text().contains(&format!("in {seconds} s")), "{seconds}");
}

#[tokio::test]
async fn unsupported_methods_are_rejected_with_the_supported_ones() {
    let app = TestApp::start().await;
    let page = app.post("/series", "").header("accept", BROWSER).send().await.expect(405);
    assert_eq!(page.header("allow"), "GET, HEAD, OPTIONS");
    assert!(page.header("content-type").starts_with("text/html"));
}

#[tokio::test]
async fn the_page_of_a_company_tells_nothing_without_a_key() {
    let app = TestApp::start().await;
    let bronze = app.key(lastro_model::Plan::Bronze).await;
    let listed = app.get("/api/v1/companies?limit=1").key(&bronze).send().await.expect(200).json();
    let company = &listed["data"][0];
    let id = company["id"].as_str().unwrap();
    let known = app.get(&format!("/explore/companies/{id}")).send().await.expect(200).text();
    assert!(!known.contains(company["name"].as_str().unwrap()));
    // Not even whether the company exists.
    let unknown = app.get("/explore/companies/999999").send().await.expect(200).text();
    assert_eq!(known.replace(id, ""), unknown.replace("999999", ""));
    for id in ["%00", "nobody-at-all", "%3Cscript%3E"] {
        app.get(&format!("/explore/companies/{id}")).send().await.expect_error(404);
    }
}
