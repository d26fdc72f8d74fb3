//! Pages are rendered and compressed once for all clients, in bounded memory. Rendering for one address is limited.

use lastro_model::calendar::next_business_day;
use lastro_model::{Day, Plan, RatePoint, Records, Series, Source};

use super::PAGES;
use crate::answer::Answer;
use crate::app::TestApp;
use crate::csv::publish;

const COMPARED: &str = "/fx/usd-brl?compare=eur-brl";

/// The value of a metric.
async fn metric(app: &TestApp, name: &str) -> u64 {
    let (_, text) = app.admin("/metrics").await;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

async fn drawn(app: &TestApp) -> u64 {
    metric(app, "lastro_pages_drawn_total").await
}

async fn kept_bytes(app: &TestApp, pages: &str) -> u64 {
    metric(app, &format!("lastro_pages_kept_bytes{{pages=\"{pages}\"}}")).await
}

/// A service that accepts any client address from a trusted proxy.
async fn behind_a_proxy() -> TestApp {
    TestApp::start_with(|setup| {
        setup.settings.trusted_proxies = "127.0.0.1".to_owned();
        setup.settings.pages.public_url = Some("https://dados.example".parse().unwrap());
    })
    .await
}

async fn get_from(app: &TestApp, address: &str, path: &str) -> Answer {
    app.get(path).header("x-forwarded-for", address).header("accept-encoding", "br").send().await
}

#[tokio::test]
async fn a_page_is_rendered_once_for_all_clients() {
    let app = TestApp::start().await;
    for path in [COMPARED, "/", "/series", "/docs", "/status", "/calculator?kind=accumulation", "/llms.txt"] {
        let first = app.get(path).send().await.expect(200);
        let before = drawn(&app).await;
        let joint = if path.contains('?') { '&' } else { '?' };
        for other in [path.to_owned(), format!("{path}{joint}x=123"), format!("{path}{joint}y&&&z=%20")] {
            for coding in ["", "gzip", "br", "zstd"] {
                let again = app.get(&other).header("accept-encoding", coding).send().await.expect(200);
                assert_eq!(again.plain(), first.body, "{other} {coding}");
                assert_eq!(again.header("etag"), first.header("etag"));
            }
        }
        assert_eq!(drawn(&app).await, before, "{path}");
    }
}

#[tokio::test]
async fn a_new_edition_renders_a_comparison_again() {
    let app = TestApp::start().await;
    let (path, value) = ("/fx/usd-brl?compare=selic", "77.25");
    assert!(!app.get(path).send().await.expect(200).text().contains(value));
    let before = drawn(&app).await;
    let points = ["2026-10-29", "2026-10-30"]
        .map(|day| RatePoint { day: lastro_model::Day::parse(day).unwrap(), value: value.parse().unwrap() });
    publish(&app, Source::Series(Series::Selic), Records::Rates(points.to_vec())).await;
    assert!(app.get(path).send().await.expect(200).text().contains(value));
    assert_eq!(drawn(&app).await, before + 1);
}

#[tokio::test]
async fn compressed_pages_use_no_more_memory_than_charged() {
    let app = TestApp::start().await;
    for path in PAGES {
        let plain = app.get(path).send().await.expect(200).body.len();
        let mut compressed = 0;
        for coding in ["gzip", "br", "zstd"] {
            let packed = app.get(path).header("accept-encoding", coding).send().await.expect(200);
            assert_eq!(packed.header("content-encoding"), coding, "{path}");
            compressed += packed.body.len();
        }
        // A kept page is charged with its length, one and a half times its length, and these 4096 bytes.
        assert!(compressed < plain * 3 / 2 + 4096, "{path}: {compressed} of {plain}");
    }
}

/// Different pages that each compare two series.
fn comparisons() -> impl Iterator<Item = String> {
    let id = |series: Series| series.about().id;
    Series::ALL.into_iter().flat_map(move |one| {
        let others = Series::ALL.into_iter().filter(move |other| *other != one);
        others.map(move |other| format!("/series/{}?compare={}", id(one), id(other)))
    })
}

#[tokio::test]
async fn comparisons_evict_no_other_pages() {
    let app = behind_a_proxy().await;
    let pages = ["/", "/series", "/series/selic", "/fx/usd-brl", "/pricing"];
    for path in pages {
        get_from(&app, "10.9.9.9", path).await.expect(200);
    }
    let own = kept_bytes(&app, "own").await;
    let (mut walked, mut most) = (0, 0);
    // Continues until the kept bytes no longer grow, because something was evicted.
    for path in comparisons() {
        get_from(&app, &format!("10.{}.{}.1", walked / 200, walked % 200), &path).await.expect(200);
        walked += 1;
        if walked % 20 == 0 {
            app.advance_seconds(1);
            let kept = kept_bytes(&app, "combined").await;
            if kept < most {
                break;
            }
            most = kept;
        }
    }
    assert!((12 << 20..=16 << 20).contains(&most), "{most} bytes after {walked} pages");
    let before = drawn(&app).await;
    for path in pages {
        get_from(&app, "10.9.9.9", path).await.expect(200);
    }
    assert_eq!((drawn(&app).await, kept_bytes(&app, "own").await), (before, own));
    get_from(&app, "10.9.9.9", &comparisons().next().unwrap()).await.expect(200);
    assert_eq!(drawn(&app).await, before + 1, "the first comparison was pushed out");
}

#[tokio::test]
async fn rendering_is_limited_per_address() {
    let app = behind_a_proxy().await;
    let address = "10.0.0.1";
    get_from(&app, address, COMPARED).await.expect(200);
    let mut refused = None;
    for (number, path) in comparisons().enumerate() {
        let answer = get_from(&app, address, &path).await;
        if answer.status == 429 {
            refused = Some((path, answer));
            break;
        }
        answer.expect(200);
        if number % 10 == 9 {
            app.advance_seconds(1);
            // Requested again, it stays in the cache.
            get_from(&app, address, COMPARED).await.expect(200);
        }
    }
    let (path, refused) = refused.expect("a refusal before all pages were drawn");
    assert!(refused.text().contains("drawn for this address"), "{}", refused.text());
    assert_eq!(refused.number("x-ratelimit-remaining"), 30, "the quota is another matter");
    // Kept pages are still sent to this address, and pages are rendered for others.
    for at_hand in ["/", "/pricing", COMPARED] {
        assert_eq!(get_from(&app, address, at_hand).await.expect(200).header("content-encoding"), "br");
    }
    get_from(&app, address, "/api/v1/market/overview").await.expect(200);
    for drawn in ["/series?q=ipca", "/series/ipca/chart"] {
        let before = get_from(&app, address, "/pricing").await.number("x-ratelimit-remaining");
        get_from(&app, address, drawn).await.expect(429);
        let after = get_from(&app, address, "/pricing").await.number("x-ratelimit-remaining");
        assert_eq!(before, after, "{drawn}: a refusal costs nothing");
    }
    // Registration is not blocked either.
    let form = app.post("/pricing", "name=Ana&email=ana%40example.com").header("x-forwarded-for", address);
    form.send().await.expect(201);
    get_from(&app, "10.0.1.1", &path).await.expect(200);
    // Pages rendered for others are kept for everybody.
    get_from(&app, address, &path).await.expect(200);
    app.advance_seconds(refused.number("retry-after") as u64);
    get_from(&app, address, "/series?q=ipca").await.expect(200);
}

#[tokio::test]
async fn rendering_for_many_addresses_is_limited_per_second() {
    let app = behind_a_proxy().await;
    let mut refused = None;
    for (number, path) in comparisons().enumerate() {
        let answer = get_from(&app, &format!("10.{}.{}.1", number / 200, number % 200), &path).await;
        if answer.status == 503 {
            refused = Some((path, answer));
            break;
        }
        answer.expect(200);
    }
    let (path, refused) = refused.expect("a refusal before all pages were drawn");
    assert!(refused.number("retry-after") > 0);
    for at_hand in ["/", "/series/ipca", "/fx/usd-brl", "/pricing", "/api/v1/market/overview"] {
        get_from(&app, "10.250.0.1", at_hand).await.expect(200);
    }
    app.advance_seconds(1);
    get_from(&app, "10.250.0.1", &path).await.expect(200);
}

#[tokio::test]
async fn invented_hosts_use_bounded_memory_and_are_answered() {
    let app = TestApp::start().await;
    let ask = async |host: &str, path: &str| {
        app.get(path).header("host", host).header("accept-encoding", "br").send().await.expect(200)
    };
    assert_eq!(ask("known.example", "/").await.header("content-encoding"), "br");
    let (mut number, mut sent_plain) = (0, false);
    while !sent_plain {
        number += 1;
        assert!(number < 590, "the work of an address has a bound");
        let page = ask(&format!("host{number}.example"), "/").await;
        assert!(page.text().contains(&format!("http://host{number}.example</span>")));
        sent_plain = page.header("content-encoding").is_empty();
        if number % 20 == 0 {
            app.advance_seconds(1);
        }
    }
    assert!(kept_bytes(&app, "combined").await <= 16 << 20);
    let page = ask("known.example", "/").await;
    assert_eq!(page.header("content-encoding"), "br", "the page of a name in use is at hand");
    assert_eq!(drawn(&app).await, 1, "whatever it is called, it is one drawing");
}

/// The receipt of many years is long, and anybody may request it.
#[tokio::test]
async fn compression_of_long_receipts_is_limited_per_second() {
    let app = TestApp::start().await;
    let days = std::iter::successors(Day::parse("2010-01-04").ok(), |day| next_business_day(*day));
    let point = |day| RatePoint { day, value: "13.65".parse().unwrap() };
    let points = days.take_while(|day| day.to_string().as_str() < "2026-11-02").map(point).collect();
    publish(&app, Source::Series(Series::Cdi), Records::Rates(points)).await;
    let asked = "accumulation?rate=cdi&rate_percent=100&from=2010-01-04&to=2026-10-30&amount=1000";
    let ask = async |path: &str, key: &str| {
        app.get(&format!("{path}/{asked}")).key(key).header("accept-encoding", "br").send().await
    };
    let (free, gold) = (app.ample_key(Plan::Free).await, app.key(Plan::Gold).await);
    let whole = ask("/api/v1/calc", &free).await.expect(200).plain();
    let mut coding = "br".to_owned();
    for _ in 0..60 {
        let answer = ask("/api/v1/calc", &free).await.expect(200);
        assert_eq!(answer.plain(), whole);
        coding = answer.header("content-encoding").to_owned();
        if coding.is_empty() {
            break;
        }
    }
    assert_eq!(coding, "", "a call is answered as ever, but as it is");
    assert_eq!(ask("/api/v1/calc", &gold).await.expect(200).header("content-encoding"), "br");
    // A page costs more than that, and is not rendered.
    ask("/calculator", &free).await.expect(503);
    app.advance_seconds(1);
    assert_eq!(ask("/calculator", &free).await.expect(200).header("content-encoding"), "br");
}
