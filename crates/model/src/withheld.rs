//! Published points that are withheld from service because they look wrong.

use jiff::Timestamp;

use crate::{Day, FxQuote, Pair, RatePoint};

/// One value on one day, of a series or of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    Rate(RatePoint),
    Quote(FxQuote),
}

impl Point {
    pub const fn day(&self) -> Day {
        match self {
            Self::Rate(rate) => rate.day,
            Self::Quote(quote) => quote.day,
        }
    }

    pub const fn pair(&self) -> Option<Pair> {
        match self {
            Self::Rate(_) => None,
            Self::Quote(quote) => Some(quote.pair),
        }
    }
}

impl From<RatePoint> for Point {
    fn from(rate: RatePoint) -> Self {
        Self::Rate(rate)
    }
}

impl From<FxQuote> for Point {
    fn from(quote: FxQuote) -> Self {
        Self::Quote(quote)
    }
}

/// A point that is published but not served, because it looks like an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    pub point: Point,
    /// The time since which the publisher has given exactly this value.
    pub first_seen: Timestamp,
    /// A sentence for people, without the day.
    pub reason: String,
}
