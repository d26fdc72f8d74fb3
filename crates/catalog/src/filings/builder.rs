//! From a stream of filings to the finished part.

use std::fmt;

use lastro_model::Filing;

use super::columns::{Columns, unescaped};
use super::ids::IdTable;
use super::interner::{Groups, Interner};
use super::{Filings, FilterKey};
use crate::BuildError;
use crate::postings::Postings;
use crate::search::{Corpus, TextIndex, append_words};

/// Takes filings one by one, in any order, and keeps each only in its compact form.
#[derive(Default)]
pub struct FilingsBuilder {
    columns: Columns,
    ids: IdTable,
    failed: Option<BuildError>,
}

impl FilingsBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Expects about so many filings.
    pub fn with_capacity(filings: usize) -> Self {
        Self { ids: IdTable::with_capacity(filings), ..Self::default() }
    }

    /// A filing with the id of an earlier one takes its place.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the record ends here: its compact form takes its place"
    )]
    pub fn push(&mut self, filing: Filing) {
        if self.failed.is_none() {
            self.failed = self.add(&filing).err();
        }
    }

    /// Sorts, indexes and links what was pushed. The first fault of any push comes out here.
    pub fn finish(mut self) -> Result<Filings, BuildError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.columns.seal();
        let order = self.columns.order();
        if let Some(order) = &order {
            self.ids.renumber(&inverted(order));
            self.columns.reorder(order);
        }
        let Self { columns, ids, .. } = self;
        let category_groups = Groups::of(&columns.categories);
        let lists = Postings::build(columns.len() as u32, |position| {
            keys(columns.company(position), category_groups.group_of(columns.category(position)))
        });
        let index = TextIndex::build(&FilingTexts::of(&columns))?;
        Ok(Filings { columns, ids, category_groups, lists, index })
    }

    fn add(&mut self, filing: &Filing) -> Result<(), BuildError> {
        if let Some(row) = self.ids.get(filing.id, |row| self.columns.id(row)) {
            return self.columns.replace(row, filing);
        }
        let row = u32::try_from(self.columns.len())
            .ok()
            .filter(|row| *row < u32::MAX - 1)
            .ok_or(BuildError::TooLarge("the number of filings"))?;
        self.columns.push(filing)?;
        self.ids.insert(filing.id, row, |row| self.columns.id(row));
        Ok(())
    }
}

impl fmt::Debug for FilingsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilingsBuilder").field("len", &self.columns.len()).finish_non_exhaustive()
    }
}

/// The lists that a filing belongs to.
fn keys(company: u32, category: u32) -> [FilterKey; 3] {
    let (company, category) = (Some(company), Some(category));
    [
        FilterKey { company, category: None },
        FilterKey { company: None, category },
        FilterKey { company, category },
    ]
}

/// Where each row has gone, from which row stands where.
fn inverted(order: &[u32]) -> Vec<u32> {
    let mut moved = vec![0; order.len()];
    for (position, row) in (0..).zip(order) {
        moved[*row as usize] = position;
    }
    moved
}

/// What filings are found by. Texts that repeat are analyzed once.
struct FilingTexts<'a> {
    columns: &'a Columns,
    company_names: Vec<String>,
    categories: Vec<String>,
    kinds: Vec<String>,
}

impl<'a> FilingTexts<'a> {
    fn of(columns: &'a Columns) -> Self {
        let analyzed = |interned: &Interner| interned.texts().map(words).collect();
        Self {
            columns,
            company_names: analyzed(&columns.company_names),
            categories: analyzed(&columns.categories),
            kinds: analyzed(&columns.kinds),
        }
    }
}

impl Corpus for FilingTexts<'_> {
    fn len(&self) -> u32 {
        self.columns.len() as u32
    }

    fn append(&self, position: u32, words: &mut String) {
        words.push_str(&self.company_names[self.columns.company_name(position) as usize]);
        words.push_str(&self.categories[self.columns.category(position) as usize]);
        if let Some(kind) = self.columns.kind(position) {
            words.push_str(&self.kinds[kind as usize]);
        }
        append_words(&unescaped(self.columns.description_json(position)), words);
        words.push_str(itoa::Buffer::new().format(self.columns.company(position)));
    }
}

fn words(text: &str) -> String {
    let mut words = String::new();
    append_words(text, &mut words);
    words
}
