//! Turns a handler's reply into the response, with the headers common to all responses.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Response, StatusCode};
use jiff::fmt::rfc2822::DateTimePrinter;
use lastro_model::{Outcome, Plan};
use tracing::field::{Value, display};

use super::context::{Arrival, RequestContext};
use crate::error::ApiError;
use crate::http::handler::Meter;
use crate::http::pages;
use crate::http::request::format::JSON;
use crate::http::request::head::Head;
use crate::http::request::id;
use crate::http::response::body::Body;
use crate::http::response::compression::{self, Encodings};
use crate::http::response::compression_cache::LARGEST;
use crate::http::response::conditional;
use crate::http::response::envelope::{self, Envelope, Last};
use crate::http::response::outgoing::Outgoing;
use crate::http::response::reply::{Reply, Stored, Version};

impl RequestContext<'_> {
    /// Counts the outcome of the request, and builds the response.
    pub(super) fn complete(mut self, result: Result<Reply, ApiError>) -> Response<Outgoing> {
        let was_charged = self.arrival.meter == Meter::Quota && self.charge.verdict.admitted;
        let is_paid = result.as_ref().is_ok_and(|reply| reply.is_paid);
        if was_charged && (is_paid || outcome(&result) == Outcome::RateLimited) {
            self.charge.verdict = self.arrival.charging(self.app, &self.caller).give_back(self.charge);
        }
        if !is_paid {
            self.count(&result);
        }
        self.respond(result.unwrap_or_else(|error| self.failed(&error)))
    }

    /// The JSON error, or an error page for a client that wants pages.
    fn failed(&self, error: &ApiError) -> Reply {
        let app = self.app;
        let page = pages::failure::page(&app.served, &app.site, self.arrival.now, Head(self.head), error);
        page.unwrap_or_else(|| Reply::error(error))
    }

    /// Counts usage before the response is sent, so that a client that has read the response finds it in the count.
    fn count(&self, result: &Result<Reply, ApiError>) {
        if self.arrival.meter != Meter::Quota {
            return;
        }
        if let Some(key) = self.caller.key() {
            self.app.access.usage.count(
                &key.holder,
                self.arrival.now.utc_day(),
                self.arrival.target.endpoint(),
                outcome(result),
            );
        }
    }

    fn respond(&self, reply: Reply) -> Response<Outgoing> {
        let made;
        let request_id = if let Some(given) = self.given_request_id() {
            given
        } else {
            made = self.app.next_request_id();
            &made
        };
        let status = if self.holds(&reply) { StatusCode::NOT_MODIFIED } else { reply.status };
        let envelope = Envelope {
            plan: self.caller.plan(),
            verdict: &self.charge.verdict,
            now: self.arrival.now,
            request_id,
            last: match reply.retry_after {
                _ if is_tagged(&reply) => Last::Tag(&reply.version, reply.variant),
                Some(seconds) => Last::RetryAfter(seconds),
                None => Last::None,
            },
            database: &self.app.database,
            cache: reply.cache,
        };
        let mut headers = envelope.stamp(&self.connection.last_head);
        if let Some(policy) = reply.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        }
        if self.comes_from_page() && !self.arrival.target.is_for_same_origin() {
            envelope::open_to_scripts(&mut headers);
        }
        if self.app.operations.replicas.clock.is_visibly_off() {
            self.correct_date(&mut headers);
        }
        let body = self.body(reply, status, &mut headers);
        let mut response = Response::new(Outgoing::new(self.connection, body, Head(self.head)));
        (*response.status_mut(), *response.headers_mut()) = (status, headers);
        if self.app.operations.draining.load(Ordering::Relaxed) {
            self.send_elsewhere(response.headers_mut());
        }
        self.record(status, request_id);
        response
    }

    fn given_request_id(&self) -> Option<&str> {
        self.arrival.is_proxied.then(|| id::given(&self.head.headers)).flatten()
    }

    /// Sets the `Date`, which hyper otherwise adds from the machine's clock.
    #[cold]
    fn correct_date(&self, headers: &mut HeaderMap) {
        let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&self.arrival.now.timestamp());
        if let Some(date) = date.ok().and_then(|date| HeaderValue::try_from(date).ok()) {
            headers.insert(header::DATE, date);
        }
    }

    /// Makes this the last response of its connection while the service drains: the next one reaches another replica.
    #[cold]
    fn send_elsewhere(&self, headers: &mut HeaderMap) {
        if self.head.version == http::Version::HTTP_2 {
            self.connection.ask_to_close();
        } else {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }

    pub(super) fn tag(&self, reply: &Reply) -> Option<String> {
        is_tagged(reply)
            .then(|| conditional::tag(&reply.version, reply.variant, &self.app.database, self.caller.plan()))
            .flatten()
    }

    /// Whether the client already has the body.
    pub(super) fn holds(&self, reply: &Reply) -> bool {
        let is_held = |tag: String| conditional::is_held(&self.head.headers, &tag);
        self.arrival.rare.if_none_match && self.tag(reply).is_some_and(is_held)
    }

    /// The body as it is sent, and its headers. hyper adds the length.
    fn body(&self, reply: Reply, status: StatusCode, headers: &mut HeaderMap) -> Body {
        // A 304 has them as well: what the body varies by, and its language.
        if !reply.headers.is_empty() {
            headers.extend(reply.headers);
        }
        if status == StatusCode::NOT_MODIFIED || reply.body.is_empty() {
            headers.remove(header::CONTENT_TYPE);
            return Body::default();
        }
        if reply.content_type != JSON.media_type {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
        }
        let Body::Whole(bytes) = reply.body else { return reply.body };
        let (bytes, coding) = match reply.encoding {
            // Too long for the cache, and requested by a client on the Free plan.
            None if bytes.len() > LARGEST && self.caller.plan() == Plan::Free => {
                self.compressed_at_own_expense(bytes, &Encodings::new())
            }
            None => compression::encode(bytes, &self.head.headers, &self.app.compression_cache),
            Some(Stored::Plain) => (bytes, None),
            Some(Stored::Static(encodings)) => encodings.encode(bytes, &self.head.headers, |_| true),
            Some(Stored::Page(encodings)) => encodings.encode(bytes, &self.head.headers, |_| true),
            Some(Stored::Charged(encodings)) => self.compressed_at_own_expense(bytes, &encodings),
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

    /// The body compressed, if that is cached or the address may cause the work; otherwise unchanged.
    fn compressed_at_own_expense(&self, body: Bytes, encodings: &Encodings) -> (Bytes, Option<&'static str>) {
        let Arrival { client, now, .. } = self.arrival;
        let may_make = |length| self.app.site.work.take(client, length, now.monotonic_ns);
        encodings.encode(body, &self.head.headers, may_make)
    }

    fn record(&self, status: StatusCode, request_id: &str) {
        let elapsed_ns = self.app.clock.monotonic_ns().saturating_sub(self.arrival.now.monotonic_ns);
        let status = status.as_u16();
        self.app.operations.metrics.requests.count(self.arrival.target.index(), status, elapsed_ns);
        // A 503 is no fault and may be frequent; its cause is logged elsewhere.
        if status >= 500 && status != 503 {
            tracing::error!(
                target: "lastro::access", request_id, endpoint = self.arrival.target.endpoint(), status,
                trace_id = self.trace_id(), parent_id = self.parent_id(), "failed"
            );
        } else {
            tracing::debug!(
                target: "lastro::access", request_id, method = %self.head.method, endpoint = self.arrival.target.endpoint(),
                status, plan = self.caller.plan().id(), key = self.caller.key().map(|key| display(key.id)),
                elapsed_us = elapsed_ns / 1000, trace_id = self.trace_id(), parent_id = self.parent_id(), "answered"
            );
        }
    }

    fn trace_id(&self) -> Option<impl Value + use<>> {
        Head(self.head).trace_context().map(|trace| display(trace.trace_id))
    }

    fn parent_id(&self) -> Option<impl Value + use<>> {
        Head(self.head).trace_context().map(|trace| display(trace.parent_id))
    }
}

fn is_tagged(reply: &Reply) -> bool {
    matches!(reply.status, StatusCode::OK | StatusCode::PARTIAL_CONTENT) && reply.version != Version::None
}

fn outcome(result: &Result<Reply, ApiError>) -> Outcome {
    match result {
        Err(ApiError::UpgradeRequired { .. }) => Outcome::UpgradeRequired,
        Ok(Reply { outcome: Some(outcome), .. }) => *outcome,
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
