//! Range requests: one part of a file, or all of it.

use std::ops::Range;

use http::HeaderMap;
use http::header::{IF_RANGE, RANGE};

/// The part of a file that a request is for.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Some(Range<u64>),
    /// Nothing of the requested range exists.
    Nothing,
}

/// The requested part. A range of another edition (`If-Range`), several ranges and other units mean the whole file, as
/// the standard allows: nobody gets bytes of two editions.
pub fn requested(headers: &HeaderMap, tag: Option<&str>, length: u64) -> Part {
    let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
    let Some(range) = text(RANGE) else { return Part::All };
    if headers.contains_key(IF_RANGE) && (tag.is_none() || text(IF_RANGE) != tag) {
        return Part::All;
    }
    let unit = range.get(..6).filter(|unit| unit.eq_ignore_ascii_case("bytes="));
    let Some(bounds) = unit.and_then(|unit| range[unit.len()..].split_once('-')) else { return Part::All };
    parsed(bounds, length).map_or(Part::All, |range| match range {
        range if range.is_empty() => Part::Nothing,
        range => Part::Some(range),
    })
}

/// The range between these bounds within the file; `None` if they cannot be read.
fn parsed((first, last): (&str, &str), length: u64) -> Option<Range<u64>> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // A number too long is beyond any file.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (first, last) = (first.trim(), last.trim());
    if first.is_empty() {
        return Some(length.saturating_sub(number(last)?)..length);
    }
    let first = number(first)?;
    let end = if last.is_empty() { length } else { number(last)?.saturating_add(1) };
    (first < end || last.is_empty()).then(|| first.min(length)..end.min(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(range: &str, condition: Option<&str>) -> Part {
        let mut headers = HeaderMap::from_iter([(RANGE, range.parse().unwrap())]);
        headers.extend(condition.map(|tag| (IF_RANGE, tag.parse().unwrap())));
        requested(&headers, Some("\"a\""), 100)
    }

    #[test]
    fn one_range_is_served_and_anything_else_is_the_whole() {
        assert_eq!(requested(&HeaderMap::new(), None, 100), Part::All);
        for (range, part) in [
            ("bytes=0-0", Part::Some(0..1)),
            ("Bytes=10-19", Part::Some(10..20)),
            ("bytes=90-", Part::Some(90..100)),
            ("bytes=-8", Part::Some(92..100)),
            ("bytes=-800", Part::Some(0..100)),
            ("bytes=90-1000000000000000000000", Part::Some(90..100)),
            ("bytes=100-", Part::Nothing),
            ("bytes=100-200", Part::Nothing),
            ("bytes=-0", Part::Nothing),
            ("bytes=5-4", Part::All),
            ("bytes=0-1,5-6", Part::All),
            ("bytes=-", Part::All),
            ("bytes=a-b", Part::All),
            ("rows=0-1", Part::All),
            ("", Part::All),
            ("bytes", Part::All),
            ("bytéş=1-2", Part::All),
        ] {
            assert_eq!(of(range, None), part, "{range}");
        }
    }

    #[test]
    fn a_range_of_another_edition_is_the_whole_file() {
        assert_eq!(of("bytes=0-0", Some("\"a\"")), Part::Some(0..1));
        for other in ["\"b\"", "W/\"a\"", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(of("bytes=0-0", Some(other)), Part::All, "{other}");
        }
    }
}
