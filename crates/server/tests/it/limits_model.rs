//! Random request sequences of one client, predicted by a model small enough to be believed.

use std::time::Duration;

use lastro_access::terms;
use lastro_model::Plan;
use proptest::prelude::*;

use crate::app::{TestApp, id_of, stray_key};

const ANY: &str = "/api/v1/market/selic/current";

#[derive(Debug, Clone)]
enum Step {
    /// Number of calls with the key.
    Call(u8),
    /// Number of calls with an unknown key.
    BadKey(u8),
    Anonymous(u8),
    Wait(u64),
    MoveTo(Plan),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1u8..24).prop_map(Step::Call),
        1 => (1u8..12).prop_map(Step::BadKey),
        2 => (1u8..12).prop_map(Step::Anonymous),
        3 => (1u64..45_000).prop_map(Step::Wait),
        1 => prop::sample::select(vec![Plan::Free, Plan::Bronze]).prop_map(Step::MoveTo),
    ]
}

/// The time of every admitted request.
#[derive(Debug, Default)]
struct Window(Vec<u64>);

impl Window {
    /// Whether a request is admitted, and the quota remaining after it.
    fn take(&mut self, limit: u32, now_ms: u64) -> (bool, i64) {
        self.0.retain(|at| now_ms - at < 60_000);
        let admitted = self.0.len() < limit as usize;
        if admitted {
            self.0.push(now_ms);
        }
        (admitted, (i64::from(limit) - self.0.len() as i64).max(0))
    }
}

/// One client of a running service, and the model's state for it.
#[derive(Debug)]
struct Life {
    app: TestApp,
    key: String,
    plan: Plan,
    now_ms: u64,
    by_key: Window,
    by_address: Window,
}

impl Life {
    async fn begin() -> Self {
        let app = TestApp::start().await;
        let key = app.key(Plan::Free).await;
        Self {
            app,
            key,
            plan: Plan::Free,
            now_ms: 0,
            by_key: Window::default(),
            by_address: Window::default(),
        }
    }

    async fn live_through(&mut self, step: &Step) {
        match *step {
            Step::Wait(ms) => {
                self.now_ms += ms;
                self.app.advance(Duration::from_millis(ms));
            }
            Step::MoveTo(plan) => self.move_to(plan).await,
            Step::Call(times) => self.call(times).await,
            Step::BadKey(times) => self.call_without_key(times, Some(stray_key())).await,
            Step::Anonymous(times) => self.call_without_key(times, None).await,
        }
    }

    async fn move_to(&mut self, plan: Plan) {
        let access = &self.app.service.app.access;
        let records = access.store.set_plan(id_of(&self.key), plan, None).await.unwrap();
        records.into_iter().for_each(|record| access.keys.upsert(record, 0));
        self.plan = plan;
    }

    async fn call(&mut self, times: u8) {
        for _ in 0..times {
            let (admitted, left) = self.by_key.take(terms(self.plan).requests_per_minute, self.now_ms);
            let answer =
                self.app.get(ANY).key(&self.key).send().await.expect(if admitted { 200 } else { 429 });
            assert_eq!(answer.number("x-ratelimit-remaining"), left);
            assert_eq!(answer.header("x-plan"), self.plan.id());
        }
    }

    async fn call_without_key(&mut self, times: u8, bad_key: Option<String>) {
        for _ in 0..times {
            let (admitted, left) = self.by_address.take(30, self.now_ms);
            let (asking, served) = match &bad_key {
                Some(key) => (self.app.get(ANY).key(key), 401),
                None => (self.app.get(ANY), 200),
            };
            let answer = asking.send().await.expect(if admitted { served } else { 429 });
            assert_eq!(answer.number("x-ratelimit-remaining"), left);
        }
    }
}

#[test]
fn every_response_matches_the_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ProptestConfig {
        cases: 4,
        failure_persistence: None,
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    };
    proptest!(config, |(steps in prop::collection::vec(any_step(), 8..20))| {
        runtime.block_on(async {
            let mut life = Life::begin().await;
            for step in &steps {
                life.live_through(step).await;
            }
        });
    });
}
