//! A calendar day: four bytes, ordered, without time or zone.

use std::fmt;

use crate::ParseError;

/// A day of the proleptic Gregorian calendar, stored as days since 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// The day numbers of -9999-01-01 to 9999-12-31.
const CALENDAR: std::ops::RangeInclusive<i32> = -4_371_587..=2_932_896;

/// 2000-01-01.
const FIRST_RECENT: i32 = 10_957;
/// The texts of the days of 2000 to 2030: a page of filings costs a fifteenth less with them.
static RECENT: [[u8; 10]; 11_323] = {
    let mut texts = [[0; 10]; 11_323];
    let mut place = 0;
    while place < texts.len() {
        if let Some(text) = Day(FIRST_RECENT + place as i32).text() {
            texts[place] = text;
        }
        place += 1;
    }
    texts
};

const NOT_A_DAY: ParseError = ParseError("must be a real calendar day, YYYY-MM-DD");

impl Day {
    /// Parses exactly `YYYY-MM-DD`; `2023-02-29` is rejected.
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

    /// The day number, as the store and the catalog keep it.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// The day with this number, if it lies in the years -9999 to 9999.
    pub fn from_number(number: i32) -> Option<Self> {
        CALENDAR.contains(&number).then_some(Self(number))
    }

    pub fn year(self) -> i16 {
        self.civil().0
    }

    pub fn month(self) -> i8 {
        self.civil().1
    }

    pub fn day_of_month(self) -> i8 {
        self.civil().2
    }

    /// Year, month and day of the month, by the algorithm of Neri and Schneider: it divides only by constants, which
    /// the compiler turns into multiplications.
    pub const fn civil(self) -> (i16, i8, i8) {
        /// Years added so that no year of the calendar is negative.
        const YEARS: u32 = 10_000;
        const DAYS: i32 = YEARS as i32 / 400 * 146_097;
        // Years start on 1 March here, so that a leap day is the last day of its year.
        let since_march = (self.0 + 719_468 + DAYS) as u32;
        let quarters = 4 * since_march + 3;
        let (century, day_of_century) = (quarters / 146_097, quarters % 146_097 / 4);
        let years = 2_939_745 * (4 * day_of_century + 3) as u64;
        let (year_of_century, day_of_year) = ((years >> 32) as u32, years as u32 / 2_939_745 / 4);
        let months = 2_141 * day_of_year + 197_913;
        let (month, day) = (months >> 16, (months & 0xffff) / 2_141 + 1);
        let after_new_year = day_of_year >= 306;
        let year = (100 * century + year_of_century + after_new_year as u32) as i32 - YEARS as i32;
        (year as i16, if after_new_year { month - 12 } else { month } as i8, day as i8)
    }

    /// Appends `YYYY-MM-DD` without the overhead of `Display`: every page of filings has forty of them.
    #[inline]
    pub fn write_into(self, out: &mut Vec<u8>) {
        use std::io::Write as _;
        if let Some(text) = RECENT.get((self.0 - FIRST_RECENT) as usize) {
            return out.extend_from_slice(text);
        }
        match self.text() {
            Some(text) => out.extend_from_slice(&text),
            // Writing into memory does not fail.
            None => drop(write!(out, "{self}")),
        }
    }

    /// The day as ten characters, if its year has four digits.
    const fn text(self) -> Option<[u8; 10]> {
        let (year, month, day) = self.civil();
        if year < 0 {
            return None;
        }
        let ([a, b], [c, d]) = (two_digits(year as u32 / 100), two_digits(year as u32 % 100));
        let ([e, f], [g, h]) = (two_digits(month as u32), two_digits(day as u32));
        Some([a, b, c, d, b'-', e, f, b'-', g, h])
    }

    /// Whether the day is a Saturday or Sunday, when markets are closed.
    pub fn is_weekend(self) -> bool {
        // 1970-01-01 was a Thursday.
        matches!((self.0 + 4).rem_euclid(7), 0 | 6)
    }

    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self::from_number(self.0.saturating_add(days)).unwrap_or(self)
    }

    #[must_use]
    pub fn first_of_month(self) -> Self {
        self.plus_days(1 - i32::from(self.day_of_month()))
    }

    #[must_use]
    pub fn last_of_month(self) -> Self {
        Self::from(self.date().last_of_month())
    }

    /// The same day `months` earlier, or the last day of that month if it is shorter.
    #[must_use]
    pub fn minus_months(self, months: i32) -> Self {
        use jiff::ToSpan;
        self.date().checked_sub(months.months()).map_or(self, Self::from)
    }

    /// Every constructor of `Day` checks the range, so the fallback is never taken.
    fn date(self) -> jiff::civil::Date {
        let (year, month, day) = self.civil();
        jiff::civil::Date::new(year, month, day).unwrap_or(jiff::civil::Date::ZERO)
    }
}

/// The two digits of a number below 100. The division is one multiplication.
const fn two_digits(number: u32) -> [u8; 2] {
    let tens = (number * 103) >> 10;
    [b'0' + tens as u8, b'0' + (number - tens * 10) as u8]
}

impl From<jiff::civil::Date> for Day {
    fn from(date: jiff::civil::Date) -> Self {
        // Howard Hinnant's days_from_civil: exact for every year, without time zones.
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
        if let Some(text) = self.text() {
            return f.write_str(std::str::from_utf8(&text).unwrap_or_default());
        }
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
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
    fn calendar_range_equals_that_of_jiff_dates() {
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

    /// The date by jiff's independent arithmetic.
    fn counted(number: i32) -> jiff::civil::Date {
        jiff::civil::date(1970, 1, 1).checked_add(jiff::Span::new().days(number)).unwrap()
    }

    #[test]
    fn recent_days_are_those_of_2000_to_2030() {
        let (first, last) = (Day::parse("2000-01-01").unwrap(), Day::parse("2030-12-31").unwrap());
        assert_eq!(RECENT.len() as i32, last.number() - first.number() + 1);
        for number in first.number() - 1..=last.number() + 1 {
            assert_eq!(written(Day(number)), counted(number).to_string());
        }
    }

    fn written(day: Day) -> String {
        let mut out = Vec::new();
        day.write_into(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_first_and_last_days_of_four_digits_are_written() {
        for (number, text) in [
            (-719_529, "-001-12-31"),
            (-719_528, "0000-01-01"),
            (-719_469, "0000-02-29"),
            (-719_468, "0000-03-01"),
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (2_932_896, "9999-12-31"),
        ] {
            let day = Day::from_number(number).unwrap();
            assert_eq!((written(day), day.to_string()), (text.to_owned(), text.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn every_day_matches_jiff(number in CALENDAR) {
            let (day, date) = (Day::from_number(number).unwrap(), counted(number));
            prop_assert_eq!(day.civil(), (date.year(), date.month(), date.day()));
            prop_assert_eq!(Day::from(date), day);
            prop_assert_eq!(written(day), day.to_string());
        }

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
