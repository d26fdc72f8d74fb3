//! From a request to its answer: the checks in their order, then the dressing.
//!
//! Host, identity, rate limit, route and method, plan gate; parameters, existence and the history gate are the handler's.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, Ready, ready};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode, Version, request};
use hyper::body::Incoming;
use lastro_access::{ApiKey, ClientAddr, Feature, Verdict, terms};
use lastro_model::{Now, Outcome};

use super::body::Body;
use super::caller::{self, Caller, Recognised};
use super::conditional::Tag;
use super::connections::Connection;
use super::envelope::{Envelope, Last};
use super::export::encoder::Encoder;
use super::export::stream::Stream;
use super::export::{Export, slots};
use super::form::Accept;
use super::outgoing::Outgoing;
use super::query::{Query, decode_segment};
use super::reply::{JSON, Reply, Stored};
use super::routes::{ActHandler, Action, Handler, Meter, Question, Route, Target, resolve};
use super::{authority, conditional, encoding, intake, origin};
use crate::error::ApiError;
use crate::state::App;

/// Longest time that an answer may wait on the store, unless its route says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Pages and their files that one address may open in a minute.
const PAGES_PER_MINUTE: u32 = 600;

const QUOTA_USED_UP: &str =
    "too many requests: this minute's quota is used up; wait as long as Retry-After says";
const PAGES_USED_UP: &str = "too many pages from this address; wait as long as Retry-After says";

/// What scripts of other origins may send.
const SENT_BY_SCRIPTS: &str = "Authorization, X-API-Key, Content-Type, If-None-Match, Accept";

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

/// A handler that has to be waited for, and for how long.
#[derive(Clone, Copy)]
struct Act {
    handler: ActHandler,
    patience: Duration,
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

impl Visit<'_> {
    fn judge(&self) -> Result<Judgement, ApiError> {
        authority::check(self.head)?;
        if self.head.method == Method::OPTIONS {
            return self.options().map(Judgement::Answered);
        }
        self.check_quota()?;
        self.check_identity()?;
        let (route, raw_id) = match &self.target {
            Target::Found { route, raw_id, .. } => (*route, *raw_id),
            Target::OtherMethod { allow, .. } => return Err(ApiError::MethodNotAllowed(allow)),
            Target::Unknown => return Err(ApiError::NotFound("there is nothing at this path; see /docs")),
        };
        if route.same_origin {
            origin::check(self.head)?;
        }
        self.check_plan(route)?;
        let reply = match route.handler {
            Handler::Read(handler) => self.ask(raw_id, handler)?,
            Handler::Export(handler) => self.begin(self.ask(raw_id, handler)?)?,
            Handler::Act(handler) => {
                return Ok(Judgement::MustAct(Act { handler, patience: route.patience }));
            }
        };
        Ok(Judgement::Answered(reply))
    }

    /// Lets a handler act, for as long as the route has patience.
    async fn act(&self, act: Act, body: Incoming) -> Result<Reply, ApiError> {
        let Target::Found { raw_id, raw_delivery, .. } = self.target else { return Err(ApiError::Internal) };
        let (app, caller, client, now) = (self.app, &self.caller, self.client, self.now);
        intake::check_announced(&self.head.headers, &body)?;
        let query = self.query()?;
        let (id, delivery) = (decode_segment(raw_id)?, decode_segment(raw_delivery)?);
        let acting = (act.handler)(Action { app, caller, client, now, id, delivery, query, body });
        tokio::time::timeout(act.patience, acting)
            .await
            .unwrap_or(Err(ApiError::Unavailable("this took too long; please try again shortly")))
    }

    fn query(&self) -> Result<Query<'_>, ApiError> {
        Query::new(self.head.uri.query().unwrap_or(""))
    }

    /// Counts what became of the request, and dresses the answer.
    fn conclude(mut self, result: Result<Reply, ApiError>) -> Response<Outgoing> {
        let was_charged = self.meter == Meter::Quota && self.verdict.admitted;
        if was_charged && outcome(&result) == Outcome::RateLimited {
            self.verdict = self.caller.give_back(self.app, self.client, self.now);
        }
        self.count(&result);
        self.dress(result.unwrap_or_else(|error| Reply::error(&error)))
    }

    /// Puts the question to a handler, with the catalog of the moment.
    fn ask<T>(&self, raw_id: &str, handler: fn(&Question<'_>) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let (query, id) = (self.query()?, decode_segment(raw_id)?);
        let (catalog, freshness) = (&self.app.catalog.load(), &self.app.freshness.load());
        let (jobs, plan, now) = (&self.app.jobs, self.caller.plan(), self.now);
        let accept = Accept(&self.head.headers);
        handler(&Question { catalog, freshness, jobs, plan, now, id: &id, query, accept })
    }

    /// Begins an export, unless its header is all the client wants or needs.
    fn begin(&self, export: Export) -> Result<Reply, ApiError> {
        let mut reply = export.reply();
        if self.head.method == Method::HEAD || self.tag(&reply).is_some_and(|tag| self.holds(&tag)) {
            return Ok(reply);
        }
        self.check_end_is_told()?;
        let holding = self.caller.holding().ok_or(ApiError::Unauthorized("API key required"))?;
        let slot = self.app.exports.begin(holding.holder.account()).ok_or(slots::ALL_TAKEN)?;
        let coding = encoding::negotiate(&self.head.headers);
        let encoder = Encoder::new(coding).map_err(|error| {
            tracing::error!(%error, "an export could not be begun");
            ApiError::Internal
        })?;
        let named = coding.map(|coding| HeaderValue::from_static(coding.name()));
        reply.headers.extend(named.map(|name| (header::CONTENT_ENCODING, name)));
        reply.body = Body::Stream(Box::new(Stream::new(export, encoder, slot, Arc::clone(&self.app.clock))));
        Ok(reply)
    }

    /// Over HTTP/1.0 a body of untold length ends with the connection, so that one broken off would look whole.
    fn check_end_is_told(&self) -> Result<(), ApiError> {
        if self.head.version < Version::HTTP_11 {
            return Err(ApiError::BadRequest(
                "an export needs HTTP/1.1 or newer: over HTTP/1.0 one that breaks off would look whole"
                    .into(),
            ));
        }
        Ok(())
    }

    /// What may be done here; asked by browsers before they send a key across origins.
    fn options(&self) -> Result<Reply, ApiError> {
        let allow = match &self.target {
            Target::OtherMethod { allow, .. } => *allow,
            Target::Found { .. } => "OPTIONS",
            Target::Unknown if self.head.uri.path() == "*" => "GET, HEAD, POST, PATCH, DELETE, OPTIONS",
            Target::Unknown => return Err(ApiError::NotFound("there is nothing at this path; see /docs")),
        };
        let mut reply = Reply::json(Vec::new()).private(StatusCode::NO_CONTENT);
        reply.headers = vec![
            (header::ALLOW, HeaderValue::from_static(allow)),
            (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(allow)),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(SENT_BY_SCRIPTS)),
            (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")),
        ];
        Ok(reply)
    }

    fn check_quota(&self) -> Result<(), ApiError> {
        let (verdict, message) = match self.meter {
            Meter::Nothing => return Ok(()),
            Meter::Pages => {
                (self.app.pages.take(self.client, PAGES_PER_MINUTE, self.now.monotonic_ns), PAGES_USED_UP)
            }
            Meter::Quota => (self.verdict, QUOTA_USED_UP),
        };
        if verdict.admitted {
            return Ok(());
        }
        Err(ApiError::RateLimited { message, retry_after_seconds: verdict.retry_after_seconds() })
    }

    /// A bad key never falls back to the Free plan, except where no plan is asked for.
    fn check_identity(&self) -> Result<(), ApiError> {
        let public =
            matches!(self.target, Target::Found { route: Route { feature: Feature::Public, .. }, .. });
        match &self.caller {
            Caller::Refused(error @ ApiError::BadRequest(_)) => Err(error.clone()),
            Caller::Refused(error) if !public => Err(error.clone()),
            _ => Ok(()),
        }
    }

    fn check_plan(&self, route: &Route) -> Result<(), ApiError> {
        let plan = self.caller.plan();
        match route.feature {
            Feature::Public => Ok(()),
            Feature::OwnKey if self.caller.holding().is_none() => {
                Err(ApiError::Unauthorized("API key required"))
            }
            feature if terms(plan).includes(feature) => Ok(()),
            feature => Err(ApiError::UpgradeRequired { plan, feature }),
        }
    }

    /// Usage is counted before the answer leaves, so that whoever has read the answer finds it in the count.
    fn count(&self, result: &Result<Reply, ApiError>) {
        if self.meter != Meter::Quota {
            return;
        }
        if let Some(holding) = self.caller.holding() {
            self.app.usage.count(
                &holding.holder,
                self.now.utc_day(),
                self.target.endpoint(),
                outcome(result),
            );
        }
    }

    fn dress(&self, reply: Reply) -> Response<Outgoing> {
        let request_id = self.app.next_request_id();
        let tag = self.tag(&reply);
        let held = tag.as_ref().is_some_and(|tag| self.holds(tag));
        let status = if held { StatusCode::NOT_MODIFIED } else { reply.status };
        let envelope = Envelope {
            plan: self.caller.plan(),
            verdict: &self.verdict,
            now: self.now,
            request_id: &request_id,
            last: match (&tag, reply.retry_after) {
                (Some(tag), _) => Last::Tag(tag),
                (None, Some(seconds)) => Last::RetryAfter(seconds),
                (None, None) => Last::None,
            },
            cache: reply.cache,
        };
        let mut headers = envelope.stamp();
        if let Some(policy) = reply.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        }
        if self.target.is_for_same_origin() {
            headers.remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
            headers.remove(header::ACCESS_CONTROL_EXPOSE_HEADERS);
        }
        let body = self.pack(reply, status, &mut headers);
        let mut response = Response::new(Outgoing::new(self.connection, body));
        (*response.status_mut(), *response.headers_mut()) = (status, headers);
        self.record(status, &request_id);
        response
    }

    fn tag(&self, reply: &Reply) -> Option<Tag> {
        (reply.status == StatusCode::OK)
            .then(|| conditional::tag(&reply.version, reply.variant, &self.app.database, self.caller.plan()))
            .flatten()
    }

    /// Whether the client has the body with this tag already.
    fn holds(&self, tag: &str) -> bool {
        conditional::is_held(&self.head.headers, tag)
    }

    /// The body as it goes out, and the headers that speak of it. Its length is told by hyper, which sees it.
    fn pack(&self, reply: Reply, status: StatusCode, headers: &mut HeaderMap) -> Body {
        if status == StatusCode::NOT_MODIFIED {
            headers.remove(header::CONTENT_TYPE);
            return Body::default();
        }
        headers.extend(reply.headers);
        if status == StatusCode::NO_CONTENT {
            headers.remove(header::CONTENT_TYPE);
            return Body::default();
        }
        if reply.content_type != JSON {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
        }
        let Body::Whole(bytes) = reply.body else { return reply.body };
        let (bytes, coding) = match reply.encoding {
            None => encoding::encode(bytes, &self.head.headers, &self.app.packed),
            Some(Stored::Plain) => (bytes, None),
            Some(Stored::InForms(forms)) => forms.encode(bytes, &self.head.headers),
        };
        if let Some(coding) = coding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        if self.head.method == Method::HEAD {
            headers.insert(header::CONTENT_LENGTH, bytes.len().into());
            return Body::default();
        }
        Body::Whole(bytes)
    }

    fn record(&self, status: StatusCode, request_id: &str) {
        let elapsed_ns = self.app.clock.monotonic_ns().saturating_sub(self.now.monotonic_ns);
        let status = status.as_u16();
        self.app.metrics.request(self.target.index(), status, elapsed_ns);
        // A 503 is no fault, and may come in numbers: whoever has a reason to tell tells it.
        if status >= 500 && status != 503 {
            tracing::error!(target: "lastro::access", request_id, endpoint = self.target.endpoint(), status, "failed");
        } else {
            tracing::debug!(
                target: "lastro::access", request_id, method = %self.head.method, endpoint = self.target.endpoint(),
                status, plan = self.caller.plan().id(), key = self.caller.holding().map(|h| tracing::field::display(h.key)),
                elapsed_us = elapsed_ns / 1000, "answered"
            );
        }
    }
}

fn outcome(result: &Result<Reply, ApiError>) -> Outcome {
    match result {
        Err(ApiError::UpgradeRequired { .. }) => Outcome::UpgradeRequired,
        other => {
            let status = other.as_ref().map_or_else(|error| error.code().1, |reply| reply.status);
            if status == StatusCode::TOO_MANY_REQUESTS {
                Outcome::RateLimited
            } else if status.is_server_error() {
                Outcome::ServerError
            } else if status.is_client_error() {
                Outcome::ClientError
            } else {
                Outcome::Ok
            }
        }
    }
}
