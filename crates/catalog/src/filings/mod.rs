//! Filings: records in listing order, with posting lists for the filters and a search index.
//!
//! The listing order is by day of delivery, then by id, both descending. Positions are consecutive numbers in this order.
//! The first need not be 0: there is room for new filings before it, and a merge leaves the positions of nearly all others
//! as they are. Every filter's list and the index hold positions, so days are found by binary search and a total is a
//! subtraction. Texts are kept as escaped JSON; writing a filing copies them.

mod builder;
mod categories;
mod first_seen;
mod ids;
mod interner;
mod labels;
mod listing;
mod merge;
mod periods;
mod record;
mod records;
mod snapshot;
mod url_templates;
mod withdrawn;
mod words;

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::Range;

use jiff::Timestamp;
use lastro_model::{CompanyId, Day, Filing, FilingId, History};
use lastro_search::{Context, Index, Names, Page, RowFilter, Searcher, Span, fold_label, numbers_with_room};

use crate::BuildError;
use crate::highlights::{Highlights, Searchable};
use crate::json::{Digits, Name, Object, Plain, text_of, time_json};
use crate::name;
use crate::page::Found;
use crate::postings::Postings;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};
use crate::table::{Cell, ColumnType, Table};
use categories::Categories;
use ids::IdTable;
use listing::Selected;
use periods::Periods;
use record::Entry;
use records::Records;
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
    records: Records,
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
        records: Records,
        ids: IdTable,
        index: Searcher,
        withdrawn: Withdrawn,
    ) -> Result<Self, BuildError> {
        let mut categories = Categories::default().with(&records.labels.categories);
        let lists = Postings::build(records.positions(), |position| {
            let record = records.record(position);
            keys(record.company, categories.of_label(record.category))
        });
        categories.show(&records.labels.categories, |category| first_label(&lists, &records, category))?;
        Ok(Self { records, ids, categories, lists, index, withdrawn })
    }

    /// Writes everything that [`Self::restore`] needs. The label identifies the data.
    pub fn save(&self, label: &str, out: impl Write) -> io::Result<()> {
        let mut snapshot = Writer::new(out, label)?;
        self.records.save(&mut snapshot)?;
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
        let records = Records::restore(&mut snapshot, numbers_with_room)?;
        let index = snapshot::restore_index(&mut snapshot)?;
        let withdrawn = Withdrawn::restore(&mut snapshot)?;
        snapshot.finish()?;
        let index = Searcher::new(Index::from_parts(index).ok_or(SnapshotError::Damaged)?);
        ensure(index.index().rows() == records.positions())?;
        let ids = IdTable::of(&records);
        Self::assemble(records, ids, index, withdrawn).map_err(|_| SnapshotError::Damaged)
    }

    /// The number of filings that are listed.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The positions of all filings that are listed. Those of withdrawn ones follow.
    pub fn listed(&self) -> Range<u32> {
        self.records.positions()
    }

    /// The first position that no listed filing has.
    fn end(&self) -> u32 {
        self.listed().end
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn newest_day(&self) -> Option<Day> {
        self.listed().next().map(|newest| self.records.record(newest).day)
    }

    /// The position of a filing, listed or withdrawn.
    pub fn position(&self, id: FilingId) -> Option<u32> {
        self.listed_position(id).or_else(|| Some(self.end() + self.withdrawn.get(id)?))
    }

    fn listed_position(&self, id: FilingId) -> Option<u32> {
        self.ids.get(id, |position| self.records.id(position))
    }

    /// The filing at a position, and the time at which it was withdrawn.
    #[inline]
    fn entry(&self, position: u32) -> (Entry<'_>, Option<Timestamp>) {
        match position.checked_sub(self.end()) {
            None => (self.records.get(position), None),
            Some(row) => (self.withdrawn.records.get(row), Some(self.withdrawn.time(row))),
        }
    }

    /// The history of a filing.
    pub fn history(&self, position: u32) -> History {
        let (entry, withdrawn) = self.entry(position);
        History { first_seen: entry.first_seen(), withdrawn }
    }

    /// One published label of each category, in alphabetical order.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.categories.labels().map(|label| self.records.labels.categories.text(label))
    }

    /// The categories that begin with a text, then the others that have all its words. Mistyped words are corrected,
    /// except words known elsewhere.
    pub(crate) fn categories_typed(
        &self,
        q: &str,
        is_known: &dyn Fn(&str) -> bool,
    ) -> (Vec<&str>, Vec<&str>) {
        self.categories.typed(&self.records.labels.categories, q, &|word| self.knows(word) || is_known(word))
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
        Found::from(self.index.search_in(q, page, context))
    }

    fn periods(&self) -> Periods<'_> {
        Periods(&self.records)
    }

    /// These positions, which are rows of the index.
    fn row_filter(&self, positions: impl IntoIterator<Item = u32>) -> RowFilter {
        RowFilter::of(self.end(), positions)
    }

    /// Whether a filing has this word, in any form or as a prefix.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.index.knows(word)
    }

    /// Rebuilds the original record.
    pub fn filing(&self, position: u32) -> Filing {
        self.entry(position).0.filing()
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
        let (entry, withdrawn) = self.entry(position);
        let record = entry.record;
        // Formatted once for the id and the link, or not at all.
        let mut digits = itoa::Buffer::new();
        let protocol = record.protocol().map(|number| Digits(digits.format(number)));
        let object = Object::new(out);
        let object = match protocol {
            Some(digits) => object.token(name!("id"), digits),
            None => object.token(name!("id"), record.id()),
        }
        .token(name!("company_id"), record.company)
        .raw(name!("company_name"), entry.company_name_json())
        .raw(name!("category"), entry.category_json())
        .token(name!("date"), Midnight(record.day))
        .raw(name!("description"), entry.description)
        .raw(name!("type"), entry.kind_json())
        .optional_token(name!("reference_date"), record.reference())
        .number(name!("version"), record.version)
        .written(name!("url"), |out| entry.push_url_json(protocol, out))
        .raw(name!("first_seen_at"), entry.first_seen_json());
        match withdrawn {
            None => object.end(),
            Some(time) => object.raw(name!("withdrawn_at"), &time_json(time)).end(),
        };
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        let (entry, _) = self.entry(position);
        let record = entry.record;
        put(Cell::Token(&record.id()));
        put(Cell::Token(&record.company));
        put(Cell::Text(entry.company_name()));
        put(Cell::Text(entry.category()));
        put(Cell::Token(&Midnight(record.day)));
        put(Cell::Text(&text_of(entry.description)));
        put(Cell::optional_text(entry.kind()));
        put(Cell::optional_token(record.reference().as_ref()));
        put(Cell::Number(&record.version));
        put(Cell::Text(&entry.url()));
        put(Cell::optional_token(entry.first_seen().as_ref()));
    }

    fn withdrawn_at(&self, position: u32) -> Option<Timestamp> {
        self.entry(position).1
    }
}

impl Searchable for Filings {
    fn marked(&self, position: u32, highlights: &Highlights) -> Vec<(Name, Vec<Span>)> {
        let entry = self.records.get(position);
        let in_text = |text: &str| highlights.in_text(text);
        let [category, kind] = highlights.in_labels([entry.category(), entry.kind().unwrap_or_default()]);
        let company = entry.record.company;
        vec![
            (name!("company_id"), highlights.in_code(itoa::Buffer::new().format(company))),
            (name!("company_name"), in_text(entry.company_name())),
            (name!("category"), category),
            (name!("description"), in_text(&text_of(entry.description))),
            (name!("type"), kind),
        ]
    }
}

/// The label of a category's first filing.
fn first_label(lists: &Postings<FilterKey>, records: &Records, category: u32) -> Option<u32> {
    let list = lists.get(FilterKey { company: None, category: Some(category) });
    list.first().map(|position| records.record(*position).category)
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
