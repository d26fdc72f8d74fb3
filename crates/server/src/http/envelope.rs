//! The headers that every response carries, whatever became of the request.

use std::sync::LazyLock;

use arrayvec::ArrayString;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use lastro_access::{Verdict, WINDOW_SECONDS, terms};
use lastro_model::{Now, Plan};

use super::reply::{JSON, REVALIDATE};

const X_PLAN: HeaderName = HeaderName::from_static("x-plan");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What scripts of other origins may read of an answer.
const EXPOSED: &str = "ETag, Retry-After, Allow, X-Plan, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, \
                       RateLimit, RateLimit-Policy, X-Request-Id, X-Total-Count, Content-Disposition";
const VARY: &str = "Accept, Accept-Encoding, Authorization, X-API-Key";

/// Data is nobody's page: nothing of it may load or be framed.
pub const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The headers of an answer with data, as far as they are the same for all answers of a plan.
///
/// Copying this map is several times cheaper than building it. Names whose values are not known yet stand in it
/// too, so that filling them in does not make the map grow; an answer that lacks one of them takes it out.
static FORMS: LazyLock<[HeaderMap; Plan::ALL.len()]> = LazyLock::new(|| Plan::ALL.map(form));

fn form(plan: Plan) -> HeaderMap {
    let limit = terms(plan).requests_per_minute;
    let to_come = HeaderValue::from_static("");
    HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static(JSON)),
        (header::CACHE_CONTROL, HeaderValue::from_static(REVALIDATE)),
        (header::ETAG, to_come.clone()),
        (X_LIMIT, number(limit)),
        (X_REMAINING, to_come.clone()),
        (X_RESET, to_come.clone()),
        (POLICY, policy(plan, limit)),
        (LIMIT, to_come.clone()),
        (REQUEST_ID, to_come),
        (X_PLAN, HeaderValue::from_static(plan.id())),
        (header::VARY, HeaderValue::from_static(VARY)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(DATA_POLICY)),
    ])
}

/// The headers of one answer, as if it had data in JSON. `ETag` is the caller's to put or to take out.
pub fn stamped(plan: Plan, verdict: &Verdict, now: Now, request_id: &str) -> HeaderMap {
    let mut headers = FORMS[plan as usize].clone();
    if verdict.limit != terms(plan).requests_per_minute {
        headers.insert(X_LIMIT, number(verdict.limit));
        headers.insert(POLICY, policy(plan, verdict.limit));
    }
    headers.insert(X_REMAINING, number(verdict.remaining));
    headers.insert(X_RESET, number(verdict.reset_unix_seconds(now.unix_ms)));
    headers.insert(LIMIT, left(plan, verdict));
    headers.insert(REQUEST_ID, text(request_id));
    headers
}

fn policy(plan: Plan, limit: u32) -> HeaderValue {
    let mut line = Line::quoting(plan);
    line.push(";q=", limit);
    line.push(";w=", WINDOW_SECONDS);
    text(&line.0)
}

fn left(plan: Plan, verdict: &Verdict) -> HeaderValue {
    let mut line = Line::quoting(plan);
    line.push(";r=", verdict.remaining);
    line.push(";t=", verdict.next_seconds());
    text(&line.0)
}

/// A structured field on its way into a header, without a detour over the heap: a plan and a few numbers fit.
struct Line(ArrayString<80>);

impl Line {
    fn quoting(plan: Plan) -> Self {
        let mut line = Self(ArrayString::new());
        ["\"", plan.id(), "\""].into_iter().for_each(|piece| line.text(piece));
        line
    }

    fn push(&mut self, name: &str, value: impl itoa::Integer) {
        self.text(name);
        self.text(itoa::Buffer::new().format(value));
    }

    fn text(&mut self, piece: &str) {
        let fits = self.0.try_push_str(piece).is_ok();
        debug_assert!(fits, "{} and {piece}", self.0);
    }
}

fn number(value: impl itoa::Integer) -> HeaderValue {
    text(itoa::Buffer::new().format(value))
}

/// What we write is ASCII; the empty value is for what could never be sent.
pub fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""))
}
