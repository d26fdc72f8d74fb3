//! Logs hold no secrets, even at the most verbose level.

use std::io::Write;
use std::sync::{Arc, Mutex};

use lastro_model::Plan;
use lastro_store::faulty::Operation;

use crate::app::{TestApp, soon, stray_key};
use crate::replicas::{ghost, lively};

#[derive(Debug, Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Captured {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn count(&self, sentence: &str) -> usize {
        self.text().matches(sentence).count()
    }
}

#[tokio::test]
async fn separate_counting_of_replicas_is_logged_once() {
    let captured = Captured::default();
    let writer = captured.clone();
    let logging = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _logging = tracing::subscriber::set_default(logging);
    let alone = "limits are counted by each replica alone: every client has 2 times its quota";
    let app = TestApp::start_with(lively).await;
    assert_eq!(captured.count(alone), 0, "one by itself counts everything");
    app.plain.beat(ghost(&app, "ghost")).await.unwrap();
    soon(async || captured.count(alone) == 1).await;
    for _ in 0..3 {
        app.service.app.operations.replicas.beat().await;
    }
    assert_eq!(captured.count(alone), 1, "not with every beat");
}

#[tokio::test]
async fn the_line_of_a_request_names_its_trace() {
    let captured = Captured::default();
    let writer = captured.clone();
    let logging = tracing_subscriber::fmt().with_ansi(false).with_max_level(tracing::Level::DEBUG);
    let _logging = tracing::subscriber::set_default(logging.with_writer(move || writer.clone()).finish());
    let app = TestApp::start().await;
    let ask = async |parent: &str| app.get("/health").header("traceparent", parent).send().await.expect(200);
    ask("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").await;
    assert_eq!(
        captured.count("trace_id=0af7651916cd43dd8448eb211c80319c parent_id=b7ad6b7169203331"),
        1,
        "{}",
        captured.text()
    );
    ask("00-ZZZ7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").await;
    assert_eq!((captured.count("answered"), captured.count("trace_id")), (2, 1), "{}", captured.text());
}

#[tokio::test]
async fn no_key_and_no_address_is_ever_logged() {
    let captured = Captured::default();
    let writer = captured.clone();
    let logging = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    logging.with_writer(move || writer.clone()).try_init().unwrap();
    let app = TestApp::start().await;

    let body = r#"{"name":"Quitéria Brandão","email":"quiteria@example.com"}"#;
    let registered = app.post("/api/v1/plans/register", body).send().await.expect(201).json();
    let page = app
        .post("/pricing", "name=Quit%C3%A9ria&email=quiteria%40example.com")
        .send()
        .await
        .expect(201)
        .text();
    let from_page = page[page.find("lastro_").unwrap()..][..54].to_owned();
    let (from_api, stray) = (registered["api_key"].as_str().unwrap().to_owned(), stray_key());
    let by_operator = app.key(Plan::Gold).await;
    for key in [&from_api, &from_page, &by_operator, &stray] {
        app.get("/api/v1/companies").key(key).send().await;
        app.get("/api/v1/plans/usage").header("authorization", &format!("Bearer {key}")).send().await;
        app.get(&format!("/api/v1/market/selic?api_key={key}")).send().await.expect(400);
        app.get(&format!("/api/v1/nothing/{key}")).send().await.expect(404);
    }
    app.faults.fail_next(Operation::InsertKey);
    app.post("/api/v1/plans/register", body).send().await.expect(503);
    app.faults.fail_next(Operation::Key);
    app.get("/api/v1/companies").key(&stray_key()).send().await.expect(503);
    over_http_2(&app, &from_api).await;
    app.service.stop().await.unwrap();

    let log = captured.text();
    assert!(log.contains("answered") && log.contains("SAMPLE") && log.contains("the store failed a request"));
    for key in [&from_api, &from_page, &by_operator, &stray] {
        assert!(!log.contains(&key[16..48]), "a secret was logged");
    }
    for person in ["quiteria", "Quitéria", "Brand", "test@example.com"] {
        assert!(!log.contains(person), "{person} was logged");
    }
}

async fn over_http_2(app: &TestApp, key: &str) {
    let client = crate::app::client().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/api/v1/market/overview", app.service.address);
    let answer = client.get(url).header("x-api-key", key).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
}
