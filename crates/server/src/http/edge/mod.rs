//! From a request to its response: at once, or when somebody was waited for. Whatever it waits for, it is looked up,
//! charged and checked once.
//!
//! - [`context`]: a request on its way, with what has been found out about it.
//! - [`checks`]: host, identity, rate limit, route and method, plan gate, in this order.
//! - [`handling`]: the handler, which checks parameters, existence and the history gate.
//! - [`completion`]: the reply as it goes out.

mod checks;
mod completion;
mod context;
mod handling;

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use context::{Arrival, RequestContext};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, Ready, ready};
use handling::Handled;
use http::{Request, Response, request};
use hyper::body::Incoming;
use lastro_access::ApiKey;
use lastro_quota::Charge;

use super::connections::connection::Connection;
use super::handler::Meter;
use super::request::caller::{self, Caller, Identity};
use super::response::outgoing::Outgoing;
use super::routes::resolve;
use crate::error::ApiError;
use crate::state::App;

/// A response that is there already, or one that somebody has to be waited for.
pub type ResponseFuture = Either<Ready<Responded>, BoxFuture<'static, Responded>>;
type Responded = Result<Response<Outgoing>, Infallible>;

const OVERLOADED: ApiError =
    ApiError::Unavailable("too many answers wait to be read right now; please try again shortly");

/// Answers one request, if one more answer may begin. Every way out of here carries the envelope.
pub fn answer(app: &Arc<App>, connection: &Arc<Connection>, request: Request<Incoming>) -> ResponseFuture {
    connection.mark_active();
    if connection.must_wait() {
        let later = answer_when_others_are_read(Arc::clone(app), Arc::clone(connection), request);
        return Either::Right(later.boxed());
    }
    answer_now(app, connection, request)
}

async fn answer_when_others_are_read(
    app: Arc<App>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Responded {
    if connection.wait_for_capacity(&request).await {
        return answer_now(&app, &connection, request).await;
    }
    let head = request.into_parts().0;
    let arrival = arrive(&app, &connection, &head);
    // No store is asked for the sake of a refusal.
    let caller = match identify(&app, &head, arrival) {
        Identity::Caller(caller) => caller,
        Identity::UnknownKey(_) => Caller::Anonymous,
    };
    let charge = charge(&app, &caller, arrival).await;
    let context = RequestContext { app: &app, connection: &connection, head: &head, arrival, caller, charge };
    Ok(context.complete(Err(OVERLOADED)))
}

/// What can be answered from memory is answered before this returns: it pays for no future. The rest waits on the heap.
fn answer_now(app: &Arc<App>, connection: &Arc<Connection>, request: Request<Incoming>) -> ResponseFuture {
    let (head, body) = request.into_parts();
    let arrival = arrive(app, connection, &head);
    let caller = match identify(app, &head, arrival) {
        Identity::Caller(caller) => caller,
        // What costs nothing must not cost a question to the store either.
        Identity::UnknownKey(_) if arrival.meter != Meter::Quota => Caller::Anonymous,
        Identity::UnknownKey(key) => {
            let later =
                answer_after_lookup(Arc::clone(app), Arc::clone(connection), head, body, arrival, key);
            return Either::Right(later.boxed());
        }
    };
    let Some(charge) = arrival.charging(app, &caller).at_once() else {
        let later = answer_after_charge(Arc::clone(app), Arc::clone(connection), head, body, arrival, caller);
        return Either::Right(later.boxed());
    };
    let context = RequestContext { app, connection, head: &head, arrival, caller, charge };
    let result = match guarded(app, || context.handle()).flatten() {
        Ok(Handled::Replied(reply)) => Ok(reply),
        Err(error) => Err(error),
        Ok(Handled::MustWait(awaited)) => {
            let RequestContext { caller, charge, .. } = context;
            let (app, connection) = (Arc::clone(app), Arc::clone(connection));
            let later = async move {
                let _under_way = connection.under_way();
                let (app, connection, head) = (&*app, &connection, &head);
                let context = RequestContext { app, connection, head, arrival, caller, charge };
                let result = guarded_wait(app, context.wait_for(awaited, body)).await.flatten();
                Ok(context.complete(result))
            };
            return Either::Right(later.boxed());
        }
    };
    Either::Left(ready(Ok(context.complete(result))))
}

/// Asks the store whose key this is, and only then charges and checks the request.
async fn answer_after_lookup(
    app: Arc<App>,
    connection: Arc<Connection>,
    head: request::Parts,
    body: Incoming,
    arrival: Arrival,
    key: ApiKey,
) -> Responded {
    let under_way = connection.under_way();
    let asking = caller::ask_store(&app, arrival.client, &key, arrival.now);
    let caller = guarded_wait(&app, asking).await.unwrap_or_else(Caller::Refused);
    drop(under_way);
    answer_after_charge(app, connection, head, body, arrival, caller).await
}

/// Asks Redis whether the request is admitted, if it has to be asked, and only then checks the request.
async fn answer_after_charge(
    app: Arc<App>,
    connection: Arc<Connection>,
    head: request::Parts,
    body: Incoming,
    arrival: Arrival,
    caller: Caller,
) -> Responded {
    let _under_way = connection.under_way();
    let charge = charge(&app, &caller, arrival).await;
    let context = RequestContext { app: &app, connection: &connection, head: &head, arrival, caller, charge };
    let result = match guarded(&app, || context.handle()).flatten() {
        Ok(Handled::Replied(reply)) => Ok(reply),
        Ok(Handled::MustWait(awaited)) => {
            // In a place of its own: those who wait for their quota alone would all carry its room along, four kilobytes.
            let waiting = context.wait_for(awaited, body).boxed();
            guarded_wait(&app, waiting).await.flatten()
        }
        Err(error) => Err(error),
    };
    Ok(context.complete(result))
}

/// What the request costs its caller, whoever has to be asked. A panic of ours leaves it to the rings of this process.
async fn charge(app: &App, caller: &Caller, arrival: Arrival) -> Charge {
    let charging = arrival.charging(app, caller);
    guarded_wait(app, charging.wait()).await.unwrap_or_else(|_| charging.alone())
}

/// What the head of a request alone tells.
fn arrive(app: &App, connection: &Connection, head: &request::Parts) -> Arrival {
    let now = app.clock.now();
    let target = resolve(&head.method, head.uri.path());
    let meter = target.meter(&head.method, head.uri.path());
    Arrival { now, target, meter, client: caller::address(app, connection.peer, &head.headers) }
}

fn identify(app: &App, head: &request::Parts, arrival: Arrival) -> Identity {
    guarded(app, || caller::identify(app, &head.headers, arrival.now))
        .unwrap_or_else(|error| Identity::Caller(Caller::Refused(error)))
}

/// A panic is our fault: it ends one request with an answer, never the connection.
fn guarded<T>(app: &App, work: impl FnOnce() -> T) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| panicked(app))
}

async fn guarded_wait<T>(app: &App, work: impl Future<Output = T>) -> Result<T, ApiError> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| panicked(app))
}

fn panicked(app: &App) -> ApiError {
    app.metrics.panics.fetch_add(1, Ordering::Relaxed);
    ApiError::Internal
}
