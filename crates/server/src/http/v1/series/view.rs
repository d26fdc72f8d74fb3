//! A series as the API shows it.

use lastro_calc::Units;
use lastro_catalog::{Cell, Object, Part, Timeline, name};
use lastro_model::{About, RatePoint, Series, Source, Stamp};

use crate::http::handler::Question;

/// A series in the API: its description, its data, and whether that is stale.
pub(super) struct View<'a> {
    about: &'static About,
    part: &'a Part<Timeline<RatePoint>>,
    is_stale: bool,
}

const PUBLISHER: &str = "Banco Central do Brasil";
const SYSTEM: &str = "SGS";

impl<'a> View<'a> {
    #[rustfmt::skip]
    pub(super) const COLUMNS: &'static [&'static str] = &[
        "id", "name", "name_pt", "topic", "unit", "kind", "frequency", "seasonally_adjusted", "revised", "source",
        "first_date", "last_date", "rows", "stale", "sample", "transforms",
    ];

    pub(super) fn of(question: &Question<'a>, series: Series) -> Self {
        let state = question.freshness.iter().find(|state| state.source == Source::Series(series));
        let is_stale = state.is_none_or(|state| state.is_stale(question.now));
        Self { about: series.about(), part: &question.catalog.series[series], is_stale }
    }

    /// The stamp of this view. It includes staleness, which changes without a new edition.
    pub(super) fn stamp(&self) -> Stamp {
        let Stamp { mut edition, published_unix_ms } = self.part.stamp;
        edition.0 = edition.0 * 2 + u64::from(self.is_stale);
        Stamp { edition, published_unix_ms }
    }

    pub(super) fn write_json(&self, out: &mut Vec<u8>) {
        let About { id, name, name_pt, topic, unit, kind, frequency, .. } = self.about;
        let points = self.part.points();
        Object::new(out)
            .text(name!("id"), id)
            .text(name!("name"), name)
            .text(name!("name_pt"), name_pt)
            .text(name!("topic"), topic.id())
            .text(name!("unit"), unit.id())
            .text(name!("kind"), kind.id())
            .text(name!("frequency"), frequency.id())
            .boolean(name!("seasonally_adjusted"), self.about.seasonally_adjusted)
            .boolean(name!("revised"), self.about.revised)
            .written(name!("source"), |out| self.write_source(out))
            .optional_token(name!("first_date"), points.last().map(|point| point.day))
            .optional_token(name!("last_date"), points.first().map(|point| point.day))
            .number(name!("rows"), points.len())
            .boolean(name!("stale"), self.is_stale)
            .boolean(name!("sample"), self.part.sample)
            .array(name!("transforms"), Units::legal(self.about), |units, out| {
                out.extend_from_slice(format!("\"{}\"", units.id()).as_bytes());
            })
            .end();
    }

    /// Writes the CSV cells. A JSON list or object becomes one cell, with spaces between its parts.
    pub(super) fn write_cells(&self, put: &mut dyn FnMut(Cell<'_>)) {
        let About { id, code, name, name_pt, topic, unit, kind, frequency, .. } = self.about;
        let points = self.part.points();
        let day = |point: Option<&RatePoint>| point.map(|point| point.day);
        put(Cell::Token(id));
        put(Cell::Text(name));
        put(Cell::Text(name_pt));
        for word in [topic.id(), unit.id(), kind.id(), frequency.id()] {
            put(Cell::Token(&word));
        }
        put(Cell::Token(&self.about.seasonally_adjusted));
        put(Cell::Token(&self.about.revised));
        put(Cell::Token(&format_args!("{PUBLISHER} {SYSTEM} {code}")));
        for day in [day(points.last()), day(points.first())] {
            put(day.as_ref().map_or(Cell::Nothing, |day| Cell::Token(day)));
        }
        put(Cell::Number(&points.len()));
        put(Cell::Token(&self.is_stale));
        put(Cell::Token(&self.part.sample));
        let transforms: Vec<&str> = Units::legal(self.about).into_iter().map(Units::id).collect();
        put(Cell::Token(&transforms.join(" ")));
    }

    fn write_source(&self, out: &mut Vec<u8>) {
        Object::new(out)
            .text(name!("publisher"), PUBLISHER)
            .text(name!("system"), SYSTEM)
            .number(name!("code"), self.about.code as usize)
            .end();
    }
}
