//! May this reading replace what we have? Pure decisions, asked by the server between reading and storing.
//!
//! A reading can be well formed and still be wrong: half a file, days and months swapped, a decimal point lost. What is wrong with
//! the whole is refused: the last good edition stays in service, and a person is told why. What is wrong with single points is
//! left out by a [`review`], and the rest goes in. Each question stands alone; the server asks those that fit the source.

mod measure;
mod review;

use lastro_model::{Day, Frequency};

pub use review::{Doubted, Judged, Review, review};

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
