//! Weak tags, and the short answer to who has the body already.

use arrayvec::ArrayString;
use http::{HeaderMap, HeaderValue};
use lastro_model::Plan;

use super::reply::Version;

/// Long enough for the names and numbers that a tag is made of; what would not fit has no tag.
pub type Tag = ArrayString<192>;

/// The tag of a reply: the database, the program's version, the plan (it decides how deep a series goes), the editions and
/// the form they are told in.
pub fn tag(version: &Version, variant: &str, database: &str, plan: Plan) -> Option<Tag> {
    let mut tag = Tag::new();
    let mut push = |piece: &str| tag.try_push_str(piece).ok();
    match version {
        Version::None => return None,
        Version::Content(digest) => ["W/\"", digest].into_iter().try_for_each(&mut push)?,
        Version::Editions(editions) => {
            ["W/\"", database, "-", crate::VERSION, "-", plan.id()].into_iter().try_for_each(&mut push)?;
            for edition in editions {
                push("-")?;
                push(itoa::Buffer::new().format(edition.0))?;
            }
            if !variant.is_empty() {
                ["-", variant].into_iter().try_for_each(&mut push)?;
            }
        }
    }
    push("\"")?;
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
    use lastro_model::Edition;

    #[test]
    fn a_tag_is_held_whatever_its_strength_and_place() {
        let tag = tag(&Version::editions([Edition(7)]), "", "db", Plan::Gold).unwrap();
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
