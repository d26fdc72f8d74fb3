//! A filing as it is kept: numbers, some of which stand for labels.

use std::cmp::Reverse;

use jiff::Timestamp;
use lastro_model::{CompanyId, Day, Filing, FilingId};

use super::labels::Labels;
use super::url_templates::Link;
use crate::json::{Digits, text_of};

/// Marks a missing day. No day has this number.
const NO_DAY: i32 = i32::MIN;
/// Marks a missing label. There are fewer labels than this number.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// The listing order: by day of delivery, then by id, both descending.
pub(super) type SortKey = Reverse<(Day, FilingId)>;

#[derive(Clone, Copy)]
pub(super) struct Record {
    pub(super) number: u64,
    /// Whether the number is a hash rather than a protocol number.
    pub(super) hashed: bool,
    pub(super) day: Day,
    pub(super) company: u32,
    pub(super) company_name: u32,
    pub(super) category: u32,
    pub(super) kind: u32,
    pub(super) reference: i32,
    pub(super) version: u16,
    pub(super) first_seen: u32,
    pub(super) link: Link,
    /// Where the text of its group has the description.
    pub(super) description: (u32, u32),
}

impl Record {
    /// A filing without its description.
    pub(super) fn new(filing: &Filing, first_seen: Option<Timestamp>, labels: &mut Labels) -> Self {
        let (number, hashed) = match filing.id {
            FilingId::Protocol(number) => (number, false),
            FilingId::Hash(hash) => (hash, true),
        };
        Self {
            number,
            hashed,
            company: filing.company_id.0,
            company_name: labels.company_names.intern(&filing.company_name),
            category: labels.categories.intern(&filing.category),
            kind: filing.kind.as_deref().map_or(NO_LABEL, |kind| labels.kinds.intern(kind)),
            reference: filing.reference_day.map_or(NO_DAY, Day::number),
            version: filing.version,
            first_seen: labels.first_seen.number(first_seen),
            link: labels.links.encode(&filing.url, (!hashed).then_some(number)),
            ..Self::of(filing.delivered_on)
        }
    }

    /// A record of this day; all else is still missing.
    pub(super) fn of(day: Day) -> Self {
        Self {
            number: 0,
            hashed: false,
            day,
            company: 0,
            company_name: 0,
            category: 0,
            kind: NO_LABEL,
            reference: NO_DAY,
            version: 0,
            first_seen: 0,
            link: Link::default(),
            description: (0, 0),
        }
    }

    pub(super) fn id(&self) -> FilingId {
        if self.hashed { FilingId::Hash(self.number) } else { FilingId::Protocol(self.number) }
    }

    pub(super) fn sort_key(&self) -> SortKey {
        Reverse((self.day, self.id()))
    }

    /// The protocol number, which may occur in the filing's own link.
    pub(super) fn protocol(&self) -> Option<u64> {
        (!self.hashed).then_some(self.number)
    }

    pub(super) fn reference(&self) -> Option<Day> {
        match self.reference {
            NO_DAY => None,
            number => Day::from_number(number),
        }
    }
}

/// A record with all that its numbers stand for.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) record: &'a Record,
    /// As a JSON string.
    pub(super) description: &'a [u8],
    pub(super) labels: &'a Labels,
}

impl<'a> Entry<'a> {
    pub(super) fn company_name(&self) -> &'a str {
        self.labels.company_names.text(self.record.company_name)
    }

    pub(super) fn company_name_json(&self) -> &'a [u8] {
        self.labels.company_names.json(self.record.company_name)
    }

    pub(super) fn category(&self) -> &'a str {
        self.labels.categories.text(self.record.category)
    }

    pub(super) fn category_json(&self) -> &'a [u8] {
        self.labels.categories.json(self.record.category)
    }

    pub(super) fn kind(&self) -> Option<&'a str> {
        let number = Some(self.record.kind).filter(|kind| *kind != NO_LABEL);
        number.map(|kind| self.labels.kinds.text(kind))
    }

    pub(super) fn kind_json(&self) -> &'a [u8] {
        match self.record.kind {
            NO_LABEL => b"null",
            kind => self.labels.kinds.json(kind),
        }
    }

    pub(super) fn first_seen(&self) -> Option<Timestamp> {
        self.labels.first_seen.time(self.record.first_seen)
    }

    pub(super) fn first_seen_json(&self) -> &'a [u8] {
        self.labels.first_seen.json(self.record.first_seen)
    }

    /// Appends the link as a JSON string. `protocol` is the filing's own number.
    pub(super) fn push_url_json(&self, protocol: Option<Digits<'_>>, out: &mut Vec<u8>) {
        self.labels.links.push_json(self.record.link, protocol, out);
    }

    pub(super) fn url(&self) -> String {
        let (mut url, mut digits) = (Vec::new(), itoa::Buffer::new());
        let protocol = self.record.protocol().map(|number| Digits(digits.format(number)));
        self.push_url_json(protocol, &mut url);
        text_of(&url).into_owned()
    }

    pub(super) fn filing(&self) -> Filing {
        let record = self.record;
        Filing {
            id: record.id(),
            company_id: CompanyId(record.company),
            company_name: self.company_name().to_owned(),
            category: self.category().to_owned(),
            kind: self.kind().map(str::to_owned),
            delivered_on: record.day,
            reference_day: record.reference(),
            description: text_of(self.description).into_owned(),
            version: record.version,
            url: self.url(),
        }
    }
}
