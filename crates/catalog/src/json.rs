//! The few JSON forms that are written by hand, each tested against a parser.

use lastro_model::Day;

/// The text as a JSON string, quotes included.
pub(crate) fn literal(text: &str) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    push_literal(text, &mut bytes);
    bytes.into_boxed_slice()
}

pub(crate) fn push_literal(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, text).is_err() {
        // Writing a string into memory does not fail; were it to, the answer must still be JSON.
        out.truncate(start);
        out.extend_from_slice(b"\"\"");
    }
}

pub(crate) fn push_optional_literal(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => push_literal(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends what `Display` writes. For values whose text needs no escape.
pub(crate) fn push_display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    use std::io::Write as _;
    // Writing into memory does not fail.
    let _ = write!(out, "{value}");
}

/// Days of the years 0 to 9999, whose text has ten characters.
const FOUR_DIGIT_YEARS: std::ops::Range<i32> = -719_528..2_932_897;

/// Appends `YYYY-MM-DD`: twenty of them on every page of filings, so without the machinery of a calendar.
pub(crate) fn push_day(day: Day, out: &mut Vec<u8>) {
    if !FOUR_DIGIT_YEARS.contains(&day.number()) {
        return push_display(day, out);
    }
    let (year, month, day) = civil(day.number());
    let ([a, b], [c, d], [e, f], [g, h]) = (two(year / 100), two(year % 100), two(month), two(day));
    out.extend_from_slice(&[a, b, c, d, b'-', e, f, b'-', g, h]);
}

/// Two digits. The division is one multiplication, as the number is small.
fn two(number: u32) -> [u8; 2] {
    let tens = (number * 103) >> 10;
    [b'0' + tens as u8, b'0' + (number - tens * 10) as u8]
}

/// Year, month and day by the arithmetic of Neri and Schneider, whose divisions are all multiplications.
/// For [`FOUR_DIGIT_YEARS`].
fn civil(number: i32) -> (u32, u32, u32) {
    /// One era of 400 years is added, so that the year that began on 1 March of the year -1 is not below zero.
    const ERA_DAYS: i32 = 146_097;
    let shifted = (number + 719_468 + ERA_DAYS) as u32;
    let quarters = 4 * shifted + 3;
    let (century, day_of_century) = (quarters / 146_097, quarters % 146_097 / 4);
    let years = 2_939_745 * u64::from(4 * day_of_century + 3);
    let (year_of_century, day_of_year) = ((years >> 32) as u32, years as u32 / 2_939_745 / 4);
    let months = 2_141 * day_of_year + 197_913;
    let (month, day) = (months >> 16, (months & 0xffff) / 2_141 + 1);
    let after_new_year = day_of_year >= 306;
    let year = 100 * century + year_of_century + u32::from(after_new_year) - 400;
    (year, if after_new_year { month - 12 } else { month }, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(day: Day) -> String {
        let mut out = Vec::new();
        push_day(day, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_first_and_last_days_of_four_digits_are_written() {
        for number in [-719_529, -719_528, -719_469, -719_468, 0, 58, 59, 2_932_896] {
            let day = Day::from_number(number).unwrap();
            assert_eq!(written(day), day.to_string());
        }
    }

    proptest! {
        #[test]
        fn days_are_written_as_they_display(number in -800_000i32..2_932_896) {
            let day = Day::from_number(number).unwrap();
            prop_assert_eq!(written(day), day.to_string());
        }

        #[test]
        fn literals_are_read_back(text: String) {
            prop_assert_eq!(serde_json::from_slice::<String>(&literal(&text)).unwrap(), text);
        }
    }
}
