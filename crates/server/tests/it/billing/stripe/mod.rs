//! A stand-in for Stripe, on a port of this machine: prices, checkouts, a portal, and subscriptions that tests move
//! through their life. It can fail in the ways that Stripe and the network do.
//!
//! It runs on a thread of its own, so that a test may wait for a process that calls it.

mod serving;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use http::{HeaderMap, Method};
use serde_json::{Value, json};
use tokio::sync::oneshot;

pub(crate) const KEY: &str = "sk_test_hunter2";
/// The key of another account, where nothing of this one exists.
pub(crate) const OTHER_KEY: &str = "sk_other_hunter2";

/// A failure of the next request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trouble {
    /// This status, without any effect.
    Status(u16),
    /// This status and a page of HTML, as of a proxy in between.
    Page(u16),
    /// The effect, and then no response: the connection breaks.
    Cut,
    /// Neither effect nor response within the timeout.
    Silence,
    /// The effect, and no response within the timeout.
    LostAnswer,
    /// No trouble but time: the effect and the response come after two seconds.
    Late,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub line: String,
    pub headers: HeaderMap,
    pub form: BTreeMap<String, String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    pub status: &'static str,
    pub customer: Option<String>,
    pub form: BTreeMap<String, String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Subscription {
    pub customer: String,
    pub account: String,
    pub status: &'static str,
    pub price: String,
    pub created: u64,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub prices: BTreeMap<String, Value>,
    pub checkouts: BTreeMap<String, Checkout>,
    pub subscriptions: BTreeMap<String, Subscription>,
    /// Customers that were deleted in the dashboard.
    pub deleted: BTreeSet<String>,
    /// Whether subscriptions of deleted customers are listed all the same.
    pub lists_deleted: bool,
    /// Customers whose subscriptions are never listed: always a 500.
    pub failing: BTreeSet<String>,
    /// The address of every checkout and portal, in place of the usual ones.
    pub address: Option<String>,
    /// A key of the same account that is valid, too.
    pub rolled_key: Option<String>,
    pub calls: Vec<Call>,
    pub trouble: VecDeque<Trouble>,
    /// Events that Stripe has made, as type and object.
    pub events: Vec<(String, Value)>,
    /// Responses by idempotency key, with the request that they belong to.
    answered: BTreeMap<String, (String, (u16, Value))>,
    next: u64,
}

pub(crate) struct Stripe {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Stripe {
    pub(crate) fn open() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        for (id, amount) in [("price_bronze", 900), ("price_gold", 2900), ("price_platinum", 9900)] {
            state.lock().unwrap().prices.insert(id.to_owned(), price(id, amount));
        }
        let (close, closed) = oneshot::channel();
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn({
            let state = Arc::clone(&state);
            move || serving::serve(&state, &sender, closed)
        });
        Self { address: receiver.recv().unwrap(), state, close: Some(close), thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Makes the next requests fail, one after the other.
    pub(crate) fn trouble(&self, trouble: impl IntoIterator<Item = Trouble>) {
        self.state().trouble.extend(trouble);
    }
}

impl Drop for Stripe {
    fn drop(&mut self) {
        self.close.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn price(id: &str, amount: u32) -> Value {
    json!({
        "id": id, "object": "price", "active": true, "currency": "usd", "unit_amount": amount,
        "recurring": {"interval": "month", "interval_count": 1}
    })
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The visitor pays a checkout. Returns the subscription, or `None` if it cannot be paid.
    pub(crate) fn pay(&mut self, checkout: &str) -> Option<String> {
        self.complete(checkout, "active")
    }

    /// The visitor ends a checkout, with a subscription in this status.
    pub(crate) fn complete(&mut self, checkout: &str, status: &'static str) -> Option<String> {
        let number = self.number();
        let is_gone = |found: &Checkout| found.customer.as_ref().is_some_and(|id| self.deleted.contains(id));
        let found =
            self.checkouts.get_mut(checkout).filter(|found| found.status == "open" && !is_gone(found))?;
        found.status = "complete";
        let customer = found.customer.get_or_insert_with(|| format!("cus_{number}")).clone();
        let subscription = Subscription {
            customer,
            account: found.form["subscription_data[metadata][account]"].clone(),
            status,
            price: found.form["line_items[0][price]"].clone(),
            created: number,
        };
        let (id, object) = (format!("sub_{number}"), checkout_json(checkout, &self.checkouts[checkout]));
        self.subscriptions.insert(id.clone(), subscription);
        self.events.push(("checkout.session.completed".to_owned(), object));
        self.note("customer.subscription.created", &id);
        Some(id)
    }

    /// Changes a subscription, and makes the event of it.
    pub(crate) fn change(&mut self, id: &str, change: impl FnOnce(&mut Subscription)) {
        change(self.subscriptions.get_mut(id).unwrap());
        let ended = self.subscriptions[id].status == "canceled";
        self.note(if ended { "customer.subscription.deleted" } else { "customer.subscription.updated" }, id);
    }

    /// The operator deletes a customer in the dashboard, which cancels what they pay.
    pub(crate) fn delete(&mut self, customer: &str) {
        self.deleted.insert(customer.to_owned());
        let own = |found: &Subscription| found.customer == customer && found.status != "canceled";
        let all: Vec<String> =
            self.subscriptions.iter().filter(|(_, found)| own(found)).map(|(id, _)| id.clone()).collect();
        for id in all {
            self.change(&id, |subscription| subscription.status = "canceled");
        }
    }

    fn note(&mut self, kind: &str, subscription: &str) {
        let object = subscription_json(subscription, &self.subscriptions[subscription]);
        self.events.push((kind.to_owned(), object));
    }

    /// The checkouts that can be paid.
    pub(crate) fn open_checkouts(&self) -> Vec<String> {
        let open = self.checkouts.iter().filter(|(_, checkout)| checkout.status == "open");
        open.map(|(id, _)| id.clone()).collect()
    }

    fn answer(&mut self, method: &Method, path: &str, call: &Call) -> (u16, Value) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
        match (method.as_str(), parts.as_slice()) {
            ("POST", ["checkout" | "billing_portal", "sessions"])
                if call.form.get("customer").is_some_and(|id| self.deleted.contains(id)) =>
            {
                (400, no_customer())
            }
            ("GET", ["prices", id]) => {
                self.prices.get(*id).map_or_else(missing, |price| (200, price.clone()))
            }
            ("POST", ["checkout", "sessions"]) => self.open_checkout(call),
            ("GET", ["checkout", "sessions", id]) => {
                self.checkouts.get(*id).map_or_else(missing, |found| (200, checkout_json(id, found)))
            }
            ("POST", ["checkout", "sessions", id, "expire"]) => self.expire(id),
            ("POST", ["billing_portal", "sessions"]) => {
                let url = self.address.as_deref().unwrap_or("https://billing.stripe.invalid/p/1");
                (200, json!({"object": "billing_portal.session", "url": url}))
            }
            ("GET", ["subscriptions"]) => self.list(query),
            ("DELETE", ["subscriptions", id]) if self.subscriptions.contains_key(*id) => {
                self.change(id, |subscription| subscription.status = "canceled");
                (200, subscription_json(id, &self.subscriptions[*id]))
            }
            _ => missing(),
        }
    }

    fn open_checkout(&mut self, call: &Call) -> (u16, Value) {
        let id = format!("cs_test_{}", self.number());
        let customer = call.form.get("customer").cloned();
        let checkout = Checkout { status: "open", customer, form: call.form.clone() };
        let mut object = checkout_json(&id, &checkout);
        if let Some(address) = &self.address {
            object["url"] = address.as_str().into();
        }
        self.checkouts.insert(id, checkout);
        (200, object)
    }

    fn expire(&mut self, id: &str) -> (u16, Value) {
        match self.checkouts.get_mut(id) {
            Some(found) if found.status == "open" => {
                found.status = "expired";
                let object = checkout_json(id, found);
                self.events.push(("checkout.session.expired".to_owned(), object.clone()));
                (200, object)
            }
            Some(_) => (400, json!({"error": {"type": "invalid_request_error", "message": "not open"}})),
            None => missing(),
        }
    }

    /// Pages of two, so that paging is tested.
    fn list(&self, query: &str) -> (u16, Value) {
        let fields: BTreeMap<String, String> =
            form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        if self.failing.contains(&fields["customer"]) {
            return (500, json!({"error": {"type": "api_error"}}));
        }
        if self.deleted.contains(&fields["customer"]) && !self.lists_deleted {
            return (404, no_customer());
        }
        let all = fields.get("status").is_some_and(|status| status == "all");
        let mut found: Vec<(&String, &Subscription)> = self
            .subscriptions
            .iter()
            .filter(|(_, found)| found.customer == fields["customer"] && (all || found.status != "canceled"))
            .collect();
        found.sort_by_key(|(_, subscription)| std::cmp::Reverse(subscription.created));
        let after = fields
            .get("starting_after")
            .map_or(0, |last| 1 + found.iter().position(|(id, _)| *id == last).unwrap());
        let page: Vec<Value> =
            found.iter().skip(after).take(2).map(|(id, found)| subscription_json(id, found)).collect();
        (200, json!({"object": "list", "has_more": found.len() > after + 2, "data": page}))
    }
}

fn missing() -> (u16, Value) {
    (
        404,
        json!({"error": {"type": "invalid_request_error", "code": "resource_missing", "message": "hunter2"}}),
    )
}

fn no_customer() -> Value {
    let (_, mut answer) = missing();
    answer["error"]["param"] = "customer".into();
    answer
}

fn checkout_json(id: &str, checkout: &Checkout) -> Value {
    json!({
        "id": id, "object": "checkout.session", "status": checkout.status, "customer": checkout.customer,
        "client_reference_id": checkout.form["client_reference_id"],
        "url": (checkout.status == "open").then(|| format!("https://checkout.stripe.invalid/c/{id}")),
    })
}

fn subscription_json(id: &str, subscription: &Subscription) -> Value {
    json!({
        "id": id, "object": "subscription", "status": subscription.status, "customer": subscription.customer,
        "created": subscription.created, "cancel_at": null, "cancel_at_period_end": false,
        "metadata": {"account": subscription.account},
        "items": {"object": "list", "data": [
            {"id": "si_1", "current_period_end": 1_796_212_800, "price": {"id": subscription.price}}
        ]},
    })
}
