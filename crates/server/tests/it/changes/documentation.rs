//! The clients of docs/changes.md, run unchanged if the machine has their languages.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use lastro_model::{Plan, Records, Source};
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

fn run(app: &TestApp, key: &str, program: &str, code: &str) -> Option<Child> {
    let mut command = Command::new(program);
    command.args(["-c", code]).stdout(Stdio::piped());
    command.env("LASTRO_URL", format!("http://{}", app.service.address)).env("LASTRO_API_KEY", key);
    command.env("NO_PROXY", "*").current_dir(app.directory.path()).spawn().ok()
}

/// The lines that a program writes, as they come.
fn lines(child: &mut Child) -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    lines
}

#[tokio::test]
async fn the_client_in_python_keeps_its_copy_true() {
    let (app, key) = app().await;
    let feed = "\nrows, cursor = export()\nprint(sorted(rows), flush=True)\n\
        for rows, cursor in follow(rows, cursor):\n    print(sorted(rows), flush=True)\n";
    let Some(mut client) = run(&app, &key, "python3", &format!("{}{feed}", example("python"))) else {
        return;
    };
    let mut lines = lines(&mut client);
    assert_eq!(lines.recv().await.unwrap(), "['1', '2']");
    put(&app, &[1, 3], false).await;
    assert_eq!(lines.recv().await.unwrap(), "['1', '3']");
    put(&app, &[5], true).await;
    assert_eq!(lines.recv().await.unwrap(), "['5']", "replaced");
    put(&app, &[5, 6], false).await;
    assert_eq!(lines.recv().await.unwrap(), "['5', '6']");
    client.kill().unwrap();
    client.wait().unwrap();
}

#[tokio::test]
async fn the_commands_with_curl_find_a_cursor_and_follow_it() {
    let (app, key) = app().await;
    let commands: Vec<&str> = example("sh").lines().collect();
    let again = commands[2..].join("\n").replace("wait=25", "wait=1");
    for commands in [commands[..2].join("\n"), again.clone(), again] {
        put(&app, &[1, 2, 3], false).await;
        let Some(mut client) = run(&app, &key, "sh", &commands) else { return };
        let done = tokio::task::spawn_blocking(move || client.wait()).await.unwrap().unwrap();
        assert!(done.success(), "{commands}");
    }
    let read = |file: &str| std::fs::read_to_string(app.directory.path().join(file)).unwrap();
    assert_eq!(read("filings.ndjson").lines().count(), 3);
    let pages: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&read("pages.ndjson"))
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(pages.len(), 2);
    assert_eq!(pages[1]["next"].as_str().unwrap(), read("cursor").trim());
}
