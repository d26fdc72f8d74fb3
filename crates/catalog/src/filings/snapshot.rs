//! The columns and the search index in a snapshot. Data that can be derived from them, such as the table of ids, is not saved.

use std::io::{self, Read, Write};

use lastro_model::Day;
use lastro_search::{Entry, Index, IndexParts, SavedLists};

use super::columns::{Columns, NO_TEXT};
use super::first_seen::FirstSeen;
use super::interner::Interner;
use super::texts::Texts;
use super::url_templates::{Link, Links};
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

impl Columns {
    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.column(&self.days, |day| day.number())?;
        snapshot.column(&self.numbers, |number| *number)?;
        snapshot.column(&self.hashed, |hashed| u8::from(*hashed))?;
        for column in [&self.companies, &self.company_name, &self.category, &self.kind] {
            snapshot.column(column, |number| *number)?;
        }
        snapshot.column(&self.reference, |day| *day)?;
        snapshot.column(&self.version, |version| *version)?;
        snapshot.column(&self.link, |link| link.to_bits())?;
        self.descriptions.save(snapshot)?;
        for interned in [&self.company_names, &self.categories, &self.kinds] {
            interned.save(snapshot)?;
        }
        self.links.save(snapshot)?;
        self.first_seen.save(snapshot)
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let days: Vec<i32> = snapshot.column(|day: i32| day)?;
        let days = days.into_iter().map(Day::from_number).collect::<Option<Vec<Day>>>();
        let columns = Self {
            days: days.ok_or(SnapshotError::Damaged)?,
            numbers: snapshot.column(|number: u64| number)?,
            hashed: snapshot.column(|hashed: u8| hashed != 0)?,
            companies: snapshot.column(|number: u32| number)?,
            company_name: snapshot.column(|number: u32| number)?,
            category: snapshot.column(|number: u32| number)?,
            kind: snapshot.column(|number: u32| number)?,
            reference: snapshot.column(|day: i32| day)?,
            version: snapshot.column(|version: u16| version)?,
            link: snapshot.column(Link::from_bits)?,
            descriptions: Texts::restore(snapshot)?,
            company_names: Interner::restore(snapshot)?,
            categories: Interner::restore(snapshot)?,
            kinds: Interner::restore(snapshot)?,
            links: Links::restore(snapshot)?,
            first_seen: FirstSeen::restore(snapshot)?,
        };
        ensure(columns.are_consistent())?;
        Ok(columns)
    }

    /// Whether every column has all rows, newest first, and every number in them refers to an entry.
    fn are_consistent(&self) -> bool {
        let rows = self.len();
        let numbered = [&self.companies, &self.company_name, &self.category, &self.kind];
        let (texts, known) = (&self.descriptions, |numbers: &[u32], texts: &Interner| {
            numbers.iter().all(|number| (*number as usize) < texts.texts().len())
        });
        u32::try_from(rows).is_ok_and(|rows| rows < u32::MAX)
            && numbered.iter().all(|column| column.len() == rows)
            && [self.numbers.len(), self.hashed.len(), self.reference.len(), self.version.len()] == [rows; 4]
            && [self.link.len(), texts.len(), self.first_seen.len()] == [rows; 3]
            && self.days.is_sorted_by(|newer, older| newer >= older)
            && known(&self.company_name, &self.company_names)
            && known(&self.category, &self.categories)
            && self.kind.iter().all(|kind| *kind == NO_TEXT || (*kind as usize) < self.kinds.texts().len())
            && self.link.iter().all(|link| self.links.knows(*link))
    }
}

pub(super) fn save_index<W: Write>(index: &Index, snapshot: &mut Writer<W>) -> io::Result<()> {
    let (text, word_ends) = index.words();
    snapshot.column(&[index.len()], |rows| *rows)?;
    snapshot.text(text)?;
    snapshot.column(word_ends, |end| *end)?;
    save_lists(index.saved_lists(), snapshot)?;
    save_lists(index.saved_further_positions(), snapshot)
}

fn save_lists<W: Write>(lists: SavedLists<'_>, snapshot: &mut Writer<W>) -> io::Result<()> {
    let ends = lists.ends();
    snapshot.column(&ends, |end| *end)?;
    let length = ends.last().map_or(0, |end| *end as usize);
    snapshot.column_in_parts(length, lists.entries(), |entry| entry.to_bits())
}

/// Reads the parts of the index, which may be inconsistent.
pub(super) fn restore_index<R: Read>(snapshot: &mut Reader<R>) -> Result<IndexParts, SnapshotError> {
    let rows: Vec<u32> = snapshot.column(|rows: u32| rows)?;
    let [rows] = *rows else { return Err(SnapshotError::Damaged) };
    Ok(IndexParts {
        rows,
        text: snapshot.text()?,
        word_ends: snapshot.column(|end: u32| end)?,
        list_ends: snapshot.column(|end: u64| end)?,
        entries: snapshot.column(Entry::from_bits)?,
        again_ends: snapshot.column(|end: u64| end)?,
        again: snapshot.column(Entry::from_bits)?,
    })
}
