//! Numbers of minimum wages in words.

use lastro_model::Decimal;

use crate::format;
use crate::language::Language;

/// A number of minimum wages.
pub(super) fn minimum_wages(number: &str, language: Language) -> String {
    let t = &language.texts().calculator;
    let text = if is_one(number, language) { t.wage_result } else { t.wages_result };
    text.replace("{wages}", &format::number(number, language))
}

/// Whether so many things are named in the singular: in Portuguese all numbers below two are, in English only one.
pub(super) fn is_one(number: &str, language: Language) -> bool {
    let number: Option<Decimal> = number.parse().ok();
    number.is_some_and(|number| match language {
        Language::English => number == Decimal::ONE,
        Language::Portuguese => number < Decimal::TWO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_below_two_is_singular_in_portuguese() {
        for (number, english, portuguese) in [
            ("1", "1 wage", "1 salário mínimo"),
            ("0.6169", "0.6169 wages", "0,6169 salário mínimo"),
            ("1.5", "1.5 wages", "1,5 salário mínimo"),
            ("2", "2 wages", "2 salários mínimos"),
            ("1000", "1,000 wages", "1.000 salários mínimos"),
        ] {
            let shown = [Language::English, Language::Portuguese].map(|one| minimum_wages(number, one));
            assert_eq!(shown, [english, portuguese]);
        }
    }
}
