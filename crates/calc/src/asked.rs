//! How a series is asked for, and what is found out for every unit: the base, and the row of a year before.

use lastro_model::{About, Day, Decimal};

use crate::periods::{Aggregation, Period};
use crate::units::{Units, is_level};

/// How a series is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub units: Units,
    pub period: Option<(Period, Aggregation)>,
    /// The row that is 100 in `index`; without it the first one from `start` on.
    pub base: Option<Day>,
    /// The first day that `acc` accumulates from; without it the oldest row.
    pub start: Option<Day>,
}

/// A value that was computed. One that is too large to be written down, of some 10^22 and more, is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    pub day: Day,
    pub value: Decimal,
    /// The oldest row that the value was computed from.
    pub since: Day,
}

impl Asked {
    /// Why this cannot be asked of the series, whatever its rows are; none if it can.
    pub fn refusal(&self, about: &About) -> Option<String> {
        let aggregated = |(period, aggregation): (Period, Aggregation)| {
            period.refusal(about).or_else(|| aggregation.refusal(about))
        };
        self.period.and_then(aggregated).or_else(|| self.units.refusal_after(about, self.period))
    }

    /// Whether rows are put one after another, and not compared one by one.
    pub(crate) fn is_chained(&self, about: &About) -> bool {
        let aggregated = matches!(self.period, Some((_, Aggregation::Chain)));
        match self.units {
            Units::Acc12 | Units::Ytd | Units::Acc => true,
            Units::Index => !is_level(about.kind),
            _ => aggregated,
        }
    }
}

/// The place of the row that is 100, among those of these days; none if there are no rows to choose from.
pub(crate) fn base_place(asked: &Asked, days: &[Day]) -> Result<Option<usize>, String> {
    match asked.base {
        Some(base) => days
            .binary_search(&base)
            .map(Some)
            .map_err(|_| format!("`base` must be the date of one of the rows, and there is none on {base}")),
        None => {
            let first = days.partition_point(|day| asked.start.is_some_and(|start| *day < start));
            Ok((first < days.len()).then_some(first))
        }
    }
}

/// The place of the row of a year before: the same day, or on days the last one before it.
pub(crate) fn year_before(day: Day, days: &[Day], daily: bool) -> Option<usize> {
    let wanted = day.minus_months(12);
    let place = days.partition_point(|day| *day <= wanted).checked_sub(1)?;
    (daily || days.get(place) == Some(&wanted)).then_some(place)
}
