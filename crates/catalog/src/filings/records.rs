//! The records of filings in listing order, in groups of consecutive positions. A merge shares the groups that it does not
//! change, and the last position stays the same, as new filings usually come first.

use std::ops::Range;
use std::sync::Arc;

use lastro_model::{Day, FilingId};

use super::labels::Labels;
use super::record::{Entry, Record, SortKey};
use crate::BuildError;

/// Positions of a group; the first and the last one may have fewer.
pub(super) const GROUP: u32 = 4096;

#[derive(Default)]
pub(super) struct Records {
    pub(super) labels: Labels,
    positions: Range<u32>,
    groups: Vec<Group>,
}

#[derive(Clone)]
pub(super) struct Group {
    first: u32,
    records: Arc<[Record]>,
    /// Their descriptions as JSON strings, in the same order.
    text: Arc<[u8]>,
}

impl Records {
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn positions(&self) -> Range<u32> {
        self.positions.clone()
    }

    pub(super) fn get(&self, position: u32) -> Entry<'_> {
        let (group, place) = self.place(position);
        let record = &group.records[place];
        let (start, end) = record.description;
        Entry { record, description: &group.text[start as usize..end as usize], labels: &self.labels }
    }

    pub(super) fn record(&self, position: u32) -> &Record {
        let (group, place) = self.place(position);
        &group.records[place]
    }

    fn place(&self, position: u32) -> (&Group, usize) {
        let group = &self.groups[(position / GROUP - self.positions.start / GROUP) as usize];
        (group, (position - group.first) as usize)
    }

    pub(super) fn id(&self, position: u32) -> FilingId {
        self.record(position).id()
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = (&[Record], &[u8])> {
        self.groups.iter().map(|group| (&*group.records, &*group.text))
    }

    /// The group with exactly these positions.
    pub(super) fn group_of(&self, positions: &Range<u32>) -> Option<&Group> {
        let number = (positions.start / GROUP).checked_sub(self.positions.start / GROUP)?;
        self.groups.get(number as usize).filter(|group| group.positions() == *positions)
    }

    /// The first position that does not come before this key.
    pub(super) fn first_not_before(&self, key: SortKey) -> u32 {
        first_without(self.positions(), |position| self.record(position).sort_key() < key)
    }

    /// The positions between two days, both included.
    pub(super) fn between(&self, from: Option<Day>, to: Option<Day>) -> Range<u32> {
        let Range { start, end } = self.positions;
        let day = |position: u32| self.record(position).day;
        let start = to.map_or(start, |to| first_without(start..end, |position| day(position) > to));
        let end = from.map_or(end, |from| first_without(start..end, |position| day(position) >= from));
        start..end
    }

    /// The part of ascending positions between two days, both included.
    pub(super) fn within<'a>(&self, list: &'a [u32], from: Option<Day>, to: Option<Day>) -> &'a [u32] {
        let day = |position: &u32| self.record(*position).day;
        let start = to.map_or(0, |to| list.partition_point(|position| day(position) > to));
        let list = &list[start..];
        let end = from.map_or(list.len(), |from| list.partition_point(|position| day(position) >= from));
        &list[..end]
    }
}

impl Group {
    fn positions(&self) -> Range<u32> {
        self.first..self.first + self.records.len() as u32
    }
}

/// The first position without a property that all before it have.
fn first_without(positions: Range<u32>, has: impl Fn(u32) -> bool) -> u32 {
    let Range { start: mut low, end: mut high } = positions;
    while low < high {
        let middle = low + (high - low) / 2;
        if has(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The positions of each group.
pub(super) fn in_groups(positions: Range<u32>) -> impl Iterator<Item = Range<u32>> {
    let Range { start: mut next, end } = positions;
    std::iter::from_fn(move || {
        let start = next;
        next = (start - start % GROUP).saturating_add(GROUP).min(end);
        (start < end).then_some(start..next)
    })
}

/// Receives records in listing order.
pub(super) struct RecordsBuilder {
    first: u32,
    groups: Vec<Group>,
    /// Those of the group that is not complete.
    records: Vec<Record>,
    text: Vec<u8>,
}

impl RecordsBuilder {
    /// The first record gets this position.
    pub(super) fn from(first: u32) -> Self {
        Self { first, groups: Vec::new(), records: Vec::new(), text: Vec::new() }
    }

    pub(super) fn push(&mut self, record: &Record, description: &[u8]) -> Result<(), BuildError> {
        let start = self.text.len();
        self.text.extend_from_slice(description);
        self.records.push(Record { description: span(start, self.text.len())?, ..*record });
        if self.next().is_multiple_of(GROUP) {
            self.end_group();
        }
        Ok(())
    }

    /// Adds a whole group, whose positions stay as they are.
    pub(super) fn share(&mut self, group: &Group) {
        assert!(group.first == self.next() && self.records.is_empty(), "a group in its place");
        self.groups.push(group.clone());
    }

    pub(super) fn finish(mut self, labels: Labels) -> Records {
        self.end_group();
        Records { labels, positions: self.first..self.next(), groups: self.groups }
    }

    fn next(&self) -> u32 {
        self.begun() + self.records.len() as u32
    }

    /// The first position that is in no complete group.
    fn begun(&self) -> u32 {
        self.groups.last().map_or(self.first, |group| group.positions().end)
    }

    fn end_group(&mut self) {
        if !self.records.is_empty() {
            let (first, text) = (self.begun(), self.text.as_slice().into());
            self.groups.push(Group { first, records: self.records.as_slice().into(), text });
            self.records.clear();
            self.text.clear();
        }
    }
}

/// Part of a text, in the numbers of a record.
pub(super) fn span(start: usize, end: usize) -> Result<(u32, u32), BuildError> {
    let end = u32::try_from(end).map_err(|_| BuildError::TooLarge("the text of the filings"))?;
    Ok((start as u32, end))
}
