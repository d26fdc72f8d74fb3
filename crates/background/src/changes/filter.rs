//! The filters of a request for changes.

use std::borrow::Cow;

use bytes::Bytes;
use lastro_model::CompanyId;

use super::cursor::{self, CompaniesDigest, Cursor};
use super::entry::{BEFORE_CURSOR, ChangeType, Entry, Facets, RowKind};

/// A filter. An empty list of types matches all.
#[derive(Debug, Clone, Default)]
pub struct ChangeFilter {
    pub types: Vec<ChangeType>,
    pub companies: Option<Vec<CompanyId>>,
    /// Written into cursors if some of the companies were named by ticker or CNPJ.
    pub digest: Option<CompaniesDigest>,
    /// Folded.
    pub categories: Option<Vec<String>>,
    pub series: Option<Vec<String>>,
}

/// A change that passes a filter.
#[derive(Debug, Clone, Copy)]
pub struct ShownChange<'a> {
    pub kind: ChangeType,
    entry: &'a Entry,
    json: &'a Bytes,
    digest: Option<CompaniesDigest>,
}

impl<'a> ShownChange<'a> {
    pub fn cursor(&self) -> Cow<'a, str> {
        match self.digest {
            None => Cow::Borrowed(&self.entry.cursor),
            companies => {
                Cow::Owned(cursor::written(self.entry.log, Cursor { mark: self.entry.mark, companies }))
            }
        }
    }

    /// The change as JSON with its cursor.
    pub fn json(&self) -> Cow<'a, [u8]> {
        if self.digest.is_none() {
            return Cow::Borrowed(self.json);
        }
        let rest = &self.json[BEFORE_CURSOR.len() + self.entry.cursor.len()..];
        Cow::Owned([BEFORE_CURSOR, self.cursor().as_bytes(), rest].concat())
    }
}

impl ChangeFilter {
    /// The change as this filter shows it. If only its old row passes, it is a removal: a copy of the filtered rows
    /// loses that row.
    pub fn shown<'a>(&self, entry: &'a Entry) -> Option<ShownChange<'a>> {
        let shown = |kind, json| ShownChange { kind, entry, json, digest: self.digest };
        if entry.kind == ChangeType::SourceReplaced {
            return Some(shown(entry.kind, &entry.json));
        }
        let passes = |row: &Option<Facets>| row.as_ref().is_some_and(|row| self.passes(row));
        let shown = match (passes(&entry.old), passes(&entry.new)) {
            (_, true) => shown(entry.kind, &entry.json),
            (true, false) => {
                let (kind, json) = entry.as_removal();
                shown(kind, json)
            }
            (false, false) => return None,
        };
        (self.types.is_empty() || self.types.contains(&shown.kind)).then_some(shown)
    }

    /// Whether a row has what the filters of its kind ask for. Kinds to which no given filter applies do not pass.
    fn passes(&self, row: &Facets) -> bool {
        let Self { companies, categories, series, .. } = self;
        if companies.is_none() && categories.is_none() && series.is_none() {
            return true;
        }
        let has_company =
            || companies.as_ref().map(|wanted| row.company.is_some_and(|company| wanted.contains(&company)));
        let has_category = || {
            categories
                .as_ref()
                .map(|wanted| row.category.as_ref().is_some_and(|label| wanted.contains(label)))
        };
        let has_series = || {
            series.as_ref().map(|wanted| row.series.as_ref().is_some_and(|series| wanted.contains(series)))
        };
        let asked = match row.kind {
            RowKind::Filing => [has_company(), has_category()],
            RowKind::Company => [has_company(), None],
            RowKind::Observation | RowKind::Fx => [has_series(), None],
        };
        asked.iter().any(Option::is_some) && asked.iter().flatten().all(|has| *has)
    }
}
