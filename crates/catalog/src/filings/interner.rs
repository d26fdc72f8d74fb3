//! Interner for repeated texts: each is kept once, with its JSON, and records refer to it by number.

use std::hash::BuildHasher;
use std::io::{self, Read, Write};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::json::string;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

/// A clone shares the texts.
#[derive(Clone, Default)]
pub(super) struct Interner {
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    texts: Vec<Arc<str>>,
    json: Vec<Arc<[u8]>>,
}

impl Interner {
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let Self { numbers, hasher, texts, json } = self;
        let hash = hasher.hash_one(text);
        if let Some(number) = numbers.find(hash, |number| &*texts[*number as usize] == text) {
            return *number;
        }
        // Few for each filing, and filings are counted in 24 bits.
        let number = texts.len() as u32;
        texts.push(text.into());
        json.push(string(text).into());
        *numbers.insert_unique(hash, number, |number| hasher.hash_one(&*texts[*number as usize])).get()
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// The text as a JSON string, quotes included.
    pub(super) fn json(&self, number: u32) -> &[u8] {
        &self.json[number as usize]
    }

    pub(super) fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.texts(self.texts())
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let texts = snapshot.texts()?;
        let mut restored = Self::default();
        texts.iter().for_each(|text| _ = restored.intern(text));
        // A text that stands twice would move the numbers of all others.
        ensure(restored.len() == texts.len())?;
        Ok(restored)
    }
}
