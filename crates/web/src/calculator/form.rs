//! The kinds of calculations, and their forms.

use lastro_catalog::Catalog;
use lastro_model::Series;

use crate::frame::encoded;
use crate::language::Language;
use crate::{format, typed};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Correction,
    Accumulation,
    LegalInterest,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Correction, Self::Accumulation, Self::LegalInterest];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == text)
    }

    /// The last segment of its path, here and in the API.
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Accumulation => "accumulation",
            Self::LegalInterest => "legal-interest",
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
            Self::Accumulation => t.accumulation,
            Self::LegalInterest => t.legal_interest,
        }
    }

    pub(super) const fn about(self, language: Language) -> &'static str {
        let t = &language.texts().calculator;
        match self {
            Self::Correction => t.about_correction,
            Self::Accumulation => t.about_accumulation,
            Self::LegalInterest => t.about_legal_interest,
        }
    }

    /// Parameters of the calculation.
    const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Correction => &["index", "from", "to", "amount"],
            Self::Accumulation => &["rate", "rate_percent", "from", "to", "amount"],
            Self::LegalInterest => &["from", "to", "amount"],
        }
    }
}

/// Values of the form: typed by the reader, or the defaults.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) index: String,
    pub(super) rate: String,
    pub(super) rate_percent: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) amount: String,
}

impl Form {
    /// Defaults of an empty form: a period that can be calculated.
    pub(super) fn blank(catalog: &Catalog, kind: Kind, language: Language) -> Self {
        let mut form =
            Self { index: "ipca".into(), rate: "cdi".into(), rate_percent: "100".into(), ..Self::default() };
        form.amount = format::number("1000.00", language);
        let series = form.series(kind);
        let (points, frequency) = (catalog.series[series].points(), series.about().frequency);
        let (Some(last), Some(first)) = (points.first(), points.last()) else { return form };
        let machine = |day| match kind {
            Kind::Correction => format::machine(day, frequency),
            _ => day.to_string(),
        };
        let year_ago = last.day.minus_months(12).max(first.day);
        let earliest = if kind == Kind::Correction { first.day } else { year_ago };
        form.from =
            machine(earliest).max(if kind == Kind::Correction { "2015-01".into() } else { String::new() });
        form.to = machine(last.day);
        form
    }

    /// The form as submitted, given the values of its parameters.
    pub(super) fn read<'a, E>(value: impl Fn(&str) -> Result<Option<&'a str>, E>) -> Result<Self, E> {
        let field = |name| {
            // A missing parameter has the API's default; an empty one has none.
            let otherwise = match name {
                "amount" => "1",
                "rate_percent" => "100",
                _ => "",
            };
            Ok::<_, E>(typed::shown(value(name)?.unwrap_or(otherwise)))
        };
        Ok(Self {
            index: field("index")?,
            rate: field("rate")?,
            rate_percent: field("rate_percent")?,
            from: field("from")?,
            to: field("to")?,
            amount: field("amount")?,
        })
    }

    /// The series that the form is calculated with.
    pub(super) fn series(&self, kind: Kind) -> Series {
        match kind {
            Kind::Correction => Series::parse(&self.index).unwrap_or(Series::Ipca),
            Kind::Accumulation if self.rate == "selic" => Series::SelicDaily,
            Kind::Accumulation => Series::CdiDaily,
            Kind::LegalInterest => Series::LegalRate,
        }
    }

    fn value(&self, parameter: &str) -> String {
        match parameter {
            "index" => self.index.clone(),
            "rate" => self.rate.clone(),
            "rate_percent" => typed::percentage(&self.rate_percent),
            "from" => self.from.clone(),
            "to" => self.to.clone(),
            _ => typed::amount(&self.amount),
        }
    }

    /// Query string for the API.
    pub(super) fn query(&self, kind: Kind) -> String {
        let plain =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let pair = |name: &&str| {
            let value = self.value(name);
            if plain(&value) { format!("{name}={value}") } else { format!("{name}={}", encoded(&value)) }
        };
        kind.parameters().iter().map(pair).collect::<Vec<_>>().join("&")
    }
}
