//! Tickers and the companies whose securities have them.

use hashbrown::HashMap;
use lastro_model::{CompanyId, Ticker, TradedSecurity, current_holders};

#[derive(Default)]
pub(super) struct TickerDirectory {
    /// Sorted by ticker. Each ticker has one holder.
    bearers: Vec<(Ticker, u32)>,
    /// The same entries, sorted by company.
    of_company: Vec<(u32, Ticker)>,
}

impl TickerDirectory {
    /// Builds the directory of the companies with a position.
    pub(super) fn of(securities: &[TradedSecurity], positions: &HashMap<CompanyId, u32>) -> Self {
        let holders = current_holders(securities, |company| positions.contains_key(&company));
        let bearers: Vec<(Ticker, u32)> = holders
            .into_iter()
            .filter_map(|(ticker, company)| Some((ticker, *positions.get(&company)?)))
            .collect();
        let mut of_company: Vec<(u32, Ticker)> =
            bearers.iter().map(|(ticker, position)| (*position, *ticker)).collect();
        of_company.sort_unstable();
        Self { bearers, of_company }
    }

    pub(super) fn bearer(&self, ticker: Ticker) -> Option<u32> {
        let place = self.bearers.binary_search_by_key(&ticker, |(other, _)| *other).ok()?;
        self.bearers.get(place).map(|(_, position)| *position)
    }

    /// The tickers of a company, sorted by number.
    pub(super) fn of_position(&self, position: u32) -> impl Iterator<Item = Ticker> + Clone {
        let start = self.of_company.partition_point(|(other, _)| *other < position);
        let rest = self.of_company.get(start..).unwrap_or_default();
        rest.iter().take_while(move |(other, _)| *other == position).map(|(_, ticker)| *ticker)
    }

    /// The companies that a text names by a ticker, or by the four characters that a company's tickers begin with.
    pub(super) fn search(&self, text: &str) -> Vec<u32> {
        if let Ok(ticker) = Ticker::parse(text) {
            return self.bearer(ticker).into_iter().collect();
        }
        let root = text.trim().to_ascii_uppercase();
        let start = self.bearers.partition_point(|(ticker, _)| ticker.root() < root.as_str());
        let mut found: Vec<u32> = Vec::new();
        for (_, position) in self.bearers[start..].iter().take_while(|(ticker, _)| ticker.root() == root) {
            if !found.contains(position) {
                found.push(*position);
            }
        }
        found
    }
}
