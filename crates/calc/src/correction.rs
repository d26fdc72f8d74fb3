//! Monetary correction by a price index, by the method of the central bank's calculator: from the first to the last
//! month, both included.

use lastro_model::{About, Decimal, Frequency, Kind, RatePoint, Series, Topic};

use crate::calculation::{CalcError, Calculation, chained, check_amount};
use crate::currency::conversion;
use crate::month::Month;

/// The index as announced with two decimals, and the same index with all decimals: the central bank's calculator has
/// used the latter for all periods since 2021-04-12.
pub(crate) const ANNOUNCED: Series = Series::Igpm;
pub(crate) const WITH_ALL_DECIMALS: Series = Series::IgpmExact;

/// The series that provides the rows for an index.
pub fn calculated_with(index: Series) -> Series {
    if index == ANNOUNCED { WITH_ALL_DECIMALS } else { index }
}

/// Whether amounts can be corrected by this series.
pub fn is_price_index(about: &About) -> bool {
    about.topic == Topic::Prices
        && about.kind == Kind::RatePerMonth
        && about.frequency == Frequency::Months
        && about.chains
}

/// Corrects an amount from the first day of `from` to the last day of `to`. `rows` are those of [`calculated_with`],
/// oldest first; `index` is named in errors.
pub fn correction(
    index: &About,
    rows: &[RatePoint],
    from: Month,
    to: Month,
    amount: Decimal,
) -> Result<Calculation, CalcError> {
    check_amount(amount)?;
    if !is_price_index(index) {
        return Err(CalcError::NotAPriceIndex(index.id));
    }
    if from > to {
        return Err(CalcError::Reversed);
    }
    let rows = months(index, rows, from, to)?;
    let conversion = conversion(from.first_day(), to.last_day())
        .ok_or(CalcError::MissingMonth { series: index.id, month: from })?;
    let receipt = chained(rows).ok_or(CalcError::TooLarge)?;
    let factor = receipt.last().ok_or(CalcError::TooLarge)?.factor;
    Calculation::new(amount, factor, conversion, receipt)
}

/// The rows of a period; an error if one is missing.
pub(crate) fn months<'a>(
    index: &About,
    rows: &'a [RatePoint],
    from: Month,
    to: Month,
) -> Result<&'a [RatePoint], CalcError> {
    let start = rows.partition_point(|row| row.day < from.first_day());
    let (mut month, mut end) = (from, start);
    loop {
        if rows.get(end).is_none_or(|row| row.day != month.first_day()) {
            return Err(CalcError::MissingMonth { series: index.id, month });
        }
        end += 1;
        if month == to {
            return Ok(&rows[start..end]);
        }
        month = month.next();
    }
}
