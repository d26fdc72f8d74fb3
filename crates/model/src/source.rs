//! Where data comes from, and which state of it is served.

use std::fmt;

use crate::{Company, Filing, FxQuote, ParseError, RatePoint, Series};

/// A data set that is synchronised, versioned and reported on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    Selic,
    Cdi,
    Ipca,
    Fx,
    Companies,
    Filings,
}

impl Source {
    pub const ALL: [Self; 6] = [Self::Selic, Self::Cdi, Self::Ipca, Self::Fx, Self::Companies, Self::Filings];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Selic => "selic",
            Self::Cdi => "cdi",
            Self::Ipca => "ipca",
            Self::Fx => "fx",
            Self::Companies => "companies",
            Self::Filings => "filings",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::ALL
            .into_iter()
            .find(|source| source.name() == text)
            .ok_or(ParseError("must be one of selic, cdi, ipca, fx, companies, filings"))
    }
}

impl From<Series> for Source {
    fn from(series: Series) -> Self {
        match series {
            Series::Selic => Self::Selic,
            Series::Cdi => Self::Cdi,
            Series::Ipca => Self::Ipca,
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

/// Which state of a source this is: its number, and when it was published. A database that was restored from a copy comes
/// to the same numbers again, but not at the same times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    pub edition: Edition,
    /// Milliseconds since 1970 UTC.
    pub published_unix_ms: i64,
}

/// A batch of rows of one source, on its way into the store or out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Records {
    Rates(Vec<RatePoint>),
    Fx(Vec<FxQuote>),
    Companies(Vec<Company>),
    Filings(Vec<Filing>),
}

impl Records {
    pub fn len(&self) -> usize {
        match self {
            Self::Rates(rows) => rows.len(),
            Self::Fx(rows) => rows.len(),
            Self::Companies(rows) => rows.len(),
            Self::Filings(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A row that cannot be read. It never vanishes: it is counted and shown, with the place to look at.
///
/// The reason names columns and rules, never the row's content, which may be somebody's personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    pub file: String,
    /// Line of a text file, the header being line 1; place in the list for JSON, starting at 1; zero for the whole.
    pub line: u64,
    pub reason: String,
}

/// This file was read: what the next synchronisation needs to ask only for what changed, and to notice that a file
/// lost rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    pub url: String,
    pub etag: Option<String>,
    /// As the publisher wrote it, to be sent back as it is.
    pub last_modified: Option<String>,
    /// Of the bytes as they came.
    pub sha256: String,
    /// The rows that could be read.
    pub rows: u64,
    /// All the rows that could not.
    pub rejects: Vec<Reject>,
    pub read_at: jiff::Timestamp,
}
