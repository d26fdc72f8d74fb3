//! From a request to its response: at once, or after a wait. In both cases it is looked up, charged and checked once.
//!
//! - [`context`]: a request being processed.
//! - [`checks`]: host, rate limit, identity, route and method, origin, plan gate, in this order.
//! - [`handling`]: the call of the handler, which checks parameters, existence and the history gate.
//! - [`completion`]: the response made from the reply.

mod checks;
mod completion;
mod context;
mod handling;

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use context::{Arrival, RareHeaders, RequestContext};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, Ready, ready};
use handling::{Awaited, Handled};
use http::{Method, Request, Response, request};
use hyper::body::{Body, Incoming};
use lastro_access::ApiKey;
use lastro_quota::Charge;

use super::app::App;
use super::connections::connection::Connection;
use super::connections::pending::{Pending, Sender};
use super::handler::Meter;
use super::request::caller::{self, Caller, Identity, KeyHeaders};
use super::request::head;
use super::response::outgoing::Outgoing;
use super::routes::{Target, is_of_billing, resolve};
use crate::error::ApiError;

/// A response that is ready, or one that has to be awaited.
pub type ResponseFuture = Either<Ready<Responded>, BoxFuture<'static, Responded>>;
type Responded = Result<Response<Outgoing>, Infallible>;

const OVERLOADED: ApiError =
    ApiError::Unavailable("too many requests wait for an answer right now; please try again shortly");

/// Answers one request, if one more response may start. Every response carries the envelope.
pub fn answer(app: &Arc<App>, connection: &Arc<Connection>, request: Request<Incoming>) -> ResponseFuture {
    connection.mark_active();
    connection.advance();
    let (head, body) = request.into_parts();
    // Bodies of other methods are never read, so they are not awaited or kept.
    let may_have_body = matches!(head.method, Method::POST | Method::PATCH | Method::PUT | Method::DELETE);
    let body = Some(body).filter(|_| may_have_body);
    if connection.must_wait() {
        return answer_when_others_are_read(app, connection, head, body);
    }
    answer_now(app, connection, head, body)
}

/// A request that waits, with everything needed to answer it later.
struct Waiting {
    app: Arc<App>,
    connection: Arc<Connection>,
    head: request::Parts,
    body: Option<Incoming>,
    arrival: Arrival,
    pending: Pending,
}

impl Waiting {
    /// Drops the parts of the head that are no longer needed: the wait may be long.
    fn trim(&mut self) {
        head::trim(&mut self.head);
        self.pending.shrink_to(&self.head);
    }

    fn context(&self, caller: Caller, charge: Charge) -> RequestContext<'_> {
        let Self { app, connection, head, arrival, .. } = self;
        RequestContext { app, connection, head, arrival: *arrival, caller, charge }
    }
}

fn answer_when_others_are_read(
    app: &Arc<App>,
    connection: &Arc<Connection>,
    mut head: request::Parts,
    body: Option<Incoming>,
) -> ResponseFuture {
    head::trim(&mut head);
    // A body not fully received yet would be kept as well.
    let may_wait = body.as_ref().is_none_or(Body::is_end_stream);
    let Some(pending) = may_wait.then(|| Pending::begin(connection, &head, Sender::Anybody)).flatten() else {
        return refused(app, connection, &head);
    };
    let (app, connection) = (Arc::clone(app), Arc::clone(connection));
    let later = async move {
        let waited = connection.wait_for_capacity().await;
        drop(pending);
        if waited { answer_now(&app, &connection, head, body) } else { refused(&app, &connection, &head) }
            .await
    };
    Either::Right(later.boxed())
}

/// Rejects a request that may not wait, without a call to the store or Redis.
fn refused(app: &App, connection: &Arc<Connection>, head: &request::Parts) -> ResponseFuture {
    connection.refuse_to_wait();
    let arrival = arrive(app, connection, head);
    let caller = match identify(app, connection, head, arrival) {
        Identity::Caller(caller) => caller,
        Identity::UnknownKey(_) => Caller::Anonymous,
    };
    let charging = arrival.charging(app, &caller);
    let charge = charging.at_once().unwrap_or_else(|| charging.alone());
    let context = RequestContext { app, connection, head, arrival, caller, charge };
    Either::Left(ready(Ok(context.complete(Err(OVERLOADED)))))
}

/// Answers from memory before it returns, without a future, if possible. Any other request waits in a boxed future.
fn answer_now(
    app: &Arc<App>,
    connection: &Arc<Connection>,
    head: request::Parts,
    body: Option<Incoming>,
) -> ResponseFuture {
    let arrival = arrive(app, connection, &head);
    let begin = |pending, head, body| {
        let (app, connection) = (Arc::clone(app), Arc::clone(connection));
        Waiting { app, connection, head, body, arrival, pending }
    };
    let caller = match identify(app, connection, &head, arrival) {
        Identity::Caller(caller) => caller,
        // A request that takes no quota must not cost a store lookup either.
        Identity::UnknownKey(_) if !arrival.meter.may_take_quota() => Caller::Anonymous,
        Identity::UnknownKey(key) => {
            // Few keys are looked up at a time, so that made-up keys cannot use up the reserve for keys.
            let Some(pending) = Pending::begin(connection, &head, Sender::Key) else {
                return refused(app, connection, &head);
            };
            return Either::Right(answer_after_lookup(begin(pending, head, body), key).boxed());
        }
    };
    let from = if caller.key().is_some() { Sender::Key } else { Sender::Anybody };
    let Some(charge) = arrival.charging(app, &caller).at_once() else {
        let Some(pending) = Pending::begin(connection, &head, from) else {
            return refused(app, connection, &head);
        };
        return Either::Right(answer_after_charge(begin(pending, head, body), caller).boxed());
    };
    let context = RequestContext { app, connection, head: &head, arrival, caller, charge };
    let (context, awaited) = match context.proceed() {
        Progress::Answered(response) => return Either::Left(ready(Ok(response))),
        Progress::MustWait(context, awaited) => (context, awaited),
    };
    let Some(pending) = Pending::begin(connection, &head, from) else {
        connection.refuse_to_wait();
        return Either::Left(ready(Ok(context.complete(Err(OVERLOADED)))));
    };
    let RequestContext { caller, charge, .. } = context;
    Either::Right(answer_after_wait(begin(pending, head, body), caller, charge, awaited).boxed())
}

/// The state of a request after its checks and its handler.
enum Progress<'a> {
    Answered(Response<Outgoing>),
    MustWait(RequestContext<'a>, Awaited),
}

impl<'a> RequestContext<'a> {
    /// Checks and handles the request, and completes it unless it must wait.
    fn proceed(self) -> Progress<'a> {
        let result = match guarded(self.app, || self.handle()).flatten() {
            Ok(Handled::MustWait(awaited)) => return Progress::MustWait(self, awaited),
            Ok(Handled::Replied(reply)) => Ok(reply),
            Err(error) => Err(error),
        };
        Progress::Answered(self.complete(result))
    }
}

/// Looks up the key in the store, then charges and checks the request.
async fn answer_after_lookup(mut waiting: Waiting, key: ApiKey) -> Responded {
    waiting.trim();
    let (app, arrival) = (&waiting.app, waiting.arrival);
    let asking = caller::ask_store(&app.access, arrival.client, &key, arrival.now);
    let caller = guarded_wait(app, asking).await.unwrap_or_else(Caller::Refused);
    answer_after_charge(waiting, caller).await
}

/// Charges the request, through Redis if necessary, then checks it.
async fn answer_after_charge(waiting: Waiting, caller: Caller) -> Responded {
    let charge = charge(&waiting.app, &caller, waiting.arrival).await;
    let (caller, charge, awaited) = match waiting.context(caller, charge).proceed() {
        Progress::Answered(response) => return Ok(response),
        Progress::MustWait(RequestContext { caller, charge, .. }, awaited) => (caller, charge, awaited),
    };
    // Boxed separately: otherwise all requests that only wait for quota would carry its four kilobytes.
    answer_after_wait(waiting, caller, charge, awaited).boxed().await
}

/// Waits for the handler or for an export slot.
async fn answer_after_wait(
    mut waiting: Waiting,
    caller: Caller,
    charge: Charge,
    awaited: Awaited,
) -> Responded {
    waiting.trim();
    let body = waiting.body.take();
    let (mut context, taken) = (waiting.context(caller, charge), OnceLock::new());
    let result = guarded_wait(&waiting.app, context.wait_for(awaited, body, &taken)).await.flatten();
    if let Some(charge) = taken.into_inner() {
        // From here on it is like any request that was charged when it arrived.
        (context.charge, context.arrival.meter) = (charge, Meter::Quota);
    }
    Ok(context.complete(result))
}

/// Charges the request, waiting if necessary. After a panic, the rings of this process decide.
async fn charge(app: &App, caller: &Caller, arrival: Arrival) -> Charge {
    let charging = arrival.charging(app, caller);
    guarded_wait(app, charging.wait()).await.unwrap_or_else(|_| charging.alone())
}

/// Collects the facts in the request head.
fn arrive(app: &App, connection: &Connection, head: &request::Parts) -> Arrival {
    let now = app.clock.now();
    let target = match head.uri.path() {
        path if app.billing.is_none() && is_of_billing(path) => Target::Unknown,
        path => resolve(&head.method, path),
    };
    let meter = target.meter(&head.method, head.uri.path());
    let (proxies, peer) = (app.access.proxies.load(), connection.peer);
    Arrival {
        now,
        target,
        meter,
        client: caller::address(&proxies, peer, &head.headers),
        is_proxied: !proxies.are_none() && proxies.trusts(peer),
        rare: RareHeaders::of(&head.headers),
    }
}

fn identify(app: &App, connection: &Connection, head: &request::Parts, arrival: Arrival) -> Identity {
    let keys = KeyHeaders { headers: &head.headers, has_authorization: arrival.rare.authorization };
    guarded(app, || caller::identify(&app.access, &connection.last_key, keys, arrival.now))
        .unwrap_or_else(|error| Identity::Caller(Caller::Refused(error)))
}

/// Turns a panic into an error response, so that it never ends the connection.
fn guarded<T>(app: &App, work: impl FnOnce() -> T) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| panicked(app))
}

async fn guarded_wait<T>(app: &App, work: impl Future<Output = T>) -> Result<T, ApiError> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| panicked(app))
}

fn panicked(app: &App) -> ApiError {
    app.operations.metrics.panics.fetch_add(1, Ordering::Relaxed);
    ApiError::Internal
}
