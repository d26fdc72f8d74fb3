//! Decides whether parsed data may replace the stored data. Pure functions, called between parsing and storing.
//!
//! Data can be well-formed and still wrong: half a file, days and months swapped, a decimal point lost. Errors of the
//! whole are refused: the last good edition stays in service, and the reason is shown. Single wrong points are left
//! out by a [`review`], and the rest goes in. Each check is independent; the caller applies those that fit the
//! source.

mod measure;
mod review;

use lastro_model::{Day, Frequency};

pub use review::{Doubted, Judged, Review, review};

/// The reason why parsed data must not replace the stored data, as a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// Refuses an empty file or history.
pub fn empty(rows: u64) -> Result<(), Refusal> {
    if rows == 0 { Err(Refusal("it has no rows".to_owned())) } else { Ok(()) }
}

/// Refuses the loss of more than one row in twenty: publishers add and correct rows, but rarely remove them.
pub fn lost_rows(before: u64, after: u64) -> Result<(), Refusal> {
    if u128::from(after) * 100 < u128::from(before) * 95 {
        return Err(Refusal(format!("it has {after} rows where {before} were held: more than 5 % are lost")));
    }
    Ok(())
}

/// Fewer missing rows are single corrections: in the first days of a year an archive has few others.
const ENOUGH_MISSING_ROWS: u64 = 10;

/// Refuses a file that lacks more than one in twenty of the rows in service that it listed, however many others it has.
pub fn missing_rows(held: u64, missing: u64) -> Result<(), Refusal> {
    if missing >= ENOUGH_MISSING_ROWS && u128::from(missing) * 100 > u128::from(held) * 5 {
        return Err(Refusal(format!(
            "{missing} of the {held} stored rows are missing from it: more than 5 % are lost"
        )));
    }
    Ok(())
}

/// Fewer rows of the future are single errors: in the first days of a year an archive has few others.
const ENOUGH_FUTURE_ROWS: u64 = 50;

/// Refuses an archive of filings most of which have not been delivered yet: then its days are not what they seem.
pub fn future_deliveries(future: u64, rows: u64) -> Result<(), Refusal> {
    if future >= ENOUGH_FUTURE_ROWS && future > rows {
        return Err(Refusal(format!("{future} of its {} rows are delivered in the future", future + rows)));
    }
    Ok(())
}

/// With fewer days the pattern is not conclusive.
const ENOUGH_DAYS: usize = 30;
const ENOUGH_MONTHS: usize = 3;

/// Refuses swapped days and months: only days up to the twelfth survive, and a monthly series lands entirely in
/// January.
pub fn day_month_flip(frequency: Frequency, days: &[Day]) -> Result<(), Refusal> {
    let flipped = match frequency {
        Frequency::CalendarDays | Frequency::BusinessDays => {
            days.len() >= ENOUGH_DAYS && days.iter().all(|day| day.day_of_month() <= 12)
        }
        Frequency::Months => {
            days.len() >= ENOUGH_MONTHS
                && days.iter().all(|day| day.month() == 1)
                && days.iter().any(|day| day.day_of_month() != 1)
        }
        // The first of January reads the same either way.
        Frequency::Years => false,
    };
    if flipped {
        return Err(Refusal(format!("its {} days look like days and months swapped", days.len())));
    }
    Ok(())
}
