//! Interner for repeated texts: each is kept once, with its JSON, and rows refer to it by number.

use std::io::{self, Read, Write};

use hashbrown::HashMap;

use crate::json::string;
use crate::snapshot::{Reader, SnapshotError, Writer};

#[derive(Default)]
pub(super) struct Interner {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    json: Vec<Box<[u8]>>,
}

impl Interner {
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        // At most one per row, and rows are counted in 32 bits.
        let number = self.texts.len() as u32;
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        self.json.push(string(text));
        number
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

    /// Restores a sealed interner.
    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let texts: Vec<Box<str>> = snapshot.texts()?.into_iter().map(Box::from).collect();
        let json = texts.iter().map(|text| string(text)).collect();
        Ok(Self { numbers: HashMap::new(), texts, json })
    }

    /// Interns the texts of another interner that are in use, and returns the new number of each of its numbers.
    pub(super) fn take_over<'a>(&mut self, other: &Self, used: impl Iterator<Item = &'a u32>) -> Vec<u32> {
        let mut numbers = vec![None; other.texts.len()];
        for number in used {
            if let Some(unknown @ None) = numbers.get_mut(*number as usize) {
                *unknown = Some(self.intern(other.text(*number)));
            }
        }
        // Numbers of unused texts are never read.
        numbers.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Interns all texts of another interner, like [`Self::take_over`], without a look at two million rows.
    pub(super) fn take_over_all(&mut self, other: &Self) -> Vec<u32> {
        other.texts().map(|text| self.intern(text)).collect()
    }

    /// Ends adding texts and frees the memory that only adding needs.
    pub(super) fn seal(&mut self) {
        self.numbers = HashMap::new();
    }
}
