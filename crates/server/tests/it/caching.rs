//! Tags, short responses to clients that hold the body already, and compression.

use std::path::Path;

use lastro_model::{Plan, Series, Source};
use tempfile::TempDir;

use crate::app::{START_UNIX_MS, TestApp, soon};
use crate::faults::publish_selic;

const SELIC: &str = "/api/v1/market/selic?limit=100";

#[tokio::test]
async fn a_matching_tag_gets_a_304_and_costs_one_unit() {
    let app = TestApp::start().await;
    let key = app.key(Plan::Gold).await;
    let paths =
        [SELIC, "/api/v1/companies", "/api/v1/filings/9000000", "/api/v1/search?q=energia", "/api/v1/plans"];
    for path in paths {
        let first = app.get(path).key(&key).send().await.expect(200);
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{path}: {tag}");
        for held in [
            tag.clone(),
            format!("\"other\", {tag}"),
            tag.trim_start_matches("W/").to_owned(),
            "*".to_owned(),
        ] {
            let left = app.get(path).key(&key).send().await.expect(200).number("x-ratelimit-remaining");
            let short = app.get(path).key(&key).header("if-none-match", &held).send().await.expect(304);
            assert!(short.body.is_empty(), "{path}");
            assert_eq!(
                (short.header("etag"), short.number("x-ratelimit-remaining")),
                (tag.as_str(), left - 1)
            );
            assert_eq!(short.header("cache-control"), first.header("cache-control"));
        }
        for other in ["\"other\"", "W/\"\"", "", "nonsense"] {
            app.get(path).key(&key).header("if-none-match", other).send().await.expect(200);
        }
    }
}

/// Copies the database files, while no process has them open.
fn copy_database(from: &Path, to: &Path) {
    for name in ["lastro.db", "lastro.db.accounts"] {
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

#[tokio::test]
async fn tags_from_before_a_restored_backup_do_not_match() {
    let (app, backup) = (TestApp::start().await, TempDir::new().unwrap());
    let key = app.ample_key(Plan::Gold).await;
    let app = app.restart_at(START_UNIX_MS, |files| copy_database(files, backup.path())).await;
    let paths = ["/api/v1/market/selic/current", "/api/v1/market/overview", "/api/v1/export/selic"];
    let published = async |app: &TestApp, value: &str| {
        publish_selic(app, "2026-11-02", value).await;
        let current = async || app.get(paths[0]).key(&key).send().await.expect(200).text();
        soon(async || current().await.contains(value)).await;
        app.plain.counters().await.unwrap().edition(Source::Series(Series::Selic))
    };
    let edition = published(&app, "9.5").await;
    let mut tags = Vec::new();
    for path in paths {
        tags.push(app.get(path).key(&key).send().await.expect(200).header("etag").to_owned());
    }

    let app = app.restart_at(START_UNIX_MS, |files| copy_database(backup.path(), files)).await;
    app.advance_seconds(1);
    assert_eq!(published(&app, "8.75").await, edition, "the numbers repeat");
    for (path, tag) in paths.into_iter().zip(&tags) {
        app.get(path).key(&key).header("if-none-match", tag).send().await.expect(200);
    }
}

#[tokio::test]
async fn tags_differ_by_plan_and_edition() {
    let app = TestApp::start().await;
    let (free, gold) = (app.ample_key(Plan::Free).await, app.ample_key(Plan::Gold).await);
    let tag = app.get(SELIC).key(&free).send().await.expect(200).header("etag").to_owned();
    let cdi = app.get("/api/v1/market/cdi").key(&free).send().await.expect(200).header("etag").to_owned();
    app.get(SELIC).key(&gold).header("if-none-match", &tag).send().await.expect(200);
    publish_selic(&app, "2026-11-02", "9.5").await;
    soon(async || app.get(SELIC).key(&free).header("if-none-match", &tag).send().await.status == 200).await;
    let other = app.get(SELIC).key(&free).send().await.expect(200);
    assert_ne!(other.header("etag"), tag);
    // The tag of unchanged data still matches.
    app.get("/api/v1/market/cdi").key(&free).header("if-none-match", &cdi).send().await.expect(304);
}

#[tokio::test]
async fn tags_of_another_database_do_not_match() {
    let (one, other) = (TestApp::start().await, TestApp::start().await);
    let tag = one.get(SELIC).send().await.expect(200).header("etag").to_owned();
    other.get(SELIC).header("if-none-match", &tag).send().await.expect(200);
}

#[tokio::test]
async fn failures_and_private_responses_have_no_tag() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Free).await;
    for path in ["/api/v1/nothing", "/api/v1/companies", "/api/v1/market/selic?limit=0"] {
        let answer = app.get(path).key(&key).header("if-none-match", "*").send().await;
        assert!(answer.status >= 400 && answer.header("etag").is_empty(), "{path}");
    }
    let usage =
        app.get("/api/v1/plans/usage").key(&key).header("if-none-match", "*").send().await.expect(200);
    assert_eq!((usage.header("cache-control"), usage.header("etag")), ("no-store", ""));
}

#[tokio::test]
async fn bodies_survive_every_content_coding() {
    let app = TestApp::start().await;
    let key = app.ample_key(Plan::Gold).await;
    for path in [
        "/api/v1/filings?limit=200",
        "/docs/openapi.yaml",
        "/pricing",
        "/assets/lastro.css",
        "/docs/assets/scalar.js",
    ] {
        let plain = app.get(path).key(&key).send().await.expect(200);
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        for coding in ["gzip", "br", "zstd"] {
            let packed = app.get(path).key(&key).header("accept-encoding", coding).send().await.expect(200);
            assert_eq!(packed.plain(), plain.body, "{path} {coding}");
            assert_eq!(packed.header("content-encoding"), coding, "{path}");
            assert!(packed.body.len() < plain.body.len() / 2, "{path} {coding}");
            assert_eq!(packed.header("etag"), plain.header("etag"));
            assert!(packed.header("vary").contains("Accept-Encoding"));
        }
        let browser =
            app.get(path).key(&key).header("accept-encoding", "gzip, deflate, br, zstd").send().await;
        assert_eq!(browser.expect(200).plain(), plain.body, "{path}");
        let none =
            app.get(path).key(&key).header("accept-encoding", "gzip;q=0, identity").send().await.expect(200);
        assert_eq!((none.header("content-encoding"), &none.body), ("", &plain.body), "{path}");
    }
    let short =
        app.get("/api/v1/market/selic/current").header("accept-encoding", "gzip").send().await.expect(200);
    assert_eq!(short.header("content-encoding"), "");
}
