//! The inputs and the result that a code proves, in the reader's language: a reader compares them with the document.

use lastro_calc::{DebtTerms, FineBase, Instalment, Month, running_amount};
use lastro_model::{Day, Decimal, Series};

use super::choices::short_name;
use super::debt_document::interest;
use super::kind::Kind;
use super::outcome::when;
use super::wages::minimum_wages;
use crate::language::Language;
use crate::{format, words};

/// A calculation that this service made.
#[derive(Debug)]
pub struct Proven {
    pub inputs: ProvenInputs,
    pub result: Decimal,
    pub standing: Standing,
}

/// The worth of a calculation today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Published {
        /// The result that today's data give, if they give one.
        today: Option<Decimal>,
    },
    /// It was made from the built-in sample, and proves nothing.
    Sample,
}

#[derive(Debug)]
pub enum ProvenInputs {
    /// Parameters as `name=value`, with spaces between them.
    Parameters(Kind, String),
    /// The terms of a debt, and its instalments with their labels.
    Debt(DebtTerms, Vec<(Instalment, Option<String>)>),
}

/// An instalment as shown: date, label and amount.
pub(super) type Line = (String, String, String);

impl Proven {
    /// The inputs with their names. Instalments are listed by [`Self::lines`].
    pub(super) fn facts(&self, language: Language) -> Vec<(&'static str, String)> {
        match &self.inputs {
            ProvenInputs::Debt(terms, _) => debt_facts(terms, language),
            ProvenInputs::Parameters(kind, text) => {
                let fact = |(name, value)| (label(*kind, name, language), shown(name, value, text, language));
                pairs(text).map(fact).collect()
            }
        }
    }

    pub(super) fn lines(&self, language: Language) -> Vec<Line> {
        let ProvenInputs::Debt(_, instalments) = &self.inputs else { return Vec::new() };
        let line = |(instalment, label): &(Instalment, Option<String>)| {
            let amount = format::reais(&instalment.amount.to_string(), language);
            (format::short_day(instalment.day, language), label.clone().unwrap_or_default(), amount)
        };
        instalments.iter().map(line).collect()
    }

    /// A result of this calculation: money, or a number of minimum wages.
    pub(super) fn shown_result(&self, result: Decimal, language: Language) -> String {
        match &self.inputs {
            ProvenInputs::Debt(..) => format::reais(&result.to_string(), language),
            ProvenInputs::Parameters(Kind::Wages, text) if value(text, "wages").is_none() => {
                minimum_wages(&result.to_string(), language)
            }
            ProvenInputs::Parameters(_, text) => {
                let last = value(text, "to").and_then(days).map(|(_, last)| last);
                money(&result.to_string(), last, language)
            }
        }
    }
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(' ').filter_map(|pair| pair.split_once('='))
}

fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    pairs(text).find(|(other, _)| *other == name).map(|(_, value)| value)
}

/// The first and the last day of a day or a month.
fn days(text: &str) -> Option<(Day, Day)> {
    match Day::parse(text) {
        Ok(day) => Some((day, day)),
        Err(_) => Month::parse(text).ok().map(|month| (month.first_day(), month.last_day())),
    }
}

/// An amount in the currency of a day; in reais without one.
fn money(amount: &str, day: Option<Day>, language: Language) -> String {
    let currency = day.and_then(|day| running_amount(Decimal::ONE, Decimal::ONE, day, day));
    let day = day.map(|day| day.to_string()).unwrap_or_default();
    format::money(amount, currency.map_or("BRL", |(_, currency)| currency), &day, language)
}

fn label(kind: Kind, name: &str, language: Language) -> &'static str {
    let t = &language.texts().calculator;
    match (name, kind) {
        ("index", _) => t.index,
        ("rate", _) => t.rate,
        ("rate_percent", _) => t.rate_percent,
        ("from", Kind::Correction) => t.first_month,
        ("from", Kind::Savings) => t.deposit_day,
        ("from", _) => t.first_day,
        ("to", Kind::Correction) => t.last_month,
        ("to", _) => t.last_day,
        ("month", Kind::Rent) => t.rent_month,
        ("month", _) => t.month,
        ("negative", _) => t.negative,
        ("wages", _) => t.wages_count,
        (_, Kind::Rent) => t.old_rent,
        _ => t.amount,
    }
}

/// The value of an input; `text` has all of them.
fn shown(name: &str, value_text: &str, text: &str, language: Language) -> String {
    let t = &language.texts().calculator;
    match name {
        "index" => match Series::parse(value_text) {
            Some(index) => words::name(index.about(), language).to_owned(),
            None => value_text.to_owned(),
        },
        "rate" => if value_text == "selic" { "Selic" } else { "CDI" }.to_owned(),
        "rate_percent" => format!("{}%", format::number(value_text, language)),
        "from" | "to" | "month" => when(value_text, language),
        "negative" => if value_text == "ignore" { t.ignore } else { t.apply }.to_owned(),
        "wages" => format::number(value_text, language),
        _ => {
            let first = value(text, "from").and_then(days).map(|(first, _)| first);
            money(value_text, first, language)
        }
    }
}

fn debt_facts(terms: &DebtTerms, language: Language) -> Vec<(&'static str, String)> {
    let t = &language.texts().debt;
    let DebtTerms { to, index, interest: asked, fine_percent, fine_on, fees_percent } = *terms;
    let index = index.map_or(t.index_none, |index| short_name(index.about(), language));
    let base = if fine_on == FineBase::Total { t.fine_total } else { t.fine_corrected };
    let (monthly, from) = (asked.monthly_percent.normalize(), asked.from.map(|from| from.to_string()));
    let number = |percent: Decimal| format::number(percent.normalize(), language);
    vec![
        (t.to, format::day(to, language)),
        (language.texts().calculator.index, index.to_owned()),
        (t.interest, interest(asked.rule.id(), &monthly.to_string(), from.as_deref(), language)),
        (t.fine_percent, number(fine_percent)),
        (t.fine_on, base.to_owned()),
        (t.fees_percent, number(fees_percent)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_currency_of_their_day() {
        let text = "index=ipca from=1993-01 to=1994-06 amount=1000.5";
        let inputs = ProvenInputs::Parameters(Kind::Correction, text.to_owned());
        let proven = Proven { inputs, result: Decimal::new(12_345, 1), standing: Standing::Sample };
        let language = Language::Portuguese;
        assert_eq!(proven.facts(language).last().unwrap().1, "Cr$\u{a0}1.000,50");
        assert_eq!(proven.shown_result(proven.result, language), "CR$\u{a0}1.234,50");
    }
}
