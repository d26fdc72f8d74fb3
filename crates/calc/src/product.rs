//! Compounding rates: each is a factor, and a chain is their product.

use std::ops::Range;

use lastro_model::Decimal;
use num_bigint::BigInt;
use num_traits::One as _;

use crate::enclosure::Enclosure;
use crate::fraction::{Fraction, power_of_ten};
use crate::rounding::Rounding;

/// The exact factor of a rate: `digits`, `scale` of them after the decimal point. Always positive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor {
    pub(crate) digits: u128,
    pub(crate) scale: u32,
}

impl Factor {
    /// One plus `percent` percent; `None` if that is not positive.
    pub(crate) fn of_percent(percent: Decimal) -> Option<Self> {
        let scale = percent.scale() + 2;
        let digits = 10i128.checked_pow(scale)?.checked_add(percent.mantissa())?;
        u128::try_from(digits).ok().filter(|digits| *digits > 0).map(|digits| Self { digits, scale })
    }

    pub(crate) fn enclosed(self) -> Option<Enclosure> {
        Enclosure::exact(self.digits, self.scale)
    }
}

/// The product of factors, with all digits.
pub(crate) fn exact_product(factors: impl IntoIterator<Item = Factor>) -> Option<Fraction<BigInt>> {
    let (mut digits, mut scale) = (BigInt::one(), 0u32);
    for factor in factors {
        digits *= factor.digits;
        scale = scale.checked_add(factor.scale)?;
    }
    Fraction::new(digits, power_of_ten(scale)?)
}

/// The bounds of a product after multiplying more factors.
fn multiplied(bounds: Option<Enclosure>, factors: &[Option<Factor>]) -> Option<Enclosure> {
    let mut product = bounds?;
    for factor in factors {
        let factor = factor.as_ref()?;
        product = product.times_exact(factor.digits, factor.scale)?;
    }
    Some(product)
}

/// The product of a range of `factors`: its bounds, and the range, for an exact computation if the bounds do not
/// suffice.
#[derive(Debug, Clone)]
pub(crate) struct Product<'a> {
    factors: &'a [Option<Factor>],
    range: Range<usize>,
    bounds: Option<Enclosure>,
}

impl<'a> Product<'a> {
    /// The empty product, before the factor at this index.
    pub(crate) fn before(factors: &'a [Option<Factor>], place: usize) -> Self {
        Self { factors, range: place..place, bounds: Some(Enclosure::ONE) }
    }

    /// Multiplies by the factors up to this index, exclusive.
    pub(crate) fn extend_to(&mut self, end: usize) {
        self.bounds = multiplied(self.bounds, self.factors.get(self.range.end..end).unwrap_or_default());
        self.range.end = self.range.end.max(end);
    }

    /// Multiplies by the factors from this index on.
    pub(crate) fn extend_back_to(&mut self, start: usize) {
        self.bounds = multiplied(self.bounds, self.factors.get(start..self.range.start).unwrap_or_default());
        self.range.start = self.range.start.min(start);
    }

    /// The product of this range and of the adjacent `next`.
    pub(crate) fn joined(&self, next: &Self) -> Self {
        let bounds = self.bounds.zip(next.bounds).and_then(|(ours, theirs)| ours.times(theirs));
        Self { factors: self.factors, range: self.range.start..next.range.end, bounds }
    }

    /// The indexes of its factors.
    pub(crate) fn range(&self) -> &Range<usize> {
        &self.range
    }

    /// Percent by which the product exceeds one, with six decimals.
    pub(crate) fn percent(&self) -> Option<Decimal> {
        let certain = self.bounds.and_then(Enclosure::percent_above_one);
        certain.or_else(|| self.exact()?.minus_one()?.percent())
    }

    /// A hundred times the product, with eight significant digits.
    pub(crate) fn index(&self) -> Option<Decimal> {
        let certain = self.bounds.and_then(|product| product.hundredfold()?.significant());
        certain.or_else(|| {
            let product = self.exact()?;
            Fraction::new(product.numerator * 100, product.denominator)?.significant()
        })
    }

    /// A hundred divided by the product, with eight significant digits.
    pub(crate) fn inverse_index(&self) -> Option<Decimal> {
        let certain = self.bounds.and_then(|product| product.reciprocal()?.hundredfold()?.significant());
        certain.or_else(|| {
            let product = self.exact()?;
            Fraction::new(product.denominator * 100, product.numerator)?.significant()
        })
    }

    /// The product rounded to `places` decimals.
    pub(crate) fn rounded(&self, places: i32, rounding: Rounding) -> Option<Decimal> {
        let certain = self.bounds.and_then(|product| product.rounded(places, rounding));
        let certain =
            certain.and_then(|digits| crate::rounding::decimal(i128::try_from(digits).ok()?, places));
        certain.or_else(|| self.exact()?.rounded(places, rounding))
    }

    /// All digits of the product; `None` if a factor is missing.
    pub(crate) fn exact(&self) -> Option<Fraction<BigInt>> {
        let factors = self.factors.get(self.range.clone())?;
        exact_product(factors.iter().copied().collect::<Option<Vec<Factor>>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn factors(percents: &[(i64, u32)]) -> Vec<Option<Factor>> {
        percents.iter().map(|(digits, scale)| Factor::of_percent(Decimal::new(*digits, *scale))).collect()
    }

    fn product(factors: &[Option<Factor>]) -> Product<'_> {
        let mut product = Product::before(factors, 0);
        product.extend_to(factors.len());
        product
    }

    /// The same product without bounds, which forces the exact computation.
    fn without_bounds<'a>(product: &Product<'a>) -> Product<'a> {
        Product { bounds: None, ..product.clone() }
    }

    #[test]
    fn minus_100_percent_has_no_factor() {
        assert!(Factor::of_percent(Decimal::new(-100, 0)).is_none());
        assert!(Factor::of_percent(Decimal::new(-9_999, 2)).is_some());
        assert!(Factor::of_percent(Decimal::MIN).is_none());
        assert!(Factor::of_percent(Decimal::MAX).is_some());
    }

    #[test]
    fn half_rounds_to_even_after_many_factors() {
        // 1.000000005 is half way; factors of one do not move it.
        let mut percents = vec![(5, 7)];
        percents.extend([(0, 2); 300]);
        let factors = factors(&percents);
        assert_eq!(product(&factors).percent().unwrap().to_string(), "0.000000");
        assert_eq!(product(&factors).rounded(8, Rounding::HalfUp).unwrap().to_string(), "1.00000001");
    }

    #[test]
    fn bounds_suffice_for_forty_years() {
        let months: Vec<(i64, u32)> = (0..480).map(|month| (month * 37 % 1_600, 2)).collect();
        let exact: Vec<(i64, u32)> =
            (0..480).map(|month| (month * 37_123_456_789 % 90_000_000_000, 10)).collect();
        let days: Vec<(i64, u32)> = (0..10_000).map(|day| (20_000 + day * 913 % 30_000, 6)).collect();
        for factors in [factors(&months), factors(&exact), factors(&days)] {
            let bounds = product(&factors).bounds.unwrap();
            assert!(bounds.significant().is_some() && bounds.reciprocal().unwrap().significant().is_some());
            assert!(bounds.percent_above_one().is_some());
        }
    }

    #[test]
    fn product_too_large_for_a_decimal_is_none() {
        let factors = factors(&[(i64::MAX, 0); 4]);
        assert_eq!((product(&factors).percent(), product(&factors).index()), (None, None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn bounds_round_like_the_exact_product(percents in prop::collection::vec((-9_000i64..9_000, 2..4u32), 1..300)) {
            let factors = factors(&percents);
            let (quick, slow) = (product(&factors), without_bounds(&product(&factors)));
            prop_assert_eq!(quick.percent(), slow.percent());
            prop_assert_eq!(quick.index(), slow.index());
            prop_assert_eq!(quick.inverse_index(), slow.inverse_index());
            prop_assert_eq!(quick.rounded(8, Rounding::HalfUp), slow.rounded(8, Rounding::HalfUp));
        }

        #[test]
        fn ten_decimal_rates_round_like_the_exact_product(percents in prop::collection::vec(-5_000_000_000i64..99_000_000_000, 1..60)) {
            let percents: Vec<(i64, u32)> = percents.into_iter().map(|digits| (digits, 10)).collect();
            let factors = factors(&percents);
            let (quick, slow) = (product(&factors), without_bounds(&product(&factors)));
            prop_assert_eq!(quick.percent(), slow.percent());
            prop_assert_eq!(quick.index(), slow.index());
        }

        #[test]
        fn no_rate_panics(percents in prop::collection::vec((any::<i64>(), 0..29u32), 1..20)) {
            let factors = factors(&percents);
            let quick = product(&factors);
            let _ = (quick.percent(), quick.index(), quick.inverse_index());
        }

        #[test]
        fn the_true_product_lies_within_the_bounds(percents in prop::collection::vec((-90_000i64..900_000, 3..9u32), 1..100), power in 1..260u32) {
            let factors = factors(&percents);
            let bounds = product(&factors).bounds.unwrap();
            let exact = product(&factors).exact().unwrap();
            prop_assert!(bounds.holds(&exact));
            if let Some(inverse) = bounds.reciprocal() {
                prop_assert!(inverse.holds(&Fraction::new(exact.denominator.clone(), exact.numerator.clone()).unwrap()));
            }
            let first = factors[0].unwrap();
            if let Some(raised) = first.enclosed().unwrap().power(power) {
                prop_assert!(raised.holds(&exact_product(vec![first; power as usize]).unwrap()));
            }
        }
    }
}
