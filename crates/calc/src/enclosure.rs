//! Positive numbers known to some thirty-six digits, and within which bounds.
//!
//! A chain of hundreds of rates has thousands of digits, of which eight are shown. Here a product keeps as many as fit
//! into 128 bits and remembers how far the true one can lie above. Rounding answers only if every number within these
//! bounds rounds to the same; where it does not answer, the caller computes with all digits. So what is shown is always
//! what unlimited precision would show, and the long way is taken about once in 10^20 times.

use std::cmp::Ordering;

use lastro_model::Decimal;

use crate::rounding::{Rounding, SIGNIFICANT, decimal};

/// The true number times 10^`scale` lies from `low` to `low + spread`, both included. Without spread it is exact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enclosure {
    low: u128,
    spread: u128,
    scale: i32,
}

/// `low` stays below two to this many bits, so that a product with a number of [`SHORT`] bits has at most 182.
const LONG: u32 = 122;
const SHORT: u32 = 60;
/// What cannot be settled with a spread of this many bits is settled with all digits.
const WIDEST: u32 = 58;

impl Enclosure {
    pub(crate) const ONE: Self = Self { low: 1, spread: 0, scale: 0 };

    /// The digits of a number, `scale` of them behind the point.
    pub(crate) fn exact(digits: u128, scale: u32) -> Option<Self> {
        let scale = i32::try_from(scale).ok()?;
        (bits(digits) <= LONG).then_some(Self { low: digits, spread: 0, scale })
    }

    /// The quotient of two numbers above zero, to as many digits as there is room for.
    pub(crate) fn quotient(numerator: u128, denominator: u128) -> Option<Self> {
        let room = LONG.checked_sub(bits(numerator))?;
        let noughts = (room * 30_103 / 100_000).min(37);
        let scaled = numerator.checked_mul(10u128.checked_pow(noughts)?)?;
        let spread = u128::from(scaled.checked_rem(denominator)? != 0);
        Some(Self { low: scaled / denominator, spread, scale: i32::try_from(noughts).ok()? })
    }

    pub(crate) fn times(self, factor: Self) -> Option<Self> {
        let factor = factor.shortened()?;
        // Two inexact numbers are both cut, so that none of the products below has more than 128 bits.
        let own = if factor.spread == 0 { self } else { self.shortened()? };
        let extra = own.low.checked_mul(factor.spread)?;
        let extra = extra.checked_add(own.spread.checked_mul(factor.low.checked_add(factor.spread)?)?)?;
        let (low, rest, dropped) = product(own.low, factor.low);
        let spread = extra.checked_add(rest)?.div_ceil(10u128.pow(dropped));
        let scale = own.scale.checked_add(factor.scale)?.checked_sub(i32::try_from(dropped).ok()?)?;
        (bits(spread) <= WIDEST).then_some(Self { low, spread, scale })
    }

    pub(crate) fn power(self, exponent: u32) -> Option<Self> {
        let mut result = Self::ONE;
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            result = result.times(result)?;
            if (exponent >> bit) & 1 == 1 {
                result = result.times(self)?;
            }
        }
        Some(result)
    }

    /// One divided by the number.
    pub(crate) fn reciprocal(self) -> Option<Self> {
        const ONE: u128 = 10u128.pow(36);
        let short = self.shortened()?;
        let low = ONE.checked_div(short.low.checked_add(short.spread)?)?;
        let high = ONE.checked_add(short.low.checked_sub(1)?)? / short.low;
        Some(Self { low, spread: high.checked_sub(low)?, scale: 36i32.checked_sub(short.scale)? })
    }

    /// How the number compares with these digits, if that is certain.
    pub(crate) fn compare(self, digits: u128, scale: i32) -> Option<Ordering> {
        let finer = u32::try_from(self.scale.checked_sub(scale)?).ok()?;
        let other = digits.checked_mul(10u128.checked_pow(finer)?)?;
        match (self.low.cmp(&other), self.low.checked_add(self.spread)?.cmp(&other)) {
            (low, high) if low == high => Some(low),
            _ => None,
        }
    }

    /// The digits of the number with so many behind the point, if they are certain.
    pub(crate) fn rounded(self, places: i32, rounding: Rounding) -> Option<u128> {
        let dropped = self.scale.checked_sub(places)?;
        let power = 10u128.checked_pow(dropped.unsigned_abs());
        match (power, dropped > 0) {
            (Some(power), true) => self.divided(power, rounding),
            // So little is less than half of the last place.
            (None, true) => Some(0),
            (power, false) => (self.spread == 0).then(|| self.low.checked_mul(power?)).flatten(),
        }
    }

    /// A hundred times what the number is above one, with six digits behind the point, half to even.
    pub(crate) fn percent_above_one(self) -> Option<Decimal> {
        let digits = i128::try_from(self.rounded(8, Rounding::HalfEven)?).ok()?;
        // A hundred million is even, so that half goes the same way before and after it is taken off.
        decimal(digits.checked_sub(100_000_000)?, 6)
    }

    /// With eight significant digits, half to even.
    pub(crate) fn significant(self) -> Option<Decimal> {
        let length = i32::try_from(self.low.checked_ilog10()?).ok()? + 1;
        let places = self.scale.checked_add(SIGNIFICANT - length)?;
        decimal(i128::try_from(self.rounded(places, Rounding::HalfEven)?).ok()?, places)
    }

    /// A hundred times the number.
    pub(crate) fn hundredfold(self) -> Option<Self> {
        Some(Self { scale: self.scale.checked_sub(2)?, ..self })
    }

    fn divided(self, power: u128, rounding: Rounding) -> Option<u128> {
        let (quotient, rest) = (self.low / power, self.low % power);
        let half = power / 2;
        if self.spread == 0 {
            let up = rounding.goes_up(rest.cmp(&half), quotient % 2 != 0);
            return Some(quotient + u128::from(up));
        }
        let most = rest + self.spread;
        match (most < half, rest > half && most < power + half) {
            (true, _) => Some(quotient),
            (_, true) => Some(quotient + 1),
            _ => None,
        }
    }

    /// The number with at most [`SHORT`] bits.
    fn shortened(self) -> Option<Self> {
        if bits(self.low) <= SHORT {
            return Some(self);
        }
        let dropped = digits_to_drop(bits(self.low), SHORT);
        let power = 10u128.checked_pow(dropped)?;
        let spread = (self.low % power + self.spread).div_ceil(power);
        let scale = self.scale.checked_sub(i32::try_from(dropped).ok()?)?;
        Some(Self { low: self.low / power, spread, scale })
    }
}

fn bits(number: u128) -> u32 {
    u128::BITS - number.leading_zeros()
}

/// How many decimal digits make a number of `length` bits have at most `wanted`.
fn digits_to_drop(length: u32, wanted: u32) -> u32 {
    (length.saturating_sub(wanted) * 30_103).div_ceil(100_000)
}

/// The product of a number of at most [`LONG`] bits and one of at most [`SHORT`], cut to [`LONG`] bits: what is left of it,
/// the rest that was cut off, and how many digits that were.
fn product(long: u128, short: u128) -> (u128, u128, u32) {
    const LOW: u128 = u64::MAX as u128;
    let low = (long & LOW) * short;
    let high = (long >> 64) * short + (low >> 64);
    let length = if high == 0 { bits(low) } else { 64 + bits(high) };
    if length <= LONG {
        return ((high << 64) | (low & LOW), 0, 0);
    }
    let dropped = digits_to_drop(length, LONG);
    let power = 10u128.pow(dropped);
    let rest = ((high % power) << 64) | (low & LOW);
    (((high / power) << 64) + rest / power, rest % power, dropped)
}

#[cfg(test)]
impl Enclosure {
    /// Whether the number can be this one.
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
