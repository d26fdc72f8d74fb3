//! Error messages of calculations in the reader's language. The API's messages are English, in a few known forms.

use super::debt_lines::{BadLine, Fault};
use super::outcome::when;
use crate::language::Language;

/// The message in the reader's language. A message of unknown form is shown to English readers only.
pub(super) fn translated(message: &str, language: Language) -> String {
    let t = &language.texts().calculator;
    let after = |beginning: &str| message.strip_prefix(beginning);
    let date = |text: &str, rest: &str| {
        text.replace("{date}", &when(rest.split(' ').next().unwrap_or(rest), language))
    };
    if message.contains("`from` must not be after `to`") {
        return t.error_reversed.to_owned();
    }
    if let Some((_, missing)) = message.rsplit_once(" has no value for ") {
        return date(t.error_missing, missing);
    }
    if let Some(rest) = after("`from` must be ").filter(|rest| rest.ends_with("or later")) {
        return date(t.error_early, rest);
    }
    if let Some(rest) = after("`to` must be ").filter(|rest| rest.ends_with("or earlier")) {
        return date(t.error_late, rest);
    }
    if let Some(rest) = after("`month` must be ").filter(|rest| rest.ends_with("or later")) {
        return date(t.error_month, rest);
    }
    if message.starts_with("the values of the period") {
        return t.error_values.to_owned();
    }
    if message.starts_with("either ") {
        return t.error_one_of.to_owned();
    }
    match message.split('`').nth(1) {
        Some("wages") => t.error_wages.to_owned(),
        Some("amount") => t.error_amount.to_owned(),
        Some("rate_percent") => t.error_percent.to_owned(),
        Some("from" | "to" | "month") => t.error_date.to_owned(),
        Some("index" | "rate" | "negative") => t.error_choice.to_owned(),
        _ => unknown_form(message, language),
    }
}

/// A message of unknown form is English: other readers get a shorter one.
fn unknown_form(message: &str, language: Language) -> String {
    match language {
        Language::English => message.replace('`', ""),
        Language::Portuguese => {
            "O conteúdo enviado não tem o formato esperado; veja os campos na documentação da API.".to_owned()
        }
    }
}

/// The same for a debt. `lines` has the number of the line of each instalment, if they were pasted as lines.
pub(super) fn of_debt(message: &str, lines: &[usize], language: Language) -> String {
    let (t, of_all) = (&language.texts().debt, &language.texts().calculator);
    let Some(name) = message.split('`').nth(1) else { return translated(message, language) };
    let percent = |field: &str| t.error_percent.replace("{field}", field);
    match name {
        "instalments" => t.error_instalments.to_owned(),
        "interest.monthly_percent" if message.contains("`simple` only") => t.error_monthly.to_owned(),
        "interest.monthly_percent" => percent(t.monthly_percent),
        "fine_percent" => percent(t.fine_percent),
        "fees_percent" => percent(t.fees_percent),
        "interest.from" => t.error_from.to_owned(),
        "to" => t.error_to.to_owned(),
        "index" | "interest.rule" | "fine_on" => t.error_choice.to_owned(),
        _ => match of_instalment(name) {
            Some((place, member)) => {
                let text = match member {
                    "amount" => of_all.error_amount,
                    "label" => t.error_label,
                    _ if message.ends_with("after `to`") => t.error_late,
                    _ if message.contains("must not be before") => t.error_early,
                    _ => t.error_date,
                };
                match lines.get(place) {
                    Some(line) => on_line(*line, text, language),
                    None => numbered(t.on_instalment, place + 1, text),
                }
            }
            None => translated(message, language),
        },
    }
}

/// The place and the member of `instalments[3].date`.
fn of_instalment(name: &str) -> Option<(usize, &str)> {
    let (place, member) = name.strip_prefix("instalments[")?.split_once("].")?;
    Some((place.parse().ok()?, member))
}

/// The error for a pasted line that cannot be read.
pub(super) fn of_line(bad: BadLine, language: Language) -> String {
    let t = &language.texts().debt;
    let text = match bad.fault {
        Fault::Incomplete => t.error_line,
        Fault::Ambiguous => t.error_spaces,
        Fault::OtherAmount => t.error_column,
    };
    on_line(bad.line, text, language)
}

fn on_line(line: usize, text: &str, language: Language) -> String {
    numbered(language.texts().debt.on_line, line, text)
}

fn numbered(form: &str, number: usize, error: &str) -> String {
    form.replace("{line}", &number.to_string()).replace("{error}", error)
}

#[cfg(test)]
mod tests {
    use lastro_calc::{CalcError, DebtError, Month};
    use lastro_model::Day;

    use super::*;

    #[test]
    fn every_calculation_error_has_a_portuguese_message() {
        let day = Day::parse("2024-08-30").unwrap();
        for (error, beginning) in [
            (CalcError::Amount, "O valor deve"),
            (CalcError::RatePercent, "O percentual deve"),
            (CalcError::Reversed, "O início do período não pode"),
            (CalcError::TooEarly(day), "O período não pode começar antes de 30/08/2024"),
            (CalcError::TooLate(day), "O período não pode terminar depois de 30/08/2024"),
            (CalcError::TooLarge, "Os valores do período não permitem"),
            (CalcError::Wages, "A quantidade de salários deve"),
            (CalcError::MonthTooEarly(Month::of(day)), "O mês não pode ser anterior a agosto de 2024"),
            (
                CalcError::MissingMonth { series: "ipca", month: Month::of(day) },
                "Nem todo o período foi publicado: não há valor para agosto de 2024",
            ),
            (
                CalcError::MissingDay { series: "cdi", day },
                "Nem todo o período foi publicado: não há valor para 30/08/2024",
            ),
        ] {
            let told = translated(&error.to_string(), Language::Portuguese);
            assert!(told.starts_with(beginning), "{error}: {told}");
        }
    }

    #[test]
    fn every_error_of_a_debt_has_a_portuguese_message() {
        for (error, beginning) in [
            (DebtError::Count, "Informe de 1 a 500 parcelas"),
            (DebtError::Amount(0), "Linha 7: O valor deve"),
            (DebtError::TooEarly(1), "Linha 9: a data da parcela não pode ser anterior"),
            (DebtError::TooLate(1), "Linha 9: a data da parcela não pode ser posterior"),
            (DebtError::InterestFrom, "Os juros devem começar"),
            (CalcError::Percent("fine_percent").into(), "Campo “Multa"),
            (CalcError::Percent("fees_percent").into(), "Campo “Honorários"),
            (CalcError::Percent("interest.monthly_percent").into(), "Campo “Juros simples ao mês"),
            (CalcError::ToTooEarly(Day::parse("1994-07-01").unwrap()).into(), "A data do cálculo deve"),
            (CalcError::NotAPriceIndex("selic").into(), "Escolha nas listas o índice"),
            (CalcError::TooLarge.into(), "Os valores do período não permitem"),
        ] {
            let told = of_debt(&DebtError::to_string(&error), &[7, 9], Language::Portuguese);
            assert!(told.starts_with(beginning), "{error}: {told}");
        }
    }
}
