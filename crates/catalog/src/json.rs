//! The few JSON forms that are written by hand, each tested against a parser.

use lastro_model::Day;

/// The text as a JSON string, quotes included.
pub fn literal(text: &str) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    push_literal(text, &mut bytes);
    bytes.into_boxed_slice()
}

pub fn push_literal(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, text).is_err() {
        // Writing a string into memory does not fail; were it to, the answer must still be JSON.
        out.truncate(start);
        out.extend_from_slice(b"\"\"");
    }
}

pub fn push_optional_literal(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => push_literal(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends what `Display` writes. For values whose text needs no escape.
pub fn push_display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    use std::io::Write as _;
    // Writing into memory does not fail.
    let _ = write!(out, "{value}");
}

/// Days of the years 0 to 9999, whose text has ten characters.
const FOUR_DIGIT_YEARS: std::ops::Range<i32> = -719_528..2_932_897;

/// Appends `YYYY-MM-DD`: twenty of them on every page of filings, so without the machinery of a calendar.
pub fn push_day(day: Day, out: &mut Vec<u8>) {
    if !FOUR_DIGIT_YEARS.contains(&day.number()) {
        return push_display(day, out);
    }
    let (year, month, day) = civil(day.number());
    let two = |n: i32| [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
    let ([a, b], [c, d], [e, f], [g, h]) = (two(year / 100), two(year % 100), two(month), two(day));
    out.extend_from_slice(&[a, b, c, d, b'-', e, f, b'-', g, h]);
}

/// Howard Hinnant's `civil_from_days`.
fn civil(number: i32) -> (i32, i32, i32) {
    let shifted = number + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i32::from(month <= 2), month, day)
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
        for number in [-719_529, -719_528, -719_469, 0, 2_932_896] {
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
