//! Business days of Brazilian banks, 2001 to 2099: Mondays to Fridays that are not national bank holidays.
//!
//! Follows the list that ANBIMA publishes: no holiday moves to a Monday, and Ash Wednesday, 24 and 31 December are
//! business days. Other years are not covered.

use std::sync::LazyLock;

use crate::Day;

/// The years covered.
pub const YEARS: std::ops::RangeInclusive<i16> = 2001..=2099;

/// The day numbers of 2001-01-01 and 2099-12-31.
const FIRST: i32 = 11_323;
const LAST: i32 = 47_481;

/// The first year in which 20 November is a national holiday (Law 14,759 of 2023).
const BLACK_CONSCIOUSNESS_SINCE: i16 = 2024;

/// A day on which banks are closed, whatever its weekday.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holiday {
    pub name: &'static str,
    pub name_pt: &'static str,
}

const fn named(name: &'static str, name_pt: &'static str) -> Holiday {
    Holiday { name, name_pt }
}

/// Holidays with a fixed month and day.
const FIXED: [(i8, i8, Holiday); 9] = [
    (1, 1, named("New Year's Day", "Confraternização Universal")),
    (4, 21, named("Tiradentes Day", "Tiradentes")),
    (5, 1, named("Labour Day", "Dia do Trabalho")),
    (9, 7, named("Independence Day", "Independência do Brasil")),
    (10, 12, named("Our Lady of Aparecida", "Nossa Senhora Aparecida")),
    (11, 2, named("All Souls' Day", "Finados")),
    (11, 15, named("Proclamation of the Republic", "Proclamação da República")),
    (11, 20, named("Black Consciousness Day", "Dia Nacional de Zumbi e da Consciência Negra")),
    (12, 25, named("Christmas Day", "Natal")),
];

/// Holidays that move with Easter, as days after Easter Sunday.
const MOVABLE: [(i32, Holiday); 4] = [
    (-48, named("Carnival Monday", "Carnaval (segunda-feira)")),
    (-47, named("Carnival Tuesday", "Carnaval (terça-feira)")),
    (-2, named("Good Friday", "Paixão de Cristo")),
    (60, named("Corpus Christi", "Corpus Christi")),
];

/// Number of business days from the first covered day up to each day, exclusive. Has one entry more than there are
/// days, so that the last day can be counted too.
static BEFORE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut closed: Vec<i32> = YEARS.flat_map(all_of).map(|(day, _)| day.number()).collect();
    closed.sort_unstable();
    let mut count = 0;
    let mut before = vec![count];
    for number in FIRST..=LAST {
        let open = Day::from_number(number).is_some_and(|day| !day.is_weekend());
        count += u16::from(open && closed.binary_search(&number).is_err());
        before.push(count);
    }
    before
});

pub fn is_covered(day: Day) -> bool {
    (FIRST..=LAST).contains(&day.number())
}

/// The holiday on this day; `None` outside the covered years.
pub fn holiday(day: Day) -> Option<Holiday> {
    let found = |(on, holiday)| (on == day).then_some(holiday);
    is_covered(day).then(|| all_of(day.year()).find_map(found)).flatten()
}

/// The holidays of a covered year, earliest first. If two fall on one day, only the fixed one is listed.
pub fn holidays(year: i16) -> Option<Vec<(Day, Holiday)>> {
    YEARS.contains(&year).then(|| {
        let mut holidays: Vec<(Day, Holiday)> = all_of(year).collect();
        holidays.sort_by_key(|(day, _)| *day);
        holidays.dedup_by_key(|(day, _)| *day);
        holidays
    })
}

/// Whether banks are open; `None` outside the covered years.
pub fn is_business_day(day: Day) -> Option<bool> {
    Some(before(day.number())? < before(day.number() + 1)?)
}

/// The first business day after this one.
pub fn next_business_day(day: Day) -> Option<Day> {
    is_covered(day).then(|| business_day(before(day.number() + 1)?)).flatten()
}

/// The last business day before this one.
pub fn previous_business_day(day: Day) -> Option<Day> {
    is_covered(day).then(|| business_day(before(day.number())?.checked_sub(1)?)).flatten()
}

/// Number of business days from `from` (inclusive) to `to` (exclusive); `None` if a day is not covered or `from` is
/// later.
pub fn business_days_between(from: Day, to: Day) -> Option<i64> {
    let known = is_covered(from) && is_covered(to) && from <= to;
    known.then(|| Some(i64::from(before(to.number())?) - i64::from(before(from.number())?))).flatten()
}

/// The `days`-th business day after this one, or before it if negative. 0 gives this day, or the next business day if
/// this is not one.
pub fn shift(day: Day, days: i32) -> Option<Day> {
    let open = is_business_day(day)?;
    let here = i32::from(before(day.number())?);
    // For a day that is not a business day, the previous one has index `here - 1` and the next one `here`.
    let place = here.checked_add(days)?.checked_sub(i32::from(!open && days > 0))?;
    business_day(u16::try_from(place).ok()?)
}

fn before(number: i32) -> Option<u16> {
    BEFORE.get(usize::try_from(number.checked_sub(FIRST)?).ok()?).copied()
}

/// The business day preceded by `place` others.
fn business_day(place: u16) -> Option<Day> {
    let after = BEFORE.partition_point(|count| *count <= place);
    (after < BEFORE.len()).then(|| Day::from_number(FIRST + i32::try_from(after).ok()? - 1)).flatten()
}

fn all_of(year: i16) -> impl Iterator<Item = (Day, Holiday)> {
    let fixed = FIXED
        .into_iter()
        .filter(move |(month, day, _)| (*month, *day) != (11, 20) || year >= BLACK_CONSCIOUSNESS_SINCE)
        .filter_map(move |(month, day, holiday)| Some((Day::from_ymd(year, month, day).ok()?, holiday)));
    let easter = easter(year);
    let movable =
        MOVABLE.into_iter().filter_map(move |(days, holiday)| Some((easter?.plus_days(days), holiday)));
    fixed.chain(movable)
}

/// Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher).
fn easter(year: i16) -> Option<Day> {
    let number = i32::from(year);
    let (golden, century, of_century) = (number % 19, number / 100, number % 100);
    let correction = (century + 8) / 25;
    let moon = (19 * golden + century - century / 4 - (century - correction + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4) % 7;
    let late = (golden + 11 * moon + 22 * weekday) / 451;
    let days = moon + weekday - 7 * late + 114;
    Day::from_ymd(year, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    fn business_days_of(year: i16) -> i64 {
        let first = Day::from_ymd(year, 1, 1).unwrap();
        let last = Day::from_ymd(year, 12, 31).unwrap();
        business_days_between(first, last).unwrap() + i64::from(is_business_day(last).unwrap())
    }

    #[test]
    fn the_known_days_are_those_of_the_known_years() {
        assert_eq!(
            (Day::from_number(FIRST).unwrap(), Day::from_number(LAST).unwrap()),
            (day("2001-01-01"), day("2099-12-31"))
        );
        assert_eq!((is_business_day(day("2000-12-29")), is_business_day(day("2100-01-04"))), (None, None));
        assert_eq!((holidays(2000), holidays(2100)), (None, None));
        assert_eq!(holiday(day("2000-12-25")), None);
    }

    #[test]
    fn business_days_per_year_match_the_published_list() {
        let published = [
            (2019, 253),
            (2020, 251),
            (2021, 251),
            (2022, 251),
            (2023, 249),
            (2024, 253),
            (2025, 252),
            (2026, 249),
            (2028, 248),
        ];
        for (year, count) in published {
            assert_eq!(business_days_of(year), count, "{year}");
        }
    }

    #[test]
    fn movable_holidays_follow_easter() {
        let on = |text| holiday(day(text)).map(|holiday| holiday.name);
        assert_eq!(on("2024-02-12"), Some("Carnival Monday"));
        assert_eq!(on("2024-02-13"), Some("Carnival Tuesday"));
        assert_eq!(on("2024-02-14"), None);
        assert_eq!(on("2024-03-29"), Some("Good Friday"));
        assert_eq!(on("2024-05-30"), Some("Corpus Christi"));
        assert_eq!(on("2038-04-23"), Some("Good Friday"));
        assert_eq!(easter(2038), Some(day("2038-04-25")));
        assert_eq!(easter(2008), Some(day("2008-03-23")));
    }

    #[test]
    fn the_twentieth_of_november_is_a_holiday_from_2024_on() {
        assert_eq!(is_business_day(day("2023-11-20")), Some(true));
        assert_eq!(is_business_day(day("2024-11-20")), Some(false));
        assert_eq!((holidays(2023).unwrap().len(), holidays(2024).unwrap().len()), (12, 13));
    }

    #[test]
    fn next_and_previous_exclude_the_day_itself() {
        let friday = day("2026-11-13");
        assert_eq!(next_business_day(friday), Some(day("2026-11-16")));
        assert_eq!(previous_business_day(day("2026-11-16")), Some(friday));
        assert_eq!(previous_business_day(day("2001-01-02")), None);
        assert_eq!(previous_business_day(day("2001-01-03")), Some(day("2001-01-02")));
        assert_eq!(next_business_day(day("2099-12-31")), None);
        assert_eq!(next_business_day(day("2099-12-30")), Some(day("2099-12-31")));
        assert_eq!(previous_business_day(day("2100-01-01")), None);
        assert_eq!(next_business_day(day("2000-12-31")), None);
    }

    #[test]
    fn shift_by_zero_stays_or_moves_to_the_next_business_day() {
        assert_eq!(shift(day("2026-11-13"), 0), Some(day("2026-11-13")));
        assert_eq!(shift(day("2026-11-14"), 0), Some(day("2026-11-16")));
        assert_eq!(shift(day("2026-11-14"), 1), Some(day("2026-11-16")));
        assert_eq!(shift(day("2026-11-14"), -1), Some(day("2026-11-13")));
        assert_eq!(shift(day("2026-11-13"), 1), Some(day("2026-11-16")));
        assert_eq!(shift(day("2026-11-13"), i32::MAX), None);
        assert_eq!(shift(day("2026-11-13"), i32::MIN), None);
    }

    #[test]
    fn holidays_on_the_same_day_are_merged() {
        for year in YEARS {
            let holidays = holidays(year).unwrap();
            assert!(holidays.windows(2).all(|pair| pair[0].0 < pair[1].0), "{year}");
        }
    }

    proptest! {
        #[test]
        fn business_day_counts_match_a_day_by_day_walk(from in FIRST..=LAST, length in 0..400i32) {
            let (from, to) = (Day::from_number(from).unwrap(), Day::from_number((from + length).min(LAST)).unwrap());
            let walked = (from.number()..to.number()).filter(|n| is_business_day(Day::from_number(*n).unwrap()).unwrap());
            prop_assert_eq!(business_days_between(from, to), Some(i64::try_from(walked.count()).unwrap()));
        }

        #[test]
        fn shift_matches_a_day_by_day_walk(from in FIRST..=LAST, days in -300..300i32) {
            let from = Day::from_number(from).unwrap();
            let mut walked = Some(from);
            for _ in 0..days.abs() {
                walked = walked.and_then(if days > 0 { next_business_day } else { previous_business_day });
            }
            if days != 0 {
                prop_assert_eq!(shift(from, days), walked);
            }
        }

        #[test]
        fn no_day_panics(number: i32, days: i32) {
            if let Some(day) = Day::from_number(number) {
                let _ = (shift(day, days), next_business_day(day), previous_business_day(day), holiday(day));
                let _ = business_days_between(day, day.plus_days(days));
            }
        }
    }
}
