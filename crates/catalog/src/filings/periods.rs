//! Periods in a query: a year, or a month and a year. Rows are ordered by day, so a period is a range of rows.

use std::ops::Range;

use lastro_model::Day;
use lastro_search::{RowRange, RowRanges};

use super::records::Records;

const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "marco",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// Other numbers of four digits are registry codes or amounts.
const YEARS: Range<i16> = 1990..2100;

/// Letters of an abbreviated month.
const ABBREVIATED: usize = 3;
/// The abbreviation of August, but to companies it means the annual meeting.
const ANNUAL_MEETING: &str = "ago";

/// Words that lead to a period and do not count beside it.
const LEADING: [&str; 5] = ["de", "do", "em", "no", "ano"];

/// Finds periods in a query as rows of the index.
pub(super) struct Periods<'a>(pub(super) &'a Records);

impl RowRanges for Periods<'_> {
    fn ranges_in(&self, words: &[String]) -> Vec<RowRange> {
        let found = (0..words.len()).filter_map(|place| period_with_year_at(words, place));
        let range =
            |Period { words, from, to }| RowRange { words, rows: self.0.between(Some(from), Some(to)) };
        found.map(range).collect()
    }
}

#[derive(Debug)]
struct Period {
    words: Range<usize>,
    /// The first day.
    from: Day,
    /// The last day.
    to: Day,
}

/// The period whose year is at this place. The day of a date is left out: days of delivery and of the event differ.
fn period_with_year_at(words: &[String], place: usize) -> Option<Period> {
    let year = words.get(place).and_then(|word| year(word))?;
    let numbers = numbers_around(words, place);
    let (month, places) = if words[numbers.clone()].iter().all(|word| self::year(word).is_some()) {
        named_month(words, place)
    } else {
        (Some(numeric_month(&words[numbers.clone()], year)?), numbers)
    };
    let leading =
        words[..places.start].iter().rev().take_while(|word| LEADING.contains(&word.as_str())).count();
    Some(Period {
        words: places.start - leading..places.end,
        from: Day::from_ymd(year, month.unwrap_or(1), 1).ok()?,
        to: last_day(year, month.unwrap_or(12))?,
    })
}

fn year(word: &str) -> Option<i16> {
    let is_written_out = word.len() == 4 && is_number(word);
    word.parse().ok().filter(|year| is_written_out && YEARS.contains(year))
}

/// The places of the numbers around one, which belong together. Several years are as many periods; a year beside other
/// numbers is part of a date, or of a number.
fn numbers_around(words: &[String], place: usize) -> Range<usize> {
    let before = words[..place].iter().rev().take_while(|word| is_number(word)).count();
    let after = words[place..].iter().take_while(|word| is_number(word)).count();
    place - before..place + after
}

/// The month of a date of numbers: 3/2025, 2025-3, 30/4/2025 or 2025-4-30. Words have no zeros at their beginning.
fn numeric_month(numbers: &[String], year: i16) -> Option<i8> {
    let is_year = |word: &String| self::year(word) == Some(year);
    let (month, day) = match numbers {
        [month, last] if is_year(last) => (month, None),
        [first, month] if is_year(first) => (month, None),
        [day, month, last] if is_year(last) => (month, Some(day)),
        [first, month, day] if is_year(first) => (month, Some(day)),
        _ => return None,
    };
    let month = month.parse().ok()?;
    let day = day.map_or(Some(1), |day| day.parse().ok())?;
    Day::from_ymd(year, month, day).is_ok().then_some(month)
}

/// The month that is named before a year, if any, and the places of the whole date.
fn named_month(words: &[String], year: usize) -> (Option<i8>, Range<usize>) {
    let has_de = year.checked_sub(1).is_some_and(|place| words[place] == "de");
    let after_month = if has_de { year - 1 } else { year };
    match after_month.checked_sub(1).and_then(|place| month(&words[place])) {
        Some(month) => (Some(month), with_day(words, after_month - 1)..year + 1),
        None => (None, year..year + 1),
    }
}

/// The place of the day before the name of a month, as in "15 de março" and "1º março", or else that of the month.
fn with_day(words: &[String], month: usize) -> usize {
    let is_de = month.checked_sub(1).is_some_and(|place| words[place] == "de");
    let place = month.checked_sub(if is_de { 2 } else { 1 });
    let digits = place.map(|place| words[place].trim_end_matches('o')).filter(|word| word.len() <= 2);
    let day = digits.and_then(|word| word.parse().ok()).filter(|day: &u8| (1..=31).contains(day));
    place.filter(|_| day.is_some()).unwrap_or(month)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number of a month, from its folded name or abbreviation.
fn month(word: &str) -> Option<i8> {
    let is_month = |name: &str| word == name || (word.len() == ABBREVIATED && name.starts_with(word));
    let place = MONTHS.iter().position(|name| is_month(name)).filter(|_| word != ANNUAL_MEETING)?;
    i8::try_from(place + 1).ok()
}

fn last_day(year: i16, month: i8) -> Option<Day> {
    let next = if month == 12 {
        Day::from_ymd(year.checked_add(1)?, 1, 1)
    } else {
        Day::from_ymd(year, month + 1, 1)
    };
    next.ok().map(|first| first.plus_days(-1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastro_search::words_of;

    fn periods(text: &str) -> Vec<(String, String)> {
        let words = words_of(text);
        let found = (0..words.len()).filter_map(|place| period_with_year_at(&words, place));
        found
            .map(|period| (words[period.words].join(" "), format!("{}/{}", period.from, period.to)))
            .collect()
    }

    #[test]
    fn years_and_months_are_found() {
        for (text, words, days) in [
            ("AGO 2024 vale", "2024", "2024-01-01/2024-12-31"),
            ("dividendos março 2023", "marco 2023", "2023-03-01/2023-03-31"),
            ("dividendos em fevereiro de 2024", "em fevereiro de 2024", "2024-02-01/2024-02-29"),
            ("dez/2023 dividendos", "dez 2023", "2023-12-01/2023-12-31"),
            ("atas do ano de 2022", "do ano de 2022", "2022-01-01/2022-12-31"),
            ("2021", "2021", "2021-01-01/2021-12-31"),
            ("dividendos 03/2025", "3 2025", "2025-03-01/2025-03-31"),
            ("em 12/2024 atas", "em 12 2024", "2024-12-01/2024-12-31"),
            ("03-2025", "3 2025", "2025-03-01/2025-03-31"),
            ("AGO de 15 de março de 2025", "de 15 de marco de 2025", "2025-03-01/2025-03-31"),
            ("1º de abril de 2025 vale", "1o de abril de 2025", "2025-04-01/2025-04-30"),
            ("15 março 2025", "15 marco 2025", "2025-03-01/2025-03-31"),
            ("vale3 de março de 2025", "de marco de 2025", "2025-03-01/2025-03-31"),
            ("dividendos 2024-03", "2024 3", "2024-03-01/2024-03-31"),
            ("2024/03 vale", "2024 3", "2024-03-01/2024-03-31"),
            ("AGO de 30/04/2024", "de 30 4 2024", "2024-04-01/2024-04-30"),
            ("AGO 2024-04-30 vale", "2024 4 30", "2024-04-01/2024-04-30"),
        ] {
            assert_eq!(periods(text), [(words.to_owned(), days.to_owned())], "{text}");
        }
    }

    #[test]
    fn several_years_are_several_periods() {
        let year = |year: &str| (year.to_owned(), format!("{year}-01-01/{year}-12-31"));
        for text in ["ITR 2023 2024", "exercício 2023/2024", "2023 e 2024", "2023-2024"] {
            assert_eq!(periods(text), [year("2023"), year("2024")], "{text}");
        }
        let march = ("marco 2023".to_owned(), "2023-03-01/2023-03-31".to_owned());
        assert_eq!(periods("março 2023 2024"), [march, year("2024")]);
    }

    #[test]
    fn other_numbers_are_no_periods() {
        for text in [
            "março",
            "31/04/2024",
            "13/2024",
            "00/2024",
            "2024/13",
            "03/2024-5",
            "2024-04-31",
            "1 2024 2025",
            "03/2024 04/2024",
            "nº 35-11.2025",
            "9512",
            "1023",
            "20240",
            "vale3",
        ] {
            let found = periods(text);
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }
}
