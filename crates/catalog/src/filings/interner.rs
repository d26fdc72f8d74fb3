//! Texts that repeat: each is kept once, with its JSON, and rows refer to it by number.

use std::io::{self, Read, Write};

use hashbrown::HashMap;

use crate::fold::fold_label;
use crate::json::literal;
use crate::snapshot::{Reader, SnapshotError, Writer};

#[derive(Default)]
pub struct Interner {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    literals: Vec<Box<[u8]>>,
}

impl Interner {
    pub fn intern(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        // At most one per row, and rows are counted in 32 bits.
        let number = self.texts.len() as u32;
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        self.literals.push(literal(text));
        number
    }

    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// The text as a JSON string, quotes included.
    pub fn json(&self, number: u32) -> &[u8] {
        &self.literals[number as usize]
    }

    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    pub fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.texts(self.texts())
    }

    /// Sealed.
    pub fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let texts: Vec<Box<str>> = snapshot.texts()?.into_iter().map(Box::from).collect();
        let literals = texts.iter().map(|text| literal(text)).collect();
        Ok(Self { numbers: HashMap::new(), texts, literals })
    }

    /// No more texts will come.
    pub fn seal(&mut self) {
        self.numbers = HashMap::new();
    }
}

/// Labels that differ only in case, accents or space, brought together.
#[derive(Default)]
pub struct Groups {
    by_fold: HashMap<String, u32>,
    /// The group of each label.
    of_label: Vec<u32>,
    /// One label of each group, in alphabetical order.
    shown: Vec<u32>,
}

impl Groups {
    pub fn of(labels: &Interner) -> Self {
        let mut groups = Self::default();
        for (label, text) in (0..).zip(labels.texts()) {
            let next = groups.by_fold.len() as u32;
            let group = *groups.by_fold.entry(fold_label(text)).or_insert_with(|| {
                groups.shown.push(label);
                next
            });
            groups.of_label.push(group);
        }
        groups.shown.sort_by_key(|label| fold_label(labels.text(*label)));
        groups
    }

    pub fn find(&self, folded: &str) -> Option<u32> {
        self.by_fold.get(folded).copied()
    }

    pub fn group_of(&self, label: u32) -> u32 {
        self.of_label[label as usize]
    }

    pub fn labels(&self) -> impl Iterator<Item = u32> {
        self.shown.iter().copied()
    }
}
