//! The kinds of calculations, with their texts and parameters.

use lastro_calc::savings_series;
use lastro_model::{Day, Series};

use crate::language::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Correction,
    Debt,
    Accumulation,
    LegalInterest,
    Savings,
    Rent,
    Wages,
}

impl Kind {
    pub(super) const ALL: [Self; 7] = [
        Self::Correction,
        Self::Debt,
        Self::LegalInterest,
        Self::Rent,
        Self::Accumulation,
        Self::Savings,
        Self::Wages,
    ];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == text)
    }

    /// The last segment of its path, here and in the API.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Debt => "debt",
            Self::Accumulation => "accumulation",
            Self::LegalInterest => "legal-interest",
            Self::Savings => "savings",
            Self::Rent => "rent",
            Self::Wages => "minimum-wages",
        }
    }

    /// The path of its empty form.
    pub(super) fn path(self) -> String {
        match self {
            Self::Correction => "/calculator".to_owned(),
            _ => format!("/calculator?kind={}", self.id()),
        }
    }

    pub(super) const fn name(self, language: Language) -> &'static str {
        let t = &language.texts().calculator;
        match self {
            Self::Correction => t.correction,
            Self::Debt => t.debt,
            Self::Accumulation => t.accumulation,
            Self::LegalInterest => t.legal_interest,
            Self::Savings => t.savings,
            Self::Rent => t.rent,
            Self::Wages => t.wages,
        }
    }

    pub(super) const fn about(self, language: Language) -> &'static str {
        let t = &language.texts().calculator;
        match self {
            Self::Correction => t.about_correction,
            Self::Debt => t.about_debt,
            Self::Accumulation => t.about_accumulation,
            Self::LegalInterest => t.about_legal_interest,
            Self::Savings => t.about_savings,
            Self::Rent => t.about_rent,
            Self::Wages => t.about_wages,
        }
    }

    /// The rule in words, for the document. `rate` is the rate of an accumulation. A debt has a rule of its own.
    pub(super) fn rule(self, rate: Option<&str>, language: Language) -> &'static str {
        let t = &language.texts().document;
        match self {
            Self::Correction | Self::Debt => t.rule_correction,
            Self::Accumulation if rate == Some("selic") => t.rule_selic,
            Self::Accumulation => t.rule_cdi,
            Self::LegalInterest => t.rule_legal,
            Self::Savings => t.rule_savings,
            Self::Rent => t.rule_rent,
            Self::Wages => t.rule_wages,
        }
    }

    /// Parameters of the calculation. A debt has a body instead.
    pub(super) const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Correction => &["index", "from", "to", "amount"],
            Self::Debt => &[],
            Self::Accumulation => &["rate", "rate_percent", "from", "to", "amount"],
            Self::LegalInterest | Self::Savings => &["from", "to", "amount"],
            Self::Rent => &["index", "month", "amount", "negative"],
            Self::Wages => &["month", "amount", "wages"],
        }
    }

    /// The series that it is calculated with, given its index, its rate and its first day.
    pub(super) fn series(self, index: &str, rate: &str, from: &str) -> Series {
        match self {
            Self::Correction | Self::Debt | Self::Rent => Series::parse(index).unwrap_or(Series::Ipca),
            Self::Accumulation if rate == "selic" => Series::SelicDaily,
            Self::Accumulation => Series::CdiDaily,
            Self::LegalInterest => Series::LegalRate,
            Self::Savings => Day::parse(from).map_or(Series::SavingsDaily, savings_series),
            Self::Wages => Series::MinimumWage,
        }
    }
}
