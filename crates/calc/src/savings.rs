//! A savings deposit (caderneta de poupança): credited once a month, on the anniversary of the deposit.

use jiff::civil::{Date, date};
use lastro_model::{Day, Decimal, RatePoint, Series};

use crate::calculation::{CalcError, Calculation, chained, check_amount, first_month_of_the_real, one};
use crate::currency::conversion;
use crate::month::Month;

/// The last day of deposits that keep the old rule (Law 12,703 of 2012).
const LAST_OF_OLD_RULE: Date = date(2012, 5, 3);
/// Deposits of later days of a month count as of the first day of the next.
const LAST_ANNIVERSARY: i8 = 28;

/// The series with the returns of a deposit made on this day.
pub fn savings_series(deposit: Day) -> Series {
    if deposit <= Day::from(LAST_OF_OLD_RULE) { Series::SavingsOldDaily } else { Series::SavingsDaily }
}

/// Credits a deposit of `from` on each anniversary up to `to`, inclusive. `rows` are those of [`savings_series`], oldest
/// first; a line of the receipt is a month, under its first day.
pub fn savings(rows: &[RatePoint], from: Day, to: Day, amount: Decimal) -> Result<Calculation, CalcError> {
    check_amount(amount)?;
    if from > to {
        return Err(CalcError::Reversed);
    }
    if from < first_month_of_the_real().first_day() {
        return Err(CalcError::TooEarly(first_month_of_the_real().first_day()));
    }
    let rows = credited(rows, from, to)?;
    let receipt = chained(&rows).ok_or(CalcError::TooLarge)?;
    let factor = receipt.last().map_or_else(one, |step| step.factor);
    let conversion = conversion(from, to).ok_or(CalcError::TooLarge)?;
    Calculation::new(amount, factor, conversion, receipt)
}

/// The row of each month that ends within the period; an error if one is missing.
fn credited(rows: &[RatePoint], from: Day, to: Day) -> Result<Vec<RatePoint>, CalcError> {
    let series = savings_series(from).about().id;
    let mut day = first_anniversary(from);
    let mut used = Vec::new();
    loop {
        let next = day.minus_months(-1);
        // Equal only at the end of the calendar.
        if next > to || next == day {
            return Ok(used);
        }
        let place = rows.binary_search_by_key(&day, |row| row.day);
        used.push(place.map(|place| rows[place]).map_err(|_| CalcError::MissingDay { series, day })?);
        day = next;
    }
}

/// The day from which the first month counts.
fn first_anniversary(deposit: Day) -> Day {
    if deposit.day_of_month() <= LAST_ANNIVERSARY {
        return deposit;
    }
    Month::of(deposit).next().first_day()
}
