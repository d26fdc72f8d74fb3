//! The parts of a calculation's document that do not depend on its kind: rule, sources, date, and check code.

use lastro_model::{Decimal, Series, brasilia_day};
use serde_json::value::RawValue;

use super::kind::Kind;
use crate::data::Data;
use crate::language::Language;
use crate::{format, words};

/// Milliseconds by which Brasília is behind UTC. There is no summer time since 2019.
const BEHIND_UTC_MS: i64 = 3 * 3_600_000;
const MINUTE_MS: i64 = 60_000;

/// Facts at the end of the document.
pub(super) struct Document {
    pub(super) title: &'static str,
    pub(super) rule: &'static str,
    pub(super) sources: Vec<SourceFact>,
    pub(super) calculated_at: String,
    pub(super) check: String,
    /// Path that confirms the code, with the inputs if they fit into an address.
    pub(super) check_path: String,
}

/// A series that was used.
pub(super) struct SourceFact {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) code: u32,
    pub(super) edition: String,
}

pub(super) type Editions<'a> = std::collections::BTreeMap<&'a str, &'a RawValue>;

impl Document {
    pub(super) fn new(
        kind: Kind,
        rate: Option<&str>,
        editions: &Editions<'_>,
        check: &str,
        data: &Data<'_>,
        language: Language,
    ) -> Self {
        let source = |(id, edition): (&&str, &&RawValue)| {
            let about = Series::parse(id)?.about();
            let (name, code) = (words::name(about, language), about.code);
            Some(SourceFact { id: (*id).to_owned(), name, code, edition: edition.get().to_owned() })
        };
        Self {
            title: kind.name(language),
            rule: kind.rule(rate, language),
            sources: editions.iter().filter_map(source).collect(),
            calculated_at: moment(data.now.unix_ms, language),
            check: check.to_owned(),
            check_path: format!("/calculator/check/{check}"),
        }
    }
}

/// A day and a time in Brasília.
fn moment(unix_ms: i64, language: Language) -> String {
    let minutes = (unix_ms - BEHIND_UTC_MS).div_euclid(MINUTE_MS).rem_euclid(24 * 60);
    let time = format!("{:02}:{:02}", minutes / 60, minutes % 60);
    let day = format::day(brasilia_day(unix_ms), language);
    language.texts().document.brasilia.replace("{day}", &day).replace("{time}", &time)
}

/// An amount times a factor, in cents, half up: the amount of a line of the receipt.
pub(super) fn times(amount: &str, factor: &str) -> Option<String> {
    let (amount, factor): (Decimal, Decimal) = (amount.parse().ok()?, factor.parse().ok()?);
    let product = amount.checked_mul(factor)?;
    let mut cents = product.round_dp_with_strategy(2, lastro_model::RoundingStrategy::MidpointAwayFromZero);
    cents.rescale(2);
    Some(cents.to_string())
}
