//! From a request to its answer: the checks in their order, then the dressing.
//!
//! Identity, rate limit, route and method, plan gate; parameters, existence and the history gate are the handler's.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode, request};
use http_body_util::Full;
use hyper::body::Incoming;
use lastro_access::{ClientAddr, Feature, Verdict, terms};
use lastro_model::{Now, Outcome};

use super::caller::{self, Caller};
use super::query::{Query, decode_segment};
use super::reply::{Reply, Stored};
use super::routes::{Action, Handler, Question, Route, Target, resolve};
use super::{conditional, encoding, envelope};
use crate::error::ApiError;
use crate::state::App;

pub type Body = Full<Bytes>;

/// Longest time that an answer may wait on the store, unless its route says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A request on its way, with what has been found out about it.
struct Visit<'a> {
    app: &'a App,
    head: &'a request::Parts,
    client: ClientAddr,
    target: Target<'a>,
    caller: Caller,
    verdict: Verdict,
    now: Now,
}

/// Answers one request. Every way out of here carries the envelope.
pub async fn answer(app: &App, peer: IpAddr, request: Request<Incoming>) -> Response<Body> {
    let now = app.clock.now();
    let (head, body) = request.into_parts();
    let target = resolve(&head.method, head.uri.path());
    let client = caller::address(app, peer, &head.headers);
    let identified = guarded(app, caller::identify(app, client, &head.headers, now)).await;
    let caller = identified.unwrap_or_else(Caller::Refused);
    let verdict = caller.charge(app, client, now, costs_nothing(&head.method, &target));
    let mut visit = Visit { app, head: &head, client, target, caller, verdict, now };

    let result = guarded(app, visit.judge(body)).await.flatten();
    if visit.verdict.admitted && outcome(&result) == Outcome::RateLimited {
        visit.verdict = visit.caller.give_back(app, client, now);
    }
    visit.count(&result);
    visit.dress(result.unwrap_or_else(|error| Reply::error(&error)))
}

/// A panic is our fault: it ends one request with an answer, never the connection.
async fn guarded<T>(app: &App, work: impl Future<Output = T>) -> Result<T, ApiError> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| {
        app.metrics.panics.fetch_add(1, Ordering::Relaxed);
        ApiError::Internal
    })
}

fn costs_nothing(method: &Method, target: &Target<'_>) -> bool {
    method == Method::OPTIONS || matches!(target, Target::Found { route: Route { metered: false, .. }, .. })
}

impl Visit<'_> {
    async fn judge(&self, body: Incoming) -> Result<Reply, ApiError> {
        if self.head.method == Method::OPTIONS {
            return self.options();
        }
        self.check_quota()?;
        self.check_identity()?;
        let (route, raw_id, raw_delivery) = match &self.target {
            Target::Found { route, raw_id, raw_delivery, .. } => (*route, *raw_id, *raw_delivery),
            Target::OtherMethod { allow } => return Err(ApiError::MethodNotAllowed(allow)),
            Target::Unknown => return Err(ApiError::NotFound("there is nothing at this path; see /docs")),
        };
        self.check_plan(route)?;
        let query = Query::new(self.head.uri.query().unwrap_or(""))?;
        let id = decode_segment(raw_id)?;
        match route.handler {
            Handler::Read(handler) => {
                let catalog = self.app.catalog.load();
                let freshness = self.app.freshness.load();
                let (plan, now) = (self.caller.plan(), self.now);
                handler(&Question { catalog: &catalog, freshness: &freshness, plan, now, id: &id, query })
            }
            Handler::Act(handler) => {
                let (app, caller, client, now) = (self.app, &self.caller, self.client, self.now);
                let delivery = decode_segment(raw_delivery)?;
                let acting = handler(Action { app, caller, client, now, id, delivery, query, body });
                tokio::time::timeout(route.patience, acting)
                    .await
                    .unwrap_or(Err(ApiError::Unavailable("this took too long; please try again shortly")))
            }
        }
    }

    /// What may be done here; asked by browsers before they send a key across origins.
    fn options(&self) -> Result<Reply, ApiError> {
        let allow = match &self.target {
            Target::OtherMethod { allow } => *allow,
            Target::Found { .. } => "OPTIONS",
            Target::Unknown if self.head.uri.path() == "*" => "GET, HEAD, POST, PATCH, DELETE, OPTIONS",
            Target::Unknown => return Err(ApiError::NotFound("there is nothing at this path; see /docs")),
        };
        let mut reply = Reply::json(Vec::new()).private(StatusCode::NO_CONTENT);
        reply.headers = vec![
            ("allow", allow.to_owned()),
            ("access-control-allow-methods", allow.to_owned()),
            (
                "access-control-allow-headers",
                "Authorization, X-API-Key, Content-Type, If-None-Match, Accept".to_owned(),
            ),
            ("access-control-max-age", "86400".to_owned()),
        ];
        Ok(reply)
    }

    fn check_quota(&self) -> Result<(), ApiError> {
        if self.verdict.admitted || costs_nothing(&self.head.method, &self.target) {
            return Ok(());
        }
        Err(ApiError::RateLimited {
            message: "too many requests: this minute's quota is used up; wait as long as Retry-After says",
            retry_after_seconds: self.verdict.retry_after_seconds(),
        })
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
        if costs_nothing(&self.head.method, &self.target) {
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

    fn dress(&self, reply: Reply) -> Response<Body> {
        let request_id = self.app.next_request_id();
        let tag = (reply.status == StatusCode::OK)
            .then(|| conditional::tag(&reply.version, &self.app.database, self.caller.plan()))
            .flatten();
        let held = tag.as_deref().is_some_and(|tag| conditional::is_held(&self.head.headers, tag));
        let mut response = if held { not_modified(&reply) } else { self.full(reply) };
        let headers = response.headers_mut();
        if let Some(tag) = tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
            headers.insert(header::ETAG, tag);
        }
        envelope::stamp(headers, self.caller.plan(), &self.verdict, self.now, &request_id);
        self.record(&response, &request_id);
        response
    }

    fn full(&self, reply: Reply) -> Response<Body> {
        let (body, coding) = match reply.encoding {
            None => encoding::encode(reply.body, &self.head.headers),
            Some(Stored::Plain) => (reply.body, None),
            Some(Stored::Gzip) => encoding::from_gzip(reply.body, &self.head.headers),
        };
        let length = body.len();
        let empty = self.head.method == Method::HEAD || reply.status == StatusCode::NO_CONTENT;
        let mut response = Response::new(Full::new(if empty { Bytes::new() } else { body }));
        *response.status_mut() = reply.status;
        let headers = response.headers_mut();
        headers.reserve(24);
        if reply.status != StatusCode::NO_CONTENT {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
            headers.insert(header::CONTENT_LENGTH, length.into());
        }
        if let Some(coding) = coding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        put_cache_and_policy(headers, reply.cache, reply.policy);
        for (name, value) in reply.headers {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
        response
    }

    fn record(&self, response: &Response<Body>, request_id: &str) {
        let elapsed_ns = self.app.clock.now().monotonic_ns.saturating_sub(self.now.monotonic_ns);
        let status = response.status().as_u16();
        self.app.metrics.request(self.target.index(), status, elapsed_ns);
        if status >= 500 {
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

fn put_cache_and_policy(headers: &mut HeaderMap, cache: &'static str, policy: Option<&'static str>) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Some(policy) = policy {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
}

fn not_modified(reply: &Reply) -> Response<Body> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    put_cache_and_policy(response.headers_mut(), reply.cache, reply.policy);
    response
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
