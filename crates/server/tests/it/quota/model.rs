//! Random request sequences of a client, spread over two replicas and predicted by counting.

use lastro_access::terms;
use lastro_model::Plan;
use proptest::prelude::*;

use super::Fleet;
use super::redis::Redis;
use crate::app::{id_of, stray_key};

const ANY: &str = "/api/v1/market/selic/current";

#[derive(Debug, Clone)]
enum Step {
    Call(u8),
    BadKey(u8),
    Anonymous(u8),
    MoveTo(Plan),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1u8..24).prop_map(Step::Call),
        1 => (1u8..12).prop_map(Step::BadKey),
        2 => (1u8..12).prop_map(Step::Anonymous),
        1 => prop::sample::select(vec![Plan::Free, Plan::Bronze]).prop_map(Step::MoveTo),
    ]
}

struct Life {
    fleet: Fleet,
    key: String,
    plan: Plan,
    by_key: i64,
    by_address: i64,
}

impl Life {
    async fn live_through(&mut self, step: &Step) {
        match *step {
            Step::MoveTo(plan) => self.move_to(plan).await,
            Step::Call(times) => {
                let limit = i64::from(terms(self.plan).requests_per_minute);
                for _ in 0..times {
                    let (status, left) = take(&mut self.by_key, limit, 200);
                    let answer = self.fleet.get(ANY).key(&self.key).send().await.expect(status);
                    assert_eq!(answer.number("x-ratelimit-remaining"), left);
                }
            }
            Step::BadKey(times) => self.call_without_key(times, Some(stray_key())).await,
            Step::Anonymous(times) => self.call_without_key(times, None).await,
        }
    }

    async fn move_to(&mut self, plan: Plan) {
        let store = &self.fleet.apps[0].service.app.access.store;
        let records = store.set_plan(id_of(&self.key), plan, None).await.unwrap();
        for keys in self.fleet.keys() {
            records.iter().for_each(|record| keys.upsert(record.clone(), 0));
        }
        self.plan = plan;
    }

    async fn call_without_key(&mut self, times: u8, bad_key: Option<String>) {
        for _ in 0..times {
            let (asking, served) = match &bad_key {
                Some(key) => (self.fleet.get(ANY).key(key), 401),
                None => (self.fleet.get(ANY), 200),
            };
            let (status, left) = take(&mut self.by_address, 30, served);
            let answer = asking.send().await.expect(status);
            assert_eq!(answer.number("x-ratelimit-remaining"), left);
        }
    }
}

/// The status of the next response, and the quota remaining after it. Nothing expires during a test.
fn take(used: &mut i64, limit: i64, served: u16) -> (u16, i64) {
    let is_admitted = *used < limit;
    *used += i64::from(is_admitted);
    (if is_admitted { served } else { 429 }, (limit - *used).max(0))
}

#[test]
fn every_response_of_any_replica_matches_the_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ProptestConfig {
        cases: 3,
        failure_persistence: None,
        max_shrink_iters: 10,
        ..ProptestConfig::default()
    };
    proptest!(config, |(steps in prop::collection::vec(any_step(), 8..16))| {
        runtime.block_on(async {
            let redis = Redis::shared();
            let fleet = Fleet::start(&redis, 2).await;
            let key = fleet.apps[0].key(Plan::Free).await;
            let mut life = Life { fleet, key, plan: Plan::Free, by_key: 0, by_address: 0 };
            for step in &steps {
                life.live_through(step).await;
            }
        });
    });
}
