//! Pages as they were drawn, with their compressed forms, and a bounded memory of them.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::language::Language;
use crate::http::response::compression::Encodings;
use crate::http::response::reply::{Reply, Stored, Version, digest_of};

/// Stands in a drawn page where the address of the service belongs, if each reader may call it otherwise.
pub const ORIGIN_MARK: &str = "\u{e000}";

/// Counted with each page: the compressed forms of a short one are longer, for its length.
const EXTRA_BYTES: usize = 4096;

/// A text as it was drawn last.
#[derive(Debug)]
pub struct Drawing {
    /// Of what it was drawn from.
    state: u64,
    pub text: Bytes,
    /// Of all its bytes.
    pub digest: u64,
    /// Whether a mark stands in it for our address.
    pub names_us: bool,
    /// Made when somebody asks for them, once.
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

    /// The bytes that keeping it takes at most: its own, half as many for each of its three compressed forms (prose
    /// compresses worst, to two fifths), and its name.
    fn weight(&self) -> usize {
        self.text.len() * 5 / 2 + EXTRA_BYTES
    }
}

/// Names a drawing: which page it is, in which words.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// The path, and the parameters that the page depends on. Others do not make another page.
    pub path: String,
    pub language: Language,
    /// Whether the address names the language: it is another address then.
    pub by_choice: bool,
    /// The address of the service as the page shows it, if readers may use different ones.
    pub origin: Option<String>,
}

/// The drawings that were asked for last, up to so many bytes. When one more would not fit, those go that were asked for
/// the longest ago. A look through all of them finds these: there are hundreds, and it costs less than any drawing.
#[derive(Debug)]
pub struct Drawings {
    capacity: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    drawings: HashMap<Name, Entry>,
    bytes: usize,
    /// Counts questions, and so tells which was the latest.
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

    /// The drawing of this name, if it was drawn from this state.
    pub fn get(&self, name: &Name, state: u64) -> Option<Arc<Drawing>> {
        let mut kept = self.kept.lock();
        kept.turn += 1;
        let turn = kept.turn;
        let entry = kept.drawings.get_mut(name).filter(|entry| entry.drawing.state == state)?;
        entry.asked = turn;
        Some(Arc::clone(&entry.drawing))
    }

    /// Keeps a drawing in the place of the one that had its name.
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

    /// The number of bytes kept.
    pub fn bytes(&self) -> usize {
        self.kept.lock().bytes
    }
}

impl Kept {
    /// Forgets what was asked for the longest ago, until no more than these bytes are kept.
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
    use super::*;

    fn name(number: usize) -> Name {
        Name { path: format!("/page/{number}"), language: Language::English, by_choice: false, origin: None }
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
    fn memory_is_bounded_and_what_is_asked_for_stays() {
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
    fn one_that_is_too_large_pushes_out_nothing() {
        let drawings = Drawings::new(10_000);
        drawings.keep(name(0), drawing(0, 500));
        assert_eq!(drawings.keep(name(1), drawing(0, 5000)).text.len(), 5000);
        assert!(drawings.get(&name(0), 0).is_some() && drawings.get(&name(1), 0).is_none());
    }
}
