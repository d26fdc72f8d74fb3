//! Lists of filings by their filters.

use std::ops::Range;

use lastro_model::{CompanyId, Day};
use lastro_search::{Page, fold_label};

use super::columns::SortKey;
use super::{Filings, FilterKey};
use crate::page::{Listing, with_others};

/// A filter of the filings list. Fields that are `None` match everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilingFilter<'a> {
    pub company: Option<CompanyId>,
    /// As published, ignoring case, accents and space.
    pub category: Option<&'a str>,
    /// `from` and `to` are both included.
    pub from: Option<Day>,
    pub to: Option<Day>,
    /// First seen on this day (UTC) or later.
    pub seen_from: Option<Day>,
    /// Whether withdrawn filings are listed, too.
    pub withdrawn: bool,
}

/// Listed filings, by their positions.
enum Matches<'a> {
    Span(Range<u32>),
    List(&'a [u32]),
    Selected(Vec<u32>),
}

impl Filings {
    pub fn list(&self, filter: &FilingFilter<'_>, page: Page) -> Listing<'_> {
        let mut matches = self.matches(filter);
        if let Some(day) = filter.seen_from {
            matches = self.seen_since(&matches, day);
        }
        let withdrawn = if filter.withdrawn { self.withdrawn_matches(filter) } else { Vec::new() };
        if !withdrawn.is_empty() {
            return self.with_withdrawn(&matches, &withdrawn, page);
        }
        match matches {
            Matches::Span(span) => Listing::of_span(span, page),
            Matches::List(list) => Listing::of_list(list, page),
            Matches::Selected(rows) => Listing::of_found(&rows, page),
        }
    }

    /// The filings that are listed, by company, category and days.
    fn matches(&self, filter: &FilingFilter<'_>) -> Matches<'_> {
        let category = match filter.category.map(|label| self.categories.find(&fold_label(label))) {
            Some(None) => return Matches::List(&[]),
            known => known.flatten(),
        };
        let company = filter.company.map(|company| company.0);
        if company.is_none() && category.is_none() {
            return Matches::Span(self.columns.between(0..self.len() as u32, filter.from, filter.to));
        }
        let list = self.lists.get(FilterKey { company, category });
        Matches::List(self.columns.within(list, filter.from, filter.to))
    }

    fn seen_since(&self, matches: &Matches<'_>, day: Day) -> Matches<'static> {
        let is_since = self.columns.first_seen.since(day);
        Matches::Selected(match matches {
            Matches::Span(span) => span.clone().filter(|row| is_since(*row)).collect(),
            Matches::List(list) => list.iter().copied().filter(|row| is_since(*row)).collect(),
            Matches::Selected(rows) => rows.iter().copied().filter(|row| is_since(*row)).collect(),
        })
    }

    /// The withdrawn filings that match, by their row among all withdrawn ones.
    fn withdrawn_matches(&self, filter: &FilingFilter<'_>) -> Vec<u32> {
        let columns = &self.withdrawn.columns;
        let category = filter.category.map(fold_label);
        let is_since = filter.seen_from.map(|day| columns.first_seen.since(day));
        let rows = 0..self.withdrawn.len() as u32;
        rows.filter(|row| {
            let day = columns.day(*row);
            filter.company.is_none_or(|company| company.0 == columns.company(*row))
                && filter.from.is_none_or(|from| day >= from)
                && filter.to.is_none_or(|to| day <= to)
                && is_since.as_ref().is_none_or(|is_since| is_since(*row))
                && category.as_ref().is_none_or(|category| {
                    fold_label(columns.categories.text(columns.category(*row))) == *category
                })
        })
        .collect()
    }

    /// One page of listed and withdrawn filings in their common order.
    fn with_withdrawn(&self, matches: &Matches<'_>, withdrawn: &[u32], page: Page) -> Listing<'static> {
        let listed = match matches {
            Matches::Span(span) => span.len(),
            Matches::List(list) => list.len(),
            Matches::Selected(rows) => rows.len(),
        };
        let rank = |row: u32| self.rank(matches, self.withdrawn.columns.sort_key(row));
        let others = withdrawn.iter().map(|row| (rank(*row), self.len() as u32 + row));
        let nth = |index: usize| match matches {
            Matches::Span(span) => span.start + index as u32,
            Matches::List(list) => list[index],
            Matches::Selected(rows) => rows[index],
        };
        with_others(listed, nth, &others.collect::<Vec<_>>(), page)
    }

    /// The number of listed filings before this key.
    fn rank(&self, matches: &Matches<'_>, key: SortKey) -> usize {
        let is_before = |row: &u32| self.columns.sort_key(*row) < key;
        match matches {
            Matches::Span(span) => {
                self.columns.first_not_before(key).clamp(span.start, span.end) as usize - span.start as usize
            }
            Matches::List(list) => list.partition_point(is_before),
            Matches::Selected(rows) => rows.partition_point(is_before),
        }
    }
}
