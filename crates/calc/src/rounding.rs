//! Rounding, done once at the end of a calculation, and the decimals that come of it.

use std::cmp::Ordering;

use lastro_model::Decimal;

/// Which way exactly half goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the even neighbour, as all that is derived from series.
    HalfEven,
    /// Away from zero, as money and factors of calculations.
    HalfUp,
}

impl Rounding {
    /// Whether a quotient grows by one, by how its remainder compares with half of the divisor.
    pub(crate) fn goes_up(self, to_half: Ordering, quotient_is_odd: bool) -> bool {
        match to_half {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => self == Self::HalfUp || quotient_is_odd,
        }
    }
}

/// How many digits index numbers, means, logarithms and derived exchange rates have.
pub(crate) const SIGNIFICANT: i32 = 8;

/// The decimal of these digits, `scale` of them behind the point (below zero: so many noughts follow), if there is one.
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

/// The digits of a value with so many behind the point, if it has no more than these.
pub(crate) fn digits(value: Decimal, scale: u32) -> Option<i128> {
    let missing = scale.checked_sub(value.scale())?;
    value.mantissa().checked_mul(10i128.checked_pow(missing)?)
}

/// The sum of values with all their digits, if it has not too many of them.
pub(crate) fn sum(values: impl Iterator<Item = Decimal> + Clone) -> Option<Decimal> {
    let scale = values.clone().map(|value| value.scale()).max().unwrap_or(0);
    let mut total = 0i128;
    for value in values {
        total = total.checked_add(digits(value, scale)?)?;
    }
    decimal(total, i32::try_from(scale).ok()?)
}
