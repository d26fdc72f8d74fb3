//! Rounding, done once at the end of a calculation, and conversion to decimals.

use std::cmp::Ordering;

use lastro_model::Decimal;

/// The direction in which an exact half is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the even neighbour, for values derived from series.
    HalfEven,
    /// Away from zero, for money and factors of calculations.
    HalfUp,
}

impl Rounding {
    /// Whether a quotient is rounded up, from the comparison of its remainder with half of the divisor.
    pub(crate) fn goes_up(self, to_half: Ordering, quotient_is_odd: bool) -> bool {
        match to_half {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => self == Self::HalfUp || quotient_is_odd,
        }
    }
}

/// Number of significant digits of index numbers, means, logarithms and derived exchange rates.
pub(crate) const SIGNIFICANT: i32 = 8;

/// The decimal of these digits, `scale` of them after the decimal point (if negative: that many zeros follow), if it
/// fits.
pub(crate) fn decimal(mut digits: i128, mut scale: i32) -> Option<Decimal> {
    while scale > 28 && digits % 10 == 0 {
        (digits, scale) = (digits / 10, scale - 1);
    }
    if scale < 0 {
        let noughts = 10i128.checked_pow(scale.unsigned_abs())?;
        (digits, scale) = (digits.checked_mul(noughts)?, 0);
    }
    Decimal::try_from_i128_with_scale(digits, u32::try_from(scale).ok()?).ok()
}

/// The decimal of eight significant digits. Rounding up may have made nine of them, the last one a zero.
pub(crate) fn significant_decimal(digits: i128, scale: i32) -> Option<Decimal> {
    let one_more = digits.unsigned_abs() == 10u128.pow(SIGNIFICANT.unsigned_abs()) && scale > 0;
    if one_more { decimal(digits / 10, scale - 1) } else { decimal(digits, scale) }
}

/// The digits of a value with `scale` decimals, if it has no more than these.
pub(crate) fn digits(value: Decimal, scale: u32) -> Option<i128> {
    let missing = scale.checked_sub(value.scale())?;
    value.mantissa().checked_mul(10i128.checked_pow(missing)?)
}

/// The exact sum of values, if it fits.
pub(crate) fn sum(values: impl Iterator<Item = Decimal> + Clone) -> Option<Decimal> {
    let scale = values.clone().map(|value| value.scale()).max().unwrap_or(0);
    let mut total = 0i128;
    for value in values {
        total = total.checked_add(digits(value, scale)?)?;
    }
    decimal(total, i32::try_from(scale).ok()?)
}
