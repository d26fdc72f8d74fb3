//! The requested view of a series, and lookups used for every unit: the base row, and the row one year earlier.

use lastro_model::{About, Day, Decimal};

use crate::periods::{Aggregation, Period};
use crate::units::{Units, is_level};

/// The requested view of a series.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub units: Units,
    pub period: Option<(Period, Aggregation)>,
    /// The row that is 100 in `index`; by default the first one from `start` on.
    pub base: Option<Day>,
    /// The first day from which `acc` accumulates; by default the oldest row.
    pub start: Option<Day>,
}

/// A computed value. Values too large to write, of some 10^22 and more, are omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    pub day: Day,
    pub value: Decimal,
    /// The oldest row used to compute the value.
    pub since: Day,
}

impl Asked {
    /// The reason why the series does not allow this request, whatever its rows; `None` if it does.
    pub fn refusal(&self, about: &About) -> Option<String> {
        let aggregated = |(period, aggregation): (Period, Aggregation)| {
            period.refusal(about).or_else(|| aggregation.refusal(about))
        };
        self.period.and_then(aggregated).or_else(|| self.units.refusal_after(about, self.period))
    }

    /// Whether rows are chained rather than compared one by one.
    pub(crate) fn is_chained(&self, about: &About) -> bool {
        let aggregated = matches!(self.period, Some((_, Aggregation::Chain)));
        match self.units {
            Units::Acc12 | Units::Ytd | Units::Acc => true,
            Units::Index => !is_level(about.kind),
            _ => aggregated,
        }
    }
}

/// The index of the row that is 100; `None` if there are no rows to choose from.
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

/// The index of the row one year earlier: the same day, or in daily series the last one before it.
pub(crate) fn year_before(day: Day, days: &[Day], daily: bool) -> Option<usize> {
    let wanted = day.minus_months(12);
    let place = days.partition_point(|day| *day <= wanted).checked_sub(1)?;
    (daily || days.get(place) == Some(&wanted)).then_some(place)
}
