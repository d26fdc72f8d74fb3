//! State of the data a page is rendered from, as a number. While it is unchanged, a cached page stays valid.

use lastro_model::{Source, Stamp};

use crate::http::handler::Question;
use crate::http::response::reply::{Version, digest_of};
use crate::http::v1::health::is_stale;

/// State of a page that shows data: these stamps, and which sources are late or sample data.
pub fn of(stamps: impl IntoIterator<Item = Stamp>, question: &Question<'_>) -> u64 {
    let flags = question.freshness.iter().map(|source| (is_stale(source, question.now), source.sample));
    version_of(stamps).wrapping_add(flags_digest(flags).rotate_left(32))
}

/// State of a page that shows no data: whether any source is sample data, which every page states.
pub fn sample(question: &Question<'_>) -> u64 {
    question.freshness.iter().any(|state| state.sample).into()
}

/// Digest of the flags. It differs for each position and for any number of simultaneous changes.
fn flags_digest(flags: impl Iterator<Item = (bool, bool)>) -> u64 {
    let bytes: Vec<u8> = flags.map(|(late, sample)| u8::from(late) << 1 | u8::from(sample)).collect();
    digest_of(&bytes)
}

/// Combined digest of the stamps.
fn version_of(stamps: impl IntoIterator<Item = Stamp>) -> u64 {
    match Version::data(stamps) {
        Version::Data(digest) => digest,
        _ => 0,
    }
}

/// Whether newer data should have been published by now.
pub fn is_late(question: &Question<'_>, source: Source) -> bool {
    let state = question.freshness.iter().find(|state| state.source == source);
    state.is_none_or(|state| is_stale(state, question.now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_differs_for_every_pair_of_late_sources() {
        let fresh = [(false, false); 75];
        let mut known = std::collections::BTreeSet::from([flags_digest(fresh.into_iter())]);
        for one in 0..fresh.len() {
            for other in one..fresh.len() {
                let mut flags = fresh;
                (flags[one].0, flags[other].0) = (true, true);
                assert!(known.insert(flags_digest(flags.into_iter())), "{one} and {other}");
            }
        }
    }
}
