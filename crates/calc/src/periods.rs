//! Aggregation into months, quarters and years, and the test whether a period is complete.

use std::ops::Range;

use lastro_model::{About, Day, Frequency, Kind, RatePoint, api_words, calendar};

use crate::units::OVERLAPPING;

api_words! {
    /// The way the values of a period become one.
    Aggregation {
        /// Their arithmetic mean.
        Mean = "mean",
        /// Their sum.
        Sum = "sum",
        /// The last value.
        End = "end",
        /// Their rates compounded.
        Chain = "chain",
    }
}

api_words! {
    /// The length of a period. A value is dated the first day of its period.
    Period {
        Monthly = "monthly",
        Quarterly = "quarterly",
        Yearly = "yearly",
    }
}

/// Longest distance in days that is not a gap, where the bank calendar does not apply: a weekend between holidays.
const LONGEST_PAUSE: i32 = 7;

impl Aggregation {
    pub fn default_for(about: &About) -> Self {
        match about.kind {
            Kind::RatePerMonth | Kind::RatePerDay if about.chains => Self::Chain,
            Kind::RatePerMonth | Kind::RatePerDay | Kind::Stock | Kind::Change12Months => Self::End,
            Kind::SimpleRatePerMonth | Kind::Flow => Self::Sum,
            Kind::RatePerYear | Kind::Share | Kind::Index | Kind::Price => Self::Mean,
        }
    }

    /// The aggregations allowed for a series, in the order above.
    pub fn legal(about: &About) -> Vec<Self> {
        Self::ALL.into_iter().filter(|aggregation| aggregation.fault(about).is_none()).collect()
    }

    /// The reason why this aggregation is not allowed for the series, with the allowed ones; `None` if it is.
    pub fn refusal(self, about: &About) -> Option<String> {
        let fault = self.fault(about)?;
        let legal: Vec<&str> = Self::legal(about).into_iter().map(Self::id).collect();
        Some(format!(
            "`aggregation={}` is not possible: {fault}; possible are {}",
            self.id(),
            legal.join(", ")
        ))
    }

    fn fault(self, about: &About) -> Option<&'static str> {
        use Kind::{Change12Months, Flow, Index, Price, RatePerYear, Share, SimpleRatePerMonth, Stock};
        match self {
            Self::Mean => (!matches!(about.kind, RatePerYear | Share | Index | Price | Stock | Flow))
                .then_some("the mean of such rates is not a rate of the period"),
            Self::Sum => (!matches!(about.kind, SimpleRatePerMonth | Flow))
                .then_some("only flows and simple rates are added up"),
            Self::End => (about.kind == Flow).then_some("the last part of a flow is not that of the period"),
            Self::Chain if about.chains => None,
            Self::Chain if about.overlaps() => Some(OVERLAPPING),
            Self::Chain if matches!(about.kind, Kind::RatePerMonth | Kind::RatePerDay) => {
                Some("the values are rounded sums of days, and chaining them adds up the rounding")
            }
            Self::Chain if about.kind == Change12Months => {
                Some("the values cover twelve months each and overlap")
            }
            Self::Chain => Some("the values are not rates that compound from one period to the next"),
        }
    }
}

impl Period {
    /// The reason why the series cannot be shown by this period; `None` if it can.
    pub fn refusal(self, about: &About) -> Option<String> {
        let own = match about.frequency {
            Frequency::BusinessDays | Frequency::CalendarDays => 0,
            Frequency::Months => 1,
            Frequency::Years => 12,
        };
        let lower: Vec<&str> =
            Self::ALL.into_iter().filter(|period| period.months() > own).map(Self::id).collect();
        let possible = if lower.is_empty() { "none".to_owned() } else { lower.join(", ") };
        (self.months() <= own).then(|| {
            let frequency = about.frequency.id();
            format!(
                "`frequency={}` is not possible: the series is {frequency}, and only a lower frequency can be made of it; possible: {possible}",
                self.id()
            )
        })
    }

    pub(crate) const fn months(self) -> i32 {
        match self {
            Self::Monthly => 1,
            Self::Quarterly => 3,
            Self::Yearly => 12,
        }
    }

    /// The first day of the period that contains a day.
    pub(crate) fn start(self, day: Day) -> Day {
        let (year, month, _) = day.civil();
        let first = match self {
            Self::Monthly => month,
            Self::Quarterly => (month - 1) / 3 * 3 + 1,
            Self::Yearly => 1,
        };
        Day::from_ymd(year, first, 1).unwrap_or(day)
    }
}

/// The spacing of rows, as published or as aggregated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rhythm {
    BusinessDays,
    CalendarDays,
    /// One row every this many months.
    Months(i32),
}

impl Rhythm {
    pub(crate) fn of(about: &About, period: Option<Period>) -> Self {
        match (period, about.frequency) {
            (Some(period), _) => Self::Months(period.months()),
            (None, Frequency::BusinessDays) => Self::BusinessDays,
            (None, Frequency::CalendarDays) => Self::CalendarDays,
            (None, Frequency::Months) => Self::Months(1),
            (None, Frequency::Years) => Self::Months(12),
        }
    }

    /// Whether no row is missing between two rows.
    pub(crate) fn follows(self, earlier: Day, later: Day) -> bool {
        let pause = later.number() - earlier.number();
        match self {
            Self::CalendarDays => pause <= 1,
            Self::Months(months) => months_between(earlier, later) == Some(months),
            Self::BusinessDays => match calendar::business_days_between(earlier, later) {
                Some(days) => days <= 1,
                None => pause <= LONGEST_PAUSE,
            },
        }
    }

    /// Number of rows in a year, if fixed.
    pub(crate) fn rows_of_a_year(self) -> Option<u32> {
        match self {
            Self::BusinessDays => Some(252),
            Self::CalendarDays => None,
            Self::Months(months) => u32::try_from(12 / months).ok(),
        }
    }

    pub(crate) fn is_daily(self) -> bool {
        matches!(self, Self::BusinessDays | Self::CalendarDays)
    }

    /// The first day from `start` on that has a row, if the calendar covers it.
    pub(crate) fn first_row(self, start: Day) -> Option<Day> {
        match self {
            Self::BusinessDays => calendar::shift(start, 0),
            Self::CalendarDays | Self::Months(_) => Some(start),
        }
    }

    /// The last day before `end` that has a row, if the calendar covers it.
    fn last_row(self, end: Day) -> Option<Day> {
        match self {
            Self::BusinessDays => calendar::previous_business_day(end),
            Self::CalendarDays => Some(end.plus_days(-1)),
            Self::Months(months) => Some(end.minus_months(months)),
        }
    }
}

/// Number of months between two days, if both are the same day of the month.
fn months_between(earlier: Day, later: Day) -> Option<i32> {
    let (year, month, day) = earlier.civil();
    // Fast path: nearly always the first days of two consecutive months.
    if day == 1 && later.number() - earlier.number() == days_of_month(year, month) {
        return Some(1);
    }
    let (later_year, later_month, later_day) = later.civil();
    let months = |year: i16, month: i8| i32::from(year) * 12 + i32::from(month);
    (day == later_day).then(|| months(later_year, later_month) - months(year, month))
}

fn days_of_month(year: i16, month: i8) -> i32 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A period and the rows in it.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) day: Day,
    pub(crate) rows: Range<usize>,
}

/// The complete periods, oldest first. With `strictly` no day may be missing, as chains require. Otherwise a few days
/// may be missing, for example when a market was closed.
pub(crate) fn groups(rhythm: Rhythm, rows: &[RatePoint], period: Period, strictly: bool) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut start = 0;
    for same in rows.chunk_by(|a, b| period.start(a.day) == period.start(b.day)) {
        let group = Group { day: period.start(same[0].day), rows: start..start + same.len() };
        start = group.rows.end;
        if is_whole(rhythm, rows, &group, period, strictly) {
            groups.push(group);
        }
    }
    groups
}

/// Whether a period is complete: nothing is missing between its rows, and its first and last rows are those of the
/// calendar or adjoin a row outside.
fn is_whole(rhythm: Rhythm, rows: &[RatePoint], group: &Group, period: Period, strictly: bool) -> bool {
    let joined = |pair: &[RatePoint]| match pair {
        [a, b] if strictly || !rhythm.is_daily() => rhythm.follows(a.day, b.day),
        [a, b] => b.day.number() - a.day.number() <= LONGEST_PAUSE,
        _ => false,
    };
    let Range { start, end } = group.rows;
    let (Some(first), Some(last)) = (rows.get(start), rows.get(end - 1)) else { return false };
    let next = next_period(group.day, period);
    let begins = first.day == group.day
        || rhythm.first_row(group.day).is_some_and(|day| first.day <= day)
        || start > 0 && rhythm.is_daily() && joined(&rows[start - 1..=start]);
    let ends = last.day == next.plus_days(-1)
        || rhythm.last_row(next).is_some_and(|day| last.day >= day)
        || rhythm.is_daily() && rows.get(end - 1..=end).is_some_and(joined);
    begins && ends && rows[group.rows.clone()].windows(2).all(joined)
}

/// The first day of the period after the one that begins on `start`.
fn next_period(start: Day, period: Period) -> Day {
    start.minus_months(-period.months())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_month_follows_the_one_before(number in -700_000i32..2_900_000, months in 1..30i32) {
            let day = Day::from_number(number).unwrap();
            let first = Period::Monthly.start(day);
            prop_assert_eq!(months_between(first, first.minus_months(-months)), Some(months));
            prop_assert_eq!(months_between(first, first.minus_months(-1)), Some(1));
            if day != first {
                prop_assert_eq!(months_between(first, day), None);
            }
        }
    }
}
