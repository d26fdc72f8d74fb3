//! The bank calendar: business days and ends of periods.

use lastro_model::{Day, calendar};

use super::NEWEST_DAY;

pub(super) fn newest_day() -> Day {
    Day::from(NEWEST_DAY)
}

pub(super) fn days_of_last_years(years: i32) -> impl Iterator<Item = Day> {
    let newest = newest_day();
    (newest.minus_months(12 * years).number()..=newest.number()).filter_map(Day::from_number)
}

pub(super) fn business_days_of_last_years(years: i32) -> impl Iterator<Item = Day> {
    days_of_last_years(years).filter(|day| is_business_day(*day))
}

pub(super) fn is_business_day(day: Day) -> bool {
    // Years before the known holidays occur only in registrations of companies, where weekends are enough.
    calendar::is_business_day(day).unwrap_or(!day.is_weekend())
}

/// The last day of the month, quarter or year that ended before `day`; `months` is 1, 3 or 12.
pub(super) fn end_of_last_period(day: Day, months: i8) -> Day {
    let first_of_month = day.plus_days(1 - i32::from(day.day_of_month()));
    first_of_month.minus_months(i32::from((day.month() - 1) % months)).plus_days(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    #[test]
    fn weekends_and_holidays_have_no_market() {
        for closed in ["2026-10-31", "2026-11-01", "2026-11-02", "2025-12-25", "2024-11-20", "2026-02-17"] {
            assert!(!is_business_day(day(closed)), "{closed}");
        }
        for open in ["2026-10-30", "2023-11-20", "2026-02-18"] {
            assert!(is_business_day(day(open)), "{open}");
        }
    }

    #[test]
    fn periods_end_before_the_day() {
        assert_eq!(end_of_last_period(day("2026-10-30"), 1), day("2026-09-30"));
        assert_eq!(end_of_last_period(day("2024-03-31"), 1), day("2024-02-29"));
        assert_eq!(end_of_last_period(day("2026-10-30"), 3), day("2026-09-30"));
        assert_eq!(end_of_last_period(day("2026-02-11"), 3), day("2025-12-31"));
        assert_eq!(end_of_last_period(day("2026-10-30"), 12), day("2025-12-31"));
    }
}
