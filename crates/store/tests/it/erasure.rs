//! An erased person is gone from the bytes of the files, not only from the replies.

use std::path::Path;

use lastro_model::{KeyDigest, NewKey, Plan, WebhookEvent};
use lastro_store::Store;
use proptest::prelude::*;

use crate::conformance::Place;
use crate::specimen::*;
use crate::sqlite::TemporaryFile;

fn person(number: u32) -> NewKey {
    let mut key = new_key(number);
    // Names vary in length, so that rows move when they change.
    key.account.name = format!("Pessoa {number:05} {}", "x".repeat(number as usize * 7 % 90));
    key.account.email = format!("pessoa{number:05}@example.com");
    key
}

/// All bytes of all files in the directory.
fn bytes(directory: &Path) -> Vec<u8> {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| std::fs::read(path).unwrap()).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn is_gone(bytes: &[u8], number: u32) -> bool {
    !holds(bytes, &format!("Pessoa {number:05}")) && !holds(bytes, &format!("pessoa{number:05}@"))
}

#[tokio::test]
async fn no_file_holds_the_name_or_address_of_an_erased_person() {
    let place = TemporaryFile::new();
    let (store, other) = (place.open().await, place.open().await);
    for number in 1..=3 {
        store.insert_key(person(number)).await.unwrap();
    }
    store.set_plan(key_id(2), Plan::Platinum, Some(Some(1_000_000))).await.unwrap();
    store.rotate(key_id(2), key_id(22), KeyDigest([3; 32]), at(10), at(20)).await.unwrap();
    let mut webhook = webhook(1, 2, &[WebhookEvent::FxUpdated]);
    webhook.url = "https://pessoal.example/entrada".to_owned();
    other.insert_webhook(webhook.clone(), 10).await.unwrap();
    other.record_delivery(message(1, &webhook.id), settlement_attempt(), true).await.unwrap();
    assert!(!is_gone(&bytes(place.directory()), 2));

    assert!(store.erase(key_id(22), at(30)).await.unwrap().wiped);
    let left = bytes(place.directory());
    assert!(is_gone(&left, 2) && !holds(&left, "pessoal.example"));
    assert!(!is_gone(&left, 1) && !is_gone(&left, 3), "the others stay");
}

#[derive(Debug, Clone)]
enum Step {
    Register,
    Move(usize, Plan, Option<u32>),
    Erase(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let plan = prop::sample::select(Plan::ALL.to_vec());
    let limit = prop_oneof![Just(None), Just(Some(5)), Just(Some(100_000_000))];
    prop_oneof![
        6 => Just(Step::Register),
        4 => (any::<prop::sample::Index>(), plan, limit).prop_map(|(at, plan, limit)| Step::Move(at.index(1000), plan, limit)),
        1 => any::<prop::sample::Index>().prop_map(|at| Step::Erase(at.index(1000))),
    ]
}

async fn run(store: &dyn Store, steps: Vec<Step>) -> (Vec<u32>, Vec<u32>) {
    let (mut held, mut erased) = (Vec::new(), Vec::new());
    for (number, step) in (1..).zip(steps) {
        match step {
            Step::Register => {
                store.insert_key(person(number)).await.unwrap();
                held.push(number);
            }
            Step::Move(_, _, _) | Step::Erase(_) if held.is_empty() => {}
            Step::Move(place, plan, limit) => {
                store.set_plan(key_id(held[place % held.len()]), plan, Some(limit)).await.unwrap();
            }
            Step::Erase(place) => {
                let gone = held.swap_remove(place % held.len());
                assert!(store.erase(key_id(gone), at(0)).await.unwrap().wiped);
                erased.push(gone);
            }
        }
    }
    (held, erased)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn erased_people_are_gone_and_others_stay(
        steps in prop::collection::vec(step(), 100..300),
    ) {
        let place = TemporaryFile::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (held, erased) = runtime.block_on(async {
            let store = place.open().await;
            run(&*store, steps).await
        });
        let left = bytes(place.directory());
        prop_assert!(erased.iter().all(|number| is_gone(&left, *number)));
        prop_assert!(held.iter().all(|number| !is_gone(&left, *number)));
    }
}
