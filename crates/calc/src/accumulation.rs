//! Daily rates accumulated between two days, by B3's method for the CDI: the first day is included, the last is not.

use lastro_model::{Day, Decimal, RatePoint, Series, api_words, calendar};
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use crate::annual_rate;
use crate::calculation::{CalcError, Calculation, Step, check_amount, one};
use crate::currency::conversion;
use crate::product::{Factor, Product};
use crate::rounding::{Rounding, decimal, digits};

api_words! {
    /// The rate to accumulate.
    Rate {
        /// The interbank deposit rate: from the rate per year, by the rules of B3.
        Cdi = "cdi",
        /// The rate of the central bank's Selic system: the product of its daily rates.
        Selic = "selic",
    }
}

impl Rate {
    /// The series that it is calculated from.
    pub const fn series(self) -> Series {
        match self {
            Self::Cdi => Series::Cdi,
            Self::Selic => Series::SelicDaily,
        }
    }
}

/// Most decimals of a percentage of the rate, such as 112.5 %.
const RATE_PERCENT_DECIMALS: u32 = 4;
/// CDI factors are truncated to sixteen decimals at every step.
const UNIT: u128 = 10u128.pow(16);

/// Accumulates an amount from `from` (inclusive) to `to` (exclusive) at `rate_percent` percent of each day's rate.
/// `rows` are those of [`Rate::series`], oldest first.
pub fn accumulation(
    rate: Rate,
    rows: &[RatePoint],
    from: Day,
    to: Day,
    rate_percent: Decimal,
    amount: Decimal,
) -> Result<Calculation, CalcError> {
    check_amount(amount)?;
    let part = part_of_rate(rate_percent)?;
    check_days(from, to)?;
    let rows = business_days(rate, rows, from, to)?;
    let receipt = match rate {
        Rate::Cdi => by_the_rules_of_b3(&rows, part),
        Rate::Selic => by_product(&rows, part),
    };
    let receipt = receipt.ok_or(CalcError::TooLarge)?;
    let factor = receipt.last().map_or_else(one, |step| step.factor);
    let conversion = conversion(from, to).ok_or(CalcError::TooLarge)?;
    Calculation::new(amount, factor, conversion, receipt)
}

/// The percentage in ten-thousandths.
fn part_of_rate(rate_percent: Decimal) -> Result<i128, CalcError> {
    let bounds = rate_percent > Decimal::ZERO && rate_percent <= Decimal::from(1_000);
    let part = digits(rate_percent, RATE_PERCENT_DECIMALS).filter(|_| bounds);
    part.ok_or(CalcError::RatePercent)
}

fn check_days(from: Day, to: Day) -> Result<(), CalcError> {
    let new_year = |year| Day::from_ymd(year, 1, 1).unwrap_or(from);
    let (first, end) = (new_year(*calendar::YEARS.start()), new_year(calendar::YEARS.end() + 1));
    match () {
        () if from > to => Err(CalcError::Reversed),
        () if from < first => Err(CalcError::TooEarly(first)),
        () if to >= end => Err(CalcError::TooLate(end.plus_days(-1))),
        () => Ok(()),
    }
}

/// The row of every business day of the period; an error if one is missing.
fn business_days(rate: Rate, rows: &[RatePoint], from: Day, to: Day) -> Result<Vec<RatePoint>, CalcError> {
    let mut held = rows[rows.partition_point(|row| row.day < from)..].iter().peekable();
    let mut used = Vec::new();
    let mut next = calendar::shift(from, 0).filter(|day| *day < to);
    while let Some(day) = next {
        while held.next_if(|row| row.day < day).is_some() {}
        let row = held.next_if(|row| row.day == day);
        used.push(*row.ok_or(CalcError::MissingDay { series: rate.series().about().id, day })?);
        next = calendar::next_business_day(day).filter(|day| *day < to);
    }
    Ok(used)
}

/// Accumulates by B3's rules: the daily rate with eight decimals, one plus a part of it, and the product truncated to
/// sixteen decimals each day.
fn by_the_rules_of_b3(rows: &[RatePoint], part: i128) -> Option<Vec<Step>> {
    let mut per_day = PerDay::default();
    let mut product = UNIT;
    let mut steps = Vec::with_capacity(rows.len());
    for row in rows {
        // Eight decimals of the rate, four of the part and two of its percent: fourteen, so nothing is truncated
        // here.
        let daily = i128::try_from(UNIT)
            .ok()?
            .checked_add(per_day.of(row.value)?.checked_mul(part)?.checked_mul(100)?)?;
        product = cut_product(product, u128::try_from(daily).ok()?)?;
        // Half up to eight decimals.
        let shown = product.checked_add(50_000_000)? / 100_000_000;
        let factor = decimal(i128::try_from(shown).ok()?, 8)?;
        steps.push(Step { day: row.day, value: row.value, factor });
    }
    Some(steps)
}

/// The product of two numbers of sixteen decimals, truncated to sixteen.
fn cut_product(a: u128, b: u128) -> Option<u128> {
    match a.checked_mul(b) {
        Some(product) => Some(product / UNIT),
        None => (BigInt::from(a) * b / UNIT).to_u128(),
    }
}

/// Cache of daily rates by annual rate. A rate stays for weeks, and few recur after others.
#[derive(Default)]
struct PerDay(Vec<(Decimal, i128)>);

impl PerDay {
    fn of(&mut self, percent_per_year: Decimal) -> Option<i128> {
        let known = self.0.iter().rev().find(|(percent, _)| *percent == percent_per_year);
        if let Some((_, per_day)) = known {
            return Some(*per_day);
        }
        let per_day = annual_rate::per_day(percent_per_year)?;
        self.0.push((percent_per_year, per_day));
        Some(per_day)
    }
}

/// Multiplies one plus a part of each rate, with all digits.
fn by_product(rows: &[RatePoint], part: i128) -> Option<Vec<Step>> {
    let factors: Vec<Option<Factor>> = rows.iter().map(|row| part_of_day(row.value, part)).collect();
    let mut product = Product::before(&factors, 0);
    let step = |(place, row): (usize, &RatePoint)| {
        product.extend_to(place + 1);
        Some(Step { day: row.day, value: row.value, factor: product.rounded(8, Rounding::HalfUp)? })
    };
    rows.iter().enumerate().map(step).collect()
}

/// One plus `part` ten-thousandths of a percent of `percent` percent.
fn part_of_day(percent: Decimal, part: i128) -> Option<Factor> {
    // Two decimals for each percent, plus those of the part.
    let scale = percent.scale() + 4 + RATE_PERCENT_DECIMALS;
    let digits = 10i128.checked_pow(scale)?.checked_add(percent.mantissa().checked_mul(part)?)?;
    u128::try_from(digits).ok().filter(|digits| *digits > 0).map(|digits| Factor { digits, scale })
}
