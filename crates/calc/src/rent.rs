//! The yearly adjustment of a rent by a price index.

use lastro_model::{About, Decimal, RatePoint, api_words};

use crate::calculation::{CalcError, Calculation, first_month_of_the_real, one};
use crate::correction::correction;
use crate::month::Month;

const MONTHS: i32 = 12;

api_words! {
    /// The treatment of twelve months over which the index fell. Contracts differ, so the caller chooses.
    NegativeIndex {
        /// The rent falls with the index.
        Apply = "apply",
        /// The rent stays as it is.
        Ignore = "ignore",
    }
}

/// Adjusts a rent from `month` on by the twelve months before it. `rows` are those of the index, oldest first.
pub fn rent(
    index: &About,
    rows: &[RatePoint],
    month: Month,
    amount: Decimal,
    negative: NegativeIndex,
) -> Result<Calculation, CalcError> {
    let earliest = first_month_of_the_real().plus(MONTHS);
    if month < earliest {
        return Err(CalcError::MonthTooEarly(earliest));
    }
    let adjusted = correction(index, rows, month.plus(-MONTHS), month.previous(), amount)?;
    if adjusted.factor < Decimal::ONE && negative == NegativeIndex::Ignore {
        return adjusted.with_factor(amount, one());
    }
    Ok(adjusted)
}
