//! Portuguese or English: by the browser's setting, by choice, and for as long as the choice lasts.

use super::PAGES;
use crate::app::TestApp;

async fn language(app: &TestApp, path: &str, headers: &[(&'static str, &str)]) -> String {
    let asking = headers.iter().fold(app.get(path), |asking, (name, value)| asking.header(name, value));
    let page = asking.send().await.expect(200);
    let html = page.text();
    let tag = html.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(page.header("content-language"), tag);
    assert!(
        page.headers.get_all("vary").iter().any(|vary| vary.to_str().unwrap().contains("Accept-Language"))
    );
    tag
}

#[tokio::test]
async fn every_page_exists_in_both_languages() {
    let app = TestApp::start().await;
    for path in PAGES {
        let joint = if path.contains('?') { '&' } else { '?' };
        assert_eq!(
            language(&app, path, &[("accept-language", "pt-BR,pt;q=0.9,en;q=0.8")]).await,
            "pt-BR",
            "{path}"
        );
        assert_eq!(language(&app, path, &[("accept-language", "en-US,en;q=0.9")]).await, "en", "{path}");
        assert_eq!(language(&app, path, &[]).await, "en", "{path}");
        let chosen = format!("{path}{joint}lang=pt");
        assert_eq!(language(&app, &chosen, &[("accept-language", "en")]).await, "pt-BR", "{path}");
        app.advance_seconds(61);
    }
}

#[tokio::test]
async fn a_language_choice_is_stored_in_a_cookie() {
    let app = TestApp::start().await;
    let page = app.get("/series?lang=pt").header("accept-language", "en").send().await.expect(200);
    let cookie = page.header("set-cookie").to_owned();
    assert!(cookie.starts_with("lang=pt; Path=/; ") && cookie.contains("SameSite=Lax"), "{cookie}");
    assert_eq!(language(&app, "/", &[("cookie", "lang=pt"), ("accept-language", "en")]).await, "pt-BR");
    // Without a choice no cookie is set, and only our own two values are stored. A script that requests the
    // language of its page makes no choice.
    for path in ["/", "/series?lang=xx", "/series?lang=pt%0d%0aX:1", "/series/ipca/chart?lang=pt"] {
        assert_eq!(app.get(path).send().await.expect(200).header("set-cookie"), "", "{path}");
    }
}

/// A browser that revalidates a cached page has made its choice all the same.
#[tokio::test]
async fn a_304_response_keeps_the_language_choice() {
    let app = TestApp::start().await;
    let page = app.get("/series?lang=pt").send().await.expect(200);
    let again = app.get("/series?lang=pt").header("if-none-match", page.header("etag")).send().await;
    let again = again.expect(304);
    assert_eq!(again.header("set-cookie"), page.header("set-cookie"));
    let vary = |answer: &crate::answer::Answer| {
        answer
            .headers
            .get_all("vary")
            .iter()
            .map(|line| line.to_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(vary(&again), vary(&page));
    assert!(again.body.is_empty());
}

#[tokio::test]
async fn languages_are_recognised_by_code_and_by_tag() {
    let app = TestApp::start().await;
    for (chosen, tag) in [("pt", "pt-BR"), ("pt-BR", "pt-BR"), ("PT-br", "pt-BR"), ("EN", "en"), ("p", "en")]
    {
        assert_eq!(language(&app, &format!("/status?lang={chosen}"), &[]).await, tag, "{chosen}");
    }
}

#[tokio::test]
async fn numbers_and_days_are_written_in_the_language_of_the_page() {
    let app = TestApp::start().await;
    let current = app.get("/api/v1/market/selic/current").send().await.expect(200).json();
    let value = current["value"].to_string();
    let english = app.get("/series/selic").send().await.expect(200).text();
    let portuguese = app.get("/series/selic?lang=pt").send().await.expect(200).text();
    assert!(english.contains(&format!(">{value}%</data>")), "{value}");
    assert!(portuguese.contains(&format!(">{}%</data>", value.replace('.', ","))), "{value}");
    assert!(english.contains("30 Oct 2026") && portuguese.contains("30/10/2026"));
}

#[tokio::test]
async fn the_switch_leads_to_the_same_page() {
    let app = TestApp::start().await;
    for (path, switched) in [
        ("/", "href=\"/?lang=pt\""),
        ("/series/ipca", "href=\"/series/ipca?lang=pt\""),
        ("/series?q=ju+ros%26%22", "href=\"/series?q=ju%20ros%26%22&#38;lang=pt\""),
        ("/fx/USD-brl?compare=selic", "href=\"/fx/usd-brl?compare=selic&#38;lang=pt\""),
        ("/series/ipca?compare=cdi", "href=\"/series/ipca?compare=cdi&#38;lang=pt\""),
    ] {
        let html = app.get(path).send().await.expect(200).text();
        assert!(html.contains(switched), "{path}: {switched}");
    }
}
