//! Subjects of pages with a chart: a series, or the price of a currency. Any two can be compared.

use lastro_catalog::{Catalog, FxBook};
use lastro_model::{Pair, Series, Stamp, Topic};

use crate::chart::{Dot, Plotted, Range};
use crate::language::Language;
use crate::words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Series(Series),
    Pair(Pair),
}

impl Subject {
    /// The series with this id or code, or the published pair with this id.
    pub fn parse(text: &str, book: &FxBook) -> Option<Self> {
        let pair = || pair_called(text, book).map(Self::Pair);
        Series::parse(text).map(Self::Series).or_else(pair)
    }

    /// Id used in paths and parameters.
    pub(crate) fn id(self) -> String {
        match self {
            Self::Series(series) => series.about().id.to_owned(),
            Self::Pair(pair) => pair.id(),
        }
    }

    /// Path of its page.
    pub fn path(self) -> String {
        match self {
            Self::Series(_) => format!("/series/{}", self.id()),
            Self::Pair(_) => format!("/fx/{}", self.id()),
        }
    }

    pub(crate) fn name(self, language: Language) -> String {
        match self {
            Self::Series(series) => words::name(series.about(), language).to_owned(),
            Self::Pair(pair) => words::pair(pair, language),
        }
    }

    pub(crate) const fn topic(self) -> Topic {
        match self {
            Self::Series(series) => series.about().topic,
            Self::Pair(_) => Topic::ExchangeRates,
        }
    }

    /// Stamp of the data its values are read from.
    pub(crate) fn stamp(self, catalog: &Catalog) -> Stamp {
        match self {
            Self::Series(series) => catalog.series[series].stamp,
            Self::Pair(_) => catalog.fx.stamp,
        }
    }

    /// Whether its values are made up.
    pub(crate) fn is_sample(self, catalog: &Catalog) -> bool {
        match self {
            Self::Series(series) => catalog.series[series].sample,
            Self::Pair(_) => catalog.fx.sample,
        }
    }

    /// Its values over a range, ready to be drawn.
    pub(crate) fn plotted(self, catalog: &Catalog, range: Range, language: Language) -> Plotted {
        match self {
            Self::Series(series) => {
                Plotted::of_series(series.about(), dots_of_series(catalog, series, range), language)
            }
            Self::Pair(pair) => Plotted::of_pair(pair, dots_of_pair(&catalog.fx, pair, range), language),
        }
    }
}

/// The published pair with this id, ignoring case.
pub fn pair_called(id: &str, book: &FxBook) -> Option<Pair> {
    Pair::from_id(id).filter(|pair| book.get(*pair).is_some())
}

/// Values of the series, oldest first.
pub(crate) fn dots_of_series(catalog: &Catalog, series: Series, range: Range) -> Vec<Dot> {
    let part = &catalog.series[series];
    let Some(newest) = part.newest() else { return Vec::new() };
    let shown = part.between(range.first_day(newest.day), None);
    part.points()[shown].iter().rev().map(|point| Dot::new(point.day, point.value)).collect()
}

/// Selling rates of the pair, oldest first.
pub(crate) fn dots_of_pair(book: &FxBook, pair: Pair, range: Range) -> Vec<Dot> {
    let Some((quotes, newest)) = book.get(pair).and_then(|quotes| Some((quotes, quotes.newest()?))) else {
        return Vec::new();
    };
    let shown = quotes.between(range.first_day(newest.day), None);
    quotes.points()[shown].iter().rev().map(|quote| Dot::new(quote.day, quote.sell)).collect()
}
