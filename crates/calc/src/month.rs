//! A calendar month, as a parameter of calculations.

use std::fmt;

use lastro_model::{Day, ParseError};

/// A month, stored as its first day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(Day);

const NOT_A_MONTH: ParseError = ParseError("must be a month, YYYY-MM");

impl Month {
    /// Parses exactly `YYYY-MM`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() != 7 {
            return Err(NOT_A_MONTH);
        }
        Day::parse(&format!("{text}-01")).map(Self).map_err(|_| NOT_A_MONTH)
    }

    /// The month that contains a day.
    pub fn of(day: Day) -> Self {
        Self(day.plus_days(1 - i32::from(day.day_of_month())))
    }

    pub fn first_day(self) -> Day {
        self.0
    }

    pub fn last_day(self) -> Day {
        self.next().0.plus_days(-1)
    }

    /// The month this many months later, or earlier if negative.
    #[must_use]
    pub fn plus(self, months: i32) -> Self {
        Self(self.0.minus_months(-months))
    }

    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    #[must_use]
    pub fn previous(self) -> Self {
        self.plus(-1)
    }

    /// Number of days.
    pub fn days(self) -> i32 {
        self.next().0.number() - self.0.number()
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, _) = self.0.civil();
        write!(f, "{year:04}-{month:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_months_in_the_one_form_are_read() {
        for good in ["1994-07", "2024-02", "9999-12", "0001-01"] {
            assert_eq!(Month::parse(good).unwrap().to_string(), good);
        }
        for bad in
            ["", "2024", "2024-13", "2024-00", "2024-1", "2024-01-01", "24-01-0", "２０24-1", "2024/01"]
        {
            assert!(Month::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn month_length_and_neighbours_are_correct() {
        let february = Month::parse("2024-02").unwrap();
        assert_eq!((february.days(), february.last_day().to_string()), (29, "2024-02-29".to_owned()));
        assert_eq!((february.next().days(), february.previous().days()), (31, 31));
        assert_eq!(Month::of(february.last_day()), february);
    }
}
