//! A series as the API shows it.

use std::borrow::Cow;

use lastro_calc::Units;
use lastro_catalog::{Cell, Object, fold_label, name};
use lastro_model::{About, Day, Pair, RatePoint, Stamp};

use super::catalog_series::CatalogSeries;
use crate::http::handler::Question;

/// A series in the API: its description, its data, and whether that is stale.
pub(super) struct View<'a> {
    pub(super) subject: CatalogSeries<'a>,
    is_stale: bool,
}

const PUBLISHER: &str = "Banco Central do Brasil";
const SGS: &str = "SGS";
const PTAX: &str = "PTAX";

impl<'a> View<'a> {
    #[rustfmt::skip]
    pub(super) const COLUMNS: &'static [&'static str] = &[
        "id", "name", "name_pt", "topic", "unit", "kind", "frequency", "seasonally_adjusted", "revised", "source",
        "first_date", "last_date", "rows", "stale", "sample", "transforms",
    ];

    pub(super) fn of(question: &Question<'a>, subject: CatalogSeries<'a>) -> Self {
        let state = question.freshness.iter().find(|state| state.source == subject.source());
        Self { subject, is_stale: state.is_none_or(|state| state.is_stale(question.now)) }
    }

    /// The stamp of this view. It includes staleness, which changes without a new edition.
    pub(super) fn stamp(&self) -> Stamp {
        let Stamp { mut edition, published_unix_ms } = self.subject.stamp();
        edition.0 = edition.0 * 2 + u64::from(self.is_stale);
        Stamp { edition, published_unix_ms }
    }

    pub(super) fn write_json(&self, out: &mut Vec<u8>) {
        let (about, [english, portuguese]) = (self.subject.about(), names(&self.subject));
        let [first, last] = self.days();
        Object::new(out)
            .text(name!("id"), &self.subject.id())
            .text(name!("name"), &english)
            .text(name!("name_pt"), &portuguese)
            .text(name!("topic"), about.topic.id())
            .text(name!("unit"), about.unit.id())
            .text(name!("kind"), about.kind.id())
            .text(name!("frequency"), about.frequency.id())
            .boolean(name!("seasonally_adjusted"), about.seasonally_adjusted)
            .boolean(name!("revised"), about.revised)
            .written(name!("source"), |out| self.write_source(out))
            .optional_token(name!("first_date"), first)
            .optional_token(name!("last_date"), last)
            .number(name!("rows"), self.subject.len())
            .boolean(name!("stale"), self.is_stale)
            .boolean(name!("sample"), self.subject.is_sample())
            .array(name!("transforms"), Units::legal(about), |units, out| {
                out.extend_from_slice(format!("\"{}\"", units.id()).as_bytes());
            })
            .end();
    }

    /// Writes the CSV cells. A JSON list or object becomes one cell, with spaces between its parts.
    pub(super) fn write_cells(&self, put: &mut dyn FnMut(Cell<'_>)) {
        let About { topic, unit, kind, frequency, seasonally_adjusted, revised, .. } = self.subject.about();
        put(Cell::Token(&self.subject.id()));
        names(&self.subject).iter().for_each(|name| put(Cell::Text(name)));
        for word in [topic.id(), unit.id(), kind.id(), frequency.id()] {
            put(Cell::Token(&word));
        }
        put(Cell::Token(seasonally_adjusted));
        put(Cell::Token(revised));
        match self.code() {
            Some(code) => put(Cell::Token(&format_args!("{PUBLISHER} {SGS} {code}"))),
            None => put(Cell::Token(&format_args!("{PUBLISHER} {PTAX}"))),
        }
        for day in self.days() {
            put(day.as_ref().map_or(Cell::Nothing, |day| Cell::Token(day)));
        }
        put(Cell::Number(&self.subject.len()));
        put(Cell::Token(&self.is_stale));
        put(Cell::Token(&self.subject.is_sample()));
        let transforms: Vec<&str> = Units::legal(self.subject.about()).into_iter().map(Units::id).collect();
        put(Cell::Token(&transforms.join(" ")));
    }

    /// The number of the series in SGS. Pairs of currencies are published by another system.
    fn code(&self) -> Option<u32> {
        match self.subject {
            CatalogSeries::Row { series, .. } => Some(series.about().code),
            CatalogSeries::Pair { .. } => None,
        }
    }

    fn write_source(&self, out: &mut Vec<u8>) {
        let object = Object::new(out).text(name!("publisher"), PUBLISHER);
        match self.code() {
            Some(code) => object.text(name!("system"), SGS).number(name!("code"), code).end(),
            None => object.text(name!("system"), PTAX).null(name!("code")).end(),
        };
    }

    /// The first and the last day.
    fn days(&self) -> [Option<Day>; 2] {
        [self.subject.oldest(), self.subject.newest()].map(|point| point.map(|RatePoint { day, .. }| day))
    }

    /// Whether the series has values between two days.
    pub(super) fn has_values(&self, from: Option<Day>, to: Option<Day>) -> bool {
        let [first, last] = self.days();
        from.is_none_or(|from| last.is_some_and(|last| from <= last))
            && to.is_none_or(|to| first.is_some_and(|first| first <= to))
    }

    /// Whether its id, code and names contain all these folded words.
    pub(super) fn has_words(&self, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let (id, label, [english, portuguese]) =
            (self.subject.id(), self.subject.about().label, names(&self.subject));
        let code = self.code().map(|code| code.to_string()).unwrap_or_default();
        let text = fold_label(&format!("{id} {code} {label} {english} {portuguese}"));
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// The name in English and in Portuguese.
fn names(subject: &CatalogSeries<'_>) -> [Cow<'static, str>; 2] {
    match subject {
        CatalogSeries::Row { series, .. } => [series.about().name.into(), series.about().name_pt.into()],
        CatalogSeries::Pair { pair, .. } => names_of_pair(*pair).map(Cow::Owned),
    }
}

/// The name of a pair of currencies in English and in Portuguese.
pub fn names_of_pair(pair: Pair) -> [String; 2] {
    [
        format!("{pair} exchange rate, selling, PTAX closing bulletin"),
        format!("Taxa de câmbio {pair}, venda, boletim de fechamento PTAX"),
    ]
}
