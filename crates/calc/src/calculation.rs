//! The parts common to all calculations: amount limits, result, receipt and errors.

use jiff::civil::date;
use lastro_model::{About, Day, Decimal, RatePoint};
use num_bigint::BigInt;

use crate::currency::{Conversion, conversion};
use crate::fraction::Fraction;
use crate::month::Month;
use crate::product::{Factor, Product};
use crate::rounding::{Rounding, decimal, digits};

/// The largest amount: 10^15.
const LARGEST_AMOUNT: i64 = 1_000_000_000_000_000;

/// The reason why a calculation is rejected, as a sentence for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalcError {
    #[error(
        "`amount` must be a decimal number above 0 and up to 1000000000000000 with at most 2 decimals, such as 1000.50"
    )]
    Amount,
    #[error(
        "`rate_percent` must be a decimal number above 0 and up to 1000 with at most 4 decimals, such as 110.5"
    )]
    RatePercent,
    #[error("`{0}` must be a decimal number from 0 to 100 with at most 4 decimals, such as 10.5")]
    Percent(&'static str),
    #[error(
        "`wages` must be a decimal number above 0 and up to 1000000000 with at most 4 decimals, such as 1.5"
    )]
    Wages,
    #[error("`from` must not be after `to`")]
    Reversed,
    #[error("`index` must be a monthly price series; {0} is none")]
    NotAPriceIndex(&'static str),
    #[error("`from` must be {0} or later")]
    TooEarly(Day),
    #[error("`to` must be {0} or earlier")]
    TooLate(Day),
    #[error("`to` must be {0} or later")]
    ToTooEarly(Day),
    #[error("`month` must be {0} or later")]
    MonthTooEarly(Month),
    #[error("the period must be wholly published: {series} has no value for {month}")]
    MissingMonth { series: &'static str, month: Month },
    #[error("the period must be wholly published: {series} has no value for {day}")]
    MissingDay { series: &'static str, day: Day },
    #[error(
        "the values of the period cannot be calculated with: one is -100 % or less, or they are too large"
    )]
    TooLarge,
}

impl CalcError {
    /// The parameter at fault.
    pub fn parameter(&self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::RatePercent => "rate_percent",
            Self::Percent(name) => name,
            Self::Wages => "wages",
            Self::MonthTooEarly(_) => "month",
            Self::NotAPriceIndex(_) => "index",
            Self::TooLate(_) | Self::ToTooEarly(_) => "to",
            Self::Reversed
            | Self::TooEarly(_)
            | Self::MissingMonth { .. }
            | Self::MissingDay { .. }
            | Self::TooLarge => "from",
        }
    }
}

/// A line of the receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The day, or the first day of the month.
    pub day: Day,
    /// The published rate.
    pub value: Decimal,
    /// The accumulated factor up to here, with eight decimals.
    pub factor: Decimal,
}

/// The result of a calculation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calculation {
    /// The accumulated factor, with eight decimals.
    pub factor: Decimal,
    /// A hundred times the factor minus one, with six decimals.
    pub percent: Decimal,
    /// The amount times the displayed factor, divided by `divisor`, with two decimals, half up.
    pub result: Decimal,
    /// ISO codes, including historic ones.
    pub currency_from: &'static str,
    pub currency_to: &'static str,
    /// Units of the first currency per unit of the last.
    pub divisor: Decimal,
    /// Every month or day used, oldest first.
    pub receipt: Vec<Step>,
}

impl Calculation {
    pub(crate) fn new(
        amount: Decimal,
        factor: Decimal,
        conversion: Conversion,
        receipt: Vec<Step>,
    ) -> Result<Self, CalcError> {
        let shown = |factor| {
            let percent = decimal(digits(factor, 8)?.checked_sub(100_000_000)?, 6)?;
            Some((percent, converted(amount, factor, conversion.divisor)?))
        };
        let (percent, result) = shown(factor).ok_or(CalcError::TooLarge)?;
        let Conversion { from, to, divisor } = conversion;
        Ok(Self { factor, percent, result, currency_from: from, currency_to: to, divisor, receipt })
    }

    /// The same calculation with another factor, and the receipt as it is.
    pub(crate) fn with_factor(self, amount: Decimal, factor: Decimal) -> Result<Self, CalcError> {
        let Self { currency_from: from, currency_to: to, divisor, receipt, .. } = self;
        Self::new(amount, factor, Conversion { from, to, divisor }, receipt)
    }
}

/// The amount times the factor, divided by `divisor`, in cents, half up.
fn converted(amount: Decimal, factor: Decimal, divisor: Decimal) -> Option<Decimal> {
    let product = Fraction::<BigInt>::of(amount)?.times(&Fraction::of(factor)?)?;
    product.over(&Fraction::of(divisor)?)?.rounded(2, Rounding::HalfUp)
}

/// The amount of a line of a receipt with the currency of its day: `amount`, of the day `from`, times the factor up to
/// `day`, in cents, half up. The amount of the last line is the result.
pub fn running_amount(
    amount: Decimal,
    factor: Decimal,
    from: Day,
    day: Day,
) -> Option<(Decimal, &'static str)> {
    let conversion = conversion(from, day)?;
    Some((converted(amount, factor, conversion.divisor)?, conversion.to))
}

/// The receipt of rates that compound: the running factor after each of them.
pub(crate) fn chained(rows: &[RatePoint]) -> Option<Vec<Step>> {
    let factors: Vec<Option<Factor>> = rows.iter().map(|row| Factor::of_percent(row.value)).collect();
    let mut product = Product::before(&factors, 0);
    let step = |(place, row): (usize, &RatePoint)| {
        product.extend_to(place + 1);
        Some(Step { day: row.day, value: row.value, factor: product.rounded(8, Rounding::HalfUp)? })
    };
    rows.iter().enumerate().map(step).collect()
}

/// The row of a month; an error if it is missing. Rows are oldest first.
pub(crate) fn row_of(
    rows: &[RatePoint],
    about: &'static About,
    month: Month,
) -> Result<RatePoint, CalcError> {
    let place = rows.binary_search_by_key(&month.first_day(), |row| row.day);
    place.map(|place| rows[place]).map_err(|_| CalcError::MissingMonth { series: about.id, month })
}

/// The product of two numbers divided by `divisor`, in cents, half up.
pub(crate) fn money(amount: Decimal, factor: Decimal, divisor: u32) -> Result<Decimal, CalcError> {
    let product = || {
        Fraction::<i128>::of(amount)?.times(&Fraction::of(factor)?)?.by(divisor)?.rounded(2, Rounding::HalfUp)
    };
    product().ok_or(CalcError::TooLarge)
}

/// The factor of an empty period.
pub(crate) fn one() -> Decimal {
    Decimal::new(100_000_000, 8)
}

/// The first month of the real, before which people's calculations do not go.
pub(crate) fn first_month_of_the_real() -> Month {
    Month::of(Day::from(date(1994, 7, 1)))
}

pub(crate) fn check_amount(amount: Decimal) -> Result<(), CalcError> {
    let good = amount > Decimal::ZERO && amount <= Decimal::from(LARGEST_AMOUNT) && amount.scale() <= 2;
    if good { Ok(()) } else { Err(CalcError::Amount) }
}
