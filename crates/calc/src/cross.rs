//! Unpublished exchange rates: between two foreign currencies, and of the real in a foreign one. Derived from closing
//! rates of the same day, with eight significant digits, half to even.

use lastro_model::{Currency, Decimal, FxQuote, Pair};
use num_bigint::BigInt;

use crate::enclosure::Enclosure;
use crate::fraction::Fraction;
use crate::rounding::digits;

/// The published pairs from which a pair is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legs {
    /// One foreign currency in another, from both in reais.
    Cross { base: Pair, quote: Pair },
    /// The real in a foreign currency, from that currency in reais.
    Inverse(Pair),
}

impl Legs {
    /// The legs of a pair; `None` if it is published itself, or if both currencies are the same.
    pub fn of(pair: Pair) -> Option<Self> {
        match (pair.base, pair.quote) {
            (base, quote) if base == quote || quote == Currency::BRL => None,
            (Currency::BRL, quote) => Some(Self::Inverse(Pair::in_reais(quote))),
            (base, quote) => Some(Self::Cross { base: Pair::in_reais(base), quote: Pair::in_reais(quote) }),
        }
    }

    /// The pairs in display order.
    pub fn pairs(self) -> Vec<Pair> {
        match self {
            Self::Cross { base, quote } => vec![base, quote],
            Self::Inverse(leg) => vec![leg],
        }
    }
}

/// The first currency in the second, both quoted in reais; `None` if the days differ or a rate is not positive.
/// Buying one means selling the other.
pub fn cross(base: &FxQuote, quote: &FxQuote) -> Option<FxQuote> {
    let same_day = base.day == quote.day;
    same_day.then(|| {
        Some(FxQuote {
            day: base.day,
            pair: Pair { base: base.pair.base, quote: quote.pair.base },
            buy: ratio(base.buy, quote.sell)?,
            sell: ratio(base.sell, quote.buy)?,
        })
    })?
}

/// The real in a currency quoted in reais.
pub fn inverse(leg: &FxQuote) -> Option<FxQuote> {
    Some(FxQuote {
        day: leg.day,
        pair: Pair { base: leg.pair.quote, quote: leg.pair.base },
        buy: ratio(Decimal::ONE, leg.sell)?,
        sell: ratio(Decimal::ONE, leg.buy)?,
    })
}

fn ratio(numerator: Decimal, denominator: Decimal) -> Option<Decimal> {
    if numerator <= Decimal::ZERO || denominator <= Decimal::ZERO {
        return None;
    }
    let certain = || {
        let scale = numerator.scale().max(denominator.scale());
        let whole = |value| u128::try_from(digits(value, scale)?).ok();
        Enclosure::quotient(whole(numerator)?, whole(denominator)?)?.significant()
    };
    certain().or_else(|| Fraction::<BigInt>::of(numerator)?.over(&Fraction::of(denominator)?)?.significant())
}
