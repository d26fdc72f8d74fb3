//! Exchange rates have pages like those of series.

use lastro_model::Plan;

use crate::app::TestApp;

const PAIRS: [&str; 4] = ["usd-brl", "eur-brl", "gbp-brl", "jpy-brl"];

#[tokio::test]
async fn every_published_pair_has_a_page_that_matches_the_api() {
    let app = TestApp::start().await;
    let list = app.get("/series").send().await.expect(200).text();
    for id in PAIRS {
        assert!(list.contains(&format!("href=\"/fx/{id}\"")), "{id}");
        let pair = id.to_uppercase().replace('-', "/");
        let call = format!("/api/v1/market/fx/current?pair={pair}");
        let current = app.get(&call).send().await.expect(200).text();
        let number = |name: &str| {
            let rest = current.split(&format!("\"{name}\":")).nth(1).unwrap();
            rest.split([',', '}']).next().unwrap().to_owned()
        };
        let page = app.get(&format!("/fx/{id}")).send().await.expect(200).text();
        assert!(page.contains(&format!("<data value=\"{}\">", number("sell"))), "{id}");
        assert!(page.contains(&format!("<dd>R$\u{a0}{}</dd>", number("buy"))), "{id}");
        assert!(page.contains(&format!("/api/v1/market/fx?pair={pair}")), "{id}");
        assert!(
            page.contains("role=\"img\"")
                && page.contains("PTAX closing bulletin")
                && page.contains("made-up values"),
            "{id}"
        );
        assert!(page.contains("href=\"/series\" aria-current=\"page\""), "{id}");
    }
    let front = app.get("/").send().await.expect(200).text();
    assert!(front.contains("<a href=\"/fx/usd-brl\">US dollar</a>"));
}

#[tokio::test]
async fn the_chart_of_a_pair_is_limited_by_the_plan() {
    let app = TestApp::start().await;
    let rows = |html: &str| html.matches("<tr data-x=").count();
    let history = app.get("/api/v1/market/fx?limit=1000").send().await.expect(200).json();
    let chart = app.get("/fx/usd-brl/chart").send().await.expect(200);
    assert_eq!(chart.number("x-ratelimit-remaining"), 28);
    assert_eq!(rows(&chart.text()), history["data"].as_array().unwrap().len());
    app.get("/fx/usd-brl/chart?range=all").send().await.expect(403);
    let gold = app.key(Plan::Gold).await;
    let all = app.get("/fx/usd-brl/chart?range=all&compare=ipca").key(&gold).send().await.expect(200).text();
    assert!(
        all.contains("data-series=\"second\"") && all.contains("<code>/api/v1/market/fx?pair=USD/BRL</code>")
    );
}

#[tokio::test]
async fn pairs_and_series_can_be_compared_both_ways() {
    let app = TestApp::start().await;
    for path in ["/fx/usd-brl?compare=eur-brl", "/fx/usd-brl?compare=selic", "/series/selic?compare=usd-brl"]
    {
        let page = app.get(path).send().await.expect(200).text();
        assert!(page.contains("data-series=\"second\""), "{path}");
        assert!(page.contains(" selected>"), "{path}");
    }
    // Two series of similar size share an axis; beside a dollar, a yen would be a flat line at zero.
    let axes =
        async |path: &str| app.get(path).send().await.expect(200).text().matches("class=\"axis\"").count();
    assert_eq!(axes("/fx/usd-brl?compare=eur-brl").await, 1);
    assert_eq!(axes("/fx/usd-brl?compare=jpy-brl").await, 2);
    assert_eq!(axes("/series/selic?compare=ipca-12m").await, 1);
}

#[tokio::test]
async fn unpublished_pairs_have_no_page() {
    let app = TestApp::start().await;
    for id in [
        "eur-usd",
        "brl-usd",
        "usd",
        "usdbrl",
        "usd%2Fbrl",
        "usd-brl-eur",
        "xxx-brl",
        "%00",
        "usd-brl%00",
        "-",
    ] {
        app.get(&format!("/fx/{id}")).send().await.expect_error(404);
    }
    app.get("/fx/usd-brl?compare=eur-usd").send().await.expect_error(400);
    app.get("/fx/USD-BRL").send().await.expect(200);
}
