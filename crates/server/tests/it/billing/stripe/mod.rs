//! A stand-in for Stripe, on a port of this machine: prices, checkouts, a portal, and subscriptions that tests move
//! through their life. It can fail in the ways that Stripe and the network do.
//!
//! It runs on a thread of its own, so that a test may wait for a process that calls it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub(crate) const KEY: &str = "sk_test_hunter2";

/// A failure of the next request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trouble {
    /// This status, without any effect.
    Status(u16),
    /// The effect, and then no response: the connection breaks.
    Cut,
    /// Neither effect nor response within the timeout.
    Silence,
    /// The effect, and no response within the timeout.
    LostAnswer,
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
    /// The address of every checkout and portal, in place of the usual ones.
    pub address: Option<String>,
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
            move || serve(&state, &sender, closed)
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
                let (_, mut answer) = missing();
                answer["error"]["param"] = "customer".into();
                (400, answer)
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
        if self.deleted.contains(&fields["customer"]) && !self.lists_deleted {
            return missing();
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

fn serve(
    state: &Arc<Mutex<State>>,
    opened: &std::sync::mpsc::Sender<SocketAddr>,
    closed: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        opened.send(listener.local_addr().unwrap()).unwrap();
        let accepting = async {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let state = Arc::clone(state);
                let answer = service_fn(move |request| take(Arc::clone(&state), request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        };
        tokio::select! {
            _ = closed => {}
            () = accepting => {}
        }
    });
}

#[derive(Debug, thiserror::Error)]
#[error("the connection is cut")]
struct Cut;

async fn take(
    state: Arc<Mutex<State>>,
    request: http::Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Cut> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let path = head.uri.path_and_query().unwrap().as_str().to_owned();
    let call = Call {
        line: format!("{} {path}", head.method),
        headers: head.headers,
        form: form_urlencoded::parse(&body).into_owned().collect(),
    };
    let trouble = state.lock().unwrap().trouble.pop_front();
    state.lock().unwrap().calls.push(call.clone());
    match trouble {
        Some(Trouble::Status(status)) => {
            return Ok(response(status, &json!({"error": {"type": "api_error"}})));
        }
        Some(Trouble::Silence) => {
            tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
            return Err(Cut);
        }
        Some(Trouble::Cut | Trouble::LostAnswer) | None => {}
    }
    let (status, answer) = once(&mut state.lock().unwrap(), &head.method, &path, &call);
    if let Some(Trouble::LostAnswer) = trouble {
        tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    }
    if trouble.is_some() { Err(Cut) } else { Ok(response(status, &answer)) }
}

/// Checks the headers, and answers a repeated request with the first answer.
fn once(state: &mut State, method: &Method, path: &str, call: &Call) -> (u16, Value) {
    let header = |name: &str| call.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    if header("authorization") != Some(format!("Bearer {KEY}")) {
        return (401, json!({"error": {"type": "invalid_request_error", "message": "hunter2"}}));
    }
    assert_eq!(header("stripe-version").as_deref(), Some("2025-03-31.basil"), "{}", call.line);
    let Some(key) = header("idempotency-key") else {
        assert_eq!(method, Method::GET, "{} has no idempotency key", call.line);
        return state.answer(method, path, call);
    };
    let request = format!("{} {:?}", call.line, call.form);
    if let Some((first, answer)) = state.answered.get(&key) {
        assert_eq!(first, &request, "the same key for another request");
        return answer.clone();
    }
    let answer = state.answer(method, path, call);
    state.answered.insert(key, (request, answer.clone()));
    answer
}

fn response(status: u16, body: &Value) -> Response<Full<Bytes>> {
    Response::builder().status(status).body(Full::new(body.to_string().into())).unwrap()
}
