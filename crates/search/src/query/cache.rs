//! Results of recent searches. An index never changes, so neither do its results.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use super::hits::Hits;
use super::page::Page;

/// Results in each generation: about a megabyte.
const MOST_RESULTS: usize = 1_000;

/// The rows kept of each result.
pub(super) const KEPT: Page = Page { limit: 200, offset: 0 };

/// The results of recent searches in two generations. When the young generation is full it becomes the old one, and the
/// old one is dropped. A result of the old generation that is used again moves to the young one.
#[derive(Default)]
pub(super) struct ResultCache {
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<String, Hits>,
    old: HashMap<String, Hits>,
}

impl ResultCache {
    /// A page of a cached result, if the cache has all of it.
    pub(super) fn page(&self, key: &str, page: Page) -> Option<Hits> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = generations.young.get(key) {
            return shown(result, page);
        }
        let (key, result) = generations.old.remove_entry(key)?;
        let page = shown(&result, page);
        generations.insert(key, result);
        page
    }

    /// Keeps a result that has the rows of [`KEPT`].
    pub(super) fn insert(&self, key: String, result: Hits) {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner).insert(key, result);
    }
}

impl Generations {
    fn insert(&mut self, key: String, result: Hits) {
        if self.young.len() >= MOST_RESULTS {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, result);
    }
}

/// A page of a result of which the first rows are known, if all rows of the page are.
pub(super) fn shown(first: &Hits, page: Page) -> Option<Hits> {
    let rows = first.rows.get(page.of(first.total))?.to_vec();
    Some(Hits { total: first.total, rows, interpretation: first.interpretation.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(total: usize) -> Hits {
        Hits { total, rows: (0..total.min(3) as u32).collect(), ..Hits::default() }
    }

    #[test]
    fn a_page_is_shown_only_if_all_of_it_is_known() {
        let rows = |total, limit, offset| shown(&result(total), Page { limit, offset }).map(|hits| hits.rows);
        assert_eq!(rows(9, 2, 1), Some(vec![1, 2]));
        assert_eq!(rows(9, 3, 1), None);
        assert_eq!(rows(3, 9, 1), Some(vec![1, 2]));
        assert_eq!(rows(3, 9, usize::MAX), Some(Vec::new()));
    }

    #[test]
    fn recently_used_results_are_kept() {
        let cache = ResultCache::default();
        for number in 0..10 * MOST_RESULTS {
            cache.insert(number.to_string(), result(1));
            assert!(cache.page("0", KEPT).is_some());
        }
        assert!(cache.page("1", KEPT).is_none());
        let generations = cache.generations.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 2 * MOST_RESULTS);
    }
}
