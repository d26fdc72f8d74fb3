//! Random histories: whatever happens to subscriptions and events, the plan is what the subscription says.

use std::sync::Arc;

use lastro_model::Plan;
use lastro_store::Store;
use lastro_store::faulty::{FaultyStore, Operation};
use serde_json::Value;

use super::stripe::{State, Stripe, Subscription, Trouble};
use super::{deliver, event, is_ready, plan, plan_name, switch_on};
use crate::app::{START_UNIX_MS, TestApp, id_of, soon};
use crate::process::migrate::Server;
use crate::replicas::lively;

pub(crate) const STATUSES: [&str; 8] =
    ["trialing", "active", "past_due", "incomplete", "incomplete_expired", "unpaid", "paused", "canceled"];
pub(crate) const PRICES: [&str; 3] = ["price_bronze", "price_gold", "price_platinum"];
/// A price that no plan has.
const STRANGE_PRICE: &str = "price_stranger";
const LIVE: [&str; 3] = ["trialing", "active", "past_due"];

/// Histories for each engine; `LASTRO_BILLING_HISTORIES` sets another number.
pub(crate) fn histories() -> u64 {
    std::env::var("LASTRO_BILLING_HISTORIES").map_or(10, |number| number.parse().unwrap())
}

/// The plan that the subscriptions of an account give; `None` leaves it as it was. Stated anew, on purpose.
pub(crate) fn promised(state: &State, account: &str) -> Option<&'static str> {
    let own = || state.subscriptions.values().filter(|subscription| subscription.account == account);
    let live = own().filter(|found| LIVE.contains(&found.status));
    let highest = live.filter_map(|found| PRICES.iter().position(|price| *price == found.price)).max();
    match highest {
        Some(place) => Some(plan_name(PRICES[place])),
        None if own().any(|found| found.status == "incomplete") => None,
        None if own().any(|found| LIVE.contains(&found.status)) => None,
        None => own().next().map(|_| "free"),
    }
}

/// Whether a subscription may still be charged.
pub(crate) fn is_running(subscription: &Subscription) -> bool {
    !["canceled", "incomplete_expired"].contains(&subscription.status)
}

struct History<'a> {
    replicas: [&'a TestApp; 2],
    faults: [&'a FaultyStore; 2],
    stripe: &'a Stripe,
    key: String,
    /// Addresses given out.
    given: Vec<String>,
    pending: Vec<Value>,
    /// The plans that the account may have: that of the last check, and those that were promised since. An event makes
    /// any of them the current one.
    possible: Vec<String>,
    random: fastrand::Rng,
}

impl History<'_> {
    fn account(&self) -> String {
        id_of(&self.key).to_string()
    }

    async fn step(&mut self) {
        let place = self.random.usize(..2);
        if self.random.u8(..) < 40 {
            self.make_trouble();
        }
        if self.random.u8(..) < 30 {
            let operations =
                [Operation::RecordBilling, Operation::FindBilling, Operation::RememberBillingEvent];
            self.faults[place].fail_next(operations[self.random.usize(..3)]);
        }
        match self.random.u8(..10) {
            0..2 => self.open_checkout(place).await,
            2..4 => self.pay(),
            4..7 => self.change(),
            7 => self.drop_event(),
            _ => self.deliver_some(place).await,
        }
        self.stripe.state().trouble.clear();
        self.collect_events();
        let promised = promised(&self.stripe.state(), &self.account());
        self.possible.extend(promised.map(str::to_owned));
    }

    /// Most calls are made twice, so that only two troubles in a row are a failure. Waiting for nothing takes a second.
    fn make_trouble(&mut self) {
        const OFTEN: [Trouble; 5] = [
            Trouble::Status(500),
            Trouble::Status(429),
            Trouble::Status(409),
            Trouble::Page(404),
            Trouble::Cut,
        ];
        let rarely = [Trouble::Silence, Trouble::LostAnswer];
        let troubles: &[Trouble] = if self.random.u8(..8) == 0 { &rarely } else { &OFTEN };
        let chosen: Vec<Trouble> = (0..3).filter_map(|_| self.random.choice(troubles).copied()).collect();
        self.stripe.trouble(chosen);
    }

    async fn open_checkout(&mut self, place: usize) {
        let plan = plan_name(PRICES[self.random.usize(..3)]);
        let body = format!(r#"{{"plan":"{plan}"}}"#);
        let answer = self.replicas[place].post("/api/v1/billing/checkout", body).key(&self.key).send().await;
        // 429: more than ten in ten minutes.
        assert!([201, 429, 503].contains(&answer.status), "{}", answer.status);
        if let Some(id) = answer.json()["url"].as_str().and_then(|url| url.split("/c/").nth(1)) {
            self.given.push(id.to_owned());
        }
    }

    /// The visitor pays any of the addresses that they were ever given.
    fn pay(&mut self) {
        if let Some(id) = self.random.choice(&self.given) {
            let status = if self.random.bool() { "active" } else { "incomplete" };
            self.stripe.state().complete(id, status);
        }
        let (state, account) = (self.stripe.state(), self.account());
        let own = state.subscriptions.values().filter(|found| found.account == account && is_running(found));
        assert!(own.count() <= 1, "paid twice");
    }

    /// Something happens to a subscription that has not ended.
    fn change(&mut self) {
        let account = self.account();
        let mut state = self.stripe.state();
        let mut all = state.subscriptions.iter();
        let running = all.find(|(_, found)| found.account == account && is_running(found));
        let Some(id) = running.map(|(id, _)| id.clone()) else { return };
        let (status, place) = (STATUSES[self.random.usize(..8)], self.random.usize(..4));
        let price = PRICES.get(place).copied().unwrap_or(STRANGE_PRICE);
        if self.random.u8(..8) == 0 {
            let customer = state.subscriptions[&id].customer.clone();
            state.delete(&customer);
            return;
        }
        let is_price = self.random.u8(..4) == 0;
        state.change(&id, |subscription| {
            if is_price { subscription.price = price.to_owned() } else { subscription.status = status }
        });
    }

    fn collect_events(&mut self) {
        let made = std::mem::take(&mut self.stripe.state().events);
        for (kind, object) in made {
            let event = event(&kind, &object);
            if self.random.u8(..4) == 0 {
                self.pending.push(event.clone());
            }
            self.pending.push(event);
        }
        self.random.shuffle(&mut self.pending);
    }

    fn drop_event(&mut self) {
        self.pending.pop();
    }

    /// Two replicas get an event each, at the same time.
    async fn deliver_some(&mut self, place: usize) {
        let (Some(first), second) = (self.pending.pop(), self.pending.pop()) else { return };
        let (here, there) = (self.replicas[place], self.replicas[1 - place]);
        let other = async {
            match &second {
                Some(event) => Some(deliver(there, event).await),
                None => None,
            }
        };
        let (one, two) = tokio::join!(deliver(here, &first), other);
        for (answer, event) in [(Some(one), Some(first)), (two, second)] {
            let Some(answer) = answer else { continue };
            assert!([200, 503].contains(&answer.status), "{}", answer.status);
            if answer.status == 503 {
                self.pending.extend(event);
            }
        }
    }

    /// The daily check, which any replica may do.
    async fn check(&self) {
        self.replicas[0].advance_seconds(86_401);
        for faults in self.faults {
            faults.set_time(Some(self.replicas[0].timestamp()));
        }
        let account = lastro_model::AccountId(id_of(&self.key));
        let store = &self.replicas[0].service.app.access.store;
        let now = self.replicas[0].timestamp();
        soon(async || {
            let Ok(state) = store.billing(account).await else { return false };
            state.is_none_or(|state| {
                let can_change = !state.status.has_ended() || state.checkout.is_some();
                !can_change || (now.as_second() - state.checked_at.as_second()).abs() < 3600
            })
        })
        .await;
    }

    /// After a check: the plan is what was promised, or was and nothing has taken since.
    async fn is_kept(&mut self) {
        self.check().await;
        let promised = promised(&self.stripe.state(), &self.account());
        let possible =
            promised.map_or_else(|| std::mem::take(&mut self.possible), |plan| vec![plan.to_owned()]);
        let [first, second] = self.replicas;
        soon(async || {
            let plan = plan(first, &self.key).await;
            possible.contains(&plan) && plan == super::plan(second, &self.key).await
        })
        .await;
        self.possible = vec![plan(first, &self.key).await];
    }
}

async fn run(first: &TestApp, faults: [&FaultyStore; 2], second: &TestApp, stripe: &Stripe) {
    let seed = std::env::var("LASTRO_BILLING_SEED").map_or(0, |seed| seed.parse().unwrap());
    let untouched = first.ample_key(Plan::Gold).await;
    for number in seed..seed + histories() {
        let mut history = History {
            replicas: [first, second],
            faults,
            stripe,
            key: first.ample_key(Plan::Free).await,
            given: Vec::new(),
            pending: Vec::new(),
            possible: vec!["free".to_owned()],
            random: fastrand::Rng::with_seed(number),
        };
        for _ in 0..history.random.usize(4..25) {
            history.step().await;
            if history.random.u8(..8) == 0 {
                history.is_kept().await;
            }
        }
        history.is_kept().await;
        // Otherwise the next daily check would ask for this one, too.
        first.service.app.access.store.erase(id_of(&history.key), first.timestamp()).await.unwrap();
    }
    assert_eq!(plan(second, &untouched).await, "gold", "a key without a subscription is never touched");
}

#[tokio::test]
async fn the_plan_is_what_the_subscription_says() {
    let stripe = Stripe::open();
    let first = TestApp::start_with(|setup| switch_on(setup, &stripe)).await;
    let second = first.beside(|setup| switch_on(setup, &stripe)).await;
    is_ready(&first).await;
    is_ready(&second).await;
    run(&first, [&first.faults, &second.faults], &second, &stripe).await;
}

#[tokio::test]
async fn the_plan_is_what_the_subscription_says_on_postgres() {
    let (stripe, database) = (Stripe::open(), Server::new());
    let store = lastro_store::open(&database.url).await.unwrap();
    let faults = [(); 2].map(|()| Arc::new(FaultyStore::new(Arc::clone(&store))));
    let start = jiff::Timestamp::from_millisecond(START_UNIX_MS).unwrap();
    faults.iter().for_each(|store| store.set_time(Some(start)));
    let first = TestApp::start_with(|setup| {
        switch_on(setup, &stripe);
        lively(setup);
        setup.store = Arc::clone(&faults[0]) as Arc<dyn Store>;
    })
    .await;
    let second = first
        .beside(|setup| {
            switch_on(setup, &stripe);
            lively(setup);
            setup.store = Arc::clone(&faults[1]) as Arc<dyn Store>;
        })
        .await;
    is_ready(&first).await;
    is_ready(&second).await;
    run(&first, [&faults[0], &faults[1]], &second, &stripe).await;
    first.service.stop().await.unwrap();
    second.service.stop().await.unwrap();
}
