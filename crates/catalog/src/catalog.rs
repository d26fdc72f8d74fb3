//! All parts of the read view behind one handle.

use std::ops::Deref;
use std::sync::Arc;

use lastro_model::{BySeries, Cnpj, RatePoint, Stamp};

use crate::{Companies, Filings, FxBook, Listing, Page, Timeline};

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
}

impl Catalog {
    pub fn empty() -> Self {
        Self {
            series: BySeries::default(),
            fx: Arc::default(),
            companies: Arc::default(),
            filings: Arc::default(),
        }
    }

    /// As [`Filings::search`], but a CNPJ finds the filings of the companies that bear it, newest first.
    pub fn search_filings(&self, q: &str, page: Page) -> Listing<'_> {
        if let Ok(cnpj) = Cnpj::parse(q) {
            let companies: Vec<_> = self.companies.ids_of_cnpj(&cnpj).collect();
            let listing = self.filings.of_companies(&companies, page);
            if listing.total > 0 {
                return listing;
            }
        }
        self.filings.search(q, page)
    }
}
