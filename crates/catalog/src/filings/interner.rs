//! Texts that repeat: each is kept once, with its JSON, and rows refer to it by number.

use std::io::{self, Read, Write};

use hashbrown::HashMap;

use crate::fold::fold_label;
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

    /// Sealed.
    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let texts: Vec<Box<str>> = snapshot.texts()?.into_iter().map(Box::from).collect();
        let json = texts.iter().map(|text| string(text)).collect();
        Ok(Self { numbers: HashMap::new(), texts, json })
    }

    /// Interns the texts of another that are in use, and tells what has become of its numbers.
    pub(super) fn take_over<'a>(&mut self, other: &Self, used: impl Iterator<Item = &'a u32>) -> Vec<u32> {
        let mut numbers = vec![None; other.texts.len()];
        for number in used {
            if let Some(unknown @ None) = numbers.get_mut(*number as usize) {
                *unknown = Some(self.intern(other.text(*number)));
            }
        }
        // Of those that are not in use nobody will ask.
        numbers.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// No more texts will come.
    pub(super) fn seal(&mut self) {
        self.numbers = HashMap::new();
    }
}

/// Labels that differ only in case, accents or space, brought together.
#[derive(Default)]
pub(super) struct Groups {
    by_fold: HashMap<String, u32>,
    /// The group of each label.
    of_label: Vec<u32>,
    /// Of each group that rows have, the label of the first of them; in alphabetical order.
    shown: Vec<u32>,
}

impl Groups {
    /// The groups of other labels, of which each row has one. What is the same group keeps its number.
    pub(super) fn with(&self, labels: &Interner, rows: &[u32]) -> Self {
        let mut groups = Self { by_fold: self.by_fold.clone(), ..Self::default() };
        for text in labels.texts() {
            let next = groups.by_fold.len() as u32;
            groups.of_label.push(*groups.by_fold.entry(fold_label(text)).or_insert(next));
        }
        let mut seen = vec![false; groups.by_fold.len()];
        for label in rows {
            if !std::mem::replace(&mut seen[groups.group_of(*label) as usize], true) {
                groups.shown.push(*label);
            }
        }
        groups.shown.sort_by_key(|label| fold_label(labels.text(*label)));
        groups
    }

    pub(super) fn find(&self, folded: &str) -> Option<u32> {
        self.by_fold.get(folded).copied()
    }

    pub(super) fn group_of(&self, label: u32) -> u32 {
        self.of_label[label as usize]
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = u32> {
        self.shown.iter().copied()
    }
}
