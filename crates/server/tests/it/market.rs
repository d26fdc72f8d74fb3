//! Market rates: exact numbers, order, date ranges, and the history that each plan sees.

use lastro_model::{Day, FxQuote, Pair, Plan, Records, Series, Source};
use lastro_sample::{self as sample, Shape};

use crate::app::TestApp;
use crate::csv::publish;

/// The points of a series or pair as the API must write them, newest first, each with its day.
type Points = Vec<(Day, String)>;

const SEED: u64 = Shape::SAMPLE.seed;

fn rates(series: Series) -> Points {
    let points = sample::rates(series, SEED).into_iter().rev();
    points.map(|p| (p.day, format!(r#"{{"date":"{}","value":{}}}"#, p.day, p.value))).collect()
}

fn quotes(pair: &str) -> Points {
    let pair = Pair::parse(pair).unwrap();
    let quotes = sample::fx(SEED).into_iter().rev().filter(|quote| quote.pair == pair);
    let written = |q: FxQuote| {
        format!(r#"{{"date":"{}","pair":"{}","buy":{},"sell":{}}}"#, q.day, q.pair, q.buy, q.sell)
    };
    quotes.map(|quote| (quote.day, written(quote))).collect()
}

/// Every series by its path, ready for another parameter to be appended.
fn all_series() -> Vec<(&'static str, Points)> {
    vec![
        ("/api/v1/market/selic?", rates(Series::Selic)),
        ("/api/v1/market/cdi?", rates(Series::Cdi)),
        ("/api/v1/market/ipca?", rates(Series::Ipca)),
        ("/api/v1/market/fx?", quotes("USD/BRL")),
        ("/api/v1/market/fx?pair=EUR/BRL&", quotes("EUR/BRL")),
        ("/api/v1/market/fx?pair=gbp%2Fbrl&", quotes("GBP/BRL")),
        ("/api/v1/market/fx?pair=Jpy/Brl&", quotes("JPY/BRL")),
    ]
}

/// A page of these points, of so many in all.
fn page(points: &[(Day, String)], total: usize) -> String {
    let items: Vec<&str> = points.iter().map(|(_, text)| text.as_str()).collect();
    format!(r#"{{"data":[{}],"total":{total}}}"#, items.join(","))
}

/// A page with all points.
fn body(points: &[(Day, String)]) -> String {
    page(points, points.len())
}

#[tokio::test]
async fn numbers_are_written_as_published_and_newest_first() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (path, points) in all_series() {
        let whole = app.get(&format!("{path}limit=10000")).key(&gold).send().await.expect(200);
        assert_eq!(whole.text(), body(&points), "{path}");
        assert!(points.is_sorted_by(|a, b| a.0 > b.0), "{path}");
        let by_default = app.get(path).key(&gold).send().await.expect(200);
        assert_eq!(by_default.text(), page(&points[..20], points.len()), "{path}");
        let third = app.get(&format!("{path}limit=7&offset=14")).key(&gold).send().await.expect(200);
        assert_eq!(third.text(), page(&points[14..21], points.len()), "{path}");
        let past = app.get(&format!("{path}offset=99999999999999999999")).key(&gold).send().await;
        assert_eq!(past.expect(200).text(), page(&[], points.len()), "{path}");
    }
}

#[tokio::test]
async fn current_values_and_the_overview_are_the_newest_points() {
    let app = TestApp::start().await;
    let newest = |points: Points| points[0].1.clone();
    let [selic, cdi, ipca] = [Series::Selic, Series::Cdi, Series::Ipca].map(|series| newest(rates(series)));
    let fx = newest(quotes("USD/BRL"));
    let overview = format!(r#"{{"selic":{selic},"cdi":{cdi},"ipca":{ipca},"fx":{fx}}}"#);
    for (path, expected) in [
        ("selic/current", selic),
        ("cdi/current", cdi),
        ("ipca/current", ipca),
        ("fx/current", fx),
        ("fx/current?pair=eur/brl", newest(quotes("EUR/BRL"))),
        ("overview", overview),
    ] {
        assert_eq!(app.get(&format!("/api/v1/market/{path}")).send().await.expect(200).text(), expected);
    }
}

#[tokio::test]
async fn days_are_inclusive_and_a_range_without_points_is_empty() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for (path, points) in all_series() {
        let days = format!("{path}from={}&to={}&limit=10000", points[30].0, points[10].0);
        assert_eq!(
            app.get(&days).key(&gold).send().await.expect(200).text(),
            body(&points[10..=30]),
            "{days}"
        );
        let first_ten = format!("{path}from={}&limit=10", points[30].0);
        assert_eq!(app.get(&first_ten).key(&gold).send().await.expect(200).text(), page(&points[..10], 31));
        for nothing in ["from=2030-01-01", "to=1950-01-01"] {
            let answer = app.get(&format!("{path}{nothing}")).key(&gold).send().await.expect(200);
            assert_eq!(answer.text(), body(&[]), "{path}{nothing}");
        }
    }
}

/// The first day that the Free and Bronze plans see.
fn window_start(points: &Points) -> Day {
    points[0].0.minus_months(12)
}

#[tokio::test]
async fn free_and_bronze_see_twelve_months_before_the_newest_point() {
    let app = TestApp::start().await;
    // Years later the source is stale, and the window has not moved.
    app.advance_seconds(3 * 365 * 86_400);
    let keys = [app.ample_key(Plan::Free).await, app.ample_key(Plan::Bronze).await];
    for (path, points) in all_series() {
        let start = window_start(&points);
        let inside = points.partition_point(|(day, _)| *day >= start);
        assert!(0 < inside && inside < points.len(), "{path}");
        for key in &keys {
            let whole = app.get(&format!("{path}limit=10000")).key(key).send().await.expect(200);
            assert_eq!(whole.text(), body(&points[..inside]), "{path}");
            let from_start = app.get(&format!("{path}from={start}&limit=10000")).key(key).send().await;
            assert_eq!(from_start.expect(200).text(), body(&points[..inside]), "{path}");
            app.get(&format!("{path}to={start}")).key(key).send().await.expect(200);
        }
    }
}

#[tokio::test]
async fn days_before_the_window_get_the_upgrade_prompt() {
    let app = TestApp::start().await;
    for (plan, prompted) in
        [(Plan::Free, true), (Plan::Bronze, true), (Plan::Gold, false), (Plan::Platinum, false)]
    {
        let key = app.ample_key(plan).await;
        for (path, points) in all_series() {
            let before = window_start(&points).plus_days(-1);
            for days in
                [format!("from={before}"), format!("to={before}"), format!("from={before}&to={before}")]
            {
                let answer = app.get(&format!("{path}{days}")).key(&key).send().await;
                if !prompted {
                    answer.expect(200);
                    continue;
                }
                let prompt = answer.expect(403).json();
                assert_eq!((&prompt["plan"], &prompt["required_plan"]), (&plan.id().into(), &"gold".into()));
                assert_eq!(prompt["feature"], "historical_data");
            }
        }
    }
}

#[tokio::test]
async fn upgrade_prompts_do_not_hide_typos() {
    let app = TestApp::start().await;
    for typo in [
        "selic?from=1990-01-01&limit=0",
        "fx?from=1990-01-01&pair=XXX/BRL",
        "cdi?from=1990-01-01&to=1989-01-01",
    ] {
        app.get(&format!("/api/v1/market/{typo}")).send().await.expect(400);
    }
}

#[tokio::test]
async fn bad_parameters_are_named_with_their_bounds() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for series in ["selic?", "cdi?", "ipca?", "fx?pair=USD/BRL&"] {
        for limit in ["0", "10001", "-1", "1.5", "x", "", "1e3", "%201"] {
            let path = format!("/api/v1/market/{series}limit={limit}");
            let message = app.get(&path).key(&key).send().await.expect_error(400);
            assert!(message.contains("`limit`") && message.contains("1 to 10000"), "{path}: {message}");
        }
        for (name, value) in [
            ("from", "2023-02-29"),
            ("to", "2026-13-01"),
            ("from", "2026-1-1"),
            ("to", "today"),
            ("from", ""),
        ] {
            let path = format!("/api/v1/market/{series}{name}={value}");
            let message = app.get(&path).key(&key).send().await.expect_error(400);
            assert!(message.contains(&format!("`{name}`")), "{path}: {message}");
        }
        let path = format!("/api/v1/market/{series}from=2026-10-02&to=2026-10-01");
        let message = app.get(&path).key(&key).send().await.expect_error(400);
        assert!(message.contains("`from`"), "{message}");
        let path = format!("/api/v1/market/{series}limit=10000&formt=csv");
        let message = app.get(&path).key(&key).send().await.expect_error(400);
        assert!(
            message.starts_with("`formt` is not") && message.contains("nearest one is `format`"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn unknown_pairs_are_rejected_with_the_known_currencies() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for pair in ["USD", "USDBRL", "ARS/USD", "ARS/BRL", "", "%F0%9F%92%B5/BRL", "USD/BRL/EUR"] {
        for path in ["fx", "fx/current"] {
            let message = app
                .get(&format!("/api/v1/market/{path}?pair={pair}"))
                .key(&key)
                .send()
                .await
                .expect_error(400);
            for held in ["`pair`", "BRL", "USD", "EUR", "GBP", "JPY"] {
                assert!(message.contains(held), "{pair}: {message}");
            }
        }
    }
}

/// Cross rates, computed from the bulletins of one day.
#[tokio::test]
async fn unpublished_pairs_are_derived_from_published_ones() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let newest = |pair: &str| {
        let pair = Pair::parse(pair).unwrap();
        sample::fx(SEED).into_iter().rev().find(|quote| quote.pair == pair).unwrap()
    };
    let (euro, dollar) = (newest("EUR/BRL"), newest("USD/BRL"));
    let near = |value: &serde_json::Value, expected: lastro_model::Decimal| {
        let value: lastro_model::Decimal = value.to_string().parse().unwrap();
        (value - expected).abs() < lastro_model::Decimal::new(1, 6)
    };
    let cross = app.get("/api/v1/market/fx/current?pair=eur/usd").send().await.expect(200).json();
    assert_eq!(cross["pair"], "EUR/USD");
    assert_eq!(
        (&cross["derived"], &cross["legs"]),
        (&true.into(), &serde_json::json!(["EUR/BRL", "USD/BRL"]))
    );
    assert!(near(&cross["buy"], euro.buy / dollar.sell) && near(&cross["sell"], euro.sell / dollar.buy));
    let inverse = app.get("/api/v1/market/fx/current?pair=BRL/USD").send().await.expect(200).json();
    assert_eq!(inverse["legs"], serde_json::json!(["USD/BRL"]));
    assert!(near(&inverse["buy"], lastro_model::Decimal::ONE / dollar.sell));

    let listed =
        app.get("/api/v1/market/fx?pair=EUR/USD&limit=10000").key(&gold).send().await.expect(200).json();
    let listed = listed["data"].as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]), (quotes("EUR/BRL").len(), &cross));
    let published = app.get("/api/v1/market/fx/current?pair=EUR/BRL").send().await.expect(200).json();
    assert!(published.get("derived").is_none() && published.get("legs").is_none());
    let early = quotes("EUR/BRL").last().unwrap().0;
    app.get(&format!("/api/v1/market/fx?pair=EUR/USD&from={early}")).send().await.expect(403);
    for bad in ["EUR/EUR", "BRL/BRL", "XXX/USD", "EUR/XXX", "EURUSD"] {
        let refused = app.get(&format!("/api/v1/market/fx?pair={bad}")).send().await.expect(400).json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with("`pair`") && message.contains("EUR") && message.contains("USD"), "{bad}");
    }
}

#[tokio::test]
async fn a_derived_rate_respects_the_windows_of_both_legs() {
    let app = TestApp::start().await;
    let (euro, dollar) = (Pair::parse("EUR/BRL").unwrap(), Pair::parse("USD/BRL").unwrap());
    let last_euro = Day::parse("2026-10-09").unwrap();
    let held = |quote: &FxQuote| quote.pair == dollar || quote.pair == euro && quote.day <= last_euro;
    let quotes: Vec<FxQuote> = sample::fx(SEED).into_iter().filter(held).collect();
    publish(&app, Source::Fx, Records::Fx(quotes)).await;
    let oldest = async |pair: &str| {
        let path = format!("/api/v1/market/fx?pair={pair}&limit=10000");
        let listed = app.get(&path).send().await.expect(200).json();
        listed["data"].as_array().unwrap().last().unwrap()["date"].as_str().unwrap().to_owned()
    };
    let (of_euro, of_dollar) = (oldest("EUR/BRL").await, oldest("USD/BRL").await);
    assert!(of_euro < of_dollar, "the window of each ends with its newest day");
    assert_eq!(oldest("EUR/USD").await, of_dollar);
}

#[tokio::test]
async fn missing_rates_give_an_empty_list_and_no_bad_request() {
    let app = TestApp::start().await;
    publish(&app, Source::Fx, Records::Fx(Vec::new())).await;
    assert_eq!(app.get("/api/v1/market/fx").send().await.expect(200).text(), body(&[]));
    assert_ne!(app.get("/api/v1/market/fx/current").send().await.status, 400);
}
