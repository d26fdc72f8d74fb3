//! What a series is, and what follows from it.
//!
//! Which series there are stands in [`table`], one row each, and nowhere else: what is asked of the publisher, how often,
//! how it is judged, stored, served, announced and exported is derived from the row. A walk through adding one is in
//! CONTRIBUTING.

mod table;

use std::ops::{Index, IndexMut};

use jiff::civil::Date;

use crate::Day;

pub use table::Series;

/// A row of the table of series.
#[derive(Debug)]
pub struct About {
    /// The name in paths, parameters, files and the database.
    pub id: &'static str,
    /// The event that tells of new or changed values.
    pub updated_event: &'static str,
    /// The number of the series in SGS, the central bank's time series system.
    pub code: u32,
    /// What people call it, the same in all languages.
    pub label: &'static str,
    pub name: &'static str,
    pub name_pt: &'static str,
    pub unit: &'static str,
    pub kind: Kind,
    pub frequency: Frequency,
    pub first_day: Date,
    /// How many digits after the point the publisher gives.
    pub decimals: u32,
    /// Whether the public interface shows it.
    pub served: bool,
}

/// What the numbers of a series are. It decides what may be said of two of them that stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// % a year: moves in steps that are small against its level.
    RatePerYear,
    /// % a month: as often below zero as far above it, so that only differences mean something.
    RatePerMonth,
    /// An amount of money: above zero, and moved by factors.
    Price,
}

/// Which days have a value. It decides when to ask, how far back, and when silence is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frequency {
    CalendarDays,
    BusinessDays,
    /// A value stands on the first day of its month.
    Months,
}

impl Series {
    /// Those that the public interface shows, in the order of the table.
    pub fn served() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|series| series.about().served)
    }

    /// The first day that the series can have a value on.
    pub fn first_day(self) -> Day {
        Day::from(self.about().first_day)
    }
}

/// One value for each series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BySeries<T>([T; Series::ALL.len()]);

impl<T> BySeries<T> {
    pub fn new(value: impl FnMut(Series) -> T) -> Self {
        Self(Series::ALL.map(value))
    }
}

impl<T: Default> Default for BySeries<T> {
    fn default() -> Self {
        Self::new(|_| T::default())
    }
}

impl<T> Index<Series> for BySeries<T> {
    type Output = T;

    fn index(&self, series: Series) -> &T {
        &self.0[series as usize]
    }
}

impl<T> IndexMut<Series> for BySeries<T> {
    fn index_mut(&mut self, series: Series) -> &mut T {
        &mut self.0[series as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The identifiers of one column.
    fn column<T: Ord>(of: impl Fn(&'static About) -> T) -> BTreeSet<T> {
        Series::ALL.into_iter().map(|series| of(series.about())).collect()
    }

    #[test]
    fn no_two_series_share_an_id_or_a_code() {
        assert_eq!(column(|about| about.id).len(), Series::ALL.len());
        assert_eq!(column(|about| about.code).len(), Series::ALL.len());
    }

    #[test]
    fn ids_can_stand_in_a_path_and_in_a_file_name() {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(Series::ALL.iter().all(|series| series.about().id.chars().all(plain)));
    }

    #[test]
    fn a_month_begins_on_its_first_day() {
        let monthly = Series::ALL.into_iter().filter(|series| series.about().frequency == Frequency::Months);
        monthly.for_each(|series| assert_eq!(series.first_day().day_of_month(), 1, "{series:?}"));
    }
}
