//! The made-up data set: the built-in sample of an empty database, and `lastro demo` of any size.
//!
//! It is a pure function of a [`Shape`]: the same shape gives the same bytes on every machine and every day.
//! It writes nothing and reads no clock. The first start, the `demo` command, benchmarks and examples use its rows.
//!
//! No row can be mistaken for a real one: company names come from coined words, registry codes start at 90001 and
//! protocol numbers at 9,000,000, tickers have a digit in their root, tax numbers use roots that were never issued, and
//! the documents' host cannot resolve.

mod calendar;
mod coined_words;
mod companies;
mod filings;
mod fx;
mod interest;
mod kinds;
mod levels;
mod placeholders;
mod random;
mod rates;
mod sectors;
mod subjects;
mod tickers;
mod vocabulary;

pub use companies::{companies, former_names};
pub use filings::{Filings, filings};
pub use fx::fx;
pub use rates::rates;
pub use tickers::tickers;

/// The last day of every daily series and of the filings: a Friday.
pub const NEWEST_DAY: jiff::civil::Date = jiff::civil::date(2026, 10, 30);

/// The size of a data set, and its random seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Up to 100,000 companies are sure to get distinct names.
    pub companies: usize,
    pub filings: usize,
    pub seed: u64,
}

impl Shape {
    /// The sample of an empty database.
    pub const SAMPLE: Self = Self { companies: 72, filings: 2_400, seed: 1 };
}

#[cfg(test)]
mod tests;
