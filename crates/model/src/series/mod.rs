//! The description of a series, and everything derived from it.
//!
//! [`table`] alone lists the series, one row each. How a series is fetched, scheduled, judged, stored, served,
//! announced and exported follows from its row. CONTRIBUTING explains how to add one.

mod table;

use std::ops::{Index, IndexMut};

use jiff::civil::Date;

use crate::Day;

pub use table::Series;

/// A row of the table of series.
#[derive(Debug)]
pub struct About {
    /// The id used in paths, parameters, files and the database.
    pub id: &'static str,
    /// The number of the series in SGS, the central bank's time series system.
    pub code: u32,
    /// The common name, the same in all languages.
    pub label: &'static str,
    pub name: &'static str,
    /// The official name.
    pub name_pt: &'static str,
    pub topic: Topic,
    pub unit: Unit,
    pub kind: Kind,
    pub frequency: Frequency,
    pub first_day: Date,
    /// Number of decimals published.
    pub decimals: u32,
    /// Usual number of days from the date of a value to its publication.
    pub lag_days: i32,
    /// Whether months may be chained. Months that are rounded sums of days may not.
    pub chains: bool,
    pub seasonally_adjusted: bool,
    /// Whether later releases revise values, apart from errata.
    pub revised: bool,
    /// The series' own event for new or changed values, in addition to the event shared by all series.
    pub updated_event: Option<&'static str>,
}

/// The facts that the selling rates of all published pairs of currencies share, as series. A pair has an id and a name of
/// its own, and no number in SGS.
pub static PAIRS: About = About {
    id: "",
    code: 0,
    label: "",
    name: "",
    name_pt: "",
    topic: Topic::ExchangeRates,
    unit: Unit::Brl,
    kind: Kind::Price,
    frequency: Frequency::BusinessDays,
    first_day: jiff::civil::date(1994, 7, 1),
    decimals: 4,
    lag_days: 0,
    chains: false,
    seasonally_adjusted: false,
    revised: false,
    updated_event: None,
};

crate::api_words! {
    /// The subject of a series.
    Topic {
        InterestRates = "interest_rates",
        Prices = "prices",
        Activity = "activity",
        Labour = "labour",
        PublicFinance = "public_finance",
        ExternalSector = "external_sector",
        Credit = "credit",
        Money = "money",
        ExchangeRates = "exchange_rates",
    }
}

crate::api_words! {
    /// The unit of a series' values.
    Unit {
        PercentPerYear = "percent_per_year",
        PercentPerMonth = "percent_per_month",
        PercentPerDay = "percent_per_day",
        Percent = "percent",
        PercentOfGdp = "percent_of_gdp",
        Index = "index",
        Brl = "brl",
        BrlThousand = "brl_thousand",
        BrlMillion = "brl_million",
        UsdMillion = "usd_million",
    }
}

crate::api_words! {
    /// The nature of a series' numbers. It decides what may be computed from them, and how two neighbouring values
    /// compare.
    Kind {
        /// % a year: moves in steps that are small compared with its level.
        RatePerYear = "rate_per_year",
        /// % a day: compounds from day to day.
        RatePerDay = "rate_per_day",
        /// % a month, compounds: on either side of zero, so that only differences are meaningful.
        RatePerMonth = "rate_per_month",
        /// % a month, summed and not compounded.
        SimpleRatePerMonth = "simple_rate_per_month",
        /// % over the last twelve months.
        Change12Months = "change_12_months",
        /// A level relative to a base period.
        Index = "index",
        /// An amount at a point in time.
        Stock = "stock",
        /// An amount accumulated over a period; may be negative.
        Flow = "flow",
        /// A share of a whole, in %.
        Share = "share",
        /// An amount of money: positive, and changes by factors.
        Price = "price",
    }
}

crate::api_words! {
    /// The days that have a value. It decides when and how far back to fetch, and when a missing value is overdue.
    Frequency {
        BusinessDays = "daily",
        CalendarDays = "calendar_daily",
        /// Each value is dated the first day of its month.
        Months = "monthly",
        /// Each value is dated the first day of its year.
        Years = "yearly",
    }
}

impl About {
    /// Whether the value of a period is published while the period runs, and grows day by day.
    pub const fn grows_by_day(&self) -> bool {
        matches!((self.kind, self.frequency), (Kind::RatePerMonth, Frequency::Months)) && !self.chains
    }

    /// Whether each value is the return of the month that begins on its day, so that neighbouring values overlap.
    pub const fn overlaps(&self) -> bool {
        matches!(self.kind, Kind::RatePerMonth) && self.frequency.is_daily()
    }
}

impl Frequency {
    /// The most days from the date of a value to the next, ignoring holidays.
    pub const fn longest_period_days(self) -> i32 {
        match self {
            Self::BusinessDays | Self::CalendarDays => 1,
            Self::Months => 31,
            Self::Years => 366,
        }
    }

    /// Whether the values are so many that a query must be limited to a range.
    pub const fn is_daily(self) -> bool {
        matches!(self, Self::BusinessDays | Self::CalendarDays)
    }
}

impl Series {
    /// The series that have endpoints, an export and an event of their own, besides those of all series.
    pub fn market() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|series| series.about().updated_event.is_some())
    }

    /// The first day on which the series can have a value.
    pub fn first_day(self) -> Day {
        Day::from(self.about().first_day)
    }

    /// Parses the id of a series in any case, or its SGS code.
    pub fn parse(text: &str) -> Option<Self> {
        // Only the canonical spelling: no sign and no leading zeros.
        let code = || text.parse::<u32>().ok().filter(|code| code.to_string() == text);
        Self::ALL.into_iter().find(|series| series.about().id.eq_ignore_ascii_case(text)).or_else(|| {
            code().and_then(|code| Self::ALL.into_iter().find(|series| series.about().code == code))
        })
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

    /// The distinct values of one column.
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
    fn a_month_begins_on_its_first_day_and_a_year_in_january() {
        for series in Series::ALL {
            let (frequency, first) = (series.about().frequency, series.first_day());
            assert!(frequency.is_daily() || first.day_of_month() == 1, "{series:?}");
            assert!(frequency != Frequency::Years || first.month() == 1, "{series:?}");
        }
    }

    #[test]
    fn a_series_is_read_by_its_id_and_by_its_code() {
        for series in Series::ALL {
            assert_eq!(Series::parse(series.about().id), Some(series));
            assert_eq!(Series::parse(&series.about().id.to_uppercase()), Some(series));
            assert_eq!(Series::parse(&series.about().code.to_string()), Some(series));
        }
        for bad in ["", "selics", "SELIC ", "+433", "0x1b1", "99999999999", "7832"] {
            assert_eq!(Series::parse(bad), None, "{bad}");
        }
    }

    /// Labels that other services swap or get wrong.
    #[test]
    fn commonly_mislabelled_series_are_correct() {
        let about = |code: u32| Series::parse(&code.to_string()).unwrap().about();
        assert_eq!((about(432).id, about(1178).id), ("selic", "selic-over"));
        assert_eq!((about(11).unit, about(11).kind), (Unit::PercentPerDay, Kind::RatePerDay));
        assert_eq!((about(20540).id, about(20541).id), ("credit-firms", "credit-households"));
        assert_eq!((about(13762).id, about(4513).id), ("gross-debt", "net-debt"));
        assert_eq!((about(13522).id, about(13522).kind), ("ipca-12m", Kind::Change12Months));
    }
}
