//! Charts as pictures with a stable address, for reports and other sites.

use lastro_model::Plan;

use crate::app::TestApp;

#[tokio::test]
async fn a_picture_can_be_shown_and_cached_by_other_sites() {
    let app = TestApp::start().await;
    for path in ["/series/ipca/chart.svg", "/fx/usd-brl/chart.svg", "/series/433/chart.svg?compare=selic"] {
        let picture = app.get(path).header("accept-language", "pt-BR").send().await.expect(200);
        assert_eq!(picture.header("content-type"), "image/svg+xml");
        assert_eq!(picture.header("cache-control"), "public, max-age=3600");
        assert_eq!(picture.header("content-language"), "en", "its address alone tells its language");
        assert_eq!(picture.header("set-cookie"), "");
        let policy = picture.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("script"), "{policy}");
        assert_eq!(picture.header("cross-origin-resource-policy"), "");
        let text = picture.text();
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && text.ends_with("</svg>"));
        assert!(!text.contains("<script") && !text.contains("href") && text.contains("sample data"));
        let tag = picture.header("etag").to_owned();
        let again = app.get(path).header("if-none-match", &tag).send().await;
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
}

#[tokio::test]
async fn a_picture_has_the_language_and_the_comparison_of_its_address() {
    let app = TestApp::start().await;
    let text = app.get("/series/ipca/chart.svg?lang=pt").send().await.expect(200).text();
    assert!(text.contains("lang=\"pt-BR\"") && text.contains("Fonte: Banco Central do Brasil, SGS 433"));
    assert!(!text.contains("class=\"line second\""));
    let both = app.get("/series/ipca/chart.svg?compare=cdi").send().await.expect(200).text();
    assert!(both.contains("class=\"line second\"") && both.contains("CDI: Interbank deposits"));
    app.get("/series/nothing/chart.svg").send().await.expect_error(404);
    app.get("/fx/eur-usd/chart.svg").send().await.expect_error(404);
    app.get("/series/ipca/chart.svg?compare=nothing").send().await.expect_error(400);
}

#[tokio::test]
async fn a_page_links_the_picture_of_what_it_compares() {
    let app = TestApp::start().await;
    for (path, picture) in [
        ("/series/ipca?lang=pt", "/series/ipca/chart.svg?lang=pt"),
        ("/series/ipca?compare=selic&lang=pt", "/series/ipca/chart.svg?lang=pt&#38;compare=selic"),
        ("/series/ipca?compare=ipca&lang=pt", "/series/ipca/chart.svg?lang=pt"),
        ("/fx/usd-brl?compare=cdi&lang=en", "/fx/usd-brl/chart.svg?lang=en&#38;compare=cdi"),
    ] {
        let page = app.get(path).send().await.expect(200).text();
        assert!(page.contains(&format!("href=\"{picture}\"")), "{path}");
        assert!(page.contains(&format!(">{picture}</span>\" alt=")), "{path}");
    }
}

#[tokio::test]
async fn a_picture_shows_a_year_and_takes_no_quota() {
    let app = TestApp::start().await;
    let gold = app.key(Plan::Gold).await;
    let own = app.get("/series/ipca/chart.svg?range=all").key(&gold).send().await.expect(200);
    let free = app.get("/series/ipca/chart.svg").send().await.expect(200);
    assert_eq!(own.body, free.body);
    assert_eq!(free.number("x-ratelimit-remaining"), 30);
}
