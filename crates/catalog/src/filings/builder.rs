//! Builds the filings part from a stream of filings.

use std::fmt;

use hashbrown::HashMap;
use lastro_model::{Filing, History};
use lastro_search::{Field, IndexBuilder, Searcher, Title, numbers_with_room};

use super::Filings;
use super::ids::IdTable;
use super::interner::Interner;
use super::labels::Labels;
use super::record::{Entry, Record};
use super::records::{Records, RecordsBuilder, span};
use super::withdrawn::Withdrawn;
use crate::BuildError;
use crate::json::{push_string, text_of};

/// Receives filings one by one, in any order, and keeps each only in its compact form.
#[derive(Default)]
pub struct FilingsBuilder {
    labels: Labels,
    records: Vec<Record>,
    /// The descriptions, each as a JSON string; those of replaced filings, too.
    text: Vec<u8>,
    /// Places among the records.
    ids: IdTable,
    withdrawn: Vec<(Filing, History)>,
    failed: Option<BuildError>,
}

impl FilingsBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reserves memory for about this many filings.
    pub fn with_capacity(filings: usize) -> Self {
        Self { ids: IdTable::with_capacity(filings), ..Self::default() }
    }

    /// Adds a filing without a history. It replaces an earlier one with the same id.
    pub fn push(&mut self, filing: Filing) {
        self.push_with(filing, History::default());
    }

    /// Adds a filing with its history. A withdrawn one must not have been added as listed before.
    pub fn push_with(&mut self, filing: Filing, history: History) {
        if history.is_withdrawn() {
            self.withdrawn.push((filing, history));
        } else if self.failed.is_none() {
            self.failed = self.add(&filing, history).err();
        }
    }

    /// Sorts, indexes and links the filings. Returns the first error of any push.
    pub fn finish(mut self) -> Result<Filings, BuildError> {
        let (records, index) = self.searchable()?;
        Filings::assemble(records, self.ids, index, Withdrawn::of(self.withdrawn)?)
    }

    /// The filings that are listed, and their index.
    pub(super) fn searchable(&mut self) -> Result<(Records, Searcher), BuildError> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let records = self.sorted()?;
        let index = index(&records)?;
        Ok((records, index))
    }

    /// The records in listing order. The ids get their positions.
    fn sorted(&mut self) -> Result<Records, BuildError> {
        let (records, text) = (std::mem::take(&mut self.records), std::mem::take(&mut self.text));
        let mut order: Vec<u32> = (0..records.len() as u32).collect();
        order.sort_by_key(|place| records[*place as usize].sort_key());
        let first = numbers_with_room(order.len() as u32).start;
        let moved = inverted(&order);
        self.ids.renumber(|place| first + moved[place as usize]);
        let mut sorted = RecordsBuilder::from(first);
        for place in order {
            let record = &records[place as usize];
            let (start, end) = record.description;
            sorted.push(record, &text[start as usize..end as usize])?;
        }
        Ok(sorted.finish(std::mem::take(&mut self.labels).all_used()))
    }

    fn add(&mut self, filing: &Filing, history: History) -> Result<(), BuildError> {
        let start = self.text.len();
        push_string(&filing.description, &mut self.text);
        let description = span(start, self.text.len())?;
        let record = Record { description, ..Record::new(filing, history.first_seen, &mut self.labels) };
        let Self { records, ids, .. } = self;
        if let Some(place) = ids.get(filing.id, |place| records[place as usize].id()) {
            records[place as usize] = record;
            return Ok(());
        }
        let place = u32::try_from(records.len())
            .ok()
            .filter(|place| *place < u32::MAX - 1)
            .ok_or(BuildError::TooLarge("the number of filings"))?;
        records.push(record);
        ids.insert(filing.id, place, |place| records[place as usize].id());
        Ok(())
    }
}

impl fmt::Debug for FilingsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilingsBuilder").field("len", &self.records.len()).finish_non_exhaustive()
    }
}

/// The new index of each place, given the place at each new index.
fn inverted(order: &[u32]) -> Vec<u32> {
    let mut moved = vec![0; order.len()];
    for (index, place) in (0..).zip(order) {
        moved[*place as usize] = index;
    }
    moved
}

/// Indexes company name, category, kind, description and registry code. Repeated texts are analyzed once.
fn index(records: &Records) -> Result<Searcher, BuildError> {
    let mut index = IndexBuilder::to_be_merged();
    let labels = &records.labels;
    let names: Vec<Title> = labels.company_names.texts().map(|text| index.title(text)).collect();
    let mut labels_of =
        |interned: &Interner| -> Vec<Title> { interned.texts().map(|text| index.label(text)).collect() };
    let categories = labels_of(&labels.categories);
    let kinds = labels_of(&labels.kinds);
    let mut codes = HashMap::<u32, Title>::new();
    let no_kind = Title::default();
    for entry in records.positions().map(|position| records.get(position)) {
        let record = entry.record;
        let of_company = || index.title(itoa::Buffer::new().format(record.company));
        let code = codes.entry(record.company).or_insert_with(of_company);
        let name = &names[record.company_name as usize];
        let category = &categories[record.category as usize];
        let kind = kinds.get(record.kind as usize).unwrap_or(&no_kind);
        let titles =
            [(Field::Label, category), (Field::Sublabel, kind), (Field::Owner, name), (Field::Code, code)];
        index.push(&titles, own_description(entry, &text_of(entry.description)))?;
    }
    Ok(Searcher::new(index.finish()?))
}

/// The description, unless it only repeats the category or the kind.
fn own_description<'a>(entry: Entry<'_>, description: &'a str) -> &'a str {
    if description == entry.category() || Some(description) == entry.kind() { "" } else { description }
}
