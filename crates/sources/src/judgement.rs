//! May this reading replace what we have? Pure decisions, asked by the server between reading and storing.
//!
//! A reading can be well formed and still be wrong: half a file, days and months swapped, a decimal point lost. A refusal leaves the
//! last good edition in service and tells a person why. Each question stands alone; the server asks those that fit the source.

use std::collections::HashMap;

use lastro_model::{Day, FxQuote, RatePoint};
use rust_decimal::Decimal;

use crate::Rhythm;

/// Why a reading must not replace what is held, as a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// A whole file or a whole history is never empty.
pub fn empty(rows: u64) -> Result<(), Refusal> {
    if rows == 0 { Err(Refusal("it has no rows".to_owned())) } else { Ok(()) }
}

/// The publishers add and correct rows but do not take back more than one in twenty.
pub fn lost_rows(before: u64, after: u64) -> Result<(), Refusal> {
    if u128::from(after) * 100 < u128::from(before) * 95 {
        return Err(Refusal(format!("it has {after} rows where {before} were held: more than 5 % are lost")));
    }
    Ok(())
}

/// Below this many days the shape of a calendar says nothing.
const ENOUGH_DAYS: usize = 30;
const ENOUGH_MONTHS: usize = 3;

/// Days written with the month first survive only up to the twelfth, and months of a monthly series all land in January.
pub fn day_month_flip(rhythm: Rhythm, days: &[Day]) -> Result<(), Refusal> {
    let flipped = match rhythm {
        Rhythm::Daily => days.len() >= ENOUGH_DAYS && days.iter().all(|day| day.day_of_month() <= 12),
        Rhythm::Monthly => {
            days.len() >= ENOUGH_MONTHS
                && days.iter().all(|day| day.month() == 1)
                && days.iter().any(|day| day.day_of_month() != 1)
        }
    };
    if flipped {
        return Err(Refusal(format!("its {} days look like days and months swapped", days.len())));
    }
    Ok(())
}

/// Rates may be corrected by so many percentage points without a question: near zero a factor means nothing.
const RATE_SLACK: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

/// A value that was published is corrected in its last digits, if at all; one that doubles, halves or turns its sign is a slip.
pub fn implausible_change(old: Decimal, new: Decimal, slack: Decimal) -> bool {
    let (small, large) = if old.abs() < new.abs() { (old, new) } else { (new, old) };
    let apart = old.checked_sub(new).is_none_or(|difference| difference.abs() > slack);
    let doubled = small.checked_mul(Decimal::TWO).is_none_or(|twice| twice.abs() < large.abs());
    apart && (doubled || old.is_sign_negative() != new.is_sign_negative())
}

/// Compares the days that both hold; neither needs an order.
pub fn implausible_rates(held: &[RatePoint], new: &[RatePoint]) -> Result<(), Refusal> {
    let held: HashMap<Day, Decimal> = held.iter().map(|point| (point.day, point.value)).collect();
    for point in new {
        if let Some(&old) = held.get(&point.day)
            && implausible_change(old, point.value, RATE_SLACK)
        {
            return Err(changed(point.day, old, point.value));
        }
    }
    Ok(())
}

/// Compares the days and pairs that both hold; neither needs an order.
pub fn implausible_quotes(held: &[FxQuote], new: &[FxQuote]) -> Result<(), Refusal> {
    let held: HashMap<_, _> = held.iter().map(|quote| ((quote.pair, quote.day), quote)).collect();
    for quote in new {
        let Some(old) = held.get(&(quote.pair, quote.day)) else { continue };
        for (old, new) in [(old.buy, quote.buy), (old.sell, quote.sell)] {
            if implausible_change(old, new, Decimal::ZERO) {
                return Err(changed(quote.day, old, new));
            }
        }
    }
    Ok(())
}

fn changed(day: Day, old: Decimal, new: Decimal) -> Refusal {
    Refusal(format!("its value of {day} is {new} where {old} was published: an implausible change"))
}
