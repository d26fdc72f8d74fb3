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
    /// The number of the series in SGS, the central bank's time series system.
    pub code: u32,
    /// What people call it, the same in all languages.
    pub label: &'static str,
    pub name: &'static str,
    /// The official name.
    pub name_pt: &'static str,
    pub topic: Topic,
    pub unit: Unit,
    pub kind: Kind,
    pub frequency: Frequency,
    pub first_day: Date,
    /// How many digits after the point the publisher gives.
    pub decimals: u32,
    /// Days from the date of a value until it is published, as a rule.
    pub lag_days: i32,
    /// Whether months may be put one after another. Those that are rounded sums of days may not.
    pub chains: bool,
    pub seasonally_adjusted: bool,
    /// Whether values are changed with later releases, errata aside.
    pub revised: bool,
    /// The event of its own that tells of new or changed values; all series have the one that they share.
    pub updated_event: Option<&'static str>,
}

/// An enumeration whose members have a word that programs see.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$member_doc])* $member),*
        }

        impl $name {
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$member),*];

            /// The word that programs see.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$member => $word),*
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.id() == word)
            }
        }
    };
}

words! {
    /// What a series is about.
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

words! {
    /// What a value of a series is counted in.
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

words! {
    /// What the numbers of a series are. It decides what may be computed from them, and what may be said of two that stand
    /// side by side.
    Kind {
        /// % a year: moves in steps that are small against its level.
        RatePerYear = "rate_per_year",
        /// % a day: compounds from day to day.
        RatePerDay = "rate_per_day",
        /// % a month, compounds: as often below zero as far above it, so that only differences mean something.
        RatePerMonth = "rate_per_month",
        /// % a month, added up and not compounded.
        SimpleRatePerMonth = "simple_rate_per_month",
        /// % over the last twelve months.
        Change12Months = "change_12_months",
        /// A level against that of a base period.
        Index = "index",
        /// How much there is at a time.
        Stock = "stock",
        /// How much came about in a period; it may be below zero.
        Flow = "flow",
        /// A part of something, in %.
        Share = "share",
        /// An amount of money: above zero, and moved by factors.
        Price = "price",
    }
}

words! {
    /// Which days have a value. It decides when to ask, how far back, and when silence is too long.
    Frequency {
        BusinessDays = "daily",
        CalendarDays = "calendar_daily",
        /// A value stands on the first day of its month.
        Months = "monthly",
        /// A value stands on the first day of its year.
        Years = "yearly",
    }
}

impl About {
    /// Whether the value of a period is published while the period runs, and grows with its days.
    pub const fn grows_by_day(&self) -> bool {
        matches!(self.kind, Kind::RatePerMonth) && !self.chains
    }
}

impl Frequency {
    /// The most days from the date of a value to that of the next, holidays aside.
    pub const fn longest_period_days(self) -> i32 {
        match self {
            Self::BusinessDays | Self::CalendarDays => 1,
            Self::Months => 31,
            Self::Years => 366,
        }
    }

    /// Whether there are so many values that a question must be limited to some of them.
    pub const fn is_daily(self) -> bool {
        matches!(self, Self::BusinessDays | Self::CalendarDays)
    }
}

impl Series {
    /// Those that have endpoints, an export and an event of their own, beside what all series have.
    pub fn market() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|series| series.about().updated_event.is_some())
    }

    /// The first day that the series can have a value on.
    pub fn first_day(self) -> Day {
        Day::from(self.about().first_day)
    }

    /// Reads the id of a series, or its code in SGS.
    pub fn parse(text: &str) -> Option<Self> {
        // As it is written, without a sign or noughts in front.
        let code = || text.parse::<u32>().ok().filter(|code| code.to_string() == text);
        Self::ALL.into_iter().find(|series| series.about().id == text).or_else(|| {
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
            assert_eq!(Series::parse(&series.about().code.to_string()), Some(series));
        }
        for bad in ["", "selics", "SELIC", "+433", "0x1b1", "99999999999", "7832"] {
            assert_eq!(Series::parse(bad), None, "{bad}");
        }
    }

    /// Labels that were seen swapped or wrong elsewhere.
    #[test]
    fn what_others_mislabel_is_right_here() {
        let about = |code: u32| Series::parse(&code.to_string()).unwrap().about();
        assert_eq!((about(432).id, about(1178).id), ("selic", "selic-over"));
        assert_eq!((about(11).unit, about(11).kind), (Unit::PercentPerDay, Kind::RatePerDay));
        assert_eq!((about(20540).id, about(20541).id), ("credit-firms", "credit-households"));
        assert_eq!((about(13762).id, about(4513).id), ("gross-debt", "net-debt"));
        assert_eq!((about(13522).id, about(13522).kind), ("ipca-12m", Kind::Change12Months));
    }
}
