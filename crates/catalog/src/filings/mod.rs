//! Filings: a struct of arrays, newest first, with posting lists for the filters and a search index.
//!
//! A position is a row's index in the listing order: by day of delivery, then by id, both descending. Every filter's
//! list holds positions, so days are found by binary search and a total is a subtraction. Texts are kept as escaped
//! JSON; writing a row copies them.

mod builder;
mod categories;
mod columns;
mod first_seen;
mod ids;
mod interner;
mod listing;
mod merge;
mod periods;
mod snapshot;
mod texts;
mod url_templates;
mod withdrawn;
mod words;

use std::fmt;
use std::io::{self, Read, Write};

use jiff::Timestamp;
use lastro_model::{CompanyId, Day, Filing, FilingId, History};
use lastro_search::{Context, Index, Names, Page, RowFilter, Searcher, Span, fold_label};

use crate::BuildError;
use crate::highlights::{Highlights, Searchable};
use crate::json::{Digits, Name, Object, Plain, text_of, time_json};
use crate::name;
use crate::page::Found;
use crate::postings::Postings;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};
use crate::table::{Cell, ColumnType, Table};
use categories::Categories;
use columns::Columns;
use ids::IdTable;
use listing::Selected;
use periods::Periods;
use withdrawn::Withdrawn;

pub use builder::FilingsBuilder;
pub use listing::FilingFilter;
pub use words::holds_all_words;

/// The filters with a posting list: company, category (all labels of one category), or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FilterKey {
    company: Option<u32>,
    category: Option<u32>,
}

#[derive(Default)]
pub struct Filings {
    columns: Columns,
    ids: IdTable,
    categories: Categories,
    lists: Postings<FilterKey>,
    index: Searcher,
    /// Their positions follow those of all others.
    withdrawn: Withdrawn,
}

impl Filings {
    pub fn empty() -> Self {
        Self::default()
    }

    fn assemble(
        columns: Columns,
        ids: IdTable,
        index: Searcher,
        withdrawn: Withdrawn,
    ) -> Result<Self, BuildError> {
        let categories = Categories::default().with(&columns.categories, &columns.category)?;
        let lists = Postings::build(columns.len() as u32, |position| {
            keys(columns.company(position), categories.of_label(columns.category(position)))
        });
        Ok(Self { columns, ids, categories, lists, index, withdrawn })
    }

    /// Writes everything that [`Self::restore`] needs. The label identifies the data.
    pub fn save(&self, label: &str, out: impl Write) -> io::Result<()> {
        let mut snapshot = Writer::new(out, label)?;
        self.columns.save(&mut snapshot)?;
        snapshot::save_index(self.index.index(), &mut snapshot)?;
        self.withdrawn.save(&mut snapshot)?;
        snapshot.finish()
    }

    /// The label of a snapshot.
    pub fn saved_label(input: impl Read, length: u64) -> Result<String, SnapshotError> {
        Reader::label(input, length)
    }

    /// Restores a snapshot of `length` bytes with this label. Fails if the snapshot cannot be trusted.
    pub fn restore(label: &str, input: impl Read, length: u64) -> Result<Self, SnapshotError> {
        let mut snapshot = Reader::new(input, length, label)?;
        let columns = Columns::restore(&mut snapshot)?;
        let index = snapshot::restore_index(&mut snapshot)?;
        let withdrawn = Withdrawn::restore(&mut snapshot)?;
        snapshot.finish()?;
        ensure(index.rows as usize == columns.len())?;
        let index = Searcher::new(Index::from_parts(index).ok_or(SnapshotError::Damaged)?);
        let ids = IdTable::of(columns.len() as u32, |row| columns.id(row));
        Self::assemble(columns, ids, index, withdrawn).map_err(|_| SnapshotError::Damaged)
    }

    /// The number of filings that are listed.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn newest_day(&self) -> Option<Day> {
        (!self.is_empty()).then(|| self.columns.day(0))
    }

    /// The position of a filing, listed or withdrawn.
    pub fn position(&self, id: FilingId) -> Option<u32> {
        self.listed_position(id).or_else(|| Some(self.len() as u32 + self.withdrawn.get(id)?))
    }

    fn listed_position(&self, id: FilingId) -> Option<u32> {
        self.ids.get(id, |position| self.columns.id(position))
    }

    /// The columns that hold a position, its row there, and the time at which it was withdrawn.
    #[inline]
    fn row(&self, position: u32) -> (&Columns, u32, Option<Timestamp>) {
        match position.checked_sub(self.len() as u32) {
            None => (&self.columns, position, None),
            Some(row) => (&self.withdrawn.columns, row, Some(self.withdrawn.time(row))),
        }
    }

    /// The history of a filing.
    pub fn history(&self, position: u32) -> History {
        let (columns, row, withdrawn) = self.row(position);
        History { first_seen: columns.first_seen.time(row), withdrawn }
    }

    /// One published label of each category, in alphabetical order.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.categories.labels().map(|label| self.columns.categories.text(label))
    }

    /// The categories that begin with a text, then the others that have all its words. Mistyped words are corrected,
    /// except words known elsewhere.
    pub(crate) fn categories_typed(
        &self,
        q: &str,
        is_known: &dyn Fn(&str) -> bool,
    ) -> (Vec<&str>, Vec<&str>) {
        self.categories.typed(&self.columns.categories, q, &|word| self.knows(word) || is_known(word))
    }

    /// Whether a filing has this category, ignoring case, accents and space.
    pub fn has_category(&self, label: &str) -> bool {
        self.categories.find(&fold_label(label)).is_some()
    }

    /// Whether the company has filed anything.
    pub fn has_company(&self, company: CompanyId) -> bool {
        let key = FilterKey { company: Some(company.0), category: None };
        !self.lists.get(key).is_empty() || self.withdrawn.has_company(company)
    }

    /// The categories of the filings that match, with their number; most filings first, then in alphabetical order.
    pub fn category_counts(&self, filter: &FilingFilter<'_>) -> Vec<(&str, usize)> {
        let count = |label: &str| {
            self.list(&FilingFilter { category: Some(label), ..*filter }, Page { limit: 0, offset: 0 }).total
        };
        let counted = self.categories().map(|label| (label, count(label)));
        let mut counts: Vec<(&str, usize)> = counted.filter(|(_, count)| *count > 0).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// Finds filings by their texts; those of a period that the query names come first.
    pub fn search(&self, q: &str, page: Page) -> Found<'_> {
        self.search_in(q, page, Context { ranges: &self.periods(), ..Context::default() })
    }

    /// Like [`Self::search`], but only among filings that match the filter, and words that name companies match their
    /// filings.
    pub(crate) fn search_named(
        &self,
        q: &str,
        filter: &FilingFilter<'_>,
        page: Page,
        names: &dyn Names,
    ) -> Found<'_> {
        let context = Context { names, ranges: &self.periods(), within: None };
        if filter.is_empty() {
            return self.search_in(q, page, context);
        }
        let within = match self.selected(filter) {
            Selected::Span(days) => self.row_filter(days),
            Selected::List(list) => self.row_filter(list.iter().copied()),
            Selected::Lists(lists) => self.row_filter(lists.into_iter().flatten().copied()),
            Selected::Rows(rows) => self.row_filter(rows),
        };
        self.search_in(q, page, Context { within: Some(&within), ..context })
    }

    fn search_in(&self, q: &str, page: Page, context: Context<'_>) -> Found<'_> {
        let mut hits = self.index.search_in(q, page, context);
        self.to_positions(&mut hits.rows);
        Found::from(hits)
    }

    fn periods(&self) -> Periods<'_> {
        Periods { columns: &self.columns, first_row: self.index.index().rows().start }
    }

    /// These positions as rows of the index.
    fn row_filter(&self, positions: impl IntoIterator<Item = u32>) -> RowFilter {
        let rows = self.index.index().rows();
        RowFilter::of(rows.end, positions.into_iter().map(|position| rows.start + position))
    }

    /// Makes positions from rows of the index.
    fn to_positions(&self, rows: &mut [u32]) {
        let first = self.index.index().rows().start;
        rows.iter_mut().for_each(|row| *row -= first);
    }

    /// Whether a filing has this word, in any form or as a prefix.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.index.knows(word)
    }

    /// Rebuilds the original record.
    pub fn filing(&self, position: u32) -> Filing {
        let (columns, row, _) = self.row(position);
        columns.filing(row)
    }
}

/// The start of a day in Brasília: the regulator publishes days, the API returns timestamps.
#[derive(Clone, Copy)]
pub(crate) struct Midnight(pub Day);

const MIDNIGHT: &str = "T00:00:00-03:00";

impl fmt::Display for Midnight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{MIDNIGHT}", self.0)
    }
}

impl Plain for Midnight {
    fn write_into(&self, out: &mut Vec<u8>) {
        self.0.write_into(out);
        out.extend_from_slice(MIDNIGHT.as_bytes());
    }
}

impl Table for Filings {
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "company_id",
        "company_name",
        "category",
        "date",
        "description",
        "type",
        "reference_date",
        "version",
        "url",
        "first_seen_at",
    ];
    const TYPES: &'static [ColumnType] = &[
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Day,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Day,
        ColumnType::Integer,
        ColumnType::Text,
        ColumnType::Instant,
    ];

    fn write_json(&self, position: u32, out: &mut Vec<u8>) {
        let (columns, position, withdrawn) = self.row(position);
        // Formatted once for the id and the link, or not at all.
        let mut digits = itoa::Buffer::new();
        let protocol = columns.protocol(position).map(|number| Digits(digits.format(number)));
        let object = Object::new(out);
        let object = match protocol {
            Some(digits) => object.token(name!("id"), digits),
            None => object.token(name!("id"), columns.id(position)),
        }
        .token(name!("company_id"), columns.company(position))
        .raw(name!("company_name"), columns.company_name_json(position))
        .raw(name!("category"), columns.category_json(position))
        .token(name!("date"), Midnight(columns.day(position)))
        .raw(name!("description"), columns.description_json(position))
        .raw(name!("type"), columns.kind_json(position))
        .optional_token(name!("reference_date"), columns.reference(position))
        .number(name!("version"), columns.version(position))
        .written(name!("url"), |out| columns.push_url_json(position, protocol, out))
        .raw(name!("first_seen_at"), columns.first_seen.json(position));
        match withdrawn {
            None => object.end(),
            Some(time) => object.raw(name!("withdrawn_at"), &time_json(time)).end(),
        };
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        let (columns, position, _) = self.row(position);
        put(Cell::Token(&columns.id(position)));
        put(Cell::Token(&columns.company(position)));
        put(Cell::Text(columns.company_names.text(columns.company_name(position))));
        put(Cell::Text(columns.categories.text(columns.category(position))));
        put(Cell::Token(&Midnight(columns.day(position))));
        put(Cell::Text(&text_of(columns.description_json(position))));
        put(Cell::optional_text(columns.kind(position).map(|kind| columns.kinds.text(kind))));
        put(Cell::optional_token(columns.reference(position).as_ref()));
        put(Cell::Number(&columns.version(position)));
        put(Cell::Text(&columns.url(position)));
        put(Cell::optional_token(columns.first_seen.time(position).as_ref()));
    }
}

impl Searchable for Filings {
    fn marked(&self, position: u32, highlights: &Highlights) -> Vec<(Name, Vec<Span>)> {
        let columns = &self.columns;
        let in_text = |text: &str| highlights.in_text(text);
        let category = columns.categories.text(columns.category(position));
        let kind = columns.kind(position).map_or("", |kind| columns.kinds.text(kind));
        let [category, kind] = highlights.in_labels([category, kind]);
        vec![
            (name!("company_id"), highlights.in_code(itoa::Buffer::new().format(columns.company(position)))),
            (name!("company_name"), in_text(columns.company_names.text(columns.company_name(position)))),
            (name!("category"), category),
            (name!("description"), in_text(&text_of(columns.description_json(position)))),
            (name!("type"), kind),
        ]
    }
}

/// The posting lists that a filing belongs to.
fn keys(company: u32, category: u32) -> [FilterKey; 3] {
    let (company, category) = (Some(company), Some(category));
    [
        FilterKey { company, category: None },
        FilterKey { company: None, category },
        FilterKey { company, category },
    ]
}

impl fmt::Debug for Filings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filings")
            .field("len", &self.len())
            .field("newest_day", &self.newest_day())
            .finish_non_exhaustive()
    }
}
