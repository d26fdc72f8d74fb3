//! Natural logarithms to eight significant digits, half to even.
//!
//! No logarithm of a fraction other than one is a fraction, so none lies half way between two decimals: with enough
//! bits both bounds always round to the same value.

use lastro_model::Decimal;
use num_bigint::BigInt;
use num_traits::{ToPrimitive as _, checked_pow};

use crate::fraction::{Fraction, Whole};

/// Bits after the binary point: first a number that nearly always suffices. The last exceeds the need of any 28-digit
/// decimal.
const NARROW: u32 = 60;
const WIDE: [u32; 3] = [160, 320, 640];

/// The logarithm of a positive fraction.
pub(crate) fn significant(of: &Fraction<BigInt>) -> Option<Decimal> {
    if of.numerator == of.denominator {
        return Some(Decimal::ZERO);
    }
    let narrow = || {
        let of = Fraction::new(of.numerator.to_i128()?, of.denominator.to_i128()?)?;
        certain(&of, NARROW)
    };
    narrow().or_else(|| WIDE.into_iter().find_map(|bits| certain(of, bits)))
}

/// The logarithm computed with this many bits, if its digits are certain.
fn certain<T: Whole>(of: &Fraction<T>, bits: u32) -> Option<Decimal> {
    let unit = power_of_two::<T>(i64::from(bits))?;
    let (near, error) = natural(of, &unit)?;
    let bound = |number: Option<T>| Fraction::new(number?, unit.clone())?.significant();
    let (low, high) = (bound(near.checked_sub(&error))?, bound(near.checked_add(&error))?);
    (low == high).then_some(low)
}

/// The logarithm in units of 1/`unit`, and its largest error.
fn natural<T: Whole>(of: &Fraction<T>, unit: &T) -> Option<(T, T)> {
    // A power of two is factored out, so that the rest is between a half and two.
    let doublings = of.numerator.length() - of.denominator.length();
    let numerator = of.numerator.checked_mul(&power_of_two(-doublings)?)?;
    let denominator = of.denominator.checked_mul(&power_of_two(doublings)?)?;
    let above = numerator.checked_sub(&denominator)?;
    let (rest, rest_terms) = inverse_hyperbolic_tangent(&above, &numerator.checked_add(&denominator)?, unit)?;
    let (two, two_terms) = inverse_hyperbolic_tangent(&T::one(), &T::from(3), unit)?;
    let both = rest.checked_add(&two.checked_mul(&T::from(i128::from(doublings)))?)?;
    // Each term is truncated three times, by less than one each time, and carried on; the omitted tail is less than
    // one.
    let cuts = (rest_terms + 1) + (two_terms + 1) * i128::from(doublings.abs());
    Some((both.checked_add(&both)?, T::from(cuts.checked_mul(8)?)))
}

/// Two to this power, or one if the exponent is negative.
fn power_of_two<T: Whole>(exponent: i64) -> Option<T> {
    checked_pow(T::from(2), usize::try_from(exponent.max(0)).ok()?)
}

/// The inverse hyperbolic tangent of a fraction of at most a third, in units of 1/`unit`, and the number of terms.
fn inverse_hyperbolic_tangent<T: Whole>(numerator: &T, denominator: &T, unit: &T) -> Option<(T, i128)> {
    let mut power = numerator.checked_mul(unit)? / denominator.clone();
    let square = power.checked_mul(&power)? / unit.clone();
    let (mut sum, mut terms) = (T::zero(), 0i128);
    while power.abs() > T::one() {
        sum = sum.checked_add(&(power.clone() / T::from(2 * terms + 1)))?;
        power = power.checked_mul(&square)? / unit.clone();
        terms += 1;
    }
    Some((sum, terms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn narrow_logarithm_equals_the_wide_one(digits in 1..i64::MAX, scale in 0..19u32) {
            let of = Fraction::<BigInt>::of(Decimal::new(digits, scale)).unwrap();
            let shown = significant(&of);
            prop_assert!(shown.is_some());
            if of.numerator != of.denominator {
                prop_assert_eq!(shown, certain(&of, 640));
            }
        }

        /// The logarithm of a product is the sum of the logarithms; each of the three is off by half a digit.
        #[test]
        fn products_become_sums(a in 2..1_000_000i64, b in 2..1_000_000i64) {
            let of = |number: i64| significant(&Fraction::of(Decimal::from(number)).unwrap()).unwrap();
            let off = (of(a) + of(b) - of(a * b)).abs();
            prop_assert!(off <= Decimal::new(2, 6), "{}", off);
        }
    }
}
