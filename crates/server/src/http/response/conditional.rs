//! Entity tags, and the check whether a client already has the body.

use http::{HeaderMap, HeaderValue};
use lastro_model::Plan;

use super::reply::Version;

/// The tag of a reply: the database, the program's version, the plan (it limits the history shown), the stamps of
/// the data, and the format. `None` for a body that changes with every request.
pub fn tag(version: &Version, variant: &str, database: &str, plan: Plan) -> Option<String> {
    let (program, plan, mut number) = (crate::VERSION, plan.id(), itoa::Buffer::new());
    let pieces: &[&str] = match version {
        Version::None => return None,
        Version::Content(digest) => &["W/\"", digest],
        Version::File(digest) => &["\"", database, "-", program, "-", number.format(*digest)],
        Version::Data(digest) => &["W/\"", database, "-", program, "-", plan, "-", number.format(*digest)],
    };
    let mut tag = pieces.concat();
    if !variant.is_empty() {
        tag.push('-');
        tag.push_str(variant);
    }
    tag.push('"');
    Some(tag)
}

/// Whether `If-None-Match` names this tag (weak comparison, as for every GET).
pub fn is_held(headers: &HeaderMap, tag: &str) -> bool {
    fn opaque(tag: &str) -> &str {
        tag.trim().trim_start_matches("W/")
    }
    headers
        .get_all(http::header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value: &HeaderValue| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|candidate| candidate.trim() == "*" || opaque(candidate) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_model::{Edition, Stamp};

    fn stamp(edition: u64, published_unix_ms: i64) -> Stamp {
        Stamp { edition: Edition(edition), published_unix_ms }
    }

    #[test]
    fn a_tag_changes_with_every_stamp() {
        let parts = [stamp(1, 10), stamp(2, 20), stamp(3, 30), stamp(4, 40), stamp(5, 50), stamp(6, 60)];
        let tag_of =
            |stamps: &[Stamp]| tag(&Version::data(stamps.iter().copied()), "", "db", Plan::Gold).unwrap();
        let mut tags = std::collections::BTreeSet::from([tag_of(&parts)]);
        for place in 0..parts.len() {
            for other in
                [stamp(7, parts[place].published_unix_ms), Stamp { published_unix_ms: 11, ..parts[place] }]
            {
                let mut changed = parts;
                changed[place] = other;
                assert!(tags.insert(tag_of(&changed)), "part {place} as {other:?}");
            }
            assert!(tags.insert(tag_of(&parts[..place])), "{place} parts");
        }
    }

    #[test]
    fn matches_weak_and_strong_tags_at_any_position() {
        let tag = tag(&Version::data([stamp(7, 7)]), "", "db", Plan::Gold).unwrap();
        for held in [
            tag.to_string(),
            tag.trim_start_matches("W/").to_owned(),
            format!("\"x\", {tag}"),
            "*".to_owned(),
        ] {
            let headers = HeaderMap::from_iter([(http::header::IF_NONE_MATCH, held.parse().unwrap())]);
            assert!(is_held(&headers, &tag), "{held}");
        }
        let headers =
            HeaderMap::from_iter([(http::header::IF_NONE_MATCH, HeaderValue::from_static("\"other\""))]);
        assert!(!is_held(&headers, &tag));
    }
}
