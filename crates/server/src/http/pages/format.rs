//! Numbers, days and amounts as readers of either language write them.
//!
//! Numbers are formatted from the digits that were published: nothing is rounded and no float is involved, but in the labels
//! of an axis, which are ours.

use std::fmt::Display;

use lastro_model::{Day, Decimal, Frequency, Unit};

use super::language::Language;

/// A number with its digits as they are, grouped by thousands.
pub fn number(value: impl Display, language: Language) -> String {
    let text = format!("{value}");
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("\u{2212}", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (group, point) = match language {
        Language::English => (',', '.'),
        Language::Portuguese => ('.', ','),
    };
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            out.push(group);
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push(point);
        out.push_str(fraction);
    }
    out
}

/// What stands before and after a value of this unit.
const fn affixes(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::PercentPerYear
        | Unit::PercentPerMonth
        | Unit::PercentPerDay
        | Unit::Percent
        | Unit::PercentOfGdp => ("", "%"),
        Unit::Brl | Unit::BrlThousand | Unit::BrlMillion => ("R$\u{a0}", ""),
        Unit::UsdMillion => ("US$\u{a0}", ""),
        Unit::Index => ("", ""),
    }
}

/// A value of a series, with the sign of its unit.
pub fn value(value: Decimal, unit: Unit, language: Language) -> String {
    let (before, after) = affixes(unit);
    format!("{before}{}{after}", number(value, language))
}

/// The same for a place on an axis, which nobody published.
pub fn axis_value(value: f64, decimals: usize, unit: Unit, language: Language) -> String {
    let (before, after) = affixes(unit);
    // What rounds to nothing has no sign.
    let text = format!("{value:.decimals$}");
    let text = if text.trim_matches(['-', '0', '.']).is_empty() {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    };
    format!("{before}{}{after}", number(text, language))
}

const MONTHS_EN: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTHS_PT: [&str; 12] =
    ["jan.", "fev.", "mar.", "abr.", "maio", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez."];

pub fn month_name(month: i8, language: Language) -> &'static str {
    let names = match language {
        Language::English => &MONTHS_EN,
        Language::Portuguese => &MONTHS_PT,
    };
    usize::try_from(month - 1).ok().and_then(|place| names.get(place)).copied().unwrap_or("")
}

/// `16 Nov 2026`.
pub fn day(day: Day, language: Language) -> String {
    let (year, month, of_month) = day.civil();
    format!("{of_month} {} {year}", month_name(month, language))
}

/// `Nov 2026`.
pub fn month(day: Day, language: Language) -> String {
    let (year, month, _) = day.civil();
    format!("{} {year}", month_name(month, language))
}

/// The period that a value of this frequency stands for.
pub fn period(date: Day, frequency: Frequency, language: Language) -> String {
    match frequency {
        Frequency::BusinessDays | Frequency::CalendarDays => day(date, language),
        Frequency::Months => month(date, language),
        Frequency::Years => date.year().to_string(),
    }
}

/// The period as an input of a form and a `datetime` have it.
pub fn machine(date: Day, frequency: Frequency) -> String {
    let (year, month, day) = date.civil();
    match frequency {
        Frequency::BusinessDays | Frequency::CalendarDays => format!("{year:04}-{month:02}-{day:02}"),
        Frequency::Months => format!("{year:04}-{month:02}"),
        Frequency::Years => format!("{year:04}"),
    }
}

/// An amount of money in the currency of this ISO code.
pub fn money(amount: &str, currency: &str, language: Language) -> String {
    let sign = if currency == "BRL" { "R$" } else { currency };
    format!("{sign}\u{a0}{}", number(amount, language))
}

/// An amount as people type it, the way the API takes it: `1.000,50` and `1,000.50` are `1000.50`.
///
/// The last sign of both is the decimal one; a single one that is followed by three digits groups them.
pub fn typed_amount(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '\u{a0}').collect();
    let text = text.trim_start_matches("R$");
    let last = text.rfind([',', '.']);
    let Some(place) = last else { return text.to_owned() };
    let (whole, rest) = text.split_at(place);
    let (sign, fraction) = rest.split_at(1);
    let groups =
        fraction.len() == 3 && !whole.is_empty() && (whole.contains(sign) || !whole.contains([',', '.']));
    let plain: String = whole.chars().filter(|c| ![',', '.'].contains(c)).collect();
    if groups { format!("{plain}{fraction}") } else { format!("{plain}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{English, Portuguese};

    #[test]
    fn numbers_keep_their_digits() {
        for (text, english, portuguese) in [
            ("11.75", "11.75", "11,75"),
            ("-0.02", "\u{2212}0.02", "\u{2212}0,02"),
            ("1234567.80", "1,234,567.80", "1.234.567,80"),
            ("123", "123", "123"),
            ("1000", "1,000", "1.000"),
            ("5.08520", "5.08520", "5,08520"),
        ] {
            assert_eq!(
                (number(text, English).as_str(), number(text, Portuguese).as_str()),
                (english, portuguese)
            );
        }
    }

    #[test]
    fn days_are_written_as_people_write_them() {
        let date = Day::parse("2026-05-04").unwrap();
        assert_eq!(
            (day(date, English).as_str(), day(date, Portuguese).as_str()),
            ("4 May 2026", "4 maio 2026")
        );
        assert_eq!(period(date, Frequency::Months, Portuguese), "maio 2026");
        assert_eq!(machine(date, Frequency::Months), "2026-05");
    }

    #[test]
    fn amounts_are_read_as_people_type_them() {
        for (typed, read) in [
            ("1000", "1000"),
            ("1.000,50", "1000.50"),
            ("1,000.50", "1000.50"),
            ("R$ 1.000.000,00", "1000000.00"),
            ("1.000", "1000"),
            ("1,000", "1000"),
            ("1.000.000", "1000000"),
            ("0,5", "0.5"),
            ("10.5", "10.5"),
            ("", ""),
            ("abc", "abc"),
            ("1e5", "1e5"),
            ("-5", "-5"),
        ] {
            assert_eq!(typed_amount(typed), read, "{typed}");
        }
    }
}
