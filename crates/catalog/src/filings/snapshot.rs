//! The records and the search index in a snapshot. Data that can be derived from them, such as the table of ids, is not saved.

use std::io::{self, Read, Write};
use std::ops::Range;

use lastro_model::Day;
use lastro_search::{Entry, Index, IndexParts, SavedLists};

use super::first_seen::FirstSeen;
use super::interner::Interner;
use super::labels::Labels;
use super::record::{NO_LABEL, Record};
use super::records::{GROUP, Records, RecordsBuilder};
use super::url_templates::{Link, Links};
use crate::snapshot::{Number, Reader, SnapshotError, Writer, ensure};

impl Records {
    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        self.labels.save(snapshot)?;
        snapshot.column(&[self.len() as u32], |count| *count)?;
        for (records, text) in self.groups() {
            snapshot.column(records, |record| record.day.number())?;
            snapshot.column(records, |record| record.number)?;
            snapshot.column(records, |record| u8::from(record.hashed))?;
            snapshot.column(records, |record| record.company)?;
            snapshot.column(records, |record| record.company_name)?;
            snapshot.column(records, |record| record.category)?;
            snapshot.column(records, |record| record.kind)?;
            snapshot.column(records, |record| record.reference)?;
            snapshot.column(records, |record| record.version)?;
            snapshot.column(records, |record| record.first_seen)?;
            snapshot.column(records, |record| record.link.to_bits())?;
            snapshot.column(records, |record| record.description.1 - record.description.0)?;
            snapshot.blob(&[text])?;
        }
        Ok(())
    }

    /// Restores records. Their number gives their positions.
    pub(super) fn restore<R: Read>(
        snapshot: &mut Reader<R>,
        positions: impl Fn(u32) -> Range<u32>,
    ) -> Result<Self, SnapshotError> {
        let labels = Labels::restore(snapshot)?;
        let count: Vec<u32> = snapshot.column(|count: u32| count)?;
        let [count] = *count else { return Err(SnapshotError::Damaged) };
        let positions = positions(count);
        ensure(positions.len() == count as usize)?;
        let (mut restored, mut newest) = (RecordsBuilder::from(positions.start), None);
        let mut left = count as usize;
        while left > 0 {
            let (records, text) = restore_group(snapshot, left)?;
            left -= records.len();
            for record in &records {
                ensure(labels.know(record) && newest.is_none_or(|newest| newest >= record.day))?;
                newest = Some(record.day);
                let (start, end) = record.description;
                restored
                    .push(record, &text[start as usize..end as usize])
                    .map_err(|_| SnapshotError::Damaged)?;
            }
        }
        Ok(restored.finish(labels))
    }
}

/// Reads a group of records, at most so many, and their descriptions.
fn restore_group<R: Read>(
    snapshot: &mut Reader<R>,
    most: usize,
) -> Result<(Vec<Record>, Vec<u8>), SnapshotError> {
    let days: Vec<i32> = snapshot.column(|day: i32| day)?;
    ensure((1..=most.min(GROUP as usize)).contains(&days.len()))?;
    let days = days.into_iter().map(Day::from_number).collect::<Option<Vec<Day>>>();
    let mut records: Vec<Record> = days.ok_or(SnapshotError::Damaged)?.into_iter().map(Record::of).collect();
    let all = &mut records[..];
    fill(all, snapshot, |record, number: u64| record.number = number)?;
    fill(all, snapshot, |record, hashed: u8| record.hashed = hashed != 0)?;
    fill(all, snapshot, |record, number: u32| record.company = number)?;
    fill(all, snapshot, |record, number: u32| record.company_name = number)?;
    fill(all, snapshot, |record, number: u32| record.category = number)?;
    fill(all, snapshot, |record, number: u32| record.kind = number)?;
    fill(all, snapshot, |record, day: i32| record.reference = day)?;
    fill(all, snapshot, |record, version: u16| record.version = version)?;
    fill(all, snapshot, |record, number: u32| record.first_seen = number)?;
    fill(all, snapshot, |record, link: u64| record.link = Link::from_bits(link))?;
    let lengths: Vec<u32> = snapshot.column(|length: u32| length)?;
    ensure(lengths.len() == records.len())?;
    let mut end = 0u32;
    for (record, length) in records.iter_mut().zip(lengths) {
        let start = end;
        end = end.checked_add(length).ok_or(SnapshotError::Damaged)?;
        record.description = (start, end);
    }
    let text = snapshot.blob()?;
    ensure(text.len() == end as usize)?;
    Ok((records, text))
}

/// Reads a column into a field of each record.
fn fill<R: Read, N: Number>(
    records: &mut [Record],
    snapshot: &mut Reader<R>,
    put: impl Fn(&mut Record, N),
) -> Result<(), SnapshotError> {
    let column: Vec<N> = snapshot.column(|number: N| number)?;
    ensure(column.len() == records.len())?;
    records.iter_mut().zip(column).for_each(|(record, number)| put(record, number));
    Ok(())
}

impl Labels {
    fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        for texts in [&self.company_names, &self.categories, &self.kinds] {
            texts.save(snapshot)?;
        }
        self.links.save(snapshot)?;
        self.first_seen.save(snapshot)?;
        snapshot.column(&[self.used as u64], |used| *used)
    }

    fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let labels = Self {
            company_names: Interner::restore(snapshot)?,
            categories: Interner::restore(snapshot)?,
            kinds: Interner::restore(snapshot)?,
            links: Links::restore(snapshot)?,
            first_seen: FirstSeen::restore(snapshot)?,
            ..Self::default()
        };
        let used: Vec<u64> = snapshot.column(|used: u64| used)?;
        let [used] = *used else { return Err(SnapshotError::Damaged) };
        ensure(used <= labels.len() as u64)?;
        Ok(Self { used: used as usize, ..labels })
    }

    /// Whether every number of a record refers to a label.
    fn know(&self, record: &Record) -> bool {
        let is_label = |number: u32, labels: usize| (number as usize) < labels;
        is_label(record.company_name, self.company_names.len())
            && is_label(record.category, self.categories.len())
            && (record.kind == NO_LABEL || is_label(record.kind, self.kinds.len()))
            && is_label(record.first_seen, self.first_seen.len())
            && self.links.knows(record.link)
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
