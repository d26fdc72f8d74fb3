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
    let separator = ['\t', ';'].into_iter().find(|separator| line.contains(*separator));
    let (date, amount, label) = match separator {
        Some(separator) => {
            let mut fields = line.split(separator).map(str::trim).filter(|field| !field.is_empty());
            let (date, amount) = (fields.next(), fields.next());
            (date, amount.map(str::to_owned), fields.collect::<Vec<_>>().join(" "))
        }
        None => {
            let mut words = line.split_whitespace();
            let date = words.next();
            let words: Vec<&str> = words.skip_while(|word| *word == "R$").collect();
            let (amount, label) = spaced(&words)?;
            (date, amount, label)
        }
    };
    let (date, amount) = date.and_then(typed::day).zip(amount).ok_or(Fault::Incomplete)?;
    let label = typed::shown(&label);
    let amount = typed::amount(&amount, language);
    Ok(Instalment { date, amount, label: (!label.is_empty()).then_some(label) })
}

/// The amount at the beginning of these words, and the name after it. An amount may have spaces between its thousands
/// if it has cents, which show where it ends.
fn spaced(words: &[&str]) -> Result<(Option<String>, String), Fault> {
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit() || b",.".contains(&byte));
    let numbers = words.iter().take_while(is_number).count();
    let length = match words.iter().take(numbers).position(|word| has_cents(word)) {
        _ if numbers < 2 => 1,
        Some(0) => 1,
        Some(last) if are_groups(&words[..=last]) => last + 1,
        _ => return Err(Fault::Ambiguous),
    };
    let (amount, label) = words.split_at(length.min(words.len()));
    Ok(((!amount.is_empty()).then(|| amount.concat()), label.join(" ")))
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
            ("10/01/2024 1 000,00", Some(("1000.00", None))),
            ("10/01/2024 R$ 1 234 567,89 luz", Some(("1234567.89", Some("luz")))),
            ("10/01/2024 1.000,00 2024", Some(("1000.00", Some("2024")))),
            ("10/01/2024 500 1/12", Some(("500", Some("1/12")))),
            ("10/01/2024\t1 000,00\t2", Some(("1000.00", Some("2")))),
            ("10/01/2024 100 200 caixas", None),
            ("10/01/2024 1 000", None),
            ("10/01/2024 1000 12,50", None),
            ("10/01/2024 1.000 000,00", None),
        ] {
            let read = instalment(line, Language::Portuguese);
            let read = read.as_ref().map(|read| (&*read.amount, read.label.as_deref()));
            assert_eq!(read, expected.ok_or(&Fault::Ambiguous), "{line}");
        }
    }
}
