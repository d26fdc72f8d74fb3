//! Builds the filings part from a stream of filings.

use std::fmt;

use hashbrown::HashMap;
use lastro_model::{Filing, History};
use lastro_search::{Field, IndexBuilder, Searcher, Title};

use super::Filings;
use super::columns::Columns;
use super::ids::IdTable;
use super::interner::Interner;
use super::withdrawn::Withdrawn;
use crate::BuildError;
use crate::json::text_of;

/// Receives filings one by one, in any order, and keeps each only in its compact form.
#[derive(Default)]
pub struct FilingsBuilder {
    columns: Columns,
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
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let order = self.columns.order();
        if let Some(order) = &order {
            self.ids.renumber(&inverted(order));
            self.columns.reorder(order);
        }
        self.columns.seal();
        let Self { columns, ids, withdrawn, .. } = self;
        let index = index(&columns)?;
        Filings::assemble(columns, ids, index, Withdrawn::of(withdrawn)?)
    }

    fn add(&mut self, filing: &Filing, history: History) -> Result<(), BuildError> {
        if let Some(row) = self.ids.get(filing.id, |row| self.columns.id(row)) {
            return self.columns.replace(row, filing, history.first_seen);
        }
        let row = u32::try_from(self.columns.len())
            .ok()
            .filter(|row| *row < u32::MAX - 1)
            .ok_or(BuildError::TooLarge("the number of filings"))?;
        self.columns.push(filing, history.first_seen)?;
        self.ids.insert(filing.id, row, |row| self.columns.id(row));
        Ok(())
    }
}

impl fmt::Debug for FilingsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilingsBuilder").field("len", &self.columns.len()).finish_non_exhaustive()
    }
}

/// The new index of each row, given the row at each new index.
fn inverted(order: &[u32]) -> Vec<u32> {
    let mut moved = vec![0; order.len()];
    for (position, row) in (0..).zip(order) {
        moved[*row as usize] = position;
    }
    moved
}

/// Indexes company name, category, kind, description and registry code. Repeated texts are analyzed once.
fn index(columns: &Columns) -> Result<Searcher, BuildError> {
    let mut index = IndexBuilder::to_be_merged();
    let names: Vec<Title> = columns.company_names.texts().map(|text| index.title(text)).collect();
    let mut labels =
        |interned: &Interner| -> Vec<Title> { interned.texts().map(|text| index.label(text)).collect() };
    let categories = labels(&columns.categories);
    let kinds = labels(&columns.kinds);
    let mut codes = HashMap::<u32, Title>::new();
    let no_kind = Title::default();
    for row in 0..columns.len() as u32 {
        let company = columns.company(row);
        let code = codes.entry(company).or_insert_with(|| index.title(itoa::Buffer::new().format(company)));
        let name = &names[columns.company_name(row) as usize];
        let category = &categories[columns.category(row) as usize];
        let kind = columns.kind(row).map_or(&no_kind, |kind| &kinds[kind as usize]);
        let titles =
            [(Field::Label, category), (Field::Sublabel, kind), (Field::Owner, name), (Field::Code, code)];
        index.push(&titles, own_description(columns, row, &text_of(columns.description_json(row))))?;
    }
    Ok(Searcher::new(index.finish()?))
}

/// The description, unless it only repeats the category or the kind.
fn own_description<'a>(columns: &Columns, row: u32, description: &'a str) -> &'a str {
    let category = columns.categories.text(columns.category(row));
    let kind = columns.kind(row).map(|kind| columns.kinds.text(kind));
    if description == category || Some(description) == kind { "" } else { description }
}
