//! Amounts in minimum wages, and the reverse.

use lastro_model::{Decimal, RatePoint, Series};

use crate::calculation::{CalcError, check_amount, first_month_of_the_real, money, row_of};
use crate::fraction::Fraction;
use crate::month::Month;
use crate::rounding::Rounding;

/// Decimals of a number of wages.
const DECIMALS: u32 = 4;
const MOST_WAGES: i64 = 1_000_000_000;

/// The known side: an amount of money, or a number of wages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WageQuestion {
    Amount(Decimal),
    Wages(Decimal),
}

/// An amount of money and the same in minimum wages of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinimumWages {
    pub wage: Decimal,
    /// With two decimals, half up.
    pub amount: Decimal,
    /// With four decimals, half up.
    pub wages: Decimal,
}

/// Converts by the minimum wage of a month. `rows` are those of the wage, oldest first.
pub fn minimum_wages(
    rows: &[RatePoint],
    month: Month,
    question: WageQuestion,
) -> Result<MinimumWages, CalcError> {
    if month < first_month_of_the_real() {
        return Err(CalcError::MonthTooEarly(first_month_of_the_real()));
    }
    let wage = row_of(rows, Series::MinimumWage.about(), month)?.value;
    match question {
        WageQuestion::Amount(amount) => {
            check_amount(amount)?;
            let wages =
                || Fraction::<i128>::of(amount)?.over(&Fraction::of(wage)?)?.rounded(4, Rounding::HalfUp);
            Ok(MinimumWages { wage, amount, wages: wages().ok_or(CalcError::TooLarge)? })
        }
        WageQuestion::Wages(wages) => {
            let good =
                wages > Decimal::ZERO && wages <= Decimal::from(MOST_WAGES) && wages.scale() <= DECIMALS;
            let amount = if good { money(wages, wage, 1)? } else { return Err(CalcError::Wages) };
            Ok(MinimumWages { wage, amount, wages })
        }
    }
}
