//! Data sources, their rows, and the editions that are served.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::sync::LazyLock;

use crate::series::BySeries;
use crate::{Company, Filing, FormerName, FxQuote, ParseError, RatePoint, Series, TradedSecurity};

/// A data set that is synchronised, versioned and reported separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    Series(Series),
    Fx,
    Companies,
    Filings,
    /// The tickers of companies' securities, and the former names in the same forms.
    Tickers,
}

/// The sources that are not series.
const OTHERS: [Source; 4] = [Source::Fx, Source::Companies, Source::Filings, Source::Tickers];

impl Source {
    pub const ALL: [Self; Series::ALL.len() + OTHERS.len()] = all();

    pub const fn name(self) -> &'static str {
        match self {
            Self::Series(series) => series.about().id,
            Self::Fx => "fx",
            Self::Companies => "companies",
            Self::Filings => "filings",
            Self::Tickers => "tickers",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        static NAMES: LazyLock<String> =
            LazyLock::new(|| format!("must be one of {}", Source::ALL.map(Source::name).join(", ")));
        Self::ALL.into_iter().find(|source| source.name() == text).ok_or(ParseError(&NAMES))
    }
}

const fn all() -> [Source; Series::ALL.len() + OTHERS.len()] {
    let mut all = [Source::Fx; Series::ALL.len() + OTHERS.len()];
    let mut place = 0;
    while place < all.len() {
        all[place] = if place < Series::ALL.len() {
            Source::Series(Series::ALL[place])
        } else {
            OTHERS[place - Series::ALL.len()]
        };
        place += 1;
    }
    all
}

impl From<Series> for Source {
    fn from(series: Series) -> Self {
        Self::Series(series)
    }
}

/// One value for each source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BySource<T> {
    series: BySeries<T>,
    fx: T,
    companies: T,
    filings: T,
    tickers: T,
}

impl<T> BySource<T> {
    pub fn new(mut value: impl FnMut(Source) -> T) -> Self {
        Self {
            series: BySeries::new(|series| value(Source::Series(series))),
            fx: value(Source::Fx),
            companies: value(Source::Companies),
            filings: value(Source::Filings),
            tickers: value(Source::Tickers),
        }
    }

    /// Each source and its value, in the order of [`Source::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Source, &T)> {
        Source::ALL.into_iter().map(|source| (source, &self[source]))
    }
}

impl<T: Default> Default for BySource<T> {
    fn default() -> Self {
        Self::new(|_| T::default())
    }
}

impl<T> Index<Source> for BySource<T> {
    type Output = T;

    fn index(&self, source: Source) -> &T {
        match source {
            Source::Series(series) => &self.series[series],
            Source::Fx => &self.fx,
            Source::Companies => &self.companies,
            Source::Filings => &self.filings,
            Source::Tickers => &self.tickers,
        }
    }
}

impl<T> IndexMut<Source> for BySource<T> {
    fn index_mut(&mut self, source: Source) -> &mut T {
        match source {
            Source::Series(series) => &mut self.series[series],
            Source::Fx => &mut self.fx,
            Source::Companies => &mut self.companies,
            Source::Filings => &mut self.filings,
            Source::Tickers => &mut self.tickers,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The number of one complete state of the data. It only grows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edition(pub u64);

/// Identifies a state of a source by number and publication time. A database restored from a copy reaches the same
/// numbers again, but at other times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    pub edition: Edition,
    /// Milliseconds since 1970 UTC.
    pub published_unix_ms: i64,
}

/// A place in the log of changes: after this many changes of an edition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    pub stamp: Stamp,
    pub position: u32,
}

/// A batch of rows of one source, on its way to or from the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Records {
    Rates(Vec<RatePoint>),
    Fx(Vec<FxQuote>),
    Companies(Vec<Company>),
    Filings(Vec<Filing>),
    Tickers(Vec<TradedSecurity>),
    /// Of the source of the tickers, which come from the same forms.
    FormerNames(Vec<FormerName>),
}

impl Records {
    pub fn len(&self) -> usize {
        match self {
            Self::Rates(rows) => rows.len(),
            Self::Fx(rows) => rows.len(),
            Self::Companies(rows) => rows.len(),
            Self::Filings(rows) => rows.len(),
            Self::Tickers(rows) => rows.len(),
            Self::FormerNames(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Converts a batch into the rows of the source that it is expected to be of; another batch is handed back.
macro_rules! rows_of_one_source {
    ($($variant:ident($row:ty)),*) => {$(
        impl TryFrom<Records> for Vec<$row> {
            type Error = Records;

            fn try_from(records: Records) -> Result<Self, Records> {
                match records {
                    Records::$variant(rows) => Ok(rows),
                    other => Err(other),
                }
            }
        }
    )*};
}

rows_of_one_source!(
    Rates(RatePoint),
    Fx(FxQuote),
    Companies(Company),
    Filings(Filing),
    Tickers(TradedSecurity)
);

/// A row that cannot be parsed, or is withheld. It is never dropped silently: it is counted and listed with its
/// position.
///
/// The reason names columns and rules, never the row's content, which may be personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    pub file: String,
    /// Line of a text file, the header being line 1; position in a JSON list, starting at 1; zero for the whole file.
    pub line: u64,
    pub reason: String,
}

/// A record that a file was read. The next synchronisation uses it to fetch only changes and to notice lost rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    pub url: String,
    pub etag: Option<String>,
    /// As the publisher wrote it, to be sent back unchanged.
    pub last_modified: Option<String>,
    /// Hash of the bytes as received.
    pub sha256: String,
    /// Number of rows parsed, without those that are withheld.
    pub rows: u64,
    /// All rows that could not be parsed.
    pub rejects: Vec<Reject>,
    /// All rows that were parsed and are not served yet.
    pub withheld: Vec<Reject>,
    pub read_at: jiff::Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_distinct_slots_and_parse_by_name() {
        let places = BySource::new(|source| source);
        assert!(places.iter().all(|(place, source)| place == *source));
        assert!(Source::ALL.into_iter().all(|source| Source::parse(source.name()) == Ok(source)));
        assert!(Source::parse("selics").unwrap_err().to_string().starts_with("must be one of selic, cdi, "));
    }
}
