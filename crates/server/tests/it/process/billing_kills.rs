//! Random histories of payments whose servers are killed again and again: the plan is what the subscription says.

use std::sync::Mutex;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lastro_store::{BillingState, Store};
use serde_json::Value;

use super::billing::{deliver, settings};
use super::migrate::Server;
use super::{Home, Running, client, eventually};
use crate::app::id_of;
use crate::billing::histories::{PRICES, STATUSES, histories, is_running, promised};
use crate::billing::stripe::{Stripe, Trouble};
use crate::billing::{event, plan_name};

/// Accounts that share the servers, and so their deaths.
const AT_ONCE: u64 = 10;
/// Times that all servers are killed in one history.
const KILLS: usize = 3;

/// The events that were not delivered yet, of all accounts.
struct Shop<'a> {
    stripe: &'a Stripe,
    pending: Mutex<Vec<Value>>,
}

struct Customer {
    key: String,
    /// Checkouts whose address arrived.
    given: Vec<String>,
    random: fastrand::Rng,
}

impl Customer {
    /// Does random things until the servers are dead.
    async fn act(&mut self, servers: &[String], shop: &Shop<'_>) {
        loop {
            let url = self.random.choice(servers).unwrap();
            if self.random.u8(..) < 30 {
                let troubles = [
                    Trouble::Status(500),
                    Trouble::Status(429),
                    Trouble::Page(404),
                    Trouble::Cut,
                    Trouble::LostAnswer,
                ];
                shop.stripe.trouble(self.random.choice(troubles));
            }
            match self.random.u8(..10) {
                0..3 => self.open_checkout(url).await,
                3..5 => self.pay(shop.stripe),
                5..7 => self.change(shop.stripe),
                _ => self.deliver(url, shop).await,
            }
            shop.collect(&mut self.random);
            tokio::time::sleep(Duration::from_millis(self.random.u64(..20))).await;
        }
    }

    async fn open_checkout(&mut self, url: &str) {
        let plan = plan_name(PRICES[self.random.usize(..PRICES.len())]);
        let asking = client().post(format!("{url}/api/v1/billing/checkout")).header("x-api-key", &self.key);
        let Ok(answer) = asking.body(format!(r#"{{"plan":"{plan}"}}"#)).send().await else { return };
        // 429: more than ten in one life of a server.
        assert!([201, 429, 503].contains(&answer.status().as_u16()), "{}", answer.status());
        let body = answer.text().await.unwrap_or_default();
        let id = body.split("/c/").nth(1).and_then(|rest| rest.split('"').next());
        self.given.extend(id.map(str::to_owned));
    }

    /// The visitor pays any of the addresses that ever arrived.
    fn pay(&mut self, stripe: &Stripe) {
        let (mut state, account) = (stripe.state(), id_of(&self.key).to_string());
        if let Some(id) = self.random.choice(&self.given) {
            state.complete(id, if self.random.bool() { "active" } else { "incomplete" });
        }
        let own = state.subscriptions.values().filter(|found| found.account == account && is_running(found));
        assert!(own.count() <= 1, "paid twice");
    }

    fn change(&mut self, stripe: &Stripe) {
        let (mut state, account) = (stripe.state(), id_of(&self.key).to_string());
        let mut all = state.subscriptions.iter();
        let running = all.find(|(_, found)| found.account == account && is_running(found));
        let Some(id) = running.map(|(id, _)| id.clone()) else { return };
        let status = STATUSES[self.random.usize(..STATUSES.len())];
        state.change(&id, |subscription| subscription.status = status);
    }

    /// Delivers any event; one that was not taken is delivered again, or is lost.
    async fn deliver(&mut self, url: &str, shop: &Shop<'_>) {
        let Some(event) = self.random.choice(&*shop.pending.lock().unwrap()).cloned() else { return };
        let taken = deliver(url, &event).await;
        assert!(matches!(taken, None | Some(200 | 503)), "{taken:?}");
        if taken == Some(200) || self.random.u8(..4) == 0 {
            shop.pending.lock().unwrap().retain(|other| *other != event);
        }
    }
}

impl Shop<'_> {
    /// Takes the events that Stripe has made; every fourth is lost.
    fn collect(&self, random: &mut fastrand::Rng) {
        let made = std::mem::take(&mut self.stripe.state().events);
        let kept =
            made.into_iter().filter(|_| random.u8(..4) > 0).map(|(kind, object)| event(&kind, &object));
        self.pending.lock().unwrap().extend(kept);
    }
}

/// A database, and the flags of the servers that share it.
struct Place<'a> {
    home: &'a Home,
    url: String,
    flags: Vec<String>,
    replicas: usize,
}

impl Place<'_> {
    fn flags(&self) -> Vec<&str> {
        self.flags.iter().map(String::as_str).collect()
    }

    fn new_key(&self, plan: &str) -> String {
        let database = ["--database", &self.url, "--pepper-file", "pepper", "--rate-limit", "1000000"];
        self.home.new_key(plan, &database)
    }

    async fn serve(&self, key: &str) -> Vec<Running> {
        let servers: Vec<Running> = (0..self.replicas).map(|_| self.home.serve(&self.flags())).collect();
        for server in &servers {
            server.becomes("/api/v1/billing", key, 200).await;
        }
        servers
    }

    async fn store(&self) -> std::sync::Arc<dyn Store> {
        lastro_store::open_existing(&self.url).await.unwrap()
    }

    /// Makes a day pass: everything is due for its check, and the lease of the dead has ended.
    async fn next_day(&self, customers: &[Customer]) {
        let store = self.store().await;
        for state in states(&*store, customers).await {
            let aged = BillingState { checked_at: Timestamp::UNIX_EPOCH, ..state };
            store.record_billing(aged, None).await.unwrap().unwrap();
        }
        let later = Timestamp::now() + SignedDuration::from_hours(2);
        store.take_lease("billing", "nobody", later, later + SignedDuration::from_secs(1)).await.unwrap();
        store.release_lease("billing", "nobody").await.unwrap();
    }
}

async fn states(store: &dyn Store, customers: &[Customer]) -> Vec<BillingState> {
    let mut found = store.list_billing().await.unwrap();
    found.retain(|state| customers.iter().any(|customer| id_of(&customer.key) == state.account.0));
    found
}

/// Lets all customers act until the servers are killed, whatever they are doing.
async fn live_and_die(
    place: &Place<'_>,
    customers: &mut [Customer],
    shop: &Shop<'_>,
    random: &mut fastrand::Rng,
) {
    let servers = place.serve(&customers[0].key).await;
    let urls: Vec<String> = servers.iter().map(|server| server.url.clone()).collect();
    let acting =
        futures_util::future::join_all(customers.iter_mut().map(|customer| customer.act(&urls, shop)));
    let lifetime = Duration::from_millis(random.u64(100..700));
    let killing = async {
        tokio::time::sleep(lifetime).await;
        servers.into_iter().for_each(Running::kill);
    };
    tokio::select! {
        _ = acting => {}
        () = killing => {}
    }
    shop.stripe.state().trouble.clear();
    shop.collect(random);
}

/// The daily check of a server that lives, and the promise.
async fn settle(place: &Place<'_>, customers: &[Customer], stripe: &Stripe) {
    place.next_day(customers).await;
    let servers = place.serve(&customers[0].key).await;
    let store = place.store().await;
    let is_checked = |state: &BillingState| {
        (state.status.has_ended() && state.checkout.is_none()) || state.checked_at.as_second() > 0
    };
    let all_checked = async || states(&*store, customers).await.iter().all(is_checked);
    assert!(eventually(all_checked).await, "the daily check does not end");
    for customer in customers {
        let promised = promised(&stripe.state(), &id_of(&customer.key).to_string());
        for server in &servers {
            let kept = async || {
                let asking =
                    client().get(format!("{}/health", server.url)).header("x-api-key", &customer.key);
                let answer = asking.send().await.unwrap();
                promised.is_none_or(|plan| answer.headers()["x-plan"] == plan)
            };
            assert!(eventually(kept).await, "{} should be {promised:?}", id_of(&customer.key));
        }
    }
}

async fn run(place: &Place<'_>, stripe: &Stripe) {
    let untouched = place.new_key("gold");
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..histories().div_ceil(AT_ONCE) {
        let new = |_| Customer { key: place.new_key("free"), given: Vec::new(), random: random.fork() };
        let mut customers: Vec<Customer> = (0..AT_ONCE).map(new).collect();
        let shop = Shop { stripe, pending: Mutex::default() };
        for _ in 0..KILLS {
            live_and_die(place, &mut customers, &shop, &mut random).await;
            place.next_day(&customers).await;
        }
        settle(place, &customers, stripe).await;
    }
    let held = place.store().await.key(id_of(&untouched)).await.unwrap().unwrap();
    assert_eq!(held.account.plan.id(), "gold", "a key without a subscription is never touched");
}

fn flags(home: &Home, stripe: &Stripe, url: &str) -> Vec<String> {
    let database = [format!("--database={url}"), "--pepper-file=pepper".to_owned()];
    settings(home, stripe).into_iter().chain(database).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plan_outlives_killed_servers() {
    let (home, stripe) = (Home::new(), Stripe::open());
    let url = home.url();
    let flags = flags(&home, &stripe, &url);
    run(&Place { home: &home, url, flags, replicas: 1 }, &stripe).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plan_outlives_killed_replicas_on_postgres() {
    let (home, stripe, database) = (Home::new(), Stripe::open(), Server::new());
    let flags = flags(&home, &stripe, &database.url);
    run(&Place { home: &home, url: database.url.clone(), flags, replicas: 2 }, &stripe).await;
}
