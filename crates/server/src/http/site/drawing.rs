//! Rendered pages with their compressed forms, and a bounded cache of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use lastro_model::digest_of;
use lastro_web::{ORIGIN_MARK, Reader};
use parking_lot::Mutex;

use crate::http::response::compression::Encodings;
use crate::http::response::reply::{Reply, Stored, Version};

/// Added to the weight of each page: short pages compress worse in proportion to their length.
const EXTRA_BYTES: usize = 4096;

/// A rendered text.
#[derive(Debug)]
pub struct Drawing {
    /// State of the data it was rendered from.
    state: u64,
    pub text: Bytes,
    /// Digest of the text.
    pub digest: u64,
    /// Whether the text contains [`ORIGIN_MARK`].
    pub names_us: bool,
    /// Compressed forms, each made once, on first request.
    encodings: Arc<Encodings>,
}

impl Drawing {
    pub fn new(state: u64, mut text: String) -> Self {
        text.shrink_to_fit();
        let (digest, names_us) = (digest_of(text.as_bytes()), text.contains(ORIGIN_MARK));
        Self { state, text: text.into(), digest, names_us, encodings: Arc::default() }
    }

    pub fn reply(&self, stored: fn(Arc<Encodings>) -> Stored) -> Reply {
        Reply {
            body: self.text.clone().into(),
            version: Version::Data(self.digest),
            encoding: Some(stored(Arc::clone(&self.encodings))),
            ..Reply::json(Vec::new())
        }
    }

    /// Upper bound of the bytes it takes in the cache: the text, half as many for each of its three compressed forms
    /// (prose compresses worst, to two fifths), and its name.
    fn weight(&self) -> usize {
        self.text.len() * 5 / 2 + EXTRA_BYTES
    }
}

/// Cache key of a rendered page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// The path, with only those parameters that the page depends on.
    pub path: Cow<'static, str>,
    pub reader: Reader,
    /// The address of the service as the page shows it, if readers may use different ones.
    pub origin: Option<String>,
}

/// An LRU cache of rendered pages, bounded by bytes. The least recently used are evicted to make room for a new one.
/// They are found by a scan of all entries: there are hundreds, and the scan costs less than rendering any page.
#[derive(Debug)]
pub struct Drawings {
    capacity: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    drawings: HashMap<Name, Entry>,
    bytes: usize,
    /// Number of lookups so far, used to order entries by their last use.
    turn: u64,
}

#[derive(Debug)]
struct Entry {
    drawing: Arc<Drawing>,
    asked: u64,
}

impl Drawings {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, kept: Mutex::default() }
    }

    /// Returns the page of this name, if it was rendered from this state.
    pub fn get(&self, name: &Name, state: u64) -> Option<Arc<Drawing>> {
        let mut kept = self.kept.lock();
        kept.turn += 1;
        let turn = kept.turn;
        let entry = kept.drawings.get_mut(name).filter(|entry| entry.drawing.state == state)?;
        entry.asked = turn;
        Some(Arc::clone(&entry.drawing))
    }

    /// Stores a page, replacing the one of the same name. A page larger than the capacity is returned but not stored.
    pub fn keep(&self, name: Name, drawing: Drawing) -> Arc<Drawing> {
        let drawing = Arc::new(drawing);
        let mut kept = self.kept.lock();
        kept.remove(&name);
        if drawing.weight() <= self.capacity {
            kept.make_room(self.capacity - drawing.weight());
            kept.bytes += drawing.weight();
            let entry = Entry { drawing: Arc::clone(&drawing), asked: kept.turn };
            kept.drawings.insert(name, entry);
        }
        drawing
    }

    pub fn bytes(&self) -> usize {
        self.kept.lock().bytes
    }
}

impl Kept {
    /// Evicts the least recently used pages until at most `bytes` are kept.
    fn make_room(&mut self, bytes: usize) {
        while self.bytes > bytes {
            let oldest = self.drawings.iter().min_by_key(|(_, entry)| entry.asked);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else { return };
            self.remove(&name);
        }
    }

    fn remove(&mut self, name: &Name) {
        if let Some(entry) = self.drawings.remove(name) {
            self.bytes -= entry.drawing.weight();
        }
    }
}

#[cfg(test)]
mod tests {
    use lastro_web::Language;

    use super::*;

    fn name(number: usize) -> Name {
        let reader = Reader { language: Language::English, by_choice: false };
        Name { path: format!("/page/{number}").into(), reader, origin: None }
    }

    fn drawing(state: u64, bytes: usize) -> Drawing {
        Drawing::new(state, "x".repeat(bytes))
    }

    #[test]
    fn a_drawing_is_found_while_its_state_is_the_same() {
        let drawings = Drawings::new(10_000);
        drawings.keep(name(1), drawing(7, 100));
        assert!(drawings.get(&name(1), 7).is_some());
        assert!(drawings.get(&name(1), 8).is_none() && drawings.get(&name(2), 7).is_none());
        drawings.keep(name(1), drawing(8, 200));
        assert!(drawings.get(&name(1), 7).is_none(), "the newer one has its place");
        assert_eq!(drawings.bytes(), 500 + EXTRA_BYTES);
    }

    #[test]
    fn cache_is_bounded_and_keeps_recently_used_pages() {
        let drawings = Drawings::new(100_000);
        drawings.keep(name(0), drawing(0, 500));
        for number in 1..1000 {
            drawings.keep(name(number), drawing(0, 100 + number % 700));
            assert!(drawings.bytes() <= 100_000);
            assert!(drawings.get(&name(0), 0).is_some(), "{number}");
        }
        assert!(drawings.get(&name(999), 0).is_some() && drawings.get(&name(900), 0).is_none());
    }

    #[test]
    fn a_page_over_capacity_evicts_nothing() {
        let drawings = Drawings::new(10_000);
        drawings.keep(name(0), drawing(0, 500));
        assert_eq!(drawings.keep(name(1), drawing(0, 5000)).text.len(), 5000);
        assert!(drawings.get(&name(0), 0).is_some() && drawings.get(&name(1), 0).is_none());
    }
}
