//! Daily rates accumulated from a day to another, as B3 does it for the CDI: the first day in, the last day out.

use lastro_model::{Day, Decimal, RatePoint, Series, calendar};
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use crate::annual_rate;
use crate::calculation::{CalcError, Calculation, Step, check_amount, one};
use crate::chain::{Factor, Product};
use crate::currency::conversion;
use crate::rounding::{Rounding, decimal, digits};
use crate::words::words;

words! {
    /// What is accumulated.
    Rate {
        /// Deposits between banks: from the rate per year, by the rules of B3.
        Cdi = "cdi",
        /// The rate of the central bank's system: the product of its daily rates.
        Selic = "selic",
    }
}

impl Rate {
    /// The series whose rows it is calculated with.
    pub const fn series(self) -> Series {
        match self {
            Self::Cdi => Series::Cdi,
            Self::Selic => Series::SelicDaily,
        }
    }
}

/// How many decimals a part of the rate, such as 112.5 % of it, can have.
const RATE_PERCENT_DECIMALS: u32 = 4;
/// Factors of the CDI are cut after so many decimals at every step.
const UNIT: u128 = 10u128.pow(16);

/// What an amount comes to from `from`, counted, to `to`, not counted, at `rate_percent` percent of each day's rate. `rows`
/// are those of [`Rate::series`], the oldest first.
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

/// The row of every business day of the period, if none is missing.
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

/// The rate per day with eight decimals, a part of it added to one, and the product cut after sixteen decimals each day.
fn by_the_rules_of_b3(rows: &[RatePoint], part: i128) -> Option<Vec<Step>> {
    let mut per_day = PerDay::default();
    let mut product = UNIT;
    let mut steps = Vec::with_capacity(rows.len());
    for row in rows {
        // Eight decimals of the rate, four of the part and two of its percent: fourteen, so that nothing is cut here.
        let daily = i128::try_from(UNIT)
            .ok()?
            .checked_add(per_day.of(row.value)?.checked_mul(part)?.checked_mul(100)?)?;
        product = cut_product(product, u128::try_from(daily).ok()?)?;
        // Half up, to eight decimals.
        let shown = product.checked_add(50_000_000)? / 100_000_000;
        let factor = decimal(i128::try_from(shown).ok()?, 8)?;
        steps.push(Step { day: row.day, value: row.value, factor });
    }
    Some(steps)
}

/// The product of two numbers of sixteen decimals, cut after sixteen.
fn cut_product(a: u128, b: u128) -> Option<u128> {
    match a.checked_mul(b) {
        Some(product) => Some(product / UNIT),
        None => (BigInt::from(a) * b / UNIT).to_u128(),
    }
}

/// The rates per day of the rates per year that occurred. A rate stays for weeks, and few come back after others.
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

/// The product of one and a part of each rate, with all its digits.
fn by_product(rows: &[RatePoint], part: i128) -> Option<Vec<Step>> {
    let factors: Vec<Option<Factor>> = rows.iter().map(|row| part_of_day(row.value, part)).collect();
    let mut product = Product::before(&factors, 0);
    let step = |(place, row): (usize, &RatePoint)| {
        product.extend_to(place + 1);
        Some(Step { day: row.day, value: row.value, factor: product.rounded(8, Rounding::HalfUp)? })
    };
    rows.iter().enumerate().map(step).collect()
}

/// One and `part` ten-thousandths of a percent of so many percent.
fn part_of_day(percent: Decimal, part: i128) -> Option<Factor> {
    // Two decimals for each percent, and those of the part.
    let scale = percent.scale() + 4 + RATE_PERCENT_DECIMALS;
    let digits = 10i128.checked_pow(scale)?.checked_add(percent.mantissa().checked_mul(part)?)?;
    u128::try_from(digits).ok().filter(|digits| *digits > 0).map(|digits| Factor { digits, scale })
}
