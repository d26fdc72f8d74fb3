//! The filters of the companies. Every combination of status and sector has its posting list; a CNPJ and days are
//! looked for among a few thousand companies.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use lastro_model::{Cnpj, Company, Day, Standing};
use lastro_search::{Page, fold_label};

use super::Companies;
use crate::page::{Found, Listing};
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
}

impl CompanyFilter<'_> {
    /// Whether the filter has conditions that have no posting lists.
    pub(super) fn needs_scan(&self) -> bool {
        self.cnpj.is_some() || self.from.is_some() || self.to.is_some()
    }

    /// Whether a company meets those conditions. Without a day of registration it is in no period.
    pub(super) fn admits(&self, company: &Company) -> bool {
        let has_day = |is_inside: &dyn Fn(Day) -> bool| company.registered_on.is_some_and(is_inside);
        self.cnpj.is_none_or(|cnpj| company.cnpj == cnpj)
            && self.from.is_none_or(|from| has_day(&|day| from <= day))
            && self.to.is_none_or(|to| has_day(&|day| day <= to))
    }
}

impl Companies {
    pub(super) fn scanned(&self, filter: &CompanyFilter<'_>, page: Page) -> Listing<'_> {
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
            Postings::build(companies.len() as u32, |position| keys[position as usize].iter().copied());
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
