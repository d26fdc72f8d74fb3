//! Instalments pasted as lines of text: a date, an amount and perhaps a name.

use serde::Serialize;

use crate::language::Language;
use crate::typed;

#[derive(Debug, Serialize)]
pub(super) struct Instalment {
    date: String,
    amount: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

/// A line that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadLine {
    /// Counted from one.
    pub(super) line: usize,
    pub(super) fault: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has no date or no amount.
    Incomplete,
    /// Spaces separate numbers that can be one amount, or an amount and a name.
    Ambiguous,
    /// The text at the place of the amount has no cents, and something after it has.
    OtherAmount,
}

/// The instalments, each with the number of its line.
pub(super) fn read(text: &str, language: Language) -> Result<Vec<(usize, Instalment)>, BadLine> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(text, line)| match instalment(text, language) {
            Ok(instalment) => Ok((line, instalment)),
            Err(fault) => Err(BadLine { line, fault }),
        })
        .collect()
}

/// A line with tabs, semicolons or spaces between its fields.
fn instalment(line: &str, language: Language) -> Result<Instalment, Fault> {
    let Fields { date, amount, others } = match separated(line) {
        Some(fields) => fields?,
        None => spaced(line)?,
    };
    // The amount would be the number of an invoice or of an instalment: nobody notices a wrong sum among hundreds.
    if !has_cents(&amount) && others.iter().any(|other| is_money(other)) {
        return Err(Fault::OtherAmount);
    }
    let (amount, label) = (typed::amount(&amount, language), typed::shown(&others.join(" ")));
    Ok(Instalment { date, amount, label: (!label.is_empty()).then_some(label) })
}

struct Fields<'a> {
    date: String,
    amount: String,
    /// The text after the amount: the name.
    others: Vec<&'a str>,
}

/// The fields between tabs or semicolons. `None` if these do not end a date: then they are a part of the name.
fn separated(line: &str) -> Option<Result<Fields<'_>, Fault>> {
    ['\t', ';'].into_iter().filter(|separator| line.contains(*separator)).find_map(|separator| {
        let mut fields = line.split(separator).map(str::trim).filter(|field| !field.is_empty());
        let date = typed::day(fields.next()?)?;
        let amount = fields.next().map(str::to_owned).ok_or(Fault::Incomplete);
        Some(amount.map(|amount| Fields { date, amount, others: fields.collect() }))
    })
}

/// The fields between spaces. An amount may have spaces between its thousands if it has cents, which show where it
/// ends, and the sign of the currency, which shows where it begins: `12 100,00` can be the twelfth of some hundreds.
fn spaced(line: &str) -> Result<Fields<'_>, Fault> {
    let line = line.trim_start();
    let (date, rest) = line.split_once(char::is_whitespace).ok_or(Fault::Incomplete)?;
    let date = typed::day(date).ok_or(Fault::Incomplete)?;
    let signed = rest.trim_start().strip_prefix(CURRENCY);
    let mut words: Vec<&str> = signed.unwrap_or(rest).split_whitespace().collect();
    let numbers = words.iter().take_while(|word| is_number(word)).count();
    let length = match words.iter().take(numbers).position(|word| has_cents(word)) {
        _ if words.is_empty() => return Err(Fault::Incomplete),
        _ if numbers < 2 => 1,
        Some(0) => 1,
        Some(last) if signed.is_some() && are_groups(&words[..=last]) => last + 1,
        _ => return Err(Fault::Ambiguous),
    };
    let others = words.split_off(length);
    Ok(Fields { date, amount: words.concat(), others })
}

const CURRENCY: &str = "R$";

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || b",.".contains(&byte))
}

/// Whether a field reads as an amount with cents.
fn is_money(field: &str) -> bool {
    let number: String =
        field.trim_start_matches(CURRENCY).chars().filter(|letter| !letter.is_whitespace()).collect();
    is_number(&number) && has_cents(&number)
}

/// Whether a number ends with one or two decimals.
fn has_cents(number: &str) -> bool {
    let decimals = number.rfind([',', '.']).map(|sign| number.len() - sign - 1);
    decimals.is_some_and(|decimals| (1..=2).contains(&decimals))
}

/// Whether these numbers are the groups of one: up to three digits, then three each, the last with cents.
fn are_groups(numbers: &[&str]) -> bool {
    let digits = |number: &str| number.find([',', '.']).unwrap_or(number.len());
    let [first, rest @ ..] = numbers else { return false };
    (1..=3).contains(&first.len())
        && digits(first) == first.len()
        && rest.iter().all(|group| digits(group) == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_spaces_are_whole_or_refused() {
        for (line, expected) in [
            ("10/01/2024 1000", Some(("1000", None))),
            ("10/01/2024 R$ 1.000,00 janeiro", Some(("1000.00", Some("janeiro")))),
            ("10/01/2024 R$ 1 000,00", Some(("1000.00", None))),
            ("10/01/2024 R$1 000,00", Some(("1000.00", None))),
            ("10/01/2024 R$ 1 234 567,89 luz", Some(("1234567.89", Some("luz")))),
            ("10/01/2024 1.000,00 2024", Some(("1000.00", Some("2024")))),
            ("10/01/2024 500 1/12", Some(("500", Some("1/12")))),
            ("10/01/2024\t1 000,00\t2", Some(("1000.00", Some("2")))),
            ("10/01/2024 100 200 caixas", None),
            ("10/01/2024 1 000", None),
            ("10/01/2024 1 000,00", None),
            ("10/01/2024 12 100,00", None),
            ("10/01/2024 1000 12,50", None),
            ("10/01/2024 1.000 000,00", None),
        ] {
            assert_eq!(read_line(line), expected.map(owned).ok_or(Fault::Ambiguous), "{line}");
        }
    }

    fn owned((amount, label): (&str, Option<&str>)) -> (String, Option<String>) {
        (amount.to_owned(), label.map(str::to_owned))
    }

    fn read_line(line: &str) -> Result<(String, Option<String>), Fault> {
        instalment(line, Language::Portuguese).map(|read| (read.amount, read.label))
    }

    #[test]
    fn a_column_of_numbers_is_not_taken_for_the_amount() {
        for line in [
            "10/01/2026\t12\t1.000,00",
            "10/01/2026;12;aluguel;R$ 1.000,00",
            "10/01/2026\t1.000\t12,5",
            "10/01/2026\taluguel\t1 000,00",
            "10/01/2026 12 aluguel 1.000,00",
        ] {
            assert_eq!(read_line(line), Err(Fault::OtherAmount), "{line}");
        }
        for (line, amount, label) in [
            ("10/01/2026\t1.000,00\t12", "1000.00", "12"),
            ("10/01/2026\t1.000,00\t50,00", "1000.00", "50,00"),
            ("10/01/2026\t1000\t2,5% de multa", "1000", "2,5% de multa"),
        ] {
            assert_eq!(read_line(line), Ok(owned((amount, Some(label)))), "{line}");
        }
    }

    #[test]
    fn separators_can_be_a_part_of_the_name() {
        for line in ["10/01/2026 1.000,00 aluguel; multa", "10/01/2026\t1.000,00\taluguel; multa"] {
            assert_eq!(read_line(line), Ok(owned(("1000.00", Some("aluguel; multa")))), "{line}");
        }
        for line in ["", "10/01/2026", "10/01/2026;", "10/01/2026 R$", "ontem;5", "31/02/2026\t5"] {
            assert_eq!(read_line(line), Err(Fault::Incomplete), "{line}");
        }
    }
}
