//! From a request to its answer: at once, or when somebody was waited for.
//!
//! - [`checks`]: host, identity, rate limit, route and method, plan gate, in this order.
//! - [`handling`]: the handler, which checks parameters, existence and the history gate.
//! - [`response`]: the reply as it goes out.

mod checks;
mod handling;
mod response;

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, Ready, ready};
use handling::Act;
use http::{Request, Response, request};
use hyper::body::Incoming;
use lastro_access::{ApiKey, ClientAddr, Verdict};
use lastro_model::Now;

use super::caller::{self, Caller, Recognised};
use super::connections::Connection;
use super::outgoing::Outgoing;
use super::reply::Reply;
use super::routes::{Meter, Target, resolve};
use crate::error::ApiError;
use crate::state::App;

/// Longest time that an answer may wait on the store, unless its route says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A request on its way, with what has been found out about it.
struct Visit<'a> {
    app: &'a App,
    connection: &'a Arc<Connection>,
    head: &'a request::Parts,
    client: ClientAddr,
    target: Target<'a>,
    meter: Meter,
    caller: Caller,
    /// What the quota says; taken from only if that is what the request is counted against.
    verdict: Verdict,
    now: Now,
}

/// An answer that is there already, or one that somebody has to be waited for.
pub type Answering = Either<Ready<Answered>, BoxFuture<'static, Answered>>;
type Answered = Result<Response<Outgoing>, Infallible>;

/// Answers one request, if there is room for an answer. Every way out of here carries the envelope.
pub fn answer(app: &Arc<App>, connection: &Arc<Connection>, request: Request<Incoming>) -> Answering {
    connection.mark_active();
    if connection.must_wait() {
        let later = answer_when_there_is_room(Arc::clone(app), Arc::clone(connection), request);
        return Either::Right(later.boxed());
    }
    answer_now(app, connection, request)
}

async fn answer_when_there_is_room(
    app: Arc<App>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Answered {
    if connection.wait_for_room(&request).await {
        return answer_now(&app, &connection, request).await;
    }
    let (head, now) = (request.into_parts().0, app.clock.now());
    let target = resolve(&head.method, head.uri.path());
    // No store is asked for the sake of a refusal.
    let caller = match guarded(&app, || caller::recognise(&app, &head.headers, Meter::Nothing, now)) {
        Ok(Recognised::Caller(caller)) => caller,
        Ok(Recognised::Stranger(_)) => Caller::Anonymous,
        Err(error) => Caller::Refused(error),
    };
    Ok(Visit::new(&app, &connection, &head, target, caller, None, now).conclude(Err(NO_ROOM)))
}

const NO_ROOM: ApiError =
    ApiError::Unavailable("too many answers wait to be read right now; please try again shortly");

/// What can be answered from memory is answered before this returns: it pays for no future. The rest waits on the heap.
fn answer_now(app: &Arc<App>, connection: &Arc<Connection>, request: Request<Incoming>) -> Answering {
    let now = app.clock.now();
    let (head, body) = request.into_parts();
    let target = resolve(&head.method, head.uri.path());
    let meter = target.meter(&head.method, head.uri.path());
    let recognised = guarded(app, || caller::recognise(app, &head.headers, meter, now));
    let wait_for = match recognised.unwrap_or_else(|error| Recognised::Caller(Caller::Refused(error))) {
        Recognised::Stranger(key) => WaitFor::Store(key),
        Recognised::Caller(caller) => {
            let visit = Visit::new(app, connection, &head, target, caller, None, now);
            match guarded(app, || visit.judge()).flatten() {
                Ok(Judgement::MustAct(act)) => WaitFor::Handler(visit.caller, visit.verdict, act),
                Ok(Judgement::Answered(reply)) => return Either::Left(ready(Ok(visit.conclude(Ok(reply))))),
                Err(error) => return Either::Left(ready(Ok(visit.conclude(Err(error))))),
            }
        }
    };
    let later = answer_later(Arc::clone(app), Arc::clone(connection), head, body, wait_for, now);
    Either::Right(later.map(Ok).boxed())
}

/// Whom a request has to wait for.
enum WaitFor {
    /// To say whose key this is.
    Store(ApiKey),
    Handler(Caller, Verdict, Act),
}

async fn answer_later(
    app: Arc<App>,
    connection: Arc<Connection>,
    head: request::Parts,
    body: Incoming,
    wait_for: WaitFor,
    now: Now,
) -> Response<Outgoing> {
    let _under_way = connection.under_way();
    let target = resolve(&head.method, head.uri.path());
    let (visit, judged) = match wait_for {
        WaitFor::Handler(caller, verdict, act) => {
            let visit = Visit::new(&app, &connection, &head, target, caller, Some(verdict), now);
            (visit, Ok(Judgement::MustAct(act)))
        }
        WaitFor::Store(key) => {
            let client = caller::address(&app, connection.peer, &head.headers);
            let identified = guarded_wait(&app, caller::ask_store(&app, client, &key, now)).await;
            let caller = identified.unwrap_or_else(Caller::Refused);
            let visit = Visit::new(&app, &connection, &head, target, caller, None, now);
            let judged = guarded(&app, || visit.judge()).flatten();
            (visit, judged)
        }
    };
    let result = match judged {
        Ok(Judgement::Answered(reply)) => Ok(reply),
        Ok(Judgement::MustAct(act)) => guarded_wait(&app, visit.act(act, body)).await.flatten(),
        Err(error) => Err(error),
    };
    visit.conclude(result)
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

/// What the checks come to, if the request passes them.
enum Judgement {
    Answered(Reply),
    MustAct(Act),
}

impl<'a> Visit<'a> {
    /// A request of this caller, whose quota is charged for it unless that has been done.
    fn new(
        app: &'a App,
        connection: &'a Arc<Connection>,
        head: &'a request::Parts,
        target: Target<'a>,
        caller: Caller,
        charged: Option<Verdict>,
        now: Now,
    ) -> Self {
        let meter = target.meter(&head.method, head.uri.path());
        let client = caller::address(app, connection.peer, &head.headers);
        let verdict = charged.unwrap_or_else(|| caller.charge(app, client, now, meter));
        Self { app, connection, head, client, target, meter, caller, verdict, now }
    }
}
