//! The clients of docs/changes.md, run unchanged if the machine has their languages, while the service restarts.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use lastro_model::{Plan, Records, Source};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::{filing, in_service, prompt, publish};
use crate::app::TestApp;

const PAGE: &str = include_str!("../../../../../docs/changes.md");

/// The first block of the page in this language.
fn example(language: &str) -> &'static str {
    let start = PAGE.split_once(&format!("```{language}\n")).expect("an example").1;
    start.split_once("```").expect("its end").0
}

async fn app() -> (TestApp, String) {
    let app = TestApp::start_with(prompt).await;
    let key = app.ample_key(Plan::Gold).await;
    put(&app, &[1, 2], true).await;
    (app, key)
}

async fn put(app: &TestApp, ids: &[u64], replace: bool) {
    let rows = ids.iter().map(|id| filing(*id, 7, "Ata", "texto")).collect();
    publish(&*app.plain, app.timestamp(), Source::Filings, Records::Filings(rows), replace).await;
    in_service(app).await;
}

/// An address that stays the same while the service behind it restarts.
struct Front {
    address: SocketAddr,
    service: Arc<Mutex<Option<SocketAddr>>>,
}

impl Front {
    async fn of(app: &TestApp) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, service) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(None)));
        let front = Self { address, service: Arc::clone(&service) };
        front.lead_to(Some(app));
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let Some(service) = *service.lock() else { continue };
                tokio::spawn(async move {
                    let mut service = TcpStream::connect(service).await?;
                    tokio::io::copy_bidirectional(&mut client, &mut service).await
                });
            }
        });
        front
    }

    fn lead_to(&self, app: Option<&TestApp>) {
        *self.service.lock() = app.map(|app| app.service.address);
    }

    fn run(&self, app: &TestApp, key: &str, program: &str, code: &str) -> Option<Child> {
        let mut command = Command::new(program);
        command.args(["-c", code]).stdout(Stdio::piped());
        command.env("LASTRO_URL", format!("http://{}", self.address)).env("LASTRO_API_KEY", key);
        command.env("NO_PROXY", "*").current_dir(app.directory.path()).spawn().ok()
    }
}

/// The lines that a program writes, as they come.
fn lines(child: &mut Child) -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    lines
}

/// Waits for a line. The client may write the same rows several times.
async fn expect(lines: &mut mpsc::UnboundedReceiver<String>, line: &str) {
    let coming = async { while lines.recv().await.expect("the client ended") != line {} };
    let came = tokio::time::timeout(Duration::from_secs(30), coming).await;
    assert!(came.is_ok(), "{line} does not come");
}

#[tokio::test]
async fn the_client_in_python_keeps_its_copy_true() {
    let (app, key) = app().await;
    let front = Front::of(&app).await;
    let feed = "\nrows, cursor = export()\nprint(sorted(rows), flush=True)\n\
        for rows, cursor in follow(rows, cursor):\n    print(sorted(rows), flush=True)\n";
    let Some(mut client) = front.run(&app, &key, "python3", &format!("{}{feed}", example("python"))) else {
        return;
    };
    let mut lines = lines(&mut client);
    expect(&mut lines, "['1', '2']").await;
    put(&app, &[1, 3], false).await;
    expect(&mut lines, "['1', '3']").await;
    front.lead_to(None);
    let app = app.restart_with(prompt).await;
    put(&app, &[1, 4], false).await;
    front.lead_to(Some(&app));
    expect(&mut lines, "['1', '4']").await;
    put(&app, &[5], true).await;
    expect(&mut lines, "['5']").await;
    front.lead_to(None);
    let app = app.restart_with(prompt).await;
    put(&app, &[5, 6], false).await;
    put(&app, &[5, 7], false).await;
    // Nothing older is in memory after another restart.
    let app = app.restart_with(prompt).await;
    app.plain.forget_changes(app.timestamp() + Duration::from_secs(1)).await.unwrap();
    front.lead_to(Some(&app));
    expect(&mut lines, "['5', '7']").await;
    client.kill().unwrap();
    client.wait().unwrap();
}

#[tokio::test]
async fn the_commands_with_curl_find_a_cursor_and_follow_it() {
    let (app, key) = app().await;
    let front = Front::of(&app).await;
    let script = example("sh").replace("wait=25", "wait=1").replace("sleep 5", "sleep 0");
    let step = async |app: &TestApp| {
        let Some(mut client) = front.run(app, &key, "sh", &script) else { return false };
        tokio::task::spawn_blocking(move || client.wait()).await.unwrap().unwrap().success()
    };
    if !step(&app).await {
        return;
    }
    let read = |app: &TestApp, file: &str| {
        let text = std::fs::read_to_string(app.directory.path().join(file)).unwrap();
        let pages: Vec<serde_json::Value> =
            serde_json::Deserializer::from_str(&text).into_iter().map_while(Result::ok).collect();
        (text, pages)
    };
    assert_eq!(read(&app, "filings.ndjson").1.len(), 2);
    put(&app, &[1, 2, 3], false).await;
    assert!(step(&app).await);
    front.lead_to(None);
    let before = read(&app, "cursor").0;
    assert!(step(&app).await, "out of service for a moment");
    assert_eq!(read(&app, "cursor").0, before);
    let pages = read(&app, "pages.ndjson").1;
    assert_eq!(pages.last().unwrap()["data"][0]["item"]["id"], "3");
    assert_eq!(pages.last().unwrap()["next"], before.trim());
    let app = app.restart_with(prompt).await;
    put(&app, &[1, 2], false).await;
    put(&app, &[1], false).await;
    // Nothing older is in memory after another restart.
    let app = app.restart_with(prompt).await;
    app.plain.forget_changes(app.timestamp() + Duration::from_secs(1)).await.unwrap();
    front.lead_to(Some(&app));
    assert!(step(&app).await, "too far behind");
    assert_eq!(read(&app, "filings.ndjson").1.len(), 1);
    assert_eq!(read(&app, "pages.ndjson").1.len(), 0);
    put(&app, &[1, 8], false).await;
    assert!(step(&app).await);
    assert_eq!(read(&app, "pages.ndjson").1[0]["data"][0]["item"]["id"], "8");
}
