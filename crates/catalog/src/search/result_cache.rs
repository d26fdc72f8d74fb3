//! Results of searches, kept for whoever asks the same again. An index never changes, so neither do its results.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use super::reading::{Found, Outcome, Reading};
use crate::page::{Listing, Page, Rows};

/// What a search finds: how many rows, and the best of them.
#[derive(Debug, Clone)]
pub(super) struct TopRows {
    total: usize,
    best: Box<[u32]>,
    reading: Reading,
}

impl From<(Outcome, Reading)> for TopRows {
    fn from((outcome, reading): (Outcome, Reading)) -> Self {
        Self { total: outcome.total, best: outcome.rows.into(), reading }
    }
}

impl TopRows {
    /// The rows that are kept.
    pub(super) const PAGE: Page = Page { limit: 200, offset: 0 };

    pub(super) fn covers(page: Page) -> bool {
        page.offset.saturating_add(page.limit) <= Self::PAGE.limit
    }

    /// A page, if all of it is kept.
    pub(super) fn page(&self, page: Page) -> Option<Found<'static>> {
        (page.of(self.total).end <= self.best.len()).then(|| self.shown(page))
    }

    /// The rows of a page as far as they are kept.
    pub(super) fn shown(&self, page: Page) -> Found<'static> {
        let rows = Rows::Found(self.best[page.of(self.best.len())].to_vec());
        Found { listing: Listing { total: self.total, rows }, reading: self.reading.clone() }
    }
}

/// So many results of each generation are kept: about a megabyte.
const MOST_RESULTS: usize = 1_000;

/// The results of the latest searches, in two generations. When the young one is full it becomes the old one, and the old
/// one is dropped; a result of the old one that is asked for again moves to the young one.
#[derive(Default)]
pub(super) struct ResultCache {
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<String, TopRows>,
    old: HashMap<String, TopRows>,
}

impl ResultCache {
    pub(super) fn page(&self, words: &str, page: Page) -> Option<Found<'static>> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = generations.young.get(words) {
            return result.page(page);
        }
        let (words, result) = generations.old.remove_entry(words)?;
        let found = result.page(page);
        generations.insert(words, result);
        found
    }

    pub(super) fn insert(&self, words: String, result: TopRows) {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner).insert(words, result);
    }
}

impl Generations {
    fn insert(&mut self, words: String, result: TopRows) {
        if self.young.len() >= MOST_RESULTS {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(words, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(total: usize) -> TopRows {
        let outcome = Outcome { total, rows: (0..total.min(3) as u32).collect(), relaxed: false };
        TopRows::from((outcome, Reading::default()))
    }

    #[test]
    fn a_page_is_given_only_if_all_of_it_is_kept() {
        let page = |limit, offset| Page { limit, offset };
        assert_eq!(result(9).page(page(2, 1)).unwrap().rows, Rows::Found(vec![1, 2]));
        assert!(result(9).page(page(3, 1)).is_none());
        assert_eq!(result(3).page(page(9, 1)).unwrap().rows, Rows::Found(vec![1, 2]));
        assert_eq!(
            result(3).page(page(9, usize::MAX)).unwrap(),
            Found::from(Listing { total: 3, rows: Rows::Found(vec![]) })
        );
    }

    #[test]
    fn what_is_asked_again_is_kept_and_the_rest_forgotten() {
        let cache = ResultCache::default();
        for number in 0..10 * MOST_RESULTS {
            cache.insert(number.to_string(), result(1));
            assert!(cache.page("0", TopRows::PAGE).is_some());
        }
        assert!(cache.page("1", TopRows::PAGE).is_none());
        let generations = cache.generations.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 2 * MOST_RESULTS);
    }
}
