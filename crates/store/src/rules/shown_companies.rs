//! All companies as they are shown: those that the registry lists, with their tickers and former names.

use std::collections::{BTreeMap, BTreeSet};

use lastro_model::{
    Company, CompanyId, FormerName, Source, Ticker, TradedSecurity, brasilia_day, current_holders,
    latest_first,
};

use super::edition::CurrentEdition;
use super::logged;
use super::table::{self, StoredRow};
use crate::transaction::{Query, Reading};
use crate::{Result, sql};

/// Each company as the JSON of the log.
pub(super) struct ShownCompanies(BTreeMap<CompanyId, String>);

impl ShownCompanies {
    pub(super) fn of(data: &dyn Reading) -> Result<Self> {
        let companies = data.rows(sql::COMPANIES.select.rows, &[], |row| {
            Ok((Company::read(row)?, table::history::<Company>(row)?))
        })?;
        let companies: BTreeMap<CompanyId, _> = companies
            .into_iter()
            .filter(|(_, history)| !history.is_withdrawn())
            .map(|(company, history)| (company.id, (company, history)))
            .collect();
        let mut tickers = tickers(data, |company| companies.contains_key(&company))?;
        let mut former_names = former_names(data)?;
        let json = companies.into_iter().map(|(id, (company, history))| {
            let tickers = tickers.remove(&id).unwrap_or_default();
            let former_names = former_names.remove(&id).unwrap_or_default();
            Ok((id, logged::company_json(&company, history, &tickers, &former_names)?))
        });
        json.collect::<Result<_>>().map(Self)
    }

    /// The companies that differ, before and after.
    pub(super) fn differences<'a>(
        &'a self,
        after: &'a Self,
    ) -> impl Iterator<Item = (Option<&'a str>, Option<&'a str>)> {
        let shown = |companies: &'a Self, id| companies.0.get(id).map(String::as_str);
        let ids: BTreeSet<&CompanyId> = self.0.keys().chain(after.0.keys()).collect();
        ids.into_iter().map(move |id| (shown(self, id), shown(after, id))).filter(|(old, new)| old != new)
    }
}

/// The tickers of each company, sorted. Those that had ended when they were published are not shown.
fn tickers(
    data: &dyn Reading,
    is_registered: impl Fn(CompanyId) -> bool,
) -> Result<BTreeMap<CompanyId, Vec<Ticker>>> {
    let published_at = CurrentEdition::of(data, Source::Tickers)?.published_at;
    let published_on = brasilia_day(published_at.as_millisecond());
    let mut securities = data.rows(sql::TRADED_SECURITIES.select.rows, &[], TradedSecurity::read)?;
    securities.retain(|security| !security.has_ended(published_on));
    let mut tickers = BTreeMap::<CompanyId, Vec<Ticker>>::new();
    for (ticker, company) in current_holders(&securities, is_registered) {
        tickers.entry(company).or_default().push(ticker);
    }
    Ok(tickers)
}

/// The former names of each company, the latest first.
fn former_names(data: &dyn Reading) -> Result<BTreeMap<CompanyId, Vec<String>>> {
    let held = data.rows(sql::FORMER_NAMES.select.rows, &[], FormerName::read)?;
    let mut names = BTreeMap::<CompanyId, Vec<String>>::new();
    for name in latest_first(&held) {
        names.entry(name.company_id).or_default().push(name.name.clone());
    }
    Ok(names)
}
