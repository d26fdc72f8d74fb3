//! Legal interest (article 406 of the civil code, as amended by Law 14,905 of 2024): simple interest, the sum of the
//! monthly rates, with partial months by calendar days.

use jiff::civil::{Date, date};
use lastro_model::{Day, Decimal, RatePoint, Series};

use crate::calculation::{CalcError, Calculation, Step, check_amount, one, row_of};
use crate::currency::conversion;
use crate::fraction::Fraction;
use crate::month::Month;
use crate::rounding::{Rounding, digits};

const FIRST: Date = date(2024, 8, 30);

/// A multiple of 28, 29, 30 and 31: with this denominator the parts of all months are whole numbers.
const PARTS: i128 = 4 * 3 * 5 * 7 * 29 * 31;

/// Most decimals supported; the published rate has six.
const DECIMALS: u32 = 12;

/// Adds interest to an amount from `from` (inclusive) to `to` (exclusive). `rows` are those of the legal rate, oldest
/// first.
pub fn legal_interest(
    rows: &[RatePoint],
    from: Day,
    to: Day,
    amount: Decimal,
) -> Result<Calculation, CalcError> {
    check_amount(amount)?;
    if from > to {
        return Err(CalcError::Reversed);
    }
    if from < first_day() {
        return Err(CalcError::TooEarly(first_day()));
    }
    let step = |(row, sum): (RatePoint, i128)| {
        let factor = factor(sum).ok_or(CalcError::TooLarge)?;
        Ok(Step { day: row.day, value: row.value, factor })
    };
    let receipt: Vec<Step> = sums(rows, from, to)?.into_iter().map(step).collect::<Result<_, _>>()?;
    let factor = receipt.last().map_or_else(one, |step| step.factor);
    let conversion = conversion(from, to).ok_or(CalcError::TooLarge)?;
    Calculation::new(amount, factor, conversion, receipt)
}

/// The first day on which the rate is in force.
pub(crate) fn first_day() -> Day {
    Day::from(FIRST)
}

/// The interest of a period in percent, with all digits, and the rows that it was computed from.
pub(crate) fn percent(
    rows: &[RatePoint],
    from: Day,
    to: Day,
) -> Result<(Fraction<i128>, Vec<RatePoint>), CalcError> {
    let sums = sums(rows, from, to)?;
    let sum = sums.last().map_or(0, |(_, sum)| *sum);
    let percent = Fraction::new(sum, 10i128.pow(DECIMALS) * PARTS).ok_or(CalcError::TooLarge)?;
    Ok((percent, sums.into_iter().map(|(row, _)| row).collect()))
}

/// The rate of each month of the period, with the sum by its end, scaled by [`PARTS`] and [`DECIMALS`].
fn sums(rows: &[RatePoint], from: Day, to: Day) -> Result<Vec<(RatePoint, i128)>, CalcError> {
    let mut sums = Vec::new();
    let (mut month, mut sum) = (Month::of(from), 0i128);
    while month.first_day().max(from) < to {
        let row = row_of(rows, Series::LegalRate.about(), month)?;
        sum = part(row.value, month, from, to)
            .and_then(|part| sum.checked_add(part))
            .ok_or(CalcError::TooLarge)?;
        sums.push((row, sum));
        month = month.next();
    }
    Ok(sums)
}

/// The rate of a month for its days within the period, scaled by [`PARTS`] and [`DECIMALS`].
fn part(percent: Decimal, month: Month, from: Day, to: Day) -> Option<i128> {
    let (first, end) = (month.first_day().max(from), month.next().first_day().min(to));
    let days = i128::from(end.number() - first.number());
    let parts = PARTS / i128::from(month.days());
    digits(percent, DECIMALS)?.checked_mul(days)?.checked_mul(parts)
}

/// One plus the accumulated rate, with eight decimals.
fn factor(sum: i128) -> Option<Decimal> {
    let hundred_percent = 10i128.pow(DECIMALS + 2).checked_mul(PARTS)?;
    let total = hundred_percent.checked_add(sum)?;
    Fraction::<i128>::new(total, hundred_percent)?.rounded(8, Rounding::HalfUp)
}
