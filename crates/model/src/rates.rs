//! Market rates: values by day, and prices of foreign currencies.

use std::fmt;

use rust_decimal::Decimal;

use crate::{Day, ParseError};

/// One value of a series, with the decimals as published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatePoint {
    pub day: Day,
    pub value: Decimal,
}

/// A currency: three capital letters (ISO 4217).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    pub const BRL: Self = Self(*b"BRL");

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match *text.as_bytes() {
            [a, b, c] if [a, b, c].iter().all(u8::is_ascii_alphabetic) => {
                Ok(Self([a, b, c].map(|l| l.to_ascii_uppercase())))
            }
            _ => Err(ParseError("must be a currency of three letters")),
        }
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A currency pair such as `USD/BRL`: the price of one unit of `base` in `quote`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    pub base: Currency,
    pub quote: Currency,
}

impl Pair {
    pub const fn in_reais(base: Currency) -> Self {
        Self { base, quote: Currency::BRL }
    }

    /// Parses `BASE/QUOTE` in either case.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        const FORM: ParseError = ParseError("must be a currency pair written BASE/QUOTE, such as USD/BRL");
        let (base, quote) = text.trim().split_once('/').ok_or(FORM)?;
        Ok(Self {
            base: Currency::parse(base).map_err(|_| FORM)?,
            quote: Currency::parse(quote).map_err(|_| FORM)?,
        })
    }

    /// The id in paths and among those of series: `usd-brl`.
    pub fn id(self) -> String {
        format!("{}-{}", self.base, self.quote).to_ascii_lowercase()
    }

    /// Parses an id in either case.
    pub fn from_id(id: &str) -> Option<Self> {
        let (base, quote) = id.split_once('-')?;
        Some(Self { base: Currency::parse(base).ok()?, quote: Currency::parse(quote).ok()? })
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.quote)
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The closing rates of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FxQuote {
    pub day: Day,
    pub pair: Pair,
    pub buy: Decimal,
    pub sell: Decimal,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_in_either_case() {
        assert_eq!(Pair::parse("usd/brl").unwrap().to_string(), "USD/BRL");
        for bad in ["", "USD", "USDBRL", "USD/", "USD/BR1", "USD/BRL/EUR", "ção/BRL", "U/BRL"] {
            assert!(Pair::parse(bad).is_err(), "{bad}");
        }
        let pair = Pair::parse("EUR/BRL").unwrap();
        assert_eq!((pair.id().as_str(), Pair::from_id("Eur-brl")), ("eur-brl", Some(pair)));
        assert_eq!(["eur/brl", "eurbrl", "eur-brl-x"].map(Pair::from_id), [None; 3]);
    }
}
