//! The operator's settings for the site, and the files for robots.

use lastro_model::{Plan, Series};

use crate::app::TestApp;

async fn called(url: &'static str) -> TestApp {
    TestApp::start_with(move |setup| setup.settings.pages.public_url = Some(url.parse().unwrap())).await
}

#[tokio::test]
async fn absolute_links_use_the_public_url_and_never_the_host() {
    let app = called("https://dados.example/").await;
    for path in ["/", "/series/ipca", "/pricing", "/sitemap.xml", "/robots.txt", "/llms.txt"] {
        let page = app.get(path).header("host", "evil.example").send().await.expect(200).text();
        assert!(!page.contains("evil.example"), "{path}");
        assert!(page.contains("https://dados.example"), "{path}");
    }
    let page = app.get("/series/ipca").send().await.expect(200).text();
    for link in [
        "<link rel=\"canonical\" href=\"https://dados.example/series/ipca\">",
        "<link rel=\"alternate\" hreflang=\"pt-BR\" href=\"https://dados.example/series/ipca?lang=pt\">",
        "<link rel=\"alternate\" hreflang=\"x-default\" href=\"https://dados.example/series/ipca\">",
        "https://dados.example</span>/api/v1/series/ipca/observations",
    ] {
        assert!(page.contains(link), "{link}");
    }
    // A chosen language has an address of its own.
    for path in ["/", "/series/ipca", "/fx/usd-brl", "/pricing", "/docs", "/privacy", "/status", "/explore"] {
        let chosen = app.get(&format!("{path}?lang=pt")).send().await.expect(200).text();
        let link = format!("<link rel=\"canonical\" href=\"https://dados.example{path}?lang=pt\">");
        assert!(chosen.contains(&link), "{path}");
    }
    // A failure has no canonical address, and is not the front page either.
    let failure = app.get("/nothing").header("accept", "text/html").send().await.expect(404).text();
    assert!(!failure.contains("canonical") && !failure.contains("hreflang=\"x-default\""));
    assert!(!failure.contains("aria-current=\"page\""), "nobody is on the front page there");
}

#[tokio::test]
async fn without_a_public_url_examples_use_the_request_host() {
    let app = TestApp::start().await;
    let here = format!("http://{}</span>/api/v1/", app.service.address);
    let page = app.get("/").send().await.expect(200).text();
    assert!(page.contains(&here) && !page.contains("rel=\"canonical\""));
    // Another valid host name gets a page of its own; an invalid one is rejected.
    let other = app.get("/").header("host", "data.example:8443").send().await.expect(200);
    assert!(other.text().contains("http://data.example:8443</span>/api/v1/"));
    assert_ne!(other.header("etag"), app.get("/").send().await.expect(200).header("etag"));
    app.get("/").header("host", "a\"><script>").send().await.expect(400);
}

#[tokio::test]
async fn paid_plans_have_a_button_if_a_contact_is_configured() {
    let app = TestApp::start().await;
    assert!(!app.get("/pricing").send().await.expect(200).text().contains("data-contact"));
    let contact = "gold=https://pay.example/gold?ref={key} platinum=sales@dados.example";
    let app = TestApp::start_with(|setup| setup.settings.pages.contact = contact.parse().unwrap()).await;
    let page = app.get("/pricing").send().await.expect(200).text();
    assert_eq!(page.matches("data-contact").count(), 2);
    assert!(page.contains("href=\"https://pay.example/gold?ref=\""));
    assert!(page.contains("href=\"mailto:sales@dados.example?subject=Lastro%20platinum%20\""));
}

#[tokio::test]
async fn the_site_map_has_every_page_in_both_languages() {
    let app = called("https://dados.example").await;
    let map = app.get("/sitemap.xml").send().await.expect(200);
    assert_eq!(map.header("content-type"), "application/xml");
    let text = map.text();
    assert_eq!(text.matches("<loc>").count(), 11 + Series::ALL.len() + 4);
    assert!(text.contains("<loc>https://dados.example/fx/usd-brl</loc>"));
    assert_eq!(text.matches("hreflang=\"pt-BR\"").count(), text.matches("<loc>").count());
    let key = app.ample_key(Plan::Free).await;
    for place in text.split("<loc>https://dados.example").skip(1) {
        app.get(place.split('<').next().unwrap()).key(&key).send().await.expect(200);
    }
    let robots = app.get("/robots.txt").send().await.expect(200).text();
    assert!(
        robots.contains("Sitemap: https://dados.example/sitemap.xml") && robots.contains("Disallow: /api/")
    );
    let plain = app.get("/llms.txt").send().await.expect(200).text();
    for named in ["/docs/openapi.yaml", "/mcp", "/docs/recipes.md", "/api/v1/export/filings?format=parquet"] {
        assert!(plain.contains(&format!("https://dados.example{named}")), "{named}: {plain}");
    }
    assert!(plain.contains("clients/python"), "{plain}");
    assert_eq!(app.get("/favicon.ico").send().await.expect(200).header("content-type"), "image/x-icon");
}

#[tokio::test]
async fn recipes_are_reached_from_the_reference() {
    let app = TestApp::start().await;
    let reference = app.get("/docs/openapi.yaml").send().await.expect(200).text();
    assert!(reference.contains("(/docs/recipes.md)"), "the description of the API links them");
    let recipes = app.get("/docs/recipes.md").send().await.expect(200);
    assert_eq!(recipes.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(recipes.text(), include_str!("../../../../../docs/recipes.md"));
    for tool in ["Python", "Parquet", "DuckDB", "Excel and Power Query", "Google Sheets", "R"] {
        assert!(recipes.text().contains(&format!("\n## {tool}\n")), "{tool}");
    }
}

#[tokio::test]
async fn the_changelog_page_matches_the_repository() {
    let app = TestApp::start().await;
    let page = app.get("/changelog").send().await.expect(200).text();
    let headings =
        include_str!("../../../../../CHANGELOG.md").lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(page.matches("<h2>").count() - 3, headings);
    for path in ["/privacy", "/versions"] {
        let [english, portuguese] =
            [app.get(path).send().await, app.get(&format!("{path}?lang=pt")).send().await];
        let [english, portuguese] = [english.expect(200).text(), portuguese.expect(200).text()];
        assert_eq!(english.matches("<h2>").count(), portuguese.matches("<h2>").count(), "{path}");
        assert_eq!(english.matches("<li>").count(), portuguese.matches("<li>").count(), "{path}");
    }
}

#[tokio::test]
async fn the_reference_shows_no_made_up_secret() {
    let app = TestApp::start().await;
    let bundle = app.get("/docs/assets/scalar.js").send().await.expect(200).text();
    assert!(!bundle.contains("YOUR_SECRET"));
}

#[tokio::test]
async fn descriptions_and_examples_have_the_form_of_the_language() {
    let app = TestApp::start().await;
    let page = async |path: &str| app.get(path).send().await.expect(200).text();
    for (language, example) in [("pt", "10/01/2026 1.000,00\n10/02"), ("en", "2026-01-10 1000.00\n2026-02")] {
        let status = page(&format!("/status?lang={language}")).await;
        let description = status.split("name=\"description\" content=\"").nth(1).unwrap();
        assert!(description.split('"').next().unwrap().ends_with('.'), "{description}");
        let debt = page(&format!("/calculator?kind=debt&lang={language}")).await;
        assert!(debt.contains(&format!("placeholder=\"{example}")), "{language}");
    }
}

#[tokio::test]
async fn a_series_is_found_by_the_name_it_is_shown_with() {
    let app = TestApp::start().await;
    for (q, id) in [("selic+di%C3%A1ria", "selic-daily"), ("cdi+diario", "cdi-daily")] {
        let page = app.get(&format!("/series?q={q}&lang=pt")).send().await.expect(200).text();
        assert!(page.contains(&format!("href=\"/series/{id}\"")), "{q}");
    }
}
