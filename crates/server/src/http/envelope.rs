//! The headers that every response carries, whatever became of the request.

use std::fmt::{self, Write};

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use lastro_access::{Verdict, WINDOW_SECONDS};
use lastro_model::{Now, Plan};

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

/// Plan, quota, request id, and the headers that keep browsers honest.
pub fn stamp(headers: &mut HeaderMap, plan: Plan, verdict: &Verdict, now: Now, request_id: &str) {
    let mut text = String::with_capacity(48);
    let mut put = |name: HeaderName, value: fmt::Arguments<'_>| {
        text.clear();
        // Writing to a String cannot fail, and what is written is ASCII.
        if text.write_fmt(value).is_ok()
            && let Ok(value) = HeaderValue::from_str(&text)
        {
            headers.insert(name, value);
        }
    };
    let (id, limit, remaining) = (plan.id(), verdict.limit, verdict.remaining);
    put(X_LIMIT, format_args!("{limit}"));
    put(X_REMAINING, format_args!("{remaining}"));
    put(X_RESET, format_args!("{}", verdict.reset_unix_seconds(now.unix_ms)));
    put(POLICY, format_args!("\"{id}\";q={limit};w={WINDOW_SECONDS}"));
    put(LIMIT, format_args!("\"{id}\";r={remaining};t={}", verdict.next_seconds()));
    put(REQUEST_ID, format_args!("{request_id}"));
    headers.insert(X_PLAN, HeaderValue::from_static(id));
    headers.insert(header::VARY, HeaderValue::from_static(VARY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DATA_POLICY));
}
