//! `lastro sync` on bad days of the publishers: it fails with a status and a reason, and changes nothing else.

use lastro_model::{Day, Source};

use super::sync::today;
use super::{Home, Running};
use crate::publisher::{BadDay, Publisher, PublisherData, at_the_source, on_the_way, without_end};
use crate::sync::EVERYTHING;

/// Enough for a busy machine.
const PATIENT: &str = "1500ms";
/// Enough for a response of these publishers. It elapses twice for one that never ends.
const IMPATIENT: &str = "400ms";

struct Scene {
    home: Home,
    publisher: Publisher,
    server: Running,
    key: String,
    since: String,
}

impl Scene {
    /// A server that shows the data of a good day.
    async fn set() -> Self {
        let (home, publisher) = (Home::new(), Publisher::on(today()));
        let since = (today().year() - 1).to_string();
        let finished = home.sync(&publisher, &["--since", &since]);
        assert!(finished.succeeded(), "{}", finished.stderr);
        let server = home.serve(&[]);
        let key = home.new_key("gold", &["--rate-limit", "100000"]);
        Self { home, publisher, server, key, since }
    }

    async fn everything(&self, server: &Running) -> Vec<(u16, serde_json::Value)> {
        let mut answers = Vec::new();
        for path in EVERYTHING {
            answers.push(server.get(path, Some(&self.key)).await);
        }
        answers
    }

    /// Synchronises what the round strikes, and some sources that it does not.
    fn synchronise_on(&self, round: &[BadDay], timeout: &str) {
        let is_struck = |source: &Source| round.iter().any(|bad_day| bad_day.source == *source);
        let others = Source::ALL.into_iter().filter(|source| !is_struck(source)).step_by(12);
        let asked: Vec<Source> = Source::ALL.into_iter().filter(is_struck).chain(others).collect();
        let names = asked.iter().map(|source| source.name()).collect::<Vec<_>>().join(",");
        let flags = ["--sync-attempts", "2", "--sync-pause", "1ms", "--sync-timeout", timeout];
        let flags = [&["--since", &self.since, "--source", &names], &flags[..]].concat();
        let finished = self.home.sync(&self.publisher, &flags);
        assert_eq!(finished.status.code(), Some(1), "{}: {}", round[0].name, finished.stdout);
        let last = format!("{} of {} sources could not be synchronised", round.len(), asked.len());
        assert!(finished.stderr.contains(&last), "{}", finished.stderr);
        for row in finished.stdout.lines().skip(1) {
            let source = row.split_whitespace().next();
            let struck = round.iter().find(|bad_day| source == Some(bad_day.source.name()));
            match struck {
                Some(BadDay { name, told, .. }) => {
                    let clear = row.contains(" failed after ") && row.contains(told) && row.len() < 300;
                    assert!(clear, "{name}: {row}");
                }
                None => assert!(!row.contains("failed"), "{}: {row}", round[0].name),
            }
        }
    }
}

/// Checks that no round changes a response, of the running server or of one started after them all.
async fn endure(timeout: &str, rounds: impl FnOnce(&PublisherData, Day) -> Vec<Vec<BadDay>>) {
    let scene = Scene::set().await;
    let (held, before) = (scene.publisher.publisher_data(), scene.everything(&scene.server).await);
    for round in rounds(&held, today()) {
        round.iter().for_each(|bad_day| bad_day.strike(&scene.publisher, today()));
        scene.synchronise_on(&round, timeout);
        assert!(scene.everything(&scene.server).await == before, "{}: an answer changed", round[0].name);
        scene.publisher.restore(&held);
    }
    assert!(scene.everything(&scene.home.serve(&[])).await == before);
}

#[tokio::test]
async fn invalid_responses_are_reported_and_change_nothing() {
    endure(PATIENT, |_, today| on_the_way(today)).await;
}

#[tokio::test]
async fn implausible_data_is_reported_and_changes_nothing() {
    endure(PATIENT, at_the_source).await;
}

#[tokio::test]
async fn endless_responses_are_abandoned() {
    endure(IMPATIENT, |_, today| without_end(today)).await;
}

#[test]
fn implausible_values_are_accepted_with_the_accept_flag() {
    let (home, publisher) = (Home::new(), Publisher::on(today()));
    assert!(home.sync(&publisher, &["--source", "selic,cdi"]).succeeded());
    publisher.change(|publisher_data| {
        for code in [432, 4389] {
            let (_, newest) = publisher_data.series.get_mut(&code).unwrap().iter_mut().next_back().unwrap();
            *newest = "150.00".into();
        }
    });
    let finished = home.sync(&publisher, &["--source", "selic,cdi", "--accept", "selic", "--verbose"]);
    assert!(finished.succeeded(), "{}", finished.stdout);
    let columns = |source: &str| -> Vec<&str> {
        let row = finished.stdout.lines().find(|line| line.starts_with(source)).unwrap();
        row.split_whitespace().collect()
    };
    let header = ["SOURCE", "ADDED", "CHANGED", "REJECTED", "WITHHELD", "NEWEST", "SECONDS"];
    assert_eq!(columns("SOURCE"), header);
    assert_eq!(columns("selic")[1..5], ["0", "1", "0", "0"]);
    assert_eq!(columns("cdi")[1..5], ["0", "0", "0", "1"]);
    let listed = finished.stdout.lines().last().unwrap();
    assert!(listed.starts_with("cdi: ") && listed.contains("its value is 150.00 where"), "{listed}");
    assert!(finished.stderr.contains("accepted at the operator's request"), "{}", finished.stderr);
    assert_eq!(finished.stderr.matches("withheld: its value is 150.00").count(), 1, "{}", finished.stderr);
    let again = home.sync(&publisher, &["--source", "cdi"]);
    assert!(!again.stderr.contains("withheld: its value"), "told once: {}", again.stderr);
    let stray = home.sync(&publisher, &["--source", "cdi", "--accept", "selic"]);
    assert!(stray.stderr.contains("--accept names selic"), "{}", stray.stderr);
}
