//! Lists of filings by their filters.

use std::borrow::Cow;
use std::ops::Range;

use lastro_model::{CompanyId, Day};
use lastro_search::{Page, fold_label};

use super::record::SortKey;
use super::{Filings, FilterKey};
use crate::page::{Listing, Rows, with_others};

/// A filter of the filings. Fields that are empty match everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilingFilter<'a> {
    /// Any of these companies; empty for all.
    pub companies: &'a [CompanyId],
    /// As published, ignoring case, accents and space.
    pub category: Option<&'a str>,
    /// `from` and `to` are both included.
    pub from: Option<Day>,
    pub to: Option<Day>,
    /// First seen on this day (UTC) or later.
    pub seen_from: Option<Day>,
    /// Whether withdrawn filings are listed, too. A search never finds them.
    pub withdrawn: bool,
}

impl FilingFilter<'_> {
    /// Whether all filings that are listed match.
    pub(super) fn is_empty(&self) -> bool {
        let Self { companies, category, from, to, seen_from, withdrawn: _ } = self;
        companies.is_empty() && category.is_none() && from.is_none() && to.is_none() && seen_from.is_none()
    }
}

/// The listed filings that match a filter.
pub(super) enum Selected<'a> {
    Span(Range<u32>),
    List(&'a [u32]),
    /// Ascending lists without a common row.
    Lists(Vec<&'a [u32]>),
    /// Ascending.
    Rows(Vec<u32>),
}

impl Selected<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Span(span) => span.len(),
            Self::List(list) => list.len(),
            Self::Lists(lists) => lists.iter().map(|list| list.len()).sum(),
            Self::Rows(rows) => rows.len(),
        }
    }

    /// The positions, ascending.
    pub(super) fn rows(&self) -> Vec<u32> {
        match self {
            Self::Span(span) => span.clone().collect(),
            Self::List(list) => list.to_vec(),
            Self::Lists(lists) => {
                let mut all = lists.concat();
                // Merges the ascending runs that it finds.
                all.sort();
                all
            }
            Self::Rows(rows) => rows.clone(),
        }
    }
}

impl Filings {
    pub fn list(&self, filter: &FilingFilter<'_>, page: Page) -> Listing<'_> {
        let withdrawn = if filter.withdrawn { self.withdrawn_matches(filter) } else { Vec::new() };
        match self.selected(filter) {
            selected if !withdrawn.is_empty() => self.with_withdrawn(selected, &withdrawn, page),
            Selected::Span(days) => Listing::of_span(days, page),
            Selected::List(list) => Listing::of_list(list, page),
            selected if selected.len() == 0 => Listing::EMPTY,
            selected if page.limit == 0 => Listing { total: selected.len(), rows: Rows::Found(Vec::new()) },
            selected => Listing::of(&selected.rows(), page),
        }
    }

    /// The positions of all filings that match, ascending.
    pub fn positions(&self, filter: &FilingFilter<'_>) -> Vec<u32> {
        self.list(filter, Page { limit: usize::MAX, offset: 0 }).rows.iter().collect()
    }

    /// The filings that are listed, by company, category, days and the day on which they were first seen.
    pub(super) fn selected(&self, filter: &FilingFilter<'_>) -> Selected<'_> {
        let selected = self.by_lists(filter);
        let Some(day) = filter.seen_from else { return selected };
        let since = self.records.labels.first_seen.since(day);
        let mut rows = selected.rows();
        rows.retain(|row| since[self.records.record(*row).first_seen as usize]);
        Selected::Rows(rows)
    }

    fn by_lists(&self, filter: &FilingFilter<'_>) -> Selected<'_> {
        let FilingFilter { companies, from, to, .. } = *filter;
        let category = match filter.category.map(|label| self.categories.find(&fold_label(label))) {
            Some(None) => return Selected::List(&[]),
            known => known.flatten(),
        };
        let list_of = |company: Option<u32>| {
            self.records.within(self.lists.get(FilterKey { company, category }), from, to)
        };
        match companies {
            [] if category.is_none() => Selected::Span(self.records.between(from, to)),
            [] => Selected::List(list_of(None)),
            [only] => Selected::List(list_of(Some(only.0))),
            several => Selected::Lists(several.iter().map(|company| list_of(Some(company.0))).collect()),
        }
    }

    /// The withdrawn filings that match, by their row among all withdrawn ones.
    fn withdrawn_matches(&self, filter: &FilingFilter<'_>) -> Vec<u32> {
        let records = &self.withdrawn.records;
        let category = filter.category.map(fold_label);
        let since = filter.seen_from.map(|day| records.labels.first_seen.since(day));
        let is_of = |company: u32| filter.companies.iter().any(|one| one.0 == company);
        let matches = |row: &u32| {
            let (entry, record) = (records.get(*row), records.record(*row));
            (filter.companies.is_empty() || is_of(record.company))
                && filter.from.is_none_or(|from| record.day >= from)
                && filter.to.is_none_or(|to| record.day <= to)
                && since.as_ref().is_none_or(|since| since[record.first_seen as usize])
                && category.as_ref().is_none_or(|category| fold_label(entry.category()) == *category)
        };
        records.positions().filter(matches).collect()
    }

    /// One page of listed and withdrawn filings in their common order.
    fn with_withdrawn(&self, selected: Selected<'_>, withdrawn: &[u32], page: Page) -> Listing<'static> {
        let key = |row: u32| self.withdrawn.records.record(row).sort_key();
        let ranked = |rank: &dyn Fn(SortKey) -> usize| -> Vec<(usize, u32)> {
            withdrawn.iter().map(|row| (rank(key(*row)), self.end() + row)).collect()
        };
        if let Selected::Span(span) = selected {
            let place = |key| self.records.first_not_before(key).clamp(span.start, span.end) - span.start;
            let others = ranked(&|key| place(key) as usize);
            return with_others(span.len(), |index| span.start + index as u32, &others, page);
        }
        let list = match selected {
            Selected::List(list) => Cow::Borrowed(list),
            other => Cow::Owned(other.rows()),
        };
        let others = ranked(&|key| list.partition_point(|row| self.records.record(*row).sort_key() < key));
        with_others(list.len(), |index| list[index], &others, page)
    }
}
