//! A calendar day: four bytes, ordered, without time or zone.

use std::fmt;

use crate::ParseError;

/// A day of the proleptic Gregorian calendar, kept as days since 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// The numbers of -9999-01-01 to 9999-12-31.
const CALENDAR: std::ops::RangeInclusive<i32> = -4_371_587..=2_932_896;

const NOT_A_DAY: ParseError = ParseError("must be a real calendar day, YYYY-MM-DD");

impl Day {
    /// Reads exactly `YYYY-MM-DD`; `2023-02-29` is refused.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let bytes = text.as_bytes();
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return Err(NOT_A_DAY);
        }
        let number = |range: std::ops::Range<usize>| {
            bytes[range]
                .iter()
                .try_fold(0i16, |n, b| b.is_ascii_digit().then(|| n * 10 + i16::from(b - b'0')))
        };
        match (number(0..4), number(5..7), number(8..10)) {
            (Some(year), Some(month), Some(day)) => Self::from_ymd(year, month as i8, day as i8),
            _ => Err(NOT_A_DAY),
        }
    }

    pub fn from_ymd(year: i16, month: i8, day: i8) -> Result<Self, ParseError> {
        jiff::civil::Date::new(year, month, day).map(Self::from).map_err(|_| NOT_A_DAY)
    }

    /// The day's number, as the store and the catalog keep it.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// The day with this number, if a calendar has it (years -9999 to 9999).
    pub fn from_number(number: i32) -> Option<Self> {
        CALENDAR.contains(&number).then_some(Self(number))
    }

    pub fn year(self) -> i16 {
        self.date().year()
    }

    pub fn month(self) -> i8 {
        self.date().month()
    }

    pub fn day_of_month(self) -> i8 {
        self.date().day()
    }

    /// Saturday and Sunday: days without a market.
    pub fn is_weekend(self) -> bool {
        // 1970-01-01 was a Thursday.
        matches!((self.0 + 4).rem_euclid(7), 0 | 6)
    }

    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self::from_number(self.0.saturating_add(days)).unwrap_or(self)
    }

    /// The same day `months` earlier, or the last day of that month where it has no such day.
    #[must_use]
    pub fn minus_months(self, months: i32) -> Self {
        use jiff::ToSpan;
        self.date().checked_sub(months.months()).map_or(self, Self::from)
    }

    /// Every way to make a `Day` checks that the calendar has it, so the fallback is never taken.
    fn date(self) -> jiff::civil::Date {
        let since_1970 = jiff::Span::new().try_days(self.0);
        since_1970
            .and_then(|span| jiff::civil::date(1970, 1, 1).checked_add(span))
            .unwrap_or(jiff::civil::Date::ZERO)
    }
}

impl From<jiff::civil::Date> for Day {
    fn from(date: jiff::civil::Date) -> Self {
        // Howard Hinnant's days_from_civil: exact for every year, no time zone involved.
        let (year, month, day) = (i32::from(date.year()), i32::from(date.month()), i32::from(date.day()));
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Self(era * 146_097 + day_of_era - 719_468)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date();
        write!(f, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_real_days_in_the_one_form_are_read() {
        for good in ["1970-01-01", "2024-02-29", "1994-07-01", "9999-12-31", "0001-01-01"] {
            assert_eq!(Day::parse(good).unwrap().to_string(), good);
        }
        for bad in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "24-01-01",
            "2024-1-1",
            "2024/01/01",
            "",
            "2024-01-01T",
            "+024-01-01",
            "２０２４-01-01",
        ] {
            assert!(Day::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn twelve_months_back_ends_on_a_real_day() {
        let day = |text| Day::parse(text).unwrap();
        assert_eq!(day("2024-02-29").minus_months(12), day("2023-02-28"));
        assert_eq!(day("2026-10-30").minus_months(12), day("2025-10-30"));
    }

    #[test]
    fn the_calendar_ends_where_that_of_the_dates_does() {
        for (date, outwards) in [(jiff::civil::Date::MIN, -1), (jiff::civil::Date::MAX, 1)] {
            let day = Day::from(date);
            assert_eq!(Day::from_number(day.number()), Some(day));
            assert_eq!(day.date(), date);
            assert_eq!(Day::from_number(day.number() + outwards), None);
        }
    }

    #[test]
    fn weekends_are_known() {
        assert!(Day::parse("2026-11-14").unwrap().is_weekend());
        assert!(Day::parse("2026-11-15").unwrap().is_weekend());
        assert!(!Day::parse("2026-11-16").unwrap().is_weekend());
        assert!(!Day::parse("1969-12-31").unwrap().is_weekend());
    }

    proptest! {
        #[test]
        fn number_and_text_agree(number in -700_000i32..2_900_000) {
            let day = Day::from_number(number).unwrap();
            prop_assert_eq!(day.number(), number);
            if day.year() > 0 {
                prop_assert_eq!(Day::parse(&day.to_string()).unwrap(), day);
            }
        }

        #[test]
        fn no_number_panics(number: i32, days: i32) {
            if let Some(day) = Day::from_number(number) {
                let _ = day.plus_days(days);
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,12}") {
            let _ = Day::parse(&text);
        }
    }
}
