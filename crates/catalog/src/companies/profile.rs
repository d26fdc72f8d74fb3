//! A company with everything that is known of it beside its record in the registry.

use hashbrown::{HashMap, HashSet};
use lastro_model::{Company, CompanyId, FormerName, Ticker, latest_first};
use lastro_search::words_of;

use super::brands::brands_of;
use super::names::letters;

#[derive(Clone)]
pub(crate) struct Profile<'a> {
    pub company: &'a Company,
    pub tickers: Vec<Ticker>,
    /// Brands and former names.
    pub also_known_as: &'a [String],
}

impl<'a> Profile<'a> {
    /// The registered name and the trading name.
    pub(super) fn registered_names(&self) -> impl Iterator<Item = &'a str> + Clone {
        registered_names(self.company)
    }

    /// All names: registered name, trading name, brands and former names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.registered_names().chain(self.also_known_as.iter().map(String::as_str))
    }
}

fn registered_names(company: &Company) -> impl Iterator<Item = &str> + Clone {
    [Some(company.name.as_str()), company.trading_name.as_deref()].into_iter().flatten()
}

/// The brands and the former names of each company, in the order of `companies`.
pub(super) fn also_known_as(companies: &[Company], former_names: &[FormerName]) -> Vec<Vec<String>> {
    let mut former: HashMap<CompanyId, Vec<&str>> = HashMap::new();
    for name in latest_first(former_names) {
        former.entry(name.company_id).or_default().push(&name.name);
    }
    let former = |company: &Company| former.get(&company.id).into_iter().flatten().copied();
    companies.iter().map(|company| other_names(company, former(company))).collect()
}

/// The brands and the former names of a company. A name that differs from an earlier one only in its legal form or
/// spaces is left out.
pub(super) fn other_names<'a>(company: &Company, former: impl Iterator<Item = &'a str>) -> Vec<String> {
    let registered = registered_names(company).map(|name| letters(&words_of(name)));
    let mut known: HashSet<String> = registered.collect();
    let others = brands_of(company.id).iter().copied().chain(former);
    others.filter(|name| known.insert(letters(&words_of(name)))).map(str::to_owned).collect()
}
