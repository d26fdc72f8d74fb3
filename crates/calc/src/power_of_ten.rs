//! Powers of ten in 128 bits, and division by them.
//!
//! A 128-bit division takes as long as ten multiplications. So the quotient is estimated by multiplying with a
//! precomputed reciprocal, and corrected by the remainder.

/// The largest exponent that fits: 10^38.
pub(crate) const LARGEST_POWER: u32 = 38;
const COUNT: usize = LARGEST_POWER as usize + 1;

const POWERS: [u128; COUNT] = {
    let mut powers = [1; COUNT];
    let mut place = 1;
    while place < COUNT {
        powers[place] = powers[place - 1] * 10;
        place += 1;
    }
    powers
};

/// Reciprocals: 2^(127 + bits of the power of ten), divided by it and truncated. Each is at least 2^127.
const RECIPROCALS: [u128; COUNT] = {
    let mut reciprocals = [0; COUNT];
    let mut place = 1;
    while place < COUNT {
        reciprocals[place] = reciprocal(POWERS[place]);
        place += 1;
    }
    reciprocals
};

/// Computes a reciprocal by long division, bit by bit.
const fn reciprocal(power: u128) -> u128 {
    let mut rest = 1 << (bits(power) - 1);
    let mut quotient = 0;
    let mut bit = 0;
    while bit < u128::BITS {
        rest *= 2;
        quotient *= 2;
        if rest >= power {
            rest -= power;
            quotient += 1;
        }
        bit += 1;
    }
    quotient
}

const fn bits(number: u128) -> u32 {
    u128::BITS - number.leading_zeros()
}

pub(crate) fn power_of_ten(exponent: u32) -> Option<u128> {
    POWERS.get(exponent as usize).copied()
}

/// Quotient and remainder of a division by ten to this power, which is at most [`LARGEST_POWER`].
pub(crate) fn divide(number: u128, exponent: u32) -> (u128, u128) {
    if exponent == 0 {
        return (number, 0);
    }
    let place = exponent as usize;
    let (Some(power), Some(reciprocal)) = (POWERS.get(place), RECIPROCALS.get(place)) else {
        return (0, number);
    };
    // Never above the true quotient, because of truncation, and at most two below it.
    let mut quotient = upper_half(number, *reciprocal) >> (bits(*power) - 1);
    let mut rest = number - quotient * power;
    while rest >= *power {
        (quotient, rest) = (quotient + 1, rest - power);
    }
    (quotient, rest)
}

/// Number of decimal digits.
pub(crate) fn length(number: u128) -> u32 {
    let least = (bits(number) * 1_233) >> 12;
    least + u32::from(power_of_ten(least).is_none_or(|power| number >= power))
}

/// The upper half of the product of two numbers.
fn upper_half(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let ((a1, a0), (b1, b0)) = ((a >> 64, a & LOW), (b >> 64, b & LOW));
    let (inner, outer) = (a1 * b0, a0 * b1);
    let carry = ((a0 * b0) >> 64) + (inner & LOW) + (outer & LOW);
    a1 * b1 + (inner >> 64) + (outer >> 64) + (carry >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn division_is_exact_at_the_extremes() {
        for exponent in 0..=LARGEST_POWER {
            let power = 10u128.pow(exponent);
            for number in
                [0, 1, power - 1, power, power + 1, u128::MAX - 1, u128::MAX, u128::MAX / power * power]
            {
                assert_eq!(divide(number, exponent), (number / power, number % power));
                assert_eq!(length(number.max(1)), number.max(1).ilog10() + 1);
            }
        }
    }

    proptest! {
        #[test]
        fn quotient_equals_plain_division(number: u128, shift in 0..128u32, exponent in 0..=LARGEST_POWER) {
            let (number, power) = (number >> shift, 10u128.pow(exponent));
            prop_assert_eq!(divide(number, exponent), (number / power, number % power));
            prop_assert_eq!(upper_half(number, 1 << 127), number >> 1);
            prop_assert_eq!(length(number.max(1)), number.max(1).ilog10() + 1);
        }
    }
}
