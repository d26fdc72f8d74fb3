//! Interval arithmetic: positive numbers known to some thirty-three digits, with bounds.
//!
//! A chain of hundreds of rates has thousands of digits, of which eight are shown. Here a product keeps as many as
//! fit into 128 bits, together with an upper bound on its error. Rounding returns a result only if every number
//! within these bounds rounds to the same one; otherwise the caller computes with all digits. The result is therefore
//! always that of unlimited precision, and the slow path is hardly ever taken.

use std::cmp::Ordering;

use lastro_model::Decimal;

use crate::power_of_ten::{LARGEST_POWER, divide, length, power_of_ten};
use crate::rounding::{Rounding, SIGNIFICANT, decimal, significant_decimal};

/// A number: its true value times 10^`scale` lies between `low` and `low + spread`, inclusive. Exact if `spread` is
/// 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enclosure {
    low: u128,
    spread: u128,
    scale: i32,
}

/// Most bits of `low`. Its product with a rate of two decimals still fits in 128 bits, the product of two numbers of
/// [`SHORT`] bits need not be truncated, and others lose no more digits than 64 bits hold.
const LONG: u32 = 112;
const SHORT: u32 = 56;
/// Most bits of a spread before multiplying; wider numbers are truncated first, so that the product of the spread
/// fits.
const WIDEST: u32 = 62;

impl Enclosure {
    pub(crate) const ONE: Self = Self { low: 1, spread: 0, scale: 0 };

    /// An exact number: `digits`, `scale` of them after the decimal point.
    pub(crate) fn exact(digits: u128, scale: u32) -> Option<Self> {
        let scale = i32::try_from(scale).ok()?;
        (bits(digits) <= LONG).then_some(Self { low: digits, spread: 0, scale })
    }

    /// The quotient of two positive numbers, to as many digits as fit.
    pub(crate) fn quotient(numerator: u128, denominator: u128) -> Option<Self> {
        let room = LONG.checked_sub(bits(numerator))?;
        let noughts = room * 30_103 / 100_000;
        let scaled = numerator.checked_mul(power_of_ten(noughts)?)?;
        let low = scaled.checked_div(denominator)?;
        let spread = u128::from(low * denominator != scaled);
        Some(Self { low, spread, scale: i32::try_from(noughts).ok()? })
    }

    pub(crate) fn times(self, factor: Self) -> Option<Self> {
        // If one must be truncated, it is the shorter one.
        if bits(self.low) < bits(factor.low) {
            return factor.times(self);
        }
        let factor = factor.shortened()?;
        // Ensures that none of the following products exceeds 128 bits.
        let keeps_its_length = factor.spread == 0 && bits(self.spread) <= WIDEST;
        if keeps_its_length { self.times_short(factor) } else { self.shortened()?.times_short(factor) }
    }

    /// Multiplies by an exact number: `digits`, `scale` of them after the decimal point.
    pub(crate) fn times_exact(self, digits: u128, scale: u32) -> Option<Self> {
        if bits(digits) > SHORT || bits(self.spread) > WIDEST {
            return self.times(Self::exact(digits, scale)?);
        }
        let (low, rest, dropped) = product(self.low, digits);
        // At most 62 plus 56 bits, so it fits.
        let spread = units(u128::from(self.spread as u64) * u128::from(digits as u64) + rest, dropped);
        let scale = self.scale.checked_add_unsigned(scale)?.checked_sub_unsigned(dropped)?;
        Some(Self { low, spread, scale })
    }

    fn squared(self) -> Option<Self> {
        let short = self.shortened()?;
        short.times_short(short)
    }

    fn times_short(self, factor: Self) -> Option<Self> {
        let (low, rest, dropped) = product(self.low, factor.low);
        let spread = units(self.extra(factor)?.checked_add(rest)?, dropped);
        let scale = self.scale.checked_add(factor.scale)?.checked_sub_unsigned(dropped)?;
        Some(Self { low, spread, scale })
    }

    /// The most by which the product can exceed that of the lower bounds.
    fn extra(self, factor: Self) -> Option<u128> {
        if (self.low | self.spread | factor.low | factor.spread) >> 62 == 0 {
            // Four numbers of 62 bits: two multiplications, and their sum fits.
            let times = |a: u128, b: u128| u128::from(a as u64) * u128::from(b as u64);
            return Some(times(self.spread, factor.low + factor.spread) + times(self.low, factor.spread));
        }
        let high = factor.low.checked_add(factor.spread)?;
        self.spread.checked_mul(high)?.checked_add(self.low.checked_mul(factor.spread)?)
    }

    pub(crate) fn power(self, exponent: u32) -> Option<Self> {
        let mut result = Self::ONE;
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            result = result.squared()?;
            if (exponent >> bit) & 1 == 1 {
                result = result.times(self)?;
            }
        }
        Some(result)
    }

    /// The reciprocal.
    pub(crate) fn reciprocal(self) -> Option<Self> {
        const ONE: u128 = 10u128.pow(33);
        let short = self.shortened()?;
        let low = ONE.checked_div(short.low.checked_add(short.spread)?)?;
        let high = ONE.checked_add(short.low.checked_sub(1)?)? / short.low;
        Some(Self { low, spread: high.checked_sub(low)?, scale: 33i32.checked_sub(short.scale)? })
    }

    /// Compares with another number; `None` if the bounds leave it undecided.
    pub(crate) fn compare(self, digits: u128, scale: i32) -> Option<Ordering> {
        let finer = u32::try_from(self.scale.checked_sub(scale)?).ok()?;
        let other = digits.checked_mul(power_of_ten(finer)?)?;
        match (self.low.cmp(&other), self.low.checked_add(self.spread)?.cmp(&other)) {
            (low, high) if low == high => Some(low),
            _ => None,
        }
    }

    /// The digits of the number rounded to `places` decimals, if they are certain.
    pub(crate) fn rounded(self, places: i32, rounding: Rounding) -> Option<u128> {
        let dropped = self.scale.checked_sub(places)?;
        match u32::try_from(dropped) {
            Ok(dropped) if dropped > LARGEST_POWER => Some(0), // Less than half of the last place.
            Ok(dropped) if dropped > 0 => self.divided(dropped, rounding),
            _ if self.spread > 0 => None,
            _ => self.low.checked_mul(power_of_ten(dropped.unsigned_abs())?),
        }
    }

    /// A hundred times the number minus one, with six decimals, half to even.
    pub(crate) fn percent_above_one(self) -> Option<Decimal> {
        let digits = i128::try_from(self.rounded(8, Rounding::HalfEven)?).ok()?;
        // A hundred million is even, so halves round the same way before and after subtracting it.
        decimal(digits.checked_sub(100_000_000)?, 6)
    }

    /// Rounds to eight significant digits, half to even.
    pub(crate) fn significant(self) -> Option<Decimal> {
        if self.low == 0 {
            return None;
        }
        let length = i32::try_from(length(self.low)).ok()?;
        let places = self.scale.checked_add(SIGNIFICANT - length)?;
        significant_decimal(i128::try_from(self.rounded(places, Rounding::HalfEven)?).ok()?, places)
    }

    /// A hundred times the number.
    pub(crate) fn hundredfold(self) -> Option<Self> {
        Some(Self { scale: self.scale.checked_sub(2)?, ..self })
    }

    /// Divides by a power of ten.
    fn divided(self, exponent: u32, rounding: Rounding) -> Option<u128> {
        let power = power_of_ten(exponent)?;
        let (quotient, rest) = divide(self.low, exponent);
        let half = power / 2;
        if self.spread == 0 {
            let up = rounding.goes_up(rest.cmp(&half), quotient % 2 != 0);
            return Some(quotient + u128::from(up));
        }
        let most = rest.checked_add(self.spread)?;
        match (most < half, rest > half && most < power + half) {
            (true, _) => Some(quotient),
            (_, true) => Some(quotient + 1),
            _ => None,
        }
    }

    /// Truncates to at most [`SHORT`] bits.
    fn shortened(self) -> Option<Self> {
        if bits(self.low) <= SHORT {
            return Some(self);
        }
        let dropped = digits_to_drop(bits(self.low), SHORT);
        let (low, rest) = divide(self.low, dropped);
        let spread = units(rest.checked_add(self.spread)?, dropped);
        Some(Self { low, spread, scale: self.scale.checked_sub_unsigned(dropped)? })
    }
}

/// Rounds `extra` up to whole units after dropping `dropped` digits.
fn units(extra: u128, dropped: u32) -> u128 {
    match power_of_ten(dropped) {
        // The usual case, which needs no division.
        Some(power) if extra <= power => u128::from(extra > 0),
        _ => {
            let (quotient, rest) = divide(extra, dropped);
            quotient + u128::from(rest > 0)
        }
    }
}

fn bits(number: u128) -> u32 {
    u128::BITS - number.leading_zeros()
}

/// Number of decimal digits to drop so that a number of `length` bits has at most `wanted`.
fn digits_to_drop(length: u32, wanted: u32) -> u32 {
    (length.saturating_sub(wanted) * 30_103).div_ceil(100_000)
}

/// The product of a number of at most [`LONG`] bits and one of at most [`SHORT`], truncated to [`LONG`] bits: the
/// result, the remainder cut off, and the number of digits dropped.
fn product(long: u128, short: u128) -> (u128, u128, u32) {
    const LOW: u128 = u64::MAX as u128;
    let short = short & LOW;
    let low = (long & LOW) * short;
    let high = (long >> 64) * short + (low >> 64);
    if high >> 64 == 0 {
        let product = (high << 64) | (low & LOW);
        let dropped = digits_to_drop(bits(product), LONG);
        let (quotient, rest) = divide(product, dropped);
        return (quotient, rest, dropped);
    }
    let dropped = digits_to_drop(64 + bits(high), LONG);
    let (above, rest) = divide(high, dropped);
    let (below, rest) = divide((rest << 64) | (low & LOW), dropped);
    ((above << 64) + below, rest, dropped)
}

#[cfg(test)]
impl Enclosure {
    /// Whether the bounds contain this number.
    pub(crate) fn holds(self, exact: &crate::fraction::Fraction<num_bigint::BigInt>) -> bool {
        use num_bigint::BigInt;
        let power = BigInt::from(10).pow(self.scale.unsigned_abs());
        let (mut numerator, mut denominator) = (exact.numerator.clone(), exact.denominator.clone());
        if self.scale < 0 {
            denominator *= power;
        } else {
            numerator *= power;
        }
        &denominator * self.low <= numerator && numerator <= denominator * (self.low + self.spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_252_is_still_known_to_thirteen_digits() {
        let raised = Enclosure::exact(100_055_131, 8).unwrap().power(252).unwrap();
        assert!(raised.low / raised.spread > 10_000_000_000_000);
        assert_eq!(raised.rounded(8, Rounding::HalfEven), Some(114_899_981));
    }

    #[test]
    fn compare_returns_only_certain_results() {
        let third = Enclosure::quotient(1, 3).unwrap();
        assert_eq!(third.compare(33, 2), Some(Ordering::Greater));
        assert_eq!(third.compare(34, 2), Some(Ordering::Less));
        assert_eq!(third.compare(third.low, third.scale), None);
        assert_eq!(Enclosure::ONE.compare(1, 0), Some(Ordering::Equal));
    }
}
