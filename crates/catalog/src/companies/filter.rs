//! The filters of the companies. Every combination of status and sector has its posting list; a CNPJ and days are
//! looked for among a few thousand companies.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use lastro_model::{Cnpj, Company, Day, Standing};
use lastro_search::{Page, fold_label};

use super::Companies;
use crate::page::{Found, Listing, with_others};
use crate::postings::Postings;

/// A filter of the companies. Fields that are `None` match everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompanyFilter<'a> {
    /// As published, ignoring case, accents and space; or `active`, `cancelled`, `suspended`.
    pub status: Option<&'a str>,
    /// As published, ignoring case, accents and space.
    pub sector: Option<&'a str>,
    pub cnpj: Option<Cnpj>,
    /// The days of registration, both included.
    pub from: Option<Day>,
    pub to: Option<Day>,
    /// Whether withdrawn companies are listed, too.
    pub withdrawn: bool,
}

impl CompanyFilter<'_> {
    /// Whether a company has this status and sector.
    fn matches(&self, company: &Company) -> bool {
        let has_status = |label: &str| match Standing::from_word(label) {
            Some(standing) => Standing::of(&company.status) == standing,
            None => fold_label(label) == fold_label(&company.status),
        };
        let has_sector = |label: &str| {
            company.sector.as_deref().is_some_and(|sector| fold_label(sector) == fold_label(label))
        };
        self.status.is_none_or(has_status) && self.sector.is_none_or(has_sector)
    }

    /// Whether the filter has conditions that have no posting lists.
    fn needs_scan(&self) -> bool {
        self.cnpj.is_some() || self.from.is_some() || self.to.is_some()
    }

    /// Whether a company meets those conditions. Without a day of registration it is in no period.
    fn admits(&self, company: &Company) -> bool {
        let has_day = |is_inside: &dyn Fn(Day) -> bool| company.registered_on.is_some_and(is_inside);
        self.cnpj.is_none_or(|cnpj| company.cnpj == cnpj)
            && self.from.is_none_or(|from| has_day(&|day| from <= day))
            && self.to.is_none_or(|to| has_day(&|day| day <= to))
    }
}

impl Companies {
    pub fn list(&self, filter: &CompanyFilter<'_>, page: Page) -> Listing<'_> {
        if filter.needs_scan() {
            return self.scanned(filter, page);
        }
        let found = self.filters.find(filter);
        if filter.withdrawn && !self.withdrawn().is_empty() {
            return self.with_withdrawn(filter, found, page);
        }
        match found {
            Some(list) => Listing::of_list(list, page),
            None => Listing::of_span(0..self.listed, page),
        }
    }

    /// One page of listed and withdrawn companies in their common order.
    fn with_withdrawn(
        &self,
        filter: &CompanyFilter<'_>,
        found: Option<&[u32]>,
        page: Page,
    ) -> Listing<'static> {
        let key = |position: u32| (&self.company(position).name, self.company(position).id);
        let rank = |other: u32| match found {
            Some(list) => list.partition_point(|position| key(*position) < key(other)),
            None => self.companies[..self.len()]
                .partition_point(|company| (&company.name, company.id) < key(other)),
        };
        let others = self.withdrawn().filter(|position| filter.matches(self.company(*position)));
        let others: Vec<(usize, u32)> = others.map(|position| (rank(position), position)).collect();
        match found {
            Some(list) => with_others(list.len(), |index| list[index], &others, page),
            None => with_others(self.len(), |index| index as u32, &others, page),
        }
    }

    fn scanned(&self, filter: &CompanyFilter<'_>, page: Page) -> Listing<'_> {
        let with_lists = CompanyFilter { cnpj: None, from: None, to: None, ..*filter };
        self.list(&with_lists, ALL).retained(page, |row| filter.admits(self.company(row)))
    }

    /// The companies of a search that were registered within the days of the filter, or have its CNPJ.
    pub fn found_within<'a>(
        &'a self,
        filter: &CompanyFilter<'_>,
        page: Page,
        search: impl FnOnce(Page) -> Found<'a>,
    ) -> Found<'a> {
        if !filter.needs_scan() {
            return search(page);
        }
        let Found { listing, interpretation } = search(ALL);
        Found { listing: listing.retained(page, |row| filter.admits(self.company(row))), interpretation }
    }

    /// The published sectors of the companies that match, with their number; most companies first, then in alphabetical
    /// order.
    pub fn sector_counts(&self, filter: &CompanyFilter<'_>) -> Vec<(&str, usize)> {
        let mut counts: BTreeMap<String, (&str, usize)> = BTreeMap::new();
        let all = self.list(filter, ALL);
        for sector in all.rows.iter().filter_map(|row| self.company(row).sector.as_deref()) {
            counts.entry(fold_label(sector)).or_insert((sector, 0)).1 += 1;
        }
        let mut counts: Vec<(&str, usize)> = counts.into_values().collect();
        counts.sort_by_key(|(_, count)| Reverse(*count));
        counts
    }
}

const ALL: Page = Page { limit: usize::MAX, offset: 0 };

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum StatusKey {
    Published(u32),
    Standing(Standing),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FilterKey {
    status: Option<StatusKey>,
    sector: Option<u32>,
}

#[derive(Default)]
pub(super) struct Filters {
    /// Numbers of the folded labels.
    statuses: HashMap<String, u32>,
    sectors: HashMap<String, u32>,
    lists: Postings<FilterKey>,
}

impl Filters {
    pub(super) fn of(companies: &[Company]) -> Self {
        let statuses = numbered(companies.iter().map(|company| company.status.as_str()));
        let sectors = numbered(companies.iter().filter_map(|company| company.sector.as_deref()));
        let keys: Vec<Vec<FilterKey>> = companies
            .iter()
            .map(|company| {
                let published = statuses.get(&fold_label(&company.status)).copied();
                let sector =
                    company.sector.as_deref().and_then(|sector| sectors.get(&fold_label(sector))).copied();
                keys(published, Standing::of(&company.status), sector)
            })
            .collect();
        let lists =
            Postings::build(0..companies.len() as u32, |position| keys[position as usize].iter().copied());
        Self { statuses, sectors, lists }
    }

    /// The positions that match, or `None` if the filter is empty.
    pub(super) fn find(&self, filter: &CompanyFilter<'_>) -> Option<&[u32]> {
        let status = filter.status.map(|label| match Standing::from_word(label) {
            Some(standing) => Some(StatusKey::Standing(standing)),
            None => self.statuses.get(&fold_label(label)).copied().map(StatusKey::Published),
        });
        let sector = filter.sector.map(|label| self.sectors.get(&fold_label(label)).copied());
        match (status, sector) {
            (None, None) => None,
            (Some(None), _) | (_, Some(None)) => Some(&[]),
            (status, sector) => {
                Some(self.lists.get(FilterKey { status: status.flatten(), sector: sector.flatten() }))
            }
        }
    }
}

/// Every filter combination that matches a company.
fn keys(published: Option<u32>, standing: Standing, sector: Option<u32>) -> Vec<FilterKey> {
    let statuses = [None, published.map(StatusKey::Published), Some(StatusKey::Standing(standing))];
    let sectors = if sector.is_some() { &[None, sector][..] } else { &[None][..] };
    let mut keys: Vec<FilterKey> = statuses
        .into_iter()
        .flat_map(|status| sectors.iter().map(move |sector| FilterKey { status, sector: *sector }))
        .collect();
    keys.retain(|key| key.status.is_some() || key.sector.is_some());
    keys
}

fn numbered<'a>(labels: impl Iterator<Item = &'a str>) -> HashMap<String, u32> {
    let mut numbers = HashMap::new();
    for label in labels {
        let next = numbers.len() as u32;
        numbers.entry(fold_label(label)).or_insert(next);
    }
    numbers
}
