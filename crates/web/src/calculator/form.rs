//! The form of a calculation with few inputs.

use lastro_catalog::Catalog;
use lastro_model::Series;

use super::kind::Kind;
use crate::frame::encoded;
use crate::language::Language;
use crate::{format, typed};

/// Values of the form: typed by the reader, or the defaults.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) index: String,
    pub(super) rate: String,
    pub(super) rate_percent: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) month: String,
    pub(super) negative: String,
    pub(super) amount: String,
    pub(super) wages: String,
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
        let year_ago = last.day.minus_months(12).max(first.day);
        match kind {
            Kind::Correction => {
                form.from = format::machine(first.day, frequency).max("2015-01".into());
                form.to = format::machine(last.day, frequency);
            }
            Kind::Rent => form.month = format::machine(last.day.minus_months(-1), frequency),
            Kind::Wages => form.month = format::machine(last.day, frequency),
            _ => (form.from, form.to) = (year_ago.to_string(), last.day.to_string()),
        }
        form
    }

    /// The form as submitted, given the values of its parameters.
    pub(super) fn read<'a, E>(
        kind: Kind,
        value: impl Fn(&str) -> Result<Option<&'a str>, E>,
    ) -> Result<Self, E> {
        let field = |name| {
            // A missing parameter has the API's default; an empty one has none.
            let otherwise = match name {
                "amount" if kind != Kind::Wages => "1",
                "rate_percent" => "100",
                "negative" => "apply",
                _ => "",
            };
            Ok::<_, E>(typed::shown(value(name)?.unwrap_or(otherwise)))
        };
        Ok(Self {
            index: field("index")?.to_ascii_lowercase(),
            rate: field("rate")?.to_ascii_lowercase(),
            rate_percent: field("rate_percent")?,
            from: field("from")?,
            to: field("to")?,
            month: field("month")?,
            negative: field("negative")?,
            amount: field("amount")?,
            wages: field("wages")?,
        })
    }

    /// The series that the form is calculated with.
    pub(super) fn series(&self, kind: Kind) -> Series {
        kind.series(&self.index, &self.rate, &self.from)
    }

    fn value(&self, parameter: &str, language: Language) -> String {
        match parameter {
            "index" => self.index.clone(),
            "rate" => self.rate.clone(),
            "rate_percent" => typed::percentage(&self.rate_percent),
            "from" => self.from.clone(),
            "to" => self.to.clone(),
            "month" => self.month.clone(),
            "negative" => self.negative.clone(),
            "wages" => typed::percentage(&self.wages),
            _ => typed::amount(&self.amount, language),
        }
    }

    /// Query string for the API. Of an amount and a number of wages, only the one that was filled in is sent.
    pub(super) fn query(&self, kind: Kind, language: Language) -> String {
        let plain =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let pair = |name: &&str| {
            let value = self.value(name, language);
            let is_left_out = kind == Kind::Wages && *name != "month" && value.is_empty();
            let value = if plain(&value) { value } else { encoded(&value) };
            (!is_left_out).then(|| format!("{name}={value}"))
        };
        kind.parameters().iter().filter_map(pair).collect::<Vec<_>>().join("&")
    }
}
