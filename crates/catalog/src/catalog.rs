//! All parts of the read view behind one handle.

use std::ops::Deref;
use std::sync::Arc;

use lastro_calc::{Check, checks};
use lastro_model::{BySeries, Cnpj, RatePoint, Series, Stamp};

use crate::{Companies, Filings, Found, FxBook, Highlights, Page, Reading, Timeline};

/// One source's data, and which state of it this is.
#[derive(Debug, Clone, Default)]
pub struct Part<T> {
    pub stamp: Stamp,
    /// Whether this is the built-in sample rather than official data.
    pub sample: bool,
    pub data: T,
}

impl<T> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl Part<Companies> {
    /// The states that companies are drawn from: the registry's and that of the tickers.
    pub fn stamps(&self) -> [Stamp; 2] {
        [self.stamp, self.data.tickers_stamp()]
    }
}

/// What a request reads from, start to end. A clone shares every part, so replacing one part costs that part alone.
#[derive(Debug, Clone)]
pub struct Catalog {
    pub series: BySeries<Arc<Part<Timeline<RatePoint>>>>,
    pub fx: Arc<Part<FxBook>>,
    pub companies: Arc<Part<Companies>>,
    pub filings: Arc<Part<Filings>>,
    /// Whether the series are what they say they are.
    pub checks: Arc<BySeries<Vec<Check>>>,
}

impl Catalog {
    pub fn empty() -> Self {
        Self {
            series: BySeries::default(),
            fx: Arc::default(),
            companies: Arc::default(),
            filings: Arc::default(),
            checks: Arc::new(checks(&BySeries::new(|_| &[][..]))),
        }
    }

    /// The same with one series replaced, and every identity recomputed that it takes part in.
    #[must_use]
    pub fn with_series(&self, series: Series, part: Arc<Part<Timeline<RatePoint>>>) -> Self {
        let mut fresh = self.clone();
        fresh.series[series] = part;
        if !self.checks[series].is_empty() {
            fresh.checks = Arc::new(fresh.recomputed());
        }
        fresh
    }

    fn recomputed(&self) -> BySeries<Vec<Check>> {
        let oldest_first = BySeries::new(|series| {
            let takes_part = !self.checks[series].is_empty();
            let points = self.series[series].points().iter().rev().copied();
            points.filter(|_| takes_part).collect::<Vec<RatePoint>>()
        });
        checks(&BySeries::new(|series| oldest_first[series].as_slice()))
    }

    /// How every identity came out, each once.
    pub fn identities(&self) -> impl Iterator<Item = &Check> {
        let first_of = |series| move |check: &&Check| check.series.first() == Some(&series);
        Series::ALL.into_iter().flat_map(move |series| self.checks[series].iter().filter(first_of(series)))
    }

    /// The states that filings are drawn from where the registry and tickers tell whose they are.
    pub fn stamps_of_filings(&self) -> impl Iterator<Item = Stamp> {
        self.companies.stamps().into_iter().chain([self.filings.stamp])
    }

    /// Finds companies where filings are searched too: a word that these have is not mistyped.
    pub fn search_companies(&self, q: &str, page: Page) -> Found<'_> {
        self.companies.search_beside(q, page, &|word| self.filings.knows(word))
    }

    /// As [`Filings::search`], but a CNPJ finds the filings of the companies that bear it, newest first; and what only the
    /// registry knows of a company, its trading name, tickers and CNPJ, stands for it beside other words.
    pub fn search_filings(&self, q: &str, page: Page) -> Found<'_> {
        if let Ok(cnpj) = Cnpj::parse(q) {
            let companies: Vec<_> = self.companies.ids_of_cnpj(&cnpj).collect();
            let listing = self.filings.of_companies(&companies, page);
            if listing.total > 0 {
                return Found::from(listing);
            }
        }
        self.filings.search_naming(q, page, &**self.companies)
    }

    /// What to mark in the hits of a search, as it was read.
    pub fn highlights(&self, q: &str, reading: &Reading) -> Highlights {
        Highlights::of(q, reading, &**self.companies)
    }
}
