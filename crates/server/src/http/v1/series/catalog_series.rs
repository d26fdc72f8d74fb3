//! A series that can be requested: a row of the table of series, or a published pair of currencies at its selling rate.

use std::borrow::Cow;

use lastro_catalog::{Catalog, FirstDay, FxBook, Part, Revision, Timeline};
use lastro_model::{About, Day, FxQuote, PAIRS, Pair, RatePoint, Series, Source, Stamp};

#[derive(Clone, Copy)]
pub(super) enum CatalogSeries<'a> {
    Row { series: Series, part: &'a Part<Timeline<RatePoint>> },
    Pair { pair: Pair, quotes: &'a Timeline<FxQuote>, book: &'a Part<FxBook> },
}

impl<'a> CatalogSeries<'a> {
    /// Finds a series by its id in any case, or by its SGS code.
    pub(super) fn named(catalog: &'a Catalog, id: &str) -> Option<Self> {
        match Series::parse(id) {
            Some(series) => Some(Self::row(catalog, series)),
            None => Self::pair(catalog, Pair::from_id(id)?),
        }
    }

    /// All series, then all pairs.
    pub(super) fn all(catalog: &'a Catalog) -> impl Iterator<Item = Self> {
        let pairs = catalog.fx.pairs().iter();
        let rows = Series::ALL.into_iter().map(|series| Self::row(catalog, series));
        rows.chain(pairs.filter_map(|pair| Self::pair(catalog, *pair)))
    }

    fn row(catalog: &'a Catalog, series: Series) -> Self {
        Self::Row { series, part: &catalog.series[series] }
    }

    fn pair(catalog: &'a Catalog, pair: Pair) -> Option<Self> {
        Some(Self::Pair { pair, quotes: catalog.fx.get(pair)?, book: &catalog.fx })
    }

    pub(super) fn id(&self) -> Cow<'static, str> {
        match self {
            Self::Row { series, .. } => series.about().id.into(),
            Self::Pair { pair, .. } => pair.id().into(),
        }
    }

    /// A short name.
    pub(super) fn label(&self) -> Cow<'static, str> {
        match self {
            Self::Row { series, .. } => series.about().label.into(),
            Self::Pair { pair, .. } => pair.to_string().into(),
        }
    }

    /// The path of its page.
    pub(super) fn page(&self) -> String {
        match self {
            Self::Row { series, .. } => format!("/series/{}", series.about().id),
            Self::Pair { pair, .. } => format!("/fx/{}", pair.id()),
        }
    }

    /// Whether this is its id, in any case, or its SGS code.
    pub(super) fn is_called(&self, text: &str) -> bool {
        match self {
            Self::Row { series, .. } => Series::parse(text) == Some(*series),
            Self::Pair { pair, .. } => Pair::from_id(text) == Some(*pair),
        }
    }

    /// The facts about its numbers. Those of all pairs are the same, so that they have neither id nor name.
    pub(super) fn about(&self) -> &'static About {
        match self {
            Self::Row { series, .. } => series.about(),
            Self::Pair { .. } => &PAIRS,
        }
    }

    pub(super) fn source(&self) -> Source {
        match self {
            Self::Row { series, .. } => Source::Series(*series),
            Self::Pair { .. } => Source::Fx,
        }
    }

    pub(super) fn stamp(&self) -> Stamp {
        match self {
            Self::Row { part, .. } => part.stamp,
            Self::Pair { book, .. } => book.stamp,
        }
    }

    pub(super) fn is_sample(&self) -> bool {
        match self {
            Self::Row { part, .. } => part.sample,
            Self::Pair { book, .. } => book.sample,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Row { part, .. } => part.len(),
            Self::Pair { quotes, .. } => quotes.len(),
        }
    }

    pub(super) fn newest(&self) -> Option<RatePoint> {
        match self {
            Self::Row { part, .. } => part.newest().copied(),
            Self::Pair { quotes, .. } => quotes.newest().map(selling),
        }
    }

    pub(super) fn oldest(&self) -> Option<RatePoint> {
        match self {
            Self::Row { part, .. } => part.points().last().copied(),
            Self::Pair { quotes, .. } => quotes.points().last().map(selling),
        }
    }

    /// All values, oldest first.
    pub(super) fn values(&self) -> Vec<RatePoint> {
        match self {
            Self::Row { part, .. } => part.points().iter().rev().copied().collect(),
            Self::Pair { quotes, .. } => quotes.points().iter().rev().map(selling).collect(),
        }
    }

    /// The values at the end of a day, oldest first; or the first day for which they are recorded.
    pub(super) fn values_as_of(&self, day: Day) -> Result<Vec<RatePoint>, FirstDay> {
        match self {
            Self::Row { part, .. } => part.as_of(day),
            Self::Pair { quotes, .. } => Ok(quotes.as_of(day)?.iter().map(selling).collect()),
        }
    }

    /// The values that were changed after publication, newest change first.
    pub(super) fn revisions(&self) -> Vec<Revision<RatePoint>> {
        match self {
            Self::Row { part, .. } => part.revisions().after_publication().copied().collect(),
            Self::Pair { quotes, .. } => {
                let revised = quotes.revisions().after_publication().map(|revision| Revision {
                    changed_unix_ms: revision.changed_unix_ms,
                    old: revision.old.as_ref().map(selling),
                    new: revision.new.as_ref().map(selling),
                });
                // A revision may concern the buying rate alone.
                revised.filter(|revision| revision.old != revision.new).collect()
            }
        }
    }
}

fn selling(quote: &FxQuote) -> RatePoint {
    RatePoint { day: quote.day, value: quote.sell }
}
