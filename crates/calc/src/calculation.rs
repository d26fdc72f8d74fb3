//! The parts common to all calculations: amount limits, result, receipt and errors.

use lastro_model::{Day, Decimal};
use num_bigint::BigInt;

use crate::currency::Conversion;
use crate::fraction::Fraction;
use crate::month::Month;
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
    #[error("`from` must not be after `to`")]
    Reversed,
    #[error("`index` must be a monthly price series; {0} is none")]
    NotAPriceIndex(&'static str),
    #[error("`from` must be {0} or later")]
    TooEarly(Day),
    #[error("`to` must be {0} or earlier")]
    TooLate(Day),
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
            Self::NotAPriceIndex(_) => "index",
            Self::TooLate(_) => "to",
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
            let amount = Fraction::<BigInt>::of(amount)?.times(&Fraction::of(factor)?)?;
            Some((percent, amount.over(&Fraction::of(conversion.divisor)?)?.rounded(2, Rounding::HalfUp)?))
        };
        let (percent, result) = shown(factor).ok_or(CalcError::TooLarge)?;
        let Conversion { from, to, divisor } = conversion;
        Ok(Self { factor, percent, result, currency_from: from, currency_to: to, divisor, receipt })
    }
}

/// The factor of an empty period.
pub(crate) fn one() -> Decimal {
    Decimal::new(100_000_000, 8)
}

pub(crate) fn check_amount(amount: Decimal) -> Result<(), CalcError> {
    let good = amount > Decimal::ZERO && amount <= Decimal::from(LARGEST_AMOUNT) && amount.scale() <= 2;
    if good { Ok(()) } else { Err(CalcError::Amount) }
}
