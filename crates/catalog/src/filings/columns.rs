//! The rows of the filings, one array per field. Repeated texts are stored as numbers of interned texts.

use std::cmp::Reverse;
use std::ops::Range;

use jiff::Timestamp;
use lastro_model::{CompanyId, Day, Filing, FilingId};

use super::first_seen::FirstSeen;
use super::interner::Interner;
use super::texts::Texts;
use super::url_templates::{Link, Links};
use crate::BuildError;
use crate::json::{Digits, text_of};

/// Marks a missing day. No day has this number.
const NO_DAY: i32 = i32::MIN;
/// Marks a missing text. Rows are counted in 32 bits, so no text can have this number.
pub(super) const NO_TEXT: u32 = u32::MAX;

/// The listing order: by day of delivery, then by id, both descending.
pub(super) type SortKey = Reverse<(Day, FilingId)>;

#[derive(Default)]
pub(super) struct Columns {
    pub(super) days: Vec<Day>,
    pub(super) numbers: Vec<u64>,
    /// Whether the number is a hash rather than a protocol number.
    pub(super) hashed: Vec<bool>,
    pub(super) companies: Vec<u32>,
    pub(super) company_name: Vec<u32>,
    pub(super) category: Vec<u32>,
    pub(super) kind: Vec<u32>,
    pub(super) reference: Vec<i32>,
    pub(super) version: Vec<u16>,
    pub(super) first_seen: FirstSeen,
    pub(super) link: Vec<Link>,
    pub(super) descriptions: Texts,
    pub company_names: Interner,
    pub categories: Interner,
    pub kinds: Interner,
    pub(super) links: Links,
}

impl Columns {
    pub(super) fn len(&self) -> usize {
        self.days.len()
    }

    pub(super) fn push(&mut self, filing: &Filing, first_seen: Option<Timestamp>) -> Result<(), BuildError> {
        let row = self.row(filing);
        self.first_seen.push(first_seen);
        self.descriptions.push(&filing.description)?;
        self.days.push(filing.delivered_on);
        self.numbers.push(row.number);
        self.hashed.push(row.hashed);
        self.companies.push(filing.company_id.0);
        self.company_name.push(row.company_name);
        self.category.push(row.category);
        self.kind.push(row.kind);
        self.reference.push(row.reference);
        self.version.push(filing.version);
        self.link.push(row.link);
        Ok(())
    }

    /// Overwrites a row that has the same id.
    pub(super) fn replace(
        &mut self,
        position: u32,
        filing: &Filing,
        first_seen: Option<Timestamp>,
    ) -> Result<(), BuildError> {
        let at = position as usize;
        self.first_seen.replace(at, first_seen);
        let row = self.row(filing);
        self.descriptions.replace(at, &filing.description)?;
        self.days[at] = filing.delivered_on;
        self.companies[at] = filing.company_id.0;
        self.company_name[at] = row.company_name;
        self.category[at] = row.category;
        self.kind[at] = row.kind;
        self.reference[at] = row.reference;
        self.version[at] = filing.version;
        self.link[at] = row.link;
        Ok(())
    }

    fn row(&mut self, filing: &Filing) -> EncodedRow {
        let (number, hashed) = match filing.id {
            FilingId::Protocol(number) => (number, false),
            FilingId::Hash(hash) => (hash, true),
        };
        EncodedRow {
            number,
            hashed,
            company_name: self.company_names.intern(&filing.company_name),
            category: self.categories.intern(&filing.category),
            kind: filing.kind.as_deref().map_or(NO_TEXT, |kind| self.kinds.intern(kind)),
            reference: filing.reference_day.map_or(NO_DAY, Day::number),
            link: self.links.encode(&filing.url, (!hashed).then_some(number)),
        }
    }

    /// The rows in listing order, or `None` if they are sorted already.
    pub(super) fn order(&self) -> Option<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        if order.is_sorted_by_key(|row| self.sort_key(*row)) {
            return None;
        }
        order.sort_unstable_by_key(|row| self.sort_key(*row));
        Some(order)
    }

    pub(super) fn sort_key(&self, row: u32) -> SortKey {
        Reverse((self.day(row), self.id(row)))
    }

    /// The first row, in listing order, that does not come before this key.
    pub(super) fn first_not_before(&self, key: SortKey) -> u32 {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.sort_key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(super) fn reorder(&mut self, order: &[u32]) {
        reorder(&mut self.days, order);
        reorder(&mut self.numbers, order);
        reorder(&mut self.hashed, order);
        reorder(&mut self.companies, order);
        reorder(&mut self.company_name, order);
        reorder(&mut self.category, order);
        reorder(&mut self.kind, order);
        reorder(&mut self.reference, order);
        reorder(&mut self.version, order);
        reorder(&mut self.link, order);
        self.first_seen.reorder(order);
        self.descriptions = self.descriptions.reordered(order.iter().copied());
    }

    /// Ends adding rows and frees the memory that only adding needs.
    pub(super) fn seal(&mut self) {
        self.company_names.seal();
        self.categories.seal();
        self.kinds.seal();
        self.links.seal();
        self.descriptions.seal();
    }

    pub(super) fn id(&self, position: u32) -> FilingId {
        let number = self.numbers[position as usize];
        if self.hashed[position as usize] { FilingId::Hash(number) } else { FilingId::Protocol(number) }
    }

    pub(super) fn day(&self, position: u32) -> Day {
        self.days[position as usize]
    }

    pub(super) fn company(&self, position: u32) -> u32 {
        self.companies[position as usize]
    }

    pub(super) fn company_name(&self, position: u32) -> u32 {
        self.company_name[position as usize]
    }

    pub(super) fn category(&self, position: u32) -> u32 {
        self.category[position as usize]
    }

    pub(super) fn kind(&self, position: u32) -> Option<u32> {
        Some(self.kind[position as usize]).filter(|kind| *kind != NO_TEXT)
    }

    pub(super) fn version(&self, position: u32) -> u16 {
        self.version[position as usize]
    }

    /// The part of consecutive positions between two days, both included.
    pub(super) fn between(&self, all: Range<u32>, from: Option<Day>, to: Option<Day>) -> Range<u32> {
        let days = &self.days[all.start as usize..all.end as usize];
        let found = days_between(days, |day| *day, from, to);
        all.start + found.start as u32..all.start + found.end as u32
    }

    /// The part of ascending positions between two days, both included.
    pub(super) fn within<'a>(&self, list: &'a [u32], from: Option<Day>, to: Option<Day>) -> &'a [u32] {
        &list[days_between(list, |position| self.day(*position), from, to)]
    }

    pub(super) fn company_name_json(&self, position: u32) -> &[u8] {
        self.company_names.json(self.company_name(position))
    }

    pub(super) fn category_json(&self, position: u32) -> &[u8] {
        self.categories.json(self.category(position))
    }

    pub(super) fn kind_json(&self, position: u32) -> &[u8] {
        self.kind(position).map_or(b"null", |kind| self.kinds.json(kind))
    }

    pub(super) fn description_json(&self, position: u32) -> &[u8] {
        self.descriptions.json(position)
    }

    /// Appends the link as a JSON string. `protocol` is the row's own number.
    pub(super) fn push_url_json(&self, position: u32, protocol: Option<Digits<'_>>, out: &mut Vec<u8>) {
        self.links.push_json(self.link[position as usize], protocol, out);
    }

    pub(super) fn url(&self, position: u32) -> String {
        let (mut url, mut digits) = (Vec::new(), itoa::Buffer::new());
        let protocol = self.protocol(position).map(|number| Digits(digits.format(number)));
        self.push_url_json(position, protocol, &mut url);
        text_of(&url).into_owned()
    }

    /// The protocol number, which may occur in the filing's own link.
    pub(super) fn protocol(&self, position: u32) -> Option<u64> {
        match self.id(position) {
            FilingId::Protocol(number) => Some(number),
            FilingId::Hash(_) => None,
        }
    }

    pub(super) fn filing(&self, position: u32) -> Filing {
        Filing {
            id: self.id(position),
            company_id: CompanyId(self.company(position)),
            company_name: self.company_names.text(self.company_name(position)).to_owned(),
            category: self.categories.text(self.category(position)).to_owned(),
            kind: self.kind(position).map(|kind| self.kinds.text(kind).to_owned()),
            delivered_on: self.day(position),
            reference_day: self.reference(position),
            description: text_of(self.description_json(position)).into_owned(),
            version: self.version(position),
            url: self.url(position),
        }
    }

    pub(super) fn reference(&self, position: u32) -> Option<Day> {
        match self.reference[position as usize] {
            NO_DAY => None,
            number => Day::from_number(number),
        }
    }
}

/// The column values of a filing that are not plain copies of its fields.
struct EncodedRow {
    number: u64,
    hashed: bool,
    company_name: u32,
    category: u32,
    kind: u32,
    reference: i32,
    link: Link,
}

fn reorder<T: Copy>(column: &mut Vec<T>, order: &[u32]) {
    let mut reordered = Vec::with_capacity(order.len());
    reordered.extend(order.iter().map(|row| column[*row as usize]));
    *column = reordered;
}

/// The range between two days, both included, in rows whose days descend.
fn days_between<T>(rows: &[T], day: impl Fn(&T) -> Day, from: Option<Day>, to: Option<Day>) -> Range<usize> {
    let start = to.map_or(0, |to| rows.partition_point(|row| day(row) > to));
    let end = from.map_or(rows.len(), |from| rows.partition_point(|row| day(row) >= from));
    start..end.max(start)
}
