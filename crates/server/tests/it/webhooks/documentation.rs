//! The examples of the documentation, run unchanged if the machine has their languages.

use std::io::Write;
use std::process::{Command, Stdio};

use lastro_background::clock::SystemClock;
use lastro_background::webhooks::signature::{Secret, header};
use lastro_model::{Clock, MessageId};
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../../../docs/webhooks.md");

/// The first block of the page in this language.
fn example(language: &str) -> &'static str {
    let start = PAGE.split_once(&format!("```{language}\n")).expect("an example").1;
    start.split_once("```").expect("its end").0
}

/// Messages, and whether they must verify.
fn cases() -> Vec<(Value, bool)> {
    let (new, old) = (Secret::new([1; 32]), Secret::new([2; 32]));
    let id = MessageId::from_random([7; 12]);
    let body = r#"{"type":"ping","text":"ação 𝛑"}"#;
    let now = SystemClock::start().now().unix_seconds();
    let case = |secret: &Secret, at: i64, signature: String, body: &str| {
        let headers = json!({ "webhook-id": id.as_str(), "webhook-timestamp": at.to_string(), "webhook-signature": signature });
        json!({ "secret": secret.reveal(), "headers": headers, "body": body })
    };
    let signed = |secrets: &[Secret], at| header(secrets, &id, at, body);
    let both = signed(&[new.clone(), old.clone()], now);
    vec![
        (case(&new, now, signed(std::slice::from_ref(&new), now), body), true),
        (case(&new, now, both.clone(), body), true),
        (case(&old, now, both.clone(), body), true),
        (case(&new, now, signed(std::slice::from_ref(&old), now), body), false),
        (case(&new, now, both, "{}"), false),
        (case(&new, now - 1, signed(std::slice::from_ref(&new), now), body), false),
        (case(&new, now - 900, signed(std::slice::from_ref(&new), now - 900), body), false),
        (case(&new, now + 900, signed(std::slice::from_ref(&new), now + 900), body), false),
    ]
}

/// Runs an example with a line that feeds it all cases, and compares the results with the expected ones.
fn check(program: &str, flag: &str, language: &str, feed: &str) {
    let code = format!("{}\n{feed}", example(language));
    let mut command = Command::new(program);
    command.args([flag, &code]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return };
    let (asked, expected): (Vec<Value>, Vec<bool>) = cases().into_iter().unzip();
    child.stdin.take().unwrap().write_all(json!(asked).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(serde_json::from_slice::<Vec<bool>>(&output.stdout).unwrap(), expected, "{program}");
}

#[test]
fn the_example_in_python_verifies() {
    let feed = "import json, sys\n\
        print(json.dumps([verify(c['secret'], c['headers'], c['body'].encode()) for c in json.load(sys.stdin)]))";
    check("python3", "-c", "python", feed);
}

#[test]
fn the_example_in_javascript_verifies() {
    let feed = "const cases = JSON.parse(require('fs').readFileSync(0));\n\
        console.log(JSON.stringify(cases.map((c) => verify(c.secret, c.headers, Buffer.from(c.body)))));";
    check("node", "-e", "js", feed);
}

#[test]
fn the_page_states_the_actual_schedule() {
    let hours_and_less = "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h";
    assert!(PAGE.contains(hours_and_less));
    let seconds: Vec<i64> =
        lastro_background::webhooks::schedule::RETRIES.iter().map(jiff::SignedDuration::as_secs).collect();
    assert_eq!(seconds, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    for event in lastro_model::WebhookEvent::offered() {
        assert!(PAGE.contains(&format!("`{event}`")), "{event}");
    }
}
