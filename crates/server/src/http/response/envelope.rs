//! The headers that every response carries, successful or not.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use lastro_access::{Verdict, WINDOW_SECONDS};
use lastro_model::{Now, Plan};
use parking_lot::Mutex;

use super::conditional;
use super::reply::{NO_STORE, REVALIDATE, Version};
use crate::http::connections::last_head::LastHead;
use crate::http::request::format::JSON;

const X_PLAN: HeaderName = HeaderName::from_static("x-plan");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Response headers that scripts of other origins may read.
const EXPOSED: &str = "ETag, Retry-After, Allow, X-Plan, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, \
                       RateLimit, RateLimit-Policy, X-Request-Id, X-Total-Count, X-Changes-Cursor, Content-Disposition";
const VARY: &str = "Accept, Accept-Encoding, Authorization, Origin, X-API-Key";

/// Data is not a page: it may load nothing and may not be framed.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Headers that differ between any two responses, in the order written by [`Envelope::fresh`].
const FRESH: [HeaderName; 3] = [X_REMAINING, LIMIT, REQUEST_ID];

/// The one additional header that most responses have.
#[derive(Debug, Clone, Copy)]
pub enum Last<'a> {
    /// The `ETag` of a version in a format.
    Tag(&'a Version, &'static str),
    /// Seconds that a rejected client should wait. It has a template so that rejecting a flood is cheap.
    RetryAfter(u64),
    None,
}

/// The headers common to all JSON responses of a plan, by their last header. [`FRESH`] come first.
///
/// Copying such a map is several times cheaper than building it.
static TEMPLATES: LazyLock<[[HeaderMap; 3]; Plan::ALL.len()]> = LazyLock::new(|| {
    Plan::ALL.map(|plan| {
        [
            template(plan, Some(header::ETAG), REVALIDATE),
            template(plan, Some(header::RETRY_AFTER), NO_STORE),
            template(plan, None, NO_STORE),
        ]
    })
});

fn template(plan: Plan, last: Option<HeaderName>, cache: &'static str) -> HeaderMap {
    let to_come = FRESH.into_iter().chain([X_LIMIT, X_RESET, POLICY]).chain(last).map(|name| (name, ""));
    let known = [
        (X_PLAN, plan.id()),
        (header::CONTENT_TYPE, JSON.media_type),
        (header::CACHE_CONTROL, cache),
        (header::VARY, VARY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, DATA_POLICY),
    ];
    to_come.chain(known).map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
}

impl Last<'_> {
    /// What the value is made of, but for the plan, which the template has, and the database.
    fn source(self) -> Option<(u64, [&'static str; 2])> {
        match self {
            Self::Tag(Version::Data(digest), variant) => Some((*digest, ["", variant])),
            Self::Tag(Version::File(digest), variant) => Some((*digest, ["file", variant])),
            Self::Tag(Version::Content(digest), variant) => Some((0, [digest, variant])),
            Self::RetryAfter(seconds) => Some((seconds, ["", ""])),
            Self::Tag(Version::None, _) | Self::None => None,
        }
    }

    /// The template, and its `Cache-Control`.
    fn template(self, plan: Plan) -> (&'static HeaderMap, &'static str) {
        let [data, refusal, other] = &TEMPLATES[plan as usize];
        match self {
            Self::Tag(..) => (data, REVALIDATE),
            Self::RetryAfter(_) => (refusal, NO_STORE),
            Self::None => (other, NO_STORE),
        }
    }
}

/// The variable parts of the envelope of one response.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    pub plan: Plan,
    pub verdict: &'a Verdict,
    pub now: Now,
    pub request_id: &'a str,
    pub last: Last<'a>,
    /// Identifies the database in tags.
    pub database: &'a str,
    pub cache: &'static str,
}

impl Envelope<'_> {
    /// The headers of this response, as if it were JSON. All but the fresh ones are usually those of the connection's
    /// last response: a copy of them saves formatting and allocating each again.
    pub fn stamp(&self, last: &Mutex<Option<LastHead>>) -> HeaderMap {
        let (template, cache) = self.last.template(self.plan);
        let mut headers = self.updated(&mut last.lock(), template).headers.clone();
        for (place, value) in headers.values_mut().zip(self.fresh()) {
            *place = value;
        }
        if self.cache != cache {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache));
        }
        headers
    }

    /// The head of the last response with the values that have changed since.
    fn updated<'h>(&self, last: &'h mut Option<LastHead>, template: &'static HeaderMap) -> &'h LastHead {
        let Self { plan, verdict, now, .. } = self;
        let (limit, reset) = (verdict.limit, verdict.reset_unix_seconds(now.unix_ms));
        last.take_if(|head| !std::ptr::eq(head.template, template));
        let head = last.get_or_insert_with(|| LastHead::of(template));
        if head.limit != Some(limit) {
            head.limit = Some(limit);
            head.headers.insert(X_LIMIT, limit.into());
            let policy = format!("\"{}\";q={limit};w={WINDOW_SECONDS}", plan.id());
            head.headers.insert(POLICY, text(&policy));
        }
        if head.reset != Some(reset) {
            head.reset = Some(reset);
            head.headers.insert(X_RESET, reset.into());
        }
        let source = self.last.source();
        if head.last != source {
            head.last = source;
            self.insert_last(&mut head.headers);
        }
        head
    }

    fn insert_last(&self, headers: &mut HeaderMap) {
        match self.last {
            Last::Tag(version, variant) => {
                let tag = conditional::tag(version, variant, self.database, self.plan).unwrap_or_default();
                headers.insert(header::ETAG, text(&tag));
            }
            Last::RetryAfter(seconds) => drop(headers.insert(header::RETRY_AFTER, seconds.into())),
            Last::None => {}
        }
    }

    /// The values of [`FRESH`], written one after the other into one shared buffer. The first is a part of the second.
    fn fresh(&self) -> [HeaderValue; 3] {
        let Self { plan, verdict, request_id, .. } = self;
        let (mut text, mut digits) = (String::with_capacity(96), itoa::Buffer::new());
        for piece in ["\"", plan.id(), "\";r="] {
            text.push_str(piece);
        }
        let remaining_from = text.len();
        text.push_str(digits.format(verdict.remaining));
        let remaining_to = text.len();
        text.push_str(";t=");
        text.push_str(digits.format(verdict.next_seconds()));
        let limit_to = text.len();
        text.push_str(request_id);
        let text = Bytes::from(text);
        [remaining_from..remaining_to, 0..limit_to, limit_to..text.len()]
            .map(|part| checked(HeaderValue::from_maybe_shared(text.slice(part))))
    }
}

/// Lets scripts of other origins read the response and its headers.
pub fn open_to_scripts(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
}

pub fn text(value: &str) -> HeaderValue {
    checked(HeaderValue::from_str(value))
}

/// The value, or an empty one: never needed, because all our values are ASCII.
fn checked(value: Result<HeaderValue, header::InvalidHeaderValue>) -> HeaderValue {
    value.unwrap_or(HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_headers_come_first_in_every_template() {
        for template in TEMPLATES.iter().flatten() {
            assert!(template.keys().take(FRESH.len()).eq(&FRESH));
        }
    }

    #[test]
    fn headers_do_not_depend_on_the_last_response() {
        let verdict =
            |limit, remaining| Verdict { admitted: true, limit, remaining, next_ns: 0, full_ns: 59 << 30 };
        let (few, many) = (verdict(30, 29), verdict(500, 7));
        let versions = [Version::Data(1), Version::File(1), Version::Content("1")];
        let [data, file, content] = &versions;
        #[rustfmt::skip]
        let lasts = [
            Last::Tag(data, ""), Last::Tag(data, "csv"), Last::Tag(file, ""), Last::Tag(content, ""), Last::RetryAfter(9), Last::None,
        ];
        let kept = Mutex::new(None);
        for number in 0..400 {
            let envelope = Envelope {
                // Many in a row of one plan, as on one connection.
                plan: Plan::ALL[number as usize / 100],
                verdict: if number % 3 == 0 { &few } else { &many },
                now: Now { monotonic_ns: 0, unix_ms: number / 7 * 1000 },
                request_id: "x-1",
                last: lasts[number as usize / 5 % lasts.len()],
                database: "db",
                cache: if number % 11 == 0 { NO_STORE } else { REVALIDATE },
            };
            let headers = envelope.stamp(&kept);
            assert_eq!(headers, envelope.stamp(&Mutex::new(None)));
            assert!(headers.values().all(|value| !value.is_empty()), "{headers:?}");
        }
    }
}
