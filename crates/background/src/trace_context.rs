//! The trace that a request belongs to, by the W3C recommendation "Trace Context".
//!
//! Lastro sends no spans of its own: it names the trace in the request's log line, and passes it on to the receiver of
//! a webhook that the request calls.

use arrayvec::ArrayString;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use lastro_model::hex;

pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
pub const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Length of `00-<32 digits>-<16 digits>-<2 digits>`. Later versions may append more.
const LENGTH: usize = 55;
/// Flags that have a meaning: sampled, and random trace id. Others must not be passed on.
const KNOWN_FLAGS: u8 = 0b11;
/// Limits of `tracestate` in bytes and entries. One that exceeds them is dropped.
const LONGEST_STATE: usize = 512;
const MOST_ENTRIES: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    pub trace_id: ArrayString<32>,
    /// The span of the client that sent the request.
    pub parent_id: ArrayString<16>,
    flags: u8,
    /// Data of tracing systems, passed on unchanged.
    state: Option<HeaderValue>,
}

impl TraceContext {
    /// The context in the headers of a request; `None` without one, or if it is malformed.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all(TRACEPARENT).iter();
        let (line, None) = (lines.next()?, lines.next()) else { return None };
        let parent = Self::parse(line.to_str().ok()?)?;
        Some(Self { state: state(headers), ..parent })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.get(..LENGTH)?.split('-');
        let (version, trace_id, parent_id, flags) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let rest = &text[LENGTH..];
        let is_whole = match version {
            "00" => rest.is_empty(),
            "ff" => false,
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        let are_ids = is_id(trace_id, 32) && is_id(parent_id, 16);
        if fields.next().is_some()
            || !is_whole
            || !are_ids
            || !are_digits(version, 2)
            || !are_digits(flags, 2)
        {
            return None;
        }
        Some(Self {
            trace_id: ArrayString::from(trace_id).ok()?,
            parent_id: ArrayString::from(parent_id).ok()?,
            flags: u8::from_str_radix(flags, 16).ok()? & KNOWN_FLAGS,
            state: None,
        })
    }

    /// The headers of a request that this one causes, as a span of its own.
    pub fn child(&self, mut span_id: [u8; 8]) -> impl Iterator<Item = (HeaderName, HeaderValue)> + use<> {
        if span_id == [0; 8] {
            // All zeroes are not an id.
            span_id[7] = 1;
        }
        let parent = format!("00-{}-{}-{:02x}", self.trace_id, hex::encode(&span_id), self.flags);
        let parent = HeaderValue::try_from(parent).ok().map(|value| (TRACEPARENT, value));
        parent.into_iter().chain(self.state.clone().map(|value| (TRACESTATE, value)))
    }
}

fn are_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// An id is not all zeroes.
fn is_id(text: &str, length: usize) -> bool {
    are_digits(text, length) && text.bytes().any(|byte| byte != b'0')
}

/// The lines of `tracestate` as one; `None` if there are none, or they are malformed.
fn state(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut joined = String::new();
    for line in headers.get_all(TRACESTATE) {
        let line = line.to_str().ok().filter(|line| joined.len() + line.len() < LONGEST_STATE)?;
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.push_str(line);
    }
    let entries = || joined.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let is_sound = entries().all(is_entry) && (1..=MOST_ENTRIES).contains(&entries().count());
    HeaderValue::try_from(joined.as_str()).ok().filter(|_| is_sound)
}

/// Whether this is `key=value`, where a key is `name` or `tenant@name`.
fn is_entry(entry: &str) -> bool {
    let is_key = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@');
    entry.split_once('=').is_some_and(|(key, value)| {
        (1..=256).contains(&key.len())
            && key.bytes().all(is_key)
            && (1..=256).contains(&value.len())
            && value.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let line = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        lines.iter().map(line).fold(HeaderMap::new(), |mut all, (name, value)| {
            all.append(name, value);
            all
        })
    }

    fn child(lines: &[(&'static str, &str)]) -> Vec<String> {
        let context = TraceContext::of(&headers(lines)).unwrap();
        context.child([1, 2, 3, 4, 5, 6, 7, 8]).map(|(_, value)| value.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_child_keeps_the_trace_and_has_its_own_id() {
        let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
        let context = TraceContext::of(&headers(&[("traceparent", &parent)])).unwrap();
        assert_eq!((&*context.trace_id, &*context.parent_id), (TRACE, "b7ad6b7169203331"));
        assert_eq!(child(&[("traceparent", &parent)]), [format!("00-{TRACE}-0102030405060708-01")]);
    }

    #[test]
    fn later_versions_are_read_as_far_as_they_are_known() {
        let parent = format!("cc-{TRACE}-b7ad6b7169203331-ff-what-the-future-brings");
        assert_eq!(child(&[("traceparent", &parent)]), [format!("00-{TRACE}-0102030405060708-03")]);
        assert_eq!(TraceContext::parse(&format!("cc-{TRACE}-b7ad6b7169203331-01.")), None);
    }

    #[test]
    fn malformed_parents_are_ignored() {
        let span = "b7ad6b7169203331";
        let zeroes = "0".repeat(32);
        for parent in [
            String::new(),
            format!("00-{TRACE}-{span}"),
            format!("00-{TRACE}-{span}-01-more"),
            format!("ff-{TRACE}-{span}-01"),
            format!("00-{}-{span}-01", TRACE.to_uppercase()),
            format!("00-{zeroes}-{span}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("0x-{TRACE}-{span}-01"),
            format!("00-{TRACE}-{span}-0g"),
            format!("00_{TRACE}_{span}_01"),
            format!("00-{span}-{TRACE}-01"),
            format!(" 00-{TRACE}-{span}-01"),
        ] {
            assert_eq!(TraceContext::parse(&parent), None, "{parent}");
        }
        let good = format!("00-{TRACE}-{span}-01");
        assert_eq!(TraceContext::of(&headers(&[("traceparent", &good), ("traceparent", &good)])), None);
    }

    #[test]
    fn state_is_passed_on_only_if_it_is_sound() {
        let parent = format!("00-{TRACE}-b7ad6b7169203331-00");
        let passed = |states: &[&str]| {
            let lines = states.iter().map(|state| ("tracestate", *state));
            child(&std::iter::once(("traceparent", &*parent)).chain(lines).collect::<Vec<_>>())
                .get(1)
                .cloned()
        };
        assert_eq!(passed(&["a=1,b@c=2", "d=3 4"]).as_deref(), Some("a=1,b@c=2,d=3 4"));
        let many = vec!["k=v"; 33].join(",");
        let long = format!("a={},b={}", "x".repeat(256), "y".repeat(256));
        for unsound in ["", "a", "=1", "A=1", "a=", "a=b=c", &many, &long] {
            assert_eq!(passed(&[unsound]), None, "{unsound}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = TraceContext::parse(&text);
            is_entry(&text);
        }
    }
}
