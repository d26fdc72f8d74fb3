//! Parquet: the rows of the other formats in a file that clients read in parts.

use std::collections::BTreeMap;

use bytes::Bytes;
use jiff::Timestamp;
use lastro_model::{Day, Decimal, Plan};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use reqwest::Method;
use serde_json::Value;

use super::{DATASETS, export, lines, parsed};
use crate::answer::Answer;
use crate::app::TestApp;
use crate::faults::publish_selic;

const FILINGS: &str = "/api/v1/export/filings?format=parquet";

async fn whole(app: &TestApp, key: &str, dataset: &str) -> Answer {
    let answer = export(app, key, &format!("{dataset}?format=parquet")).await;
    assert_eq!(answer.header("content-type"), "application/vnd.apache.parquet");
    assert_eq!(answer.header("accept-ranges"), "bytes");
    assert_eq!(answer.number("content-length"), answer.body.len() as i64);
    assert!(!answer.headers.contains_key("content-encoding"), "ranges are of the file itself");
    answer
}

fn rows(file: &Bytes) -> Vec<Row> {
    let reader = SerializedFileReader::new(file.clone()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

/// A value as JSON writes it; a day as its ten characters, a decimal without its last zeros.
fn told(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.as_str().into(),
        Field::Long(number) => (*number).into(),
        Field::Date(number) => Day::from_number(*number).unwrap().to_string().into(),
        Field::TimestampMicros(time) => Timestamp::from_microsecond(*time).unwrap().to_string().into(),
        Field::Decimal(decimal) => {
            let units = i128::from_be_bytes(decimal.data().try_into().unwrap());
            let value = Decimal::from_i128_with_scale(units, decimal.scale() as u32);
            value.normalize().to_string().into()
        }
        Field::ListInternal(list) => list.elements().iter().map(told).collect(),
        other => panic!("{other} is not expected"),
    }
}

/// The same of a row of the other export.
fn plain(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if name == "date" => text[..10].into(),
        Value::Number(number) if name != "version" => {
            number.to_string().parse::<Decimal>().unwrap().normalize().to_string().into()
        }
        other => other.clone(),
    }
}

#[tokio::test]
async fn files_hold_the_rows_of_the_other_formats() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for dataset in DATASETS.map(|(dataset, _)| dataset).into_iter().chain(["series"]) {
        let expected = parsed(&lines(&export(&app, &key, dataset).await));
        let file = whole(&app, &key, dataset).await;
        assert_eq!(file.number("x-total-count"), expected.len() as i64, "{dataset}");
        let rows = rows(&file.body);
        assert_eq!(rows.len(), expected.len(), "{dataset}");
        for (row, expected) in rows.iter().zip(&expected) {
            let row: BTreeMap<&str, Value> =
                row.get_column_iter().map(|(name, field)| (name.as_str(), told(field))).collect();
            let expected: BTreeMap<&str, Value> = expected
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| (name.as_str(), plain(name, value)))
                .collect();
            assert_eq!(row, expected, "{dataset}");
        }
    }
}

#[tokio::test]
async fn any_ranges_put_together_are_the_file() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let file = whole(&app, &key, "filings").await;
    let (tag, length) = (file.header("etag").to_owned(), file.body.len());
    assert!(tag.starts_with('"'), "ranges need a strong tag, not {tag}");
    let mut together = Vec::new();
    for step in [1, length / 3, 70_000, length].into_iter().cycle() {
        let from = together.len();
        if from == length {
            break;
        }
        let range = format!("bytes={from}-{}", from + step - 1);
        let part = app.get(FILINGS).key(&key).header("range", &range).header("if-range", &tag).send().await;
        let part = part.expect(206);
        let last = (from + step).min(length) - 1;
        assert_eq!(part.header("content-range"), format!("bytes {from}-{last}/{length}"));
        assert_eq!(part.header("etag"), tag);
        together.extend_from_slice(&part.body);
    }
    assert_eq!(together, file.body);
    let end = app.get(FILINGS).key(&key).header("range", "bytes=-8").send().await.expect(206);
    assert!(end.body.ends_with(b"PAR1"));
    let beyond =
        app.get(FILINGS).key(&key).header("range", &format!("bytes={length}-")).send().await.expect(416);
    assert_eq!(beyond.header("content-range"), format!("bytes */{length}"));
}

#[tokio::test]
async fn heads_and_known_files_send_no_bytes() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    let head = app.request(Method::HEAD, FILINGS).key(&key).send().await.expect(200);
    let file = whole(&app, &key, "filings").await;
    assert_eq!(head.number("content-length"), file.body.len() as i64);
    assert_eq!(head.header("etag"), file.header("etag"));
    app.get(FILINGS).key(&key).header("if-none-match", file.header("etag")).send().await.expect(304);
}

#[tokio::test]
async fn a_new_edition_is_another_file() {
    let app =
        TestApp::start_with(|setup| setup.settings.poll_interval = std::time::Duration::from_millis(20))
            .await;
    let key = app.ample_key(Plan::Gold).await;
    let path = "/api/v1/export/selic?format=parquet";
    let old = whole(&app, &key, "selic").await.header("etag").to_owned();
    publish_selic(&app, "2026-11-02", "9.875").await;
    crate::app::soon(async || {
        let answer = app.request(Method::HEAD, path).key(&key).send().await.expect(200);
        answer.header("etag") != old
    })
    .await;
    let mixed = app.get(path).key(&key).header("range", "bytes=0-3").header("if-range", &old).send().await;
    assert!(!rows(&mixed.expect(200).body).is_empty(), "the whole new file, not a part of it");
}

#[tokio::test]
async fn one_request_pays_for_the_ranges_of_a_file() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    let part = async |range: &str| app.get(FILINGS).key(&key).header("range", range).send().await.expect(206);
    let head =
        app.request(Method::HEAD, FILINGS).key(&key).header("range", "bytes=0-0").send().await.expect(200);
    let left = head.number("x-ratelimit-remaining");
    assert!(head.number("content-length") < 1024 * 1024, "it pays for two megabytes");
    for _ in 0..32 {
        assert_eq!(part("bytes=0-0").await.number("x-ratelimit-remaining"), left);
    }
    assert_eq!(
        part("bytes=0-0").await.number("x-ratelimit-remaining"),
        left - 1,
        "little ranges are work, too"
    );
    assert_eq!(part("bytes=-8").await.number("x-ratelimit-remaining"), left - 1);
    let other = async || {
        app.get("/api/v1/export/cdi?format=parquet")
            .key(&key)
            .header("range", "bytes=-8")
            .send()
            .await
            .expect(206)
    };
    assert_eq!(other().await.number("x-ratelimit-remaining"), left - 2);
    for _ in 0..3 {
        let both = [part("bytes=-8").await, other().await];
        let remaining = both.map(|part| part.number("x-ratelimit-remaining"));
        assert_eq!(remaining, [left - 2; 2], "files that are read in turn are paid for each");
    }
    let usage = app.get("/api/v1/plans/usage").key(&key).send().await.expect(200).json();
    assert_eq!(usage["total"], 3, "{usage}");
}

#[tokio::test]
async fn files_are_whole_and_for_plans_with_exports() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for other in ["from=2026-01-01", "locale=en", "numbers=string", "category=x"] {
        let refused = app.get(&format!("{FILINGS}&{other}")).key(&key).send().await.expect(400);
        assert!(refused.text().contains("parquet") || other.starts_with("category"), "{}", refused.text());
    }
    let unknown = app.get("/api/v1/export/cdi?format=arrow").key(&key).send().await.expect(400);
    assert!(unknown.text().contains("ndjson, csv or parquet"));
    let accepted = app.get("/api/v1/export/cdi").key(&key).header("accept", "application/vnd.apache.parquet");
    assert_eq!(accepted.send().await.expect(200).header("content-type"), "application/vnd.apache.parquet");
    let bronze = app.ample_key(Plan::Bronze).await;
    app.get(FILINGS).key(&bronze).send().await.expect(403);
}
