//! Error messages of calculations in the reader's language. The API's messages are English, in a few known forms.

use super::outcome::when;
use crate::language::Language;

/// The message in the reader's language. A message of unknown form is shown as it is.
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
    if message.starts_with("either ") {
        return t.error_one_of.to_owned();
    }
    match message.split('`').nth(1) {
        Some("wages") => t.error_wages.to_owned(),
        Some("amount") => t.error_amount.to_owned(),
        Some("rate_percent") => t.error_percent.to_owned(),
        Some("from" | "to" | "month") => t.error_date.to_owned(),
        Some("index" | "rate" | "negative") => t.error_choice.to_owned(),
        _ => message.replace('`', ""),
    }
}

/// The same for a debt.
pub(super) fn of_debt(message: &str, language: Language) -> String {
    let t = &language.texts().debt;
    match message.split('`').nth(1) {
        Some(name) if name.starts_with("instalments") => t.error_instalments.to_owned(),
        Some("interest.from") => t.error_from.to_owned(),
        Some("interest.rule" | "interest.monthly_percent" | "index" | "fine_on") => t.error_choice.to_owned(),
        Some("fine_percent" | "fees_percent") => language.texts().calculator.error_percent.to_owned(),
        _ => translated(message, language),
    }
}

#[cfg(test)]
mod tests {
    use lastro_calc::{CalcError, Month};
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
}
