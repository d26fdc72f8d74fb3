//! The headers that every response carries, successful or not.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use lastro_access::{Verdict, WINDOW_SECONDS};
use lastro_model::{Now, Plan};

use super::reply::{NO_STORE, REVALIDATE};
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
const VARY: &str = "Accept, Accept-Encoding, Authorization, X-API-Key";

/// Data is not a page: it may load nothing and may not be framed.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Headers that differ between responses, in the order written by [`Envelope::filled_in`]; then the [`Last`].
const FILLED_IN: [HeaderName; 6] = [X_LIMIT, X_REMAINING, X_RESET, POLICY, LIMIT, REQUEST_ID];

/// The one additional header that most responses have.
#[derive(Debug, Clone, Copy)]
pub enum Last<'a> {
    /// The `ETag` of data.
    Tag(&'a str),
    /// Seconds that a rejected client should wait. It has a template so that rejecting a flood is cheap.
    RetryAfter(u64),
    None,
}

/// The headers common to all JSON responses of a plan, by their last header.
///
/// Copying such a map and filling it in is several times cheaper than building it. The headers to fill in come first.
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
    let to_come = FILLED_IN.into_iter().chain(last).map(|name| (name, ""));
    let known = [
        (X_PLAN, plan.id()),
        (header::CONTENT_TYPE, JSON.media_type),
        (header::CACHE_CONTROL, cache),
        (header::VARY, VARY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED),
        (header::CONTENT_SECURITY_POLICY, DATA_POLICY),
    ];
    to_come.chain(known).map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
}

impl Last<'_> {
    /// The template, and its `Cache-Control`.
    fn template(self, plan: Plan) -> (&'static HeaderMap, &'static str) {
        let [data, refusal, other] = &TEMPLATES[plan as usize];
        match self {
            Self::Tag(_) => (data, REVALIDATE),
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
    pub cache: &'static str,
}

impl Envelope<'_> {
    /// The headers of this response, as if it were JSON.
    pub fn stamp(&self) -> HeaderMap {
        let (template, cache) = self.last.template(self.plan);
        let mut headers = template.clone();
        for (place, value) in headers.values_mut().zip(self.filled_in().values()) {
            *place = value;
        }
        if self.cache != cache {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache));
        }
        headers
    }

    fn filled_in(&self) -> Lines {
        let Self { plan, verdict, now, .. } = self;
        let mut lines = Lines::new();
        lines.number(verdict.limit).end();
        lines.number(verdict.remaining).end();
        lines.number(verdict.reset_unix_seconds(now.unix_ms)).end();
        lines.quoted(plan.id()).text(";q=").number(verdict.limit).text(";w=").number(WINDOW_SECONDS).end();
        lines
            .quoted(plan.id())
            .text(";r=")
            .number(verdict.remaining)
            .text(";t=")
            .number(verdict.next_seconds())
            .end();
        lines.text(self.request_id).end();
        match self.last {
            Last::Tag(tag) => lines.text(tag).end(),
            Last::RetryAfter(seconds) => lines.number(seconds).end(),
            Last::None => {}
        }
        lines
    }
}

/// Header values, written one after the other into one shared buffer.
struct Lines {
    text: String,
    ends: ArrayVec<usize, 7>,
}

impl Lines {
    fn new() -> Self {
        Self { text: String::with_capacity(256), ends: ArrayVec::new() }
    }

    fn text(&mut self, piece: &str) -> &mut Self {
        self.text.push_str(piece);
        self
    }

    fn quoted(&mut self, piece: &str) -> &mut Self {
        self.text("\"").text(piece).text("\"")
    }

    fn number(&mut self, value: impl itoa::Integer) -> &mut Self {
        self.text(itoa::Buffer::new().format(value))
    }

    /// Ends one value.
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    fn values(self) -> impl Iterator<Item = HeaderValue> {
        let (text, mut start) = (Bytes::from(self.text), 0);
        self.ends.into_iter().map(move |end| {
            let value = text.slice(start..end);
            start = end;
            checked(HeaderValue::from_maybe_shared(value))
        })
    }
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
    fn variable_headers_come_first_in_every_template() {
        for (template, last) in TEMPLATES
            .iter()
            .flat_map(|templates| templates.iter().zip([Some(header::ETAG), Some(header::RETRY_AFTER), None]))
        {
            let to_come: Vec<HeaderName> = FILLED_IN.into_iter().chain(last).collect();
            assert!(template.keys().take(to_come.len()).eq(&to_come));
            assert_eq!(template.values().filter(|value| value.is_empty()).count(), to_come.len());
        }
    }
}
