//! A rendered change, with the values that filters compare.

use std::sync::Arc;

use bytes::Bytes;
use lastro_catalog::{Name, Object, Point, filing_json, fold_label, logged_company_json, name};
use lastro_model::{CompanyId, Mark, Stamp};
use lastro_store::{Change, LoggedChange, ShownCompany, ShownRow};
use serde_json::value::RawValue;

use super::cursor::{self, Cursor, LogIdentity};

/// The types of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeType {
    Row(RowKind, Event),
    SourceReplaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    Filing,
    Company,
    Observation,
    Fx,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Created,
    Updated,
    Removed,
}

impl ChangeType {
    /// All types with their names.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Row(RowKind::Filing, Event::Created), "filing.created"),
        (Self::Row(RowKind::Filing, Event::Updated), "filing.updated"),
        (Self::Row(RowKind::Filing, Event::Removed), "filing.removed"),
        (Self::Row(RowKind::Company, Event::Created), "company.created"),
        (Self::Row(RowKind::Company, Event::Updated), "company.updated"),
        (Self::Row(RowKind::Company, Event::Removed), "company.removed"),
        (Self::Row(RowKind::Observation, Event::Created), "observation.created"),
        (Self::Row(RowKind::Observation, Event::Updated), "observation.updated"),
        (Self::Row(RowKind::Observation, Event::Removed), "observation.removed"),
        (Self::Row(RowKind::Fx, Event::Created), "fx.created"),
        (Self::Row(RowKind::Fx, Event::Updated), "fx.updated"),
        (Self::Row(RowKind::Fx, Event::Removed), "fx.removed"),
        (Self::SourceReplaced, "source.replaced"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }
}

/// The values of a row that filters compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facets {
    pub kind: RowKind,
    pub company: Option<CompanyId>,
    /// Folded.
    pub category: Option<String>,
    pub series: Option<String>,
}

impl Facets {
    fn of(row: &ShownRow) -> Self {
        let none = |kind| Self { kind, company: None, category: None, series: None };
        match row {
            ShownRow::Rate(series, _) => {
                Self { series: Some(series.about().id.to_owned()), ..none(RowKind::Observation) }
            }
            ShownRow::Quote(quote) => Self { series: Some(quote.pair.id()), ..none(RowKind::Fx) },
            ShownRow::Company(shown) => Self { company: Some(shown.company.id), ..none(RowKind::Company) },
            ShownRow::Filing(shown) => Self {
                company: Some(shown.0.company_id),
                category: Some(fold_label(&shown.0.category)),
                ..none(RowKind::Filing)
            },
        }
    }
}

/// One change of the log, ready to be sent.
#[derive(Debug)]
pub struct Entry {
    pub log: LogIdentity,
    /// The place after this change.
    pub mark: Mark,
    pub kind: ChangeType,
    /// The row before and after; neither for a replaced source.
    pub old: Option<Facets>,
    pub new: Option<Facets>,
    pub cursor: String,
    pub json: Bytes,
    /// The same change rendered as a removal, for filters that only the old row passes.
    as_removal: Option<Bytes>,
}

impl Entry {
    pub fn of(log: LogIdentity, logged: &LoggedChange) -> Arc<Self> {
        let stamp = Stamp { edition: logged.edition, published_unix_ms: logged.at.as_millisecond() };
        let mark = Mark { stamp, position: logged.position };
        let cursor = cursor::written(log, Cursor { mark, companies: None });
        let head = Head { cursor: &cursor, at: logged.at.to_string(), edition: logged.edition.0 };
        let (old, new, event) = match &logged.change {
            Change::Created(row) => (None, Some(row), Event::Created),
            Change::Updated { old, new } => (Some(old), Some(new), Event::Updated),
            Change::Removed(row) => (Some(row), None, Event::Removed),
            Change::Replaced { source, rows } => {
                let item = Object::new(Vec::new())
                    .text(name!("source"), source.name())
                    .number(name!("edition"), logged.edition.0)
                    .number(name!("rows"), *rows)
                    .end();
                let kind = ChangeType::SourceReplaced;
                let json = head.json(kind, &item, None);
                return Arc::new(Self {
                    log,
                    mark,
                    kind,
                    old: None,
                    new: None,
                    cursor,
                    json,
                    as_removal: None,
                });
            }
        };
        let (old_facets, new_facets) = (old.map(Facets::of), new.map(Facets::of));
        let row_kind = new_facets.as_ref().or(old_facets.as_ref()).map_or(RowKind::Filing, |row| row.kind);
        let kind = ChangeType::Row(row_kind, event);
        let removal = old.map(|old| (ChangeType::Row(row_kind, Event::Removed), identity(old)));
        let as_removal = removal.as_ref().map(|(kind, item)| head.json(*kind, item, None));
        let json = match (old, new, &as_removal) {
            (_, None, Some(removal)) => removal.clone(),
            (old, Some(new), _) => {
                let item = shown(new);
                let before = old.map(|old| differing(&shown(old), &item));
                head.json(kind, &item, before.as_deref())
            }
            (_, None, None) => Bytes::new(),
        };
        let as_removal = as_removal.filter(|_| event == Event::Updated);
        Arc::new(Self { log, mark, kind, old: old_facets, new: new_facets, cursor, json, as_removal })
    }

    /// The change as a removal.
    pub fn as_removal(&self) -> (ChangeType, &Bytes) {
        let kind = match self.kind {
            ChangeType::Row(kind, _) => ChangeType::Row(kind, Event::Removed),
            ChangeType::SourceReplaced => ChangeType::SourceReplaced,
        };
        (kind, self.as_removal.as_ref().unwrap_or(&self.json))
    }

    /// Memory of the rendered forms.
    pub fn bytes(&self) -> usize {
        self.json.len() + self.as_removal.as_ref().map_or(0, Bytes::len)
    }
}

/// The JSON of a change before its cursor.
pub const BEFORE_CURSOR: &[u8] = br#"{"cursor":""#;

/// The members that all changes have.
struct Head<'a> {
    cursor: &'a str,
    at: String,
    edition: u64,
}

impl Head<'_> {
    fn json(&self, kind: ChangeType, item: &[u8], old: Option<&[u8]>) -> Bytes {
        let object = Object::new(Vec::with_capacity(item.len() + 200))
            .text(name!("cursor"), self.cursor)
            .text(name!("type"), kind.name())
            .text(name!("at"), &self.at)
            .number(name!("edition"), self.edition)
            .raw(name!("item"), item);
        match old {
            None => object.end(),
            Some(old) => object.raw(name!("old"), old).end(),
        }
        .into()
    }
}

/// A row as the API shows it.
pub fn shown(row: &ShownRow) -> Vec<u8> {
    match row {
        ShownRow::Rate(series, point) => Object::new(Vec::new())
            .text(name!("series"), series.about().id)
            .token(name!("date"), point.day)
            .number(name!("value"), point.value)
            .end(),
        ShownRow::Quote(quote) => {
            let mut json = Vec::new();
            quote.write_json(&mut json);
            json
        }
        ShownRow::Company(shown) => {
            let ShownCompany { company, history, tickers, former_names } = &**shown;
            logged_company_json(company, *history, tickers, former_names).into_vec()
        }
        ShownRow::Filing(shown) => filing_json(&shown.0, shown.1),
    }
}

/// The members that identify a row.
fn identity(row: &ShownRow) -> Vec<u8> {
    let object = Object::new(Vec::new());
    match row {
        ShownRow::Rate(series, point) => {
            object.text(name!("series"), series.about().id).token(name!("date"), point.day)
        }
        ShownRow::Quote(quote) => object.token(name!("date"), quote.day).token(name!("pair"), quote.pair),
        ShownRow::Company(shown) => object.token(ID, shown.company.id),
        ShownRow::Filing(shown) => object.token(ID, shown.0.id),
    }
    .end()
}

const ID: Name = name!("id");

/// The members of an object that another one lacks or has with another value.
fn differing(old: &[u8], new: &[u8]) -> Vec<u8> {
    type Members<'a> = std::collections::BTreeMap<String, &'a RawValue>;
    let (Ok(old), Ok(new)) =
        (serde_json::from_slice::<Members<'_>>(old), serde_json::from_slice::<Members<'_>>(new))
    else {
        return b"{}".to_vec();
    };
    let differs =
        |(name, value): &(String, &RawValue)| new.get(name).is_none_or(|new| new.get() != value.get());
    let members: Members<'_> = old.into_iter().filter(differs).collect();
    serde_json::to_vec(&members).unwrap_or_default()
}
