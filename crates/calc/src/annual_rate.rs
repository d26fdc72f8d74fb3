//! Conversion between rates per year of 252 business days and rates per day.

use std::cmp::Ordering;

use lastro_model::Decimal;
use num_bigint::BigInt;

use crate::fraction::power_of_ten;
use crate::product::{Factor, exact_product};
use crate::rounding::{Rounding, decimal};

/// Business days in a year, by convention.
const DAYS: u32 = 252;

/// The rate per day in hundred-millionths: (1 + `percent` / 100)^(1/252) − 1 with eight decimals.
///
/// The root is found by comparing powers, so that it is rounded exactly. It is never exactly half way between two
/// values: the 252nd power of such a number has more decimals than a rate can have.
pub(crate) fn per_day(percent: Decimal) -> Option<i128> {
    let year = Factor::of_percent(percent)?;
    // Counted in half hundred-millionths. The root of 1 + y is at most 1 + y/252 and at least 1 + y/(1 + y)/252.
    const ONE: i128 = 200_000_000;
    let (digits, one) = (i128::try_from(year.digits).ok()?, 10i128.checked_pow(year.scale)?);
    let above = digits.checked_sub(one)?.checked_mul(ONE)?;
    let mut low = ONE + above.div_euclid(digits.checked_mul(i128::from(DAYS))?) - 1;
    let mut high = ONE + above.div_euclid(one.checked_mul(i128::from(DAYS))?) + 2;
    low = low.max(0);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if power_exceeds(u128::try_from(middle).ok()?, year)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some((low + 1).div_euclid(2) - ONE / 2)
}

/// Whether `root` half hundred-millionths to the power of 252 exceed `year`.
fn power_exceeds(root: u128, year: Factor) -> Option<bool> {
    let root = Factor { digits: root.checked_mul(5)?, scale: 9 };
    let certain = || root.enclosed()?.power(DAYS)?.compare(year.digits, i32::try_from(year.scale).ok()?);
    let exact = || {
        let power = BigInt::from(root.digits).pow(DAYS) * power_of_ten::<BigInt>(year.scale)?;
        Some(power.cmp(&(BigInt::from(year.digits) * power_of_ten::<BigInt>(root.scale * DAYS)?)))
    };
    Some(certain().or_else(exact)? == Ordering::Greater)
}

/// The rate per year in percent, with two decimals, of a rate per day in percent.
pub(crate) fn per_year(percent_per_day: Decimal) -> Option<Decimal> {
    let day = Factor::of_percent(percent_per_day)?;
    let certain = || day.enclosed()?.power(DAYS)?.rounded(4, Rounding::HalfEven);
    let exact =
        || exact_product([day; DAYS as usize])?.rounded(4, Rounding::HalfEven)?.mantissa().try_into().ok();
    let digits: u128 = certain().or_else(exact)?;
    decimal(i128::try_from(digits).ok()?.checked_sub(10_000)?, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn published_rates_are_each_others_roots_and_powers() {
        for (year, day) in
            [("6.89", 26_444), ("13.65", 50_788), ("14.90", 55_131), ("4.40", 17_089), ("12.15", 45_513)]
        {
            let year: Decimal = year.parse().unwrap();
            assert_eq!(per_day(year), Some(day));
            assert_eq!(per_year(Decimal::new(i64::try_from(day).unwrap(), 6)), Some(year));
        }
        assert_eq!(per_day(Decimal::ZERO), Some(0));
        assert_eq!(per_day(Decimal::new(-100, 0)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// r is correct to eight decimals if the year lies between the powers of r minus and r plus half a unit.
        #[test]
        fn the_root_is_the_nearest(percent in -9_900i64..10_000_000, scale in 2..5u32) {
            let percent = Decimal::new(percent, scale);
            let root = per_day(percent).unwrap();
            let halves = |half: i128| BigInt::from(2 * (root + 100_000_000) + half).pow(DAYS) * BigInt::from(10).pow(scale + 2);
            let year = Factor::of_percent(percent).unwrap();
            let wanted = BigInt::from(year.digits) * BigInt::from(200_000_000).pow(DAYS);
            prop_assert!(halves(-1) <= wanted && wanted <= halves(1));
        }

        #[test]
        fn no_rate_panics(digits: i64, scale in 0..29u32) {
            let _ = (per_day(Decimal::new(digits, scale)), per_year(Decimal::new(digits / 1_000, scale)));
        }
    }
}
