//! Converts numbers as people type them to the form the API accepts.

use lastro_model::Day;

use crate::language::Language;

/// An amount of money: `1.000,50` and `1,000.50` become `1000.50` in either language. Three digits after a single
/// separator are thousands if the language separates thousands by it. Else they are decimals, and too many of them.
pub(crate) fn amount(text: &str, language: Language) -> String {
    let text = without_space(text);
    let text = text.trim_start_matches("R$");
    let thousands = if language == Language::Portuguese { "." } else { "," };
    plain(text, Some(thousands)).unwrap_or_else(|| text.to_owned())
}

/// A percentage: up to a thousand with up to four decimals, so a single separator precedes decimals.
pub(crate) fn percentage(text: &str) -> String {
    let text = without_space(text);
    let text = text.trim_end_matches('%');
    plain(text, None).unwrap_or_else(|| text.to_owned())
}

/// The numbers that a result copied from a document can mean: as programs write it, as an amount of money, and as a
/// number with decimals only. Words around it are left out. A negative number has no reading: no result is below zero.
pub fn readings(text: &str) -> Vec<String> {
    let mut before = text.chars().take_while(|letter| !letter.is_ascii_digit());
    if before.any(|letter| matches!(letter, '-' | '\u{2212}')) {
        return Vec::new();
    }
    let text = text.trim_matches(|letter: char| !letter.is_ascii_digit());
    let [portuguese, english] = Language::ALL.map(|language| amount(text, language));
    let mut readings = vec![text.to_owned(), portuguese, english, percentage(text)];
    readings.dedup();
    readings
}

/// Typed text to show again: trimmed, without control characters.
pub(crate) fn shown(text: &str) -> String {
    text.trim().chars().filter(|letter| !letter.is_control()).collect()
}

/// A day as `2026-01-10`, or as Brazilians write it: `10/01/2026`, also with points or hyphens.
pub(crate) fn day(text: &str) -> Option<String> {
    if let Ok(day) = Day::parse(text) {
        return Some(day.to_string());
    }
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    let &[day, month, year] = &parts[..] else { return None };
    let day = Day::parse(&format!("{year:0>4}-{month:0>2}-{day:0>2}")).ok()?;
    (year.len() == 4).then(|| day.to_string())
}

fn without_space(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

const SIGNS: [char; 2] = [',', '.'];

/// The number with a decimal point and no thousands separators. `None` if it is no number, which the API then rejects.
/// `grouped_by` is the language's thousands separator, for numbers with at most two decimals.
fn plain(text: &str, grouped_by: Option<&str>) -> Option<String> {
    let place = text.rfind(SIGNS)?;
    let (whole, rest) = text.split_at(place);
    let (last_sign, after) = rest.split_at(1);
    let is_number = [whole, after].iter().all(|part| is_made_of_digits(part));
    if !is_number {
        return None;
    }
    let thousands = |whole: &str| whole.replace(SIGNS, "");
    let decimals = |whole: &str| {
        let whole = thousands(whole);
        let whole = if whole.is_empty() { "0" } else { &*whole };
        if after.is_empty() { whole.to_owned() } else { format!("{whole}.{after}") }
    };
    match whole.find(SIGNS).and_then(|first| whole.get(first..=first)) {
        None if after.len() == 3 && is_first_group(whole) && grouped_by.is_some() => {
            // The API accepts no comma, and so rejects `1.000` of an English page, too, which may mean a thousand.
            Some(if grouped_by == Some(last_sign) {
                format!("{whole}{after}")
            } else {
                format!("{whole},{after}")
            })
        }
        None => Some(decimals(whole)),
        Some(sign) if !is_grouped(whole, sign) => None,
        Some(sign) if sign != last_sign => Some(decimals(whole)),
        Some(_) if after.len() == 3 => Some(thousands(whole) + after),
        Some(_) => None,
    }
}

fn is_made_of_digits(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_digit() || SIGNS.contains(&letter))
}

/// Whether the text can precede a thousands separator: `0.500` does not mean five hundred.
fn is_first_group(text: &str) -> bool {
    (1..=3).contains(&text.len()) && !text.starts_with('0')
}

fn is_grouped(text: &str, sign: &str) -> bool {
    let mut groups = text.split(sign);
    groups.next().is_some_and(is_first_group)
        && groups.all(|group| group.len() == 3 && !group.contains(SIGNS))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn days_are_read_as_people_type_them() {
        for (typed, read) in [
            ("2026-01-10", Some("2026-01-10")),
            ("10/01/2026", Some("2026-01-10")),
            ("1/2/2026", Some("2026-02-01")),
            ("10.01.2026", Some("2026-01-10")),
            ("30/02/2026", None),
            ("10/01/26", None),
            ("janeiro", None),
            ("", None),
        ] {
            assert_eq!(day(typed).as_deref(), read, "{typed}");
        }
    }

    #[test]
    fn amounts_are_read_as_people_type_them() {
        for (typed, read) in [
            ("1000", "1000"),
            ("1.000,50", "1000.50"),
            ("1,000.50", "1000.50"),
            ("R$ 1.000.000,00", "1000000.00"),
            ("R$\u{a0}1.000,00", "1000.00"),
            ("1.000.000", "1000000"),
            ("0,5", "0.5"),
            (",5", "0.5"),
            ("5,", "5"),
            ("10.5", "10.5"),
            ("1234.567", "1234.567"),
            ("0.500", "0.500"),
            ("", ""),
            ("abc", "abc"),
            ("1e5", "1e5"),
            ("-5", "-5"),
            ("-1.000", "-1.000"),
            // Invalid grouping is left as typed.
            ("1.000.50", "1.000.50"),
            ("1,2,3", "1,2,3"),
            ("1.0000,5", "1.0000,5"),
            ("1.000,500.000", "1.000,500.000"),
        ] {
            for language in Language::ALL {
                assert_eq!(amount(typed, language), read, "{typed}");
            }
        }
    }

    #[test]
    fn one_separator_before_three_digits_is_of_the_language() {
        for (typed, portuguese, english) in [
            ("1.000", "1000", "1,000"),
            ("1,000", "1,000", "1000"),
            ("100,005", "100,005", "100005"),
            ("12.345", "12345", "12,345"),
        ] {
            assert_eq!(
                Language::ALL.map(|language| amount(typed, language)),
                [portuguese, english],
                "{typed}"
            );
        }
    }

    #[test]
    fn a_result_is_read_as_documents_show_it() {
        for (typed, meant) in [
            ("R$\u{a0}1.234,56", "1234.56"),
            ("R$ 1,234.56", "1234.56"),
            ("0,7082 sal\u{e1}rios", "0.7082"),
            ("1.500", "1.500"),
            ("1020.40", "1020.40"),
        ] {
            assert!(readings(typed).iter().any(|reading| reading == meant), "{typed}");
        }
        for negative in ["-1.234,56", "R$ -1.234,56", "-R$\u{a0}1.234,56", "R$ \u{2212}0,01"] {
            assert_eq!(readings(negative), Vec::<String>::new(), "{negative}");
        }
    }

    #[test]
    fn a_percentage_has_decimals_and_no_thousands() {
        for (typed, read) in [
            ("110", "110"),
            ("99,875", "99.875"),
            ("0.125", "0.125"),
            ("110,5 %", "110.5"),
            ("1.000,00", "1000.00"),
            ("x", "x"),
        ] {
            assert_eq!(percentage(typed), read, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn no_digit_of_any_input_is_lost(typed in "[0-9.,R$ %\u{e7}-]{0,12}") {
            let compact = without_space(&typed);
            for read in [amount(&typed, Language::Portuguese), amount(&typed, Language::English), percentage(&typed)] {
                let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
                prop_assert!(digits(&read).ends_with(&digits(&compact)), "{typed}: {read}");
            }
        }
    }
}
