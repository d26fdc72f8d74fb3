//! The catalogue of series over HTTP: the list, and values as published and computed.

use lastro_model::{Plan, Series};
use lastro_sample::{self as sample, Shape};
use serde_json::Value;

use crate::app::TestApp;

const SEED: u64 = Shape::SAMPLE.seed;

/// The values of a series as the API must write them, newest first.
fn written(series: Series) -> Vec<String> {
    let points = sample::rates(series, SEED).into_iter().rev();
    points.map(|point| format!(r#"{{"date":"{}","value":{}}}"#, point.day, point.value)).collect()
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|series| series["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_series_is_listed_once_whatever_the_page() {
    let app = TestApp::start().await;
    let whole = app.get("/api/v1/series?limit=1000").send().await.expect(200).json();
    let (rows, pairs) = (ids(&whole), ["eur-brl", "gbp-brl", "jpy-brl", "usd-brl"]);
    let expected: Vec<&str> = Series::ALL.iter().map(|series| series.about().id).chain(pairs).collect();
    assert_eq!(rows, expected);
    assert_eq!(whole["total"], expected.len());
    let mut paged = Vec::new();
    for offset in (0..expected.len()).step_by(30) {
        let page =
            app.get(&format!("/api/v1/series?limit=30&offset={offset}")).send().await.expect(200).json();
        paged.extend(ids(&page).into_iter().map(str::to_owned));
    }
    assert_eq!(paged, ids(&whole));
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let app = TestApp::start().await;
    let found = async |query: &str| {
        let page = app.get(&format!("/api/v1/series?limit=1000&{query}")).send().await.expect(200).json();
        ids(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("q=433").await, ["ipca"]);
    assert_eq!(found("q=inflacao+meta").await, ["inflation-target"]);
    assert_eq!(found("q=INFLA%C3%87%C3%83O").await, ["inflation-target"]);
    assert_eq!(found("frequency=yearly").await, ["inflation-target"]);
    assert_eq!(found("topic=money").await, ["monetary-base"]);
    assert_eq!(found("topic=money&frequency=daily").await, [""; 0]);
    assert!(found("q=ipca").await.len() > 20);
    for bad in
        ["topic=", "topic=Prices", "frequency=hourly", "q=", "q=%20", "limit=0", "offset=-1", "q=a&q=b"]
    {
        let refused = app.get(&format!("/api/v1/series?{bad}")).send().await.expect(400).json();
        let (name, _) = bad.split_once('=').unwrap();
        assert!(refused["message"].as_str().unwrap().starts_with(&format!("`{name}`")), "{bad}: {refused}");
    }
}

#[tokio::test]
async fn a_series_is_found_by_its_id_and_by_its_code() {
    let app = TestApp::start().await;
    for series in [Series::Ipca, Series::SelicDaily, Series::CreditFirms] {
        let about = series.about();
        let by_id = app.get(&format!("/api/v1/series/{}", about.id)).send().await.expect(200);
        let by_code = app.get(&format!("/api/v1/series/{}", about.code)).send().await.expect(200);
        let shouted = format!("/api/v1/series/{}", about.id.to_uppercase());
        assert_eq!(by_id.text(), by_code.text());
        assert_eq!(by_id.text(), app.get(&shouted).send().await.expect(200).text());
        let shown = by_id.json();
        assert_eq!(shown["source"]["code"], about.code);
        assert_eq!((&shown["unit"], &shown["kind"]), (&about.unit.id().into(), &about.kind.id().into()));
        assert_eq!(shown["rows"], sample::rates(series, SEED).len());
        assert_eq!(shown["sample"], true);
    }
    app.advance_seconds(61);
    for unknown in ["selics", "ipca-", "usd-eur", "0433", "-1", "99999999999999", "%00"] {
        for path in ["", "/observations", "/current", "/checks"] {
            app.get(&format!("/api/v1/series/{unknown}{path}")).send().await.expect(404);
        }
    }
}

#[tokio::test]
async fn observations_are_exactly_the_published_values() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    for series in Series::ALL {
        let id = series.about().id;
        let expected = written(series);
        let whole = app.get(&format!("/api/v1/series/{id}/observations?limit=10000")).key(&gold).send().await;
        let frame = format!(
            r#"{{"series":"{id}","unit":"{}","units":"lin","data":[{}],"total":{},"limit":10000,"offset":0}}"#,
            series.about().unit.id(),
            expected.join(","),
            expected.len()
        );
        assert_eq!(whole.expect(200).text(), frame, "{id}");
        let newest = app.get(&format!("/api/v1/series/{id}/current")).key(&gold).send().await.expect(200);
        assert_eq!(newest.text(), expected[0], "{id}");
    }
}

#[tokio::test]
async fn pages_and_orders_partition_the_values() {
    let app = TestApp::start().await;
    let platinum = app.ample_key(Plan::Platinum).await;
    let mut expected = written(Series::Ipca);
    for order in ["desc", "asc"] {
        let mut shown = Vec::new();
        for offset in (0..70).step_by(7) {
            let path = format!("/api/v1/series/ipca/observations?order={order}&limit=7&offset={offset}");
            let page = app.get(&path).key(&platinum).send().await.expect(200).text().to_owned();
            let (_, rows) = page.split_once(r#""data":["#).unwrap();
            let (rows, rest) = rows.split_once(']').unwrap();
            assert!(rest.starts_with(r#","total":60,"#), "{page}");
            shown.extend(rows.split_inclusive('}').map(|row| row.trim_start_matches(',').to_owned()));
        }
        assert_eq!(shown, expected, "{order}");
        expected.reverse();
    }
    let file =
        app.get("/api/v1/series/ipca/observations?format=csv&limit=2&order=asc").key(&platinum).send().await;
    let rows = file.expect(200).text().lines().count();
    assert_eq!(rows, 3, "a header and two rows");
}

#[tokio::test]
async fn invalid_parameters_are_rejected_with_the_alternatives() {
    let app = TestApp::start().await;
    for (series, bad) in [
        ("ipca", "units=pch"),
        ("ipca", "units=log"),
        ("selic", "units=acc12"),
        ("selic-month", "units=acc12"),
        ("selic-month", "units=index"),
        ("legal-rate", "units=chg"),
        ("ipca-12m", "units=acc"),
        ("ipca", "units=LIN"),
        ("ipca", "units="),
        ("ipca", "frequency=daily"),
        ("ipca", "frequency=monthly"),
        ("ipca", "aggregation=sum"),
        ("ipca", "frequency=yearly&aggregation=sum"),
        ("reserves", "frequency=yearly&aggregation=chain"),
        ("ipca", "order=up"),
        ("ipca", "base=2026-01-01"),
        ("ipca", "units=index&base=2026-01-02"),
        ("ipca", "from=2026-02-30"),
        ("ipca", "limit=10001"),
        ("ipca", "offset=x"),
        ("ipca", "format=xml"),
    ] {
        let path = format!("/api/v1/series/{series}/observations?{bad}");
        let refused = app.get(&path).send().await.expect(400).json();
        assert!(refused["message"].as_str().unwrap().contains('`'), "{path}: {refused}");
    }
    let refused = app.get("/api/v1/series/ipca/observations?units=pch").send().await.expect(400).json();
    assert!(
        refused["message"].as_str().unwrap().contains("lin, chg, ch1, acc12, ytd, acc, index"),
        "{refused}"
    );
}

/// The plan's window applies to the points that a value is computed from.
#[tokio::test]
async fn the_free_window_limits_computed_values_too() {
    let app = TestApp::start().await;
    let gold = app.ample_key(Plan::Gold).await;
    let total = async |query: &str| {
        let path = format!("/api/v1/series/ipca/observations?{query}");
        app.get(&path).send().await.expect(200).json()["total"].as_u64().unwrap()
    };
    assert_eq!(total("").await, 13);
    assert_eq!(total("units=acc12").await, 2, "the newest twelve, and the twelve before the newest");
    assert_eq!(total("units=chg").await, 12);
    assert_eq!(total("units=ch1").await, 1);
    assert_eq!(total("units=index").await, 13);
    assert_eq!(total("units=acc").await, 13);
    let newest = sample::rates(Series::Ipca, SEED).last().unwrap().day;
    let needs_more = newest.minus_months(3);
    for query in [format!("units=acc12&from={needs_more}"), format!("from={}", newest.minus_months(13))] {
        let path = format!("/api/v1/series/ipca/observations?{query}");
        let prompt = app.get(&path).send().await.expect(403).json();
        assert_eq!(prompt["feature"], "historical_data");
        app.get(&path).key(&gold).send().await.expect(200);
    }
    app.get("/api/v1/series/ipca/observations?as_of=2026-10-30").send().await.expect(403);
    app.get("/api/v1/series/ipca/revisions").send().await.expect(403);
}

#[tokio::test]
async fn all_observations_can_be_exported() {
    let app = TestApp::start().await;
    let platinum = app.ample_key(Plan::Platinum).await;
    let whole = app.get("/api/v1/export/series").key(&platinum).send().await.expect(200).text().to_owned();
    let rows: usize = Series::ALL.into_iter().map(|series| sample::rates(series, SEED).len()).sum();
    assert_eq!(whole.lines().count(), rows);
    for id in ["ipca", "433"] {
        let one = app.get(&format!("/api/v1/export/series?id={id}")).key(&platinum).send().await.expect(200);
        let expected = written(Series::Ipca).len();
        assert_eq!(
            one.text().lines().filter(|row| row.starts_with(r#"{"series":"ipca","date""#)).count(),
            expected
        );
        assert_eq!(one.text().lines().count(), expected);
    }
    app.get("/api/v1/export/series?id=selics").key(&platinum).send().await.expect(400);
    let file = app.get("/api/v1/export/series?id=433&format=csv&from=2026-09-01").key(&platinum).send().await;
    assert!(file.expect(200).text().starts_with("series,date,value\r\nipca,2026-09-01,"));
}

/// Parameters are checked before existence, so that an unknown series does not hide a typo.
#[tokio::test]
async fn bad_parameters_are_reported_before_an_unknown_series() {
    let app = TestApp::start().await;
    let gold = app.ample_key(lastro_model::Plan::Gold).await;
    for (path, status) in [
        ("bogus/observations?limit=0", 400),
        ("bogus/observations?units=zzz", 400),
        ("bogus/observations?aggregation=mean", 400),
        ("bogus/revisions?limit=0", 400),
        ("bogus/checks?format=xml", 400),
        ("bogus/observations?units=acc12", 404),
        ("bogus/revisions", 404),
    ] {
        app.get(&format!("/api/v1/series/{path}")).key(&gold).send().await.expect_error(status);
    }
}
