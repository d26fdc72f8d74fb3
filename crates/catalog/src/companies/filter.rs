//! The filters of the company list. Every combination has its posting list, so none needs a scan.

use hashbrown::HashMap;
use lastro_model::{Company, Standing};
use lastro_search::fold_label;

use crate::postings::Postings;

/// A filter of the company list. Fields that are `None` match everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompanyFilter<'a> {
    /// As published, ignoring case, accents and space; or `active`, `cancelled`, `suspended`.
    pub status: Option<&'a str>,
    /// As published, ignoring case, accents and space.
    pub sector: Option<&'a str>,
    /// Whether withdrawn companies are listed, too.
    pub withdrawn: bool,
}

impl CompanyFilter<'_> {
    /// Whether a company has this status and sector.
    pub(super) fn matches(&self, company: &Company) -> bool {
        let has_status = |label: &str| match Standing::from_word(label) {
            Some(standing) => Standing::of(&company.status) == standing,
            None => fold_label(label) == fold_label(&company.status),
        };
        let has_sector = |label: &str| {
            company.sector.as_deref().is_some_and(|sector| fold_label(sector) == fold_label(label))
        };
        self.status.is_none_or(has_status) && self.sector.is_none_or(has_sector)
    }
}

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
