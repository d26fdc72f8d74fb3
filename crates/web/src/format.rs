//! Formats numbers, days and amounts for readers of either language.
//!
//! Numbers are formatted from the published digits: nothing is rounded and no float is involved. Only axis labels,
//! which are not published values, are made from floats.

use std::fmt::{Display, Write as _};

use lastro_model::{Day, Decimal, Frequency, Unit};

use crate::language::Language;

/// Minus sign.
const MINUS: char = '\u{2212}';

/// Thousands separator and decimal separator.
const fn signs(language: Language) -> (char, char) {
    match language {
        Language::English => (',', '.'),
        Language::Portuguese => ('.', ','),
    }
}

/// A number with its digits unchanged, grouped by thousands.
pub(crate) fn number(value: impl Display, language: Language) -> String {
    let text = format!("{value}");
    let (digits, is_below_zero) = text.strip_prefix('-').map_or((&*text, false), |digits| (digits, true));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (group, point) = signs(language);
    let mut out = String::with_capacity(text.len() + 8);
    if is_below_zero {
        out.push(MINUS);
    }
    push_grouped(&mut out, whole, group);
    if !fraction.is_empty() {
        out.push(point);
        out.push_str(fraction);
    }
    out
}

fn push_grouped(out: &mut String, whole: &str, group: char) {
    if whole.len() <= 3 {
        out.push_str(whole);
        return;
    }
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(group);
        }
        out.push(digit);
    }
}

/// Appends the digits of a decimal without its sign. Avoids the cost of `Display`: a table has hundreds of values.
fn push_digits(out: &mut String, value: Decimal, language: Language) {
    let (mut buffer, mantissa) = (itoa::Buffer::new(), value.mantissa().unsigned_abs());
    // Most mantissas fit into 64 bits.
    let digits = match u64::try_from(mantissa) {
        Ok(short) => buffer.format(short),
        Err(_) => buffer.format(mantissa),
    };
    let decimals = value.scale() as usize;
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(decimals));
    let (group, point) = signs(language);
    push_grouped(out, if whole.is_empty() { "0" } else { whole }, group);
    if decimals > 0 {
        out.push(point);
        (fraction.len()..decimals).for_each(|_| out.push('0'));
        out.push_str(fraction);
    }
}

/// Prefix and suffix of a value of this unit.
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
pub(crate) fn value(value: Decimal, unit: Unit, language: Language) -> String {
    let mut out = String::with_capacity(24);
    push_value(&mut out, value, unit, language);
    out
}

pub(crate) fn push_value(out: &mut String, value: Decimal, unit: Unit, language: Language) {
    let (before, after) = affixes(unit);
    if value.mantissa() < 0 {
        out.push(MINUS);
    }
    out.push_str(before);
    push_digits(out, value, language);
    out.push_str(after);
}

/// A label of an axis, with the sign of its unit.
pub(crate) fn axis_value(value: f64, decimals: usize, unit: Unit, language: Language) -> String {
    let (before, after) = affixes(unit);
    let text = format!("{:.decimals$}", value.abs());
    // A value that rounds to zero has no sign.
    let is_nothing = text.trim_matches(['0', '.']).is_empty();
    let sign = if value < 0.0 && !is_nothing { "\u{2212}" } else { "" };
    format!("{sign}{before}{}{after}", number(text, language))
}

const MONTHS_EN: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTHS_PT: [&str; 12] =
    ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"];
const WHOLE_MONTHS_PT: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
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

/// The abbreviated name of a month.
pub(crate) fn month_name(month: i8, language: Language) -> &'static str {
    name_of(month, if language == Language::English { &MONTHS_EN } else { &MONTHS_PT })
}

/// A month with its year on an axis: `Nov 2026`, `nov/2026`.
pub(crate) fn month_of_year(month: i8, year: i16, language: Language) -> String {
    let joint = if language == Language::English { ' ' } else { '/' };
    format!("{}{joint}{year}", month_name(month, language))
}

fn name_of(month: i8, names: &[&'static str; 12]) -> &'static str {
    usize::try_from(month - 1).ok().and_then(|place| names.get(place)).copied().unwrap_or("")
}

/// `16 Nov 2026`, `16/11/2026`.
pub(crate) fn day(day: Day, language: Language) -> String {
    period(day, Frequency::CalendarDays, language)
}

/// A month within a sentence: `Nov 2026`, `novembro de 2026`.
pub(crate) fn month(day: Day, language: Language) -> String {
    let (year, month, _) = day.civil();
    match language {
        Language::English => period(day, Frequency::Months, language),
        Language::Portuguese => format!("{} de {year}", name_of(month, &WHOLE_MONTHS_PT)),
    }
}

/// The period covered by a value of this frequency: `16 Nov 2026` and `Nov 2026`, `16/11/2026` and `nov/2026`.
pub(crate) fn period(date: Day, frequency: Frequency, language: Language) -> String {
    let mut out = String::with_capacity(20);
    push_period(&mut out, date, frequency, language);
    out
}

pub(crate) fn push_period(out: &mut String, date: Day, frequency: Frequency, language: Language) {
    let ((year, month, day), mut digits) = (date.civil(), itoa::Buffer::new());
    let has_day = matches!(frequency, Frequency::BusinessDays | Frequency::CalendarDays);
    match language {
        Language::English => {
            if has_day {
                [digits.format(day), " "].iter().for_each(|part| out.push_str(part));
            }
            if frequency != Frequency::Years {
                [month_name(month, language), " "].iter().for_each(|part| out.push_str(part));
            }
        }
        Language::Portuguese if has_day => {
            push_two_digits(out, day);
            push_two_digits(out, month);
        }
        Language::Portuguese if frequency == Frequency::Months => {
            [month_name(month, language), "/"].iter().for_each(|part| out.push_str(part));
        }
        Language::Portuguese => {}
    }
    out.push_str(digits.format(year));
}

/// Appends a day or a month as two digits and a slash.
fn push_two_digits(out: &mut String, number: i8) {
    let mut digits = itoa::Buffer::new();
    let zero = if number < 10 { "0" } else { "" };
    [zero, digits.format(number), "/"].iter().for_each(|part| out.push_str(part));
}

/// The period in the notation of form inputs and `datetime` attributes.
pub(crate) fn machine(date: Day, frequency: Frequency) -> String {
    let mut out = String::with_capacity(10);
    push_machine(&mut out, date, frequency);
    out
}

pub(crate) fn push_machine(out: &mut String, date: Day, frequency: Frequency) {
    // Writing into memory does not fail.
    let _ = write!(out, "{date}");
    let unsaid = match frequency {
        Frequency::BusinessDays | Frequency::CalendarDays => "",
        Frequency::Months => "-dd",
        Frequency::Years => "-mm-dd",
    };
    out.truncate(out.len() - unsaid.len());
}

/// An amount of money in reais.
pub(crate) fn reais(amount: &str, language: Language) -> String {
    money(amount, "BRL", "", language)
}

/// An amount of money in the Brazilian currency of this ISO code, with the sign that it had on a day.
pub(crate) fn money(amount: &str, currency: &str, day: &str, language: Language) -> String {
    let sign = match currency {
        "BRL" => "R$",
        // The cruzeiro novo has the code of the cruzeiro that followed it.
        "BRB" if day < "1970-05-15" => "NCr$",
        // The cruzeiros of 1942, 1970 and 1990.
        "BRZ" | "BRB" | "BRE" => "Cr$",
        "BRC" => "Cz$",
        "BRN" => "NCz$",
        "BRR" => "CR$",
        other => other,
    };
    format!("{sign}\u{a0}{}", cents(amount, language))
}

/// An amount of money without its currency: with two decimals at least.
pub(crate) fn cents(amount: &str, language: Language) -> String {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    number(format_args!("{whole}.{fraction:0<2}"), language)
}

/// `10/01/2026`, or in English `2026-01-10`: the notation of tables, which forms accept too.
pub(crate) fn short_day(day: Day, language: Language) -> String {
    let (year, month, day_of_month) = day.civil();
    match language {
        Language::English => day.to_string(),
        Language::Portuguese => format!("{day_of_month:02}/{month:02}/{year:04}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    fn money_has_two_decimals_at_least() {
        for (amount, shown) in [("1000.5", "1.000,50"), ("2500", "2.500,00"), ("0.05", "0,05")] {
            assert_eq!(reais(amount, Portuguese), format!("R$\u{a0}{shown}"));
        }
    }

    #[test]
    fn days_are_written_as_people_write_them() {
        let date = Day::parse("2026-05-04").unwrap();
        assert_eq!(
            (day(date, English).as_str(), day(date, Portuguese).as_str()),
            ("4 May 2026", "04/05/2026")
        );
        assert_eq!(day(Day::parse("2026-11-30").unwrap(), Portuguese), "30/11/2026");
        assert_eq!(period(date, Frequency::Months, Portuguese), "mai/2026");
        assert_eq!(
            (month(date, English).as_str(), month(date, Portuguese).as_str()),
            ("May 2026", "maio de 2026")
        );
        assert_eq!(period(date, Frequency::Years, Portuguese), "2026");
        let machines = [Frequency::CalendarDays, Frequency::Months, Frequency::Years]
            .map(|frequency| machine(date, frequency));
        assert_eq!(machines, ["2026-05-04", "2026-05", "2026"]);
    }

    #[test]
    fn amounts_have_the_sign_of_their_currency() {
        for (code, day, sign) in [
            ("BRZ", "1966-12-01", "Cr$"),
            ("BRB", "1968-01-01", "NCr$"),
            ("BRB", "1970-05-01", "NCr$"),
            ("BRB", "1970-05-31", "Cr$"),
            ("BRC", "1987-01-01", "Cz$"),
            ("BRN", "1989-05-31", "NCz$"),
            ("BRE", "1991-01-01", "Cr$"),
            ("BRR", "1994-06-30", "CR$"),
            ("BRL", "1994-07-01", "R$"),
        ] {
            assert_eq!(money("1000.00", code, day, Portuguese), format!("{sign}\u{a0}1.000,00"), "{day}");
        }
    }

    #[test]
    fn minus_sign_comes_before_the_sign_of_the_unit() {
        for (number, decimals, unit, english, portuguese) in [
            (-1_234_567, 1, Unit::UsdMillion, "\u{2212}US$\u{a0}123,456.7", "\u{2212}US$\u{a0}123.456,7"),
            (-2, 2, Unit::PercentPerMonth, "\u{2212}0.02%", "\u{2212}0,02%"),
            (3_476, 5, Unit::Brl, "R$\u{a0}0.03476", "R$\u{a0}0,03476"),
            (150, 1, Unit::Index, "15.0", "15,0"),
            (0, 2, Unit::Percent, "0.00%", "0,00%"),
        ] {
            let read = |language| value(Decimal::new(number, decimals), unit, language);
            assert_eq!((read(English).as_str(), read(Portuguese).as_str()), (english, portuguese));
        }
        assert_eq!(axis_value(-20_000.0, 0, Unit::UsdMillion, English), "\u{2212}US$\u{a0}20,000");
        assert_eq!(axis_value(-0.001, 1, Unit::Percent, English), "0.0%");
    }

    proptest! {
        #[test]
        fn values_keep_their_published_digits(number: i64, decimals in 0u32..12) {
            let decimal = Decimal::new(number, decimals);
            prop_assert_eq!(value(decimal, Unit::Index, English), self::number(decimal, English));
        }
    }
}
