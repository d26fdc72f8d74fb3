//! Fractions of integers: exact unless the integers overflow, which [`BigInt`] never does.
//!
//! Every formula is written once, over [`Whole`]. It is first tried with 128 bits, which is fast, and on overflow
//! with integers of any length.

use lastro_model::Decimal;
use num_bigint::BigInt;
use num_traits::{CheckedAdd, CheckedMul, CheckedSub, Num, Signed, ToPrimitive, checked_pow};

use crate::rounding::{Rounding, SIGNIFICANT, decimal, significant_decimal};

/// An integer type for fractions.
pub(crate) trait Whole:
    Num + Signed + Clone + PartialOrd + CheckedAdd + CheckedSub + CheckedMul + ToPrimitive + From<i128>
{
    /// Number of bits without the sign.
    fn length(&self) -> i64;
}

impl Whole for i128 {
    fn length(&self) -> i64 {
        i64::from(Self::BITS - self.unsigned_abs().leading_zeros())
    }
}

impl Whole for BigInt {
    fn length(&self) -> i64 {
        i64::try_from(self.bits()).unwrap_or(i64::MAX)
    }
}

/// Ten to this power, or `None` on overflow.
pub(crate) fn power_of_ten<T: Whole>(exponent: u32) -> Option<T> {
    checked_pow(T::from(10), exponent as usize)
}

/// Largest error of a magnitude estimated by counting bits: one for the bits, one for the whole part, and one for the
/// digits of the logarithm, which suffice for numbers of a hundred thousand bits.
const TOO_LOW: usize = 3;

/// A fraction. Every operation ensures a positive denominator.
#[derive(Debug, Clone)]
pub(crate) struct Fraction<T> {
    pub(crate) numerator: T,
    pub(crate) denominator: T,
}

impl<T: Whole> Fraction<T> {
    pub(crate) fn new(numerator: T, denominator: T) -> Option<Self> {
        denominator.is_positive().then_some(Self { numerator, denominator })
    }

    pub(crate) fn of(value: Decimal) -> Option<Self> {
        Self::new(T::from(value.mantissa()), power_of_ten(value.scale())?)
    }

    /// Divides by a whole number.
    pub(crate) fn by(self, divisor: u32) -> Option<Self> {
        let denominator = self.denominator.checked_mul(&T::from(i128::from(divisor)))?;
        Self::new(self.numerator, denominator)
    }

    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(&other.numerator)?;
        Self::new(numerator, self.denominator.checked_mul(&other.denominator)?)
    }

    /// Divides by a positive fraction.
    pub(crate) fn over(&self, other: &Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(&other.denominator)?;
        Self::new(numerator, self.denominator.checked_mul(&other.numerator)?)
    }

    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let ours = self.numerator.checked_mul(&other.denominator)?;
        let theirs = other.numerator.checked_mul(&self.denominator)?;
        Self::new(ours.checked_add(&theirs)?, self.denominator.checked_mul(&other.denominator)?)
    }

    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        let ours = self.numerator.checked_mul(&other.denominator)?;
        let theirs = other.numerator.checked_mul(&self.denominator)?;
        Self::new(ours.checked_sub(&theirs)?, self.denominator.checked_mul(&other.denominator)?)
    }

    pub(crate) fn minus_one(&self) -> Option<Self> {
        Self::new(self.numerator.checked_sub(&self.denominator)?, self.denominator.clone())
    }

    pub(crate) fn power(&self, exponent: u32) -> Option<Self> {
        let raised = |number: &T| checked_pow(number.clone(), exponent as usize);
        Self::new(raised(&self.numerator)?, raised(&self.denominator)?)
    }

    /// Rounds to `places` decimals.
    pub(crate) fn rounded(&self, places: i32, rounding: Rounding) -> Option<Decimal> {
        decimal(self.quotient(places, rounding)?, places)
    }

    /// A hundred times the fraction with six decimals, half to even.
    pub(crate) fn percent(&self) -> Option<Decimal> {
        decimal(self.quotient(8, Rounding::HalfEven)?, 6)
    }

    /// Rounds to eight significant digits, half to even.
    pub(crate) fn significant(&self) -> Option<Decimal> {
        if self.numerator.is_zero() {
            return Some(Decimal::ZERO);
        }
        let mut places = SIGNIFICANT - 1 - self.least_magnitude()?;
        for _ in 0..TOO_LOW {
            if self.scaled(places)?.0.to_i128()? >= 10i128.pow(SIGNIFICANT.unsigned_abs()) {
                places -= 1;
            }
        }
        significant_decimal(self.quotient(places, Rounding::HalfEven)?, places)
    }

    /// The exponent of a power of ten not above the fraction, estimated from bit lengths: at most [`TOO_LOW`] too
    /// low.
    fn least_magnitude(&self) -> Option<i32> {
        let bits = self.numerator.length() - self.denominator.length() - 1;
        // The logarithm of two is 0.301029996; the estimate must not exceed the true value for either sign of `bits`.
        let logarithm = if bits > 0 { 30_102 } else { 30_103 };
        i32::try_from(bits.checked_mul(logarithm)?.div_euclid(100_000)).ok()
    }

    fn quotient(&self, places: i32, rounding: Rounding) -> Option<i128> {
        let (quotient, rest, divisor) = self.scaled(places)?;
        let quotient = quotient.to_i128()?;
        let to_half = rest.checked_add(&rest)?.partial_cmp(&divisor)?;
        let digits = quotient.checked_add(i128::from(rounding.goes_up(to_half, quotient % 2 != 0)))?;
        Some(if self.numerator.is_negative() { -digits } else { digits })
    }

    /// The absolute value times a power of ten: quotient, remainder and divisor.
    fn scaled(&self, places: i32) -> Option<(T, T, T)> {
        let (mut numerator, mut divisor) = (self.numerator.clone(), self.denominator.clone());
        if numerator.is_negative() {
            numerator = T::zero().checked_sub(&numerator)?;
        }
        let power = power_of_ten(places.unsigned_abs())?;
        if places < 0 {
            divisor = divisor.checked_mul(&power)?;
        } else {
            numerator = numerator.checked_mul(&power)?;
        }
        let quotient = numerator.clone() / divisor.clone();
        let rest = numerator - quotient.clone() * divisor.clone();
        Some((quotient, rest, divisor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown<T: Whole>(numerator: i128, denominator: i128) -> Option<String> {
        Fraction::new(T::from(numerator), T::from(denominator))?.significant().map(|value| value.to_string())
    }

    #[test]
    fn eight_significant_digits_for_any_magnitude() {
        for (numerator, denominator, text) in [
            (1, 3, "0.33333333"),
            (2, 3, "0.66666667"),
            (-200, 3, "-66.666667"),
            (1_234_567_890, 1, "1234567900"),
            (999_999_995, 1, "1000000000"),
            (99_999_999, 1, "99999999"),
            (999_999_985, 10, "99999998"),
            (999_999_995, 10, "100000000"),
            (100, 1, "100.00000"),
            (1, 1_000_000, "0.0000010000000"),
            (0, 7, "0"),
        ] {
            assert_eq!(shown::<i128>(numerator, denominator).as_deref(), Some(text));
            assert_eq!(shown::<BigInt>(numerator, denominator).as_deref(), Some(text));
        }
    }

    #[test]
    fn half_goes_to_the_even_neighbour_or_up() {
        let half = |numerator| Fraction::<i128>::new(numerator, 2).unwrap();
        let rounded = |numerator, rounding| half(numerator).rounded(0, rounding).unwrap().to_string();
        assert_eq!([1, 3, 5, -1, -3].map(|n| rounded(n, Rounding::HalfEven)), ["0", "2", "2", "0", "-2"]);
        assert_eq!([1, 3, 5, -1, -3].map(|n| rounded(n, Rounding::HalfUp)), ["1", "2", "3", "-1", "-2"]);
    }

    proptest! {
        /// Eight digits are correct if the error is at most half of the last one.
        #[test]
        fn eight_digits_are_the_nearest(numerator in 1..i64::MAX, denominator in 1..i64::MAX) {
            let exact = Fraction::<BigInt>::new(numerator.into(), denominator.into()).unwrap();
            let shown = exact.significant().unwrap();
            let digits = shown.mantissa().to_string();
            prop_assert!(digits.trim_end_matches('0').len() <= 8);
            prop_assert!(digits.len() >= 8);
            let off = exact.minus(&Fraction::of(shown).unwrap()).unwrap();
            let least = if shown.scale() == 0 { digits.len() - 8 } else { 0 };
            let unit = BigInt::from(10).pow(u32::try_from(least).unwrap());
            let twice = off.numerator.abs() * 2 * BigInt::from(10).pow(shown.scale());
            prop_assert!(twice <= off.denominator * unit);
        }

        #[test]
        fn narrow_integers_agree_with_wide_ones_or_overflow(numerator: i128, denominator in 1..i128::MAX, places in -5..20i32) {
            let narrow = Fraction::<i128>::new(numerator / 2, denominator).unwrap();
            let wide = Fraction::<BigInt>::new((numerator / 2).into(), denominator.into()).unwrap();
            if let Some(value) = narrow.rounded(places, Rounding::HalfEven) {
                prop_assert_eq!(Some(value), wide.rounded(places, Rounding::HalfEven));
            }
            if let Some(value) = narrow.significant() {
                prop_assert_eq!(Some(value), wide.significant());
            }
        }
    }
}
