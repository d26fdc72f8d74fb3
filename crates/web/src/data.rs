//! The data that pages are rendered from, and its state as a number.

use lastro_catalog::Catalog;
use lastro_model::{Now, Source, SourceState, Stamp, digest_of, digest_of_stamps};

#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    pub catalog: &'a Catalog,
    pub freshness: &'a [SourceState],
    pub now: Now,
    /// Address of the service configured by the operator.
    pub public_url: Option<&'a str>,
}

impl Data<'_> {
    /// State of a page that shows data: these stamps, and which sources are late or sample data.
    pub fn state(&self, stamps: impl IntoIterator<Item = Stamp>) -> u64 {
        let flags = self.freshness.iter().map(|source| (source.is_stale(self.now), source.sample));
        digest_of_stamps(stamps).wrapping_add(flags_digest(flags).rotate_left(32))
    }

    /// State of a page that shows no data: whether any source is sample data, which every page states.
    pub(crate) fn sample_state(&self) -> u64 {
        self.has_sample().into()
    }

    /// Whether any source still is the built-in sample.
    pub(crate) fn has_sample(&self) -> bool {
        self.freshness.iter().any(|state| state.sample)
    }

    /// Whether a source still is the built-in sample.
    pub(crate) fn is_sample(&self, source: Source) -> bool {
        self.freshness.iter().any(|state| state.source == source && state.sample)
    }

    /// Whether newer data should have been published by now.
    pub(crate) fn is_late(&self, source: Source) -> bool {
        let state = self.freshness.iter().find(|state| state.source == source);
        state.is_none_or(|state| state.is_stale(self.now))
    }
}

/// Digest of the flags. It differs for each position and for any number of simultaneous changes.
fn flags_digest(flags: impl Iterator<Item = (bool, bool)>) -> u64 {
    let bytes: Vec<u8> = flags.map(|(late, sample)| u8::from(late) << 1 | u8::from(sample)).collect();
    digest_of(&bytes)
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
