//! Answers found before: how many rows, and the best of them. An index never changes, so neither do they.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use crate::page::{Listing, Page, Rows};

/// The total and the first rows of an answer.
#[derive(Debug, Clone)]
pub(super) struct Known {
    total: usize,
    best: Box<[u32]>,
}

impl From<(usize, Vec<u32>)> for Known {
    fn from((total, best): (usize, Vec<u32>)) -> Self {
        Self { total, best: best.into() }
    }
}

impl Known {
    /// So many rows are kept.
    pub(super) const PAGE: Page = Page { limit: 200, offset: 0 };

    pub(super) fn may_hold(page: Page) -> bool {
        page.offset.saturating_add(page.limit) <= Self::PAGE.limit
    }

    /// A page, if all of it is known.
    pub(super) fn page(&self, page: Page) -> Option<Listing<'static>> {
        (page.of(self.total).end <= self.best.len()).then(|| self.shown(page))
    }

    /// What is known of a page.
    pub(super) fn shown(&self, page: Page) -> Listing<'static> {
        Listing { total: self.total, rows: Rows::Found(self.best[page.of(self.best.len())].to_vec()) }
    }
}

/// So many answers of either age are kept: about a megabyte.
const MOST_ANSWERS: usize = 1_000;

/// The answers to what was asked last. When there are too many young ones they become the old ones, and the old ones are
/// forgotten; an old one that is asked for again is young again.
#[derive(Default)]
pub(super) struct Recall {
    answers: Mutex<Ages>,
}

#[derive(Default)]
struct Ages {
    young: HashMap<String, Known>,
    old: HashMap<String, Known>,
}

impl Recall {
    pub(super) fn page(&self, asked: &str, page: Page) -> Option<Listing<'static>> {
        let mut ages = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = ages.young.get(asked) {
            return known.page(page);
        }
        let (asked, known) = ages.old.remove_entry(asked)?;
        let listing = known.page(page);
        ages.insert(asked, known);
        listing
    }

    pub(super) fn remember(&self, asked: String, known: Known) {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).insert(asked, known);
    }
}

impl Ages {
    fn insert(&mut self, asked: String, known: Known) {
        if self.young.len() >= MOST_ANSWERS {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(asked, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(total: usize) -> Known {
        Known::from((total, (0..total.min(3) as u32).collect()))
    }

    #[test]
    fn a_page_is_given_only_if_all_of_it_is_known() {
        let page = |limit, offset| Page { limit, offset };
        assert_eq!(known(9).page(page(2, 1)).unwrap().rows, Rows::Found(vec![1, 2]));
        assert!(known(9).page(page(3, 1)).is_none());
        assert_eq!(known(3).page(page(9, 1)).unwrap().rows, Rows::Found(vec![1, 2]));
        assert_eq!(
            known(3).page(page(9, usize::MAX)).unwrap(),
            Listing { total: 3, rows: Rows::Found(vec![]) }
        );
    }

    #[test]
    fn what_is_asked_again_is_kept_and_the_rest_forgotten() {
        let recall = Recall::default();
        for number in 0..10 * MOST_ANSWERS {
            recall.remember(number.to_string(), known(1));
            assert!(recall.page("0", Known::PAGE).is_some());
        }
        assert!(recall.page("1", Known::PAGE).is_none());
        let ages = recall.answers.lock().unwrap();
        assert!(ages.young.len() + ages.old.len() <= 2 * MOST_ANSWERS);
    }
}
