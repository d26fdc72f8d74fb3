//! Natural logarithms to eight significant digits, half to even.
//!
//! No logarithm of a fraction other than one is a fraction, so none lies half way between two decimals: with bits enough
//! the bounds always round to the same.

use lastro_model::Decimal;
use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, Zero as _};

use crate::fraction::Fraction;

/// Bits behind the point: first as many as mostly suffice. The last are more than any two decimals of 28 digits need.
const PRECISIONS: [u64; 4] = [72, 160, 320, 640];

/// The logarithm of a fraction above zero.
pub(crate) fn significant(of: &Fraction<BigInt>) -> Option<Decimal> {
    if of.numerator == of.denominator {
        return Some(Decimal::ZERO);
    }
    PRECISIONS.into_iter().find_map(|bits| {
        let (near, error) = natural(of, bits);
        let bound = |number: BigInt| Fraction::new(number, BigInt::one() << bits)?.significant();
        let (low, high) = (bound(&near - &error)?, bound(near + error)?);
        (low == high).then_some(low)
    })
}

/// The logarithm times two to so many bits, and how far off that can be.
fn natural(of: &Fraction<BigInt>, bits: u64) -> (BigInt, BigInt) {
    // A power of two is taken out, so that the rest is from a half to two.
    let length = |number: &BigInt| i64::try_from(number.bits()).unwrap_or(i64::MAX);
    let doublings = length(&of.numerator) - length(&of.denominator);
    let (mut numerator, mut denominator) = (of.numerator.clone(), of.denominator.clone());
    if doublings > 0 {
        denominator <<= doublings.unsigned_abs();
    } else {
        numerator <<= doublings.unsigned_abs();
    }
    let (rest, rest_terms) = inverse_tangent(&(&numerator - &denominator), &(numerator + denominator), bits);
    let (two, two_terms) = inverse_tangent(&BigInt::one(), &BigInt::from(3), bits);
    let doubled = BigInt::from(2) * (rest + two * doublings);
    // Each term is cut twice, by less than one each time; the terms that were left out are less than one together.
    let error = (rest_terms + 1) + (two_terms + 1) * doublings.unsigned_abs();
    (doubled, BigInt::from(error) * 8)
}

/// The inverse hyperbolic tangent of a fraction of at most a third, times two to so many bits; and of how many terms.
fn inverse_tangent(numerator: &BigInt, denominator: &BigInt, bits: u64) -> (BigInt, u64) {
    let mut power = (numerator << bits) / denominator;
    let square = (&power * &power) >> bits;
    let (mut sum, mut terms) = (BigInt::zero(), 0u64);
    while !power.is_zero() && power.abs() > BigInt::one() {
        sum += &power / (2 * terms + 1);
        power = (power * &square) >> bits;
        terms += 1;
    }
    (sum, terms)
}
