//! `lastro replicas` of the real binary, and the settings a server needs when its database is not a file.

use serde_json::Value;

use super::Home;

fn listed(home: &Home) -> Vec<Value> {
    let text = home.must(&["replicas", "--json"]);
    serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
}

#[test]
fn the_operator_sees_running_and_stopped_replicas() {
    let home = Home::new();
    let first = home.serve(&["--replica-name", "recife-1"]);
    let second = home.serve(&["--replica-name", "natal 2"]);
    let mut names: Vec<String> =
        listed(&home).iter().map(|replica| replica["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["natal 2", "recife-1"]);
    for replica in listed(&home) {
        assert_eq!((&replica["alive"], &replica["version"]), (&true.into(), &lastro::VERSION.into()));
        assert_eq!(replica["commit"], lastro::COMMIT);
        assert_eq!(replica["behind"], Value::Array(Vec::new()));
        assert_eq!(replica["boot"].as_str().unwrap().len(), 16);
    }
    let table = home.must(&["replicas"]);
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.contains("recife-1") && table.contains("  yes  "), "{table}");
    assert!(table.contains(&format!("{}      {}", lastro::VERSION, lastro::COMMIT)), "{table}");
    assert_eq!(home.must(&["--version"]), format!("lastro {} ({})\n", lastro::VERSION, lastro::COMMIT));
    second.terminate();
    assert!(second.ended().0.success());
    assert_eq!(listed(&home).len(), 1, "who stops leaves");
    first.kill();
    assert_eq!(listed(&home).len(), 1, "who is killed cannot");
    let third = home.serve(&["--replica-name", "olinda"]);
    let names: Vec<Value> = listed(&home).iter().map(|replica| replica["name"].clone()).collect();
    assert_eq!(names, ["olinda"], "whoever is alone on the machine knows that the one before is dead");
    drop(third);
}

#[test]
fn listing_replicas_needs_a_database() {
    let home = Home::new();
    let finished = home.run(&["replicas"]);
    assert!(!finished.succeeded() && finished.stderr.contains("there is no database"), "{}", finished.stderr);
}

#[test]
fn a_replica_name_that_would_break_the_table_is_rejected() {
    let home = Home::new();
    for name in ["", "a\nb", &"x".repeat(101)] {
        assert!(home.refusal(&["--replica-name", name]).contains("--replica-name"));
    }
}

#[test]
fn a_non_file_database_needs_a_pepper_file() {
    let home = Home::new();
    let refusal = home.refusal(&["--database", "postgres://lastro:hunter2@127.0.0.1:1/lastro"]);
    assert!(refusal.contains("--pepper-file") && !refusal.contains("hunter2"), "{refusal}");
}
