//! Everything that many filings have in common and that their records hold a number of.

use super::first_seen::FirstSeen;
use super::interner::Interner;
use super::url_templates::Links;

#[derive(Clone, Default)]
pub(super) struct Labels {
    pub(super) company_names: Interner,
    pub(super) categories: Interner,
    pub(super) kinds: Interner,
    pub(super) links: Links,
    pub(super) first_seen: FirstSeen,
    /// How many there were when all of them were in use.
    pub(super) used: usize,
}

/// Labels that may be out of use however few there are.
const MOST_SPARE: usize = 1_000;

impl Labels {
    /// The same labels, all of which are in use.
    pub(super) fn all_used(self) -> Self {
        Self { used: self.len(), ..self }
    }

    /// Whether there are many more labels than when all were in use: a merge leaves those of replaced filings.
    pub(super) fn are_wasteful(&self) -> bool {
        self.len() > 2 * self.used + MOST_SPARE
    }

    pub(super) fn len(&self) -> usize {
        let texts = [&self.company_names, &self.categories, &self.kinds].map(Interner::len);
        texts.iter().sum::<usize>() + self.links.len() + self.first_seen.len()
    }
}
