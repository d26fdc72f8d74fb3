//! Feeds that this process has found in the store. Reading them again is not limited as guessing addresses is.

use std::collections::HashSet;

use parking_lot::Mutex;

/// Digests kept at most. Beyond that all are forgotten, and found again one by one.
const MOST: usize = 20_000;

/// The digests of the tokens of known feeds.
#[derive(Debug, Default)]
pub struct KnownFeeds(Mutex<HashSet<String>>);

impl KnownFeeds {
    pub fn has(&self, digest: &str) -> bool {
        self.0.lock().contains(digest)
    }

    pub fn remember(&self, digest: String) {
        let mut known = self.0.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(digest);
    }

    pub fn forget(&self, digest: &str) {
        self.0.lock().remove(digest);
    }
}
