//! All parts of the read view behind one handle.

use std::ops::Deref;
use std::sync::Arc;

use lastro_calc::{Check, checks};
use lastro_model::{
    BySeries, BySource, Cnpj, Edition, FxQuote, Mark, Pair, RatePoint, SavedFeed, Series, Source, Stamp,
};

use crate::{
    Companies, CompanyFilter, FilingFilter, Filings, Found, FxBook, Highlights, Interpretation, Object, Page,
    Timeline, name,
};

/// One source's data with its stamp.
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
    /// The stamps that company data depends on: the registry's and the tickers'.
    pub fn stamps(&self) -> [Stamp; 2] {
        [self.stamp, self.data.tickers_stamp()]
    }
}

/// The data one request reads throughout. A clone shares every part, so replacing one part costs only that part.
#[derive(Debug, Clone)]
pub struct Catalog {
    pub series: BySeries<Arc<Part<Timeline<RatePoint>>>>,
    pub fx: Arc<Part<FxBook>>,
    pub companies: Arc<Part<Companies>>,
    pub filings: Arc<Part<Filings>>,
    /// Consistency checks of the series.
    pub checks: Arc<BySeries<Vec<Check>>>,
    /// The end of the last edition of which it and all before it are in service.
    pub mark: Mark,
    /// The ends of later editions that are in service, too.
    pub ahead: Arc<[Mark]>,
}

impl Catalog {
    pub fn empty() -> Self {
        Self {
            series: BySeries::default(),
            fx: Arc::default(),
            companies: Arc::default(),
            filings: Arc::default(),
            checks: Arc::new(checks(&BySeries::new(|_| &[][..]))),
            mark: Mark::default(),
            ahead: Arc::default(),
        }
    }

    /// The place in the log whose changes lead on from rows with these stamps. It is never too late: changes before it
    /// may be part of the rows only if a part could not be brought into service.
    pub fn mark_of(&self, stamps: &[Stamp]) -> Mark {
        let newest = stamps.iter().map(|stamp| stamp.edition).max().unwrap_or_default();
        let ahead = self.ahead.iter().find(|mark| mark.stamp.edition == newest);
        ahead.copied().unwrap_or(self.mark)
    }

    /// Returns a copy with series replaced, and the identities recomputed if any of them takes part in one.
    #[must_use]
    pub fn with_series(&self, parts: Vec<(Series, Arc<Part<Timeline<RatePoint>>>)>) -> Self {
        let mut fresh = self.clone();
        let mut takes_part = false;
        for (series, part) in parts {
            fresh.series[series] = part;
            takes_part |= !self.checks[series].is_empty();
        }
        if takes_part {
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

    /// The result of every identity, each once.
    pub fn identities(&self) -> impl Iterator<Item = &Check> {
        let first_of = |series| move |check: &&Check| check.series.first() == Some(&series);
        Series::ALL.into_iter().flat_map(move |series| self.checks[series].iter().filter(first_of(series)))
    }

    /// The edition of each source.
    pub fn editions(&self) -> BySource<Edition> {
        BySource::new(|source| match source {
            Source::Series(series) => self.series[series].stamp.edition,
            Source::Fx => self.fx.stamp.edition,
            Source::Companies => self.companies.stamp.edition,
            Source::Filings => self.filings.stamp.edition,
            Source::Tickers => self.companies.tickers_stamp().edition,
        })
    }

    /// The stamps that filings depend on when the registry and tickers link them to companies.
    pub fn stamps_of_filings(&self) -> impl Iterator<Item = Stamp> {
        self.companies.stamps().into_iter().chain([self.filings.stamp])
    }

    /// The price of the dollar in reais.
    pub fn dollar(&self) -> Option<&Timeline<FxQuote>> {
        self.fx.get(Pair::parse("USD/BRL").ok()?)
    }

    /// The newest Selic, CDI, IPCA and dollar as a JSON object. `None` while one of them has no value.
    pub fn overview(&self) -> Option<Vec<u8>> {
        let newest = |series| self.series[series].newest_json();
        let overview = Object::new(Vec::with_capacity(256))
            .raw(name!("selic"), newest(Series::Selic)?)
            .raw(name!("cdi"), newest(Series::Cdi)?)
            .raw(name!("ipca"), newest(Series::Ipca)?)
            .raw(name!("fx"), self.dollar()?.newest_json()?);
        Some(overview.end())
    }

    /// Searches companies. A word that occurs in filings is not treated as mistyped.
    pub fn search_companies(&self, q: &str, filter: &CompanyFilter<'_>, page: Page) -> Found<'_> {
        let search = |page| self.companies.search_beside(q, page, &|word| self.filings.knows(word));
        self.companies.found_within(filter, page, search)
    }

    /// Like [`Filings::search`], but a CNPJ finds the filings of its holders, newest first, and trading name,
    /// tickers and CNPJ, which only the registry has, match a company's filings beside other words.
    pub fn search_filings(&self, q: &str, filter: &FilingFilter<'_>, page: Page) -> Found<'_> {
        if let Ok(cnpj) = Cnpj::parse(q) {
            let mut companies: Vec<_> = self.companies.ids_of_cnpj(&cnpj).collect();
            companies.retain(|company| filter.companies.is_empty() || filter.companies.contains(company));
            let listing = self.filings.list(&FilingFilter { companies: &companies, ..*filter }, page);
            if !companies.is_empty() && listing.total > 0 {
                return Found::from(listing);
            }
        }
        self.filings.search_named(q, filter, page, &**self.companies)
    }

    /// The positions of the newest filings that a saved search matches, newest first. They have all words, by the same
    /// rules as [`Self::search_filings`], but nothing is corrected or left out.
    pub fn newest_matches(&self, feed: &SavedFeed, count: usize) -> Vec<u32> {
        let (filings, names) = (&self.filings, &**self.companies);
        let (companies, q) = (&feed.company_ids, feed.q.as_deref());
        if let Some(Ok(cnpj)) = q.map(Cnpj::parse) {
            let mut holders: Vec<_> = self.companies.ids_of_cnpj(&cnpj).collect();
            holders.retain(|company| companies.is_empty() || companies.contains(company));
            let rows = if holders.is_empty() {
                Vec::new()
            } else {
                filings.newest(None, &holders, &feed.categories, count, names)
            };
            if !rows.is_empty() {
                return rows;
            }
        }
        filings.newest(q, companies, &feed.categories, count, names)
    }

    /// The highlights for the hits of a search, according to its interpretation.
    pub fn highlights(&self, q: &str, interpretation: &Interpretation) -> Highlights {
        Highlights::of(q, interpretation, &**self.companies)
    }
}
