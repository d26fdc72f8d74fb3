//! A series to be drawn, and the range of its values.

use lastro_model::{About, Day, Frequency, Pair, Unit};

use super::shape::extremes;
use super::{Dot, Shape};
use crate::language::Language;
use crate::words;

/// Time range of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    OneYear,
    FiveYears,
    All,
}

impl Range {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "1y" => Some(Self::OneYear),
            "5y" => Some(Self::FiveYears),
            "all" => Some(Self::All),
            _ => None,
        }
    }

    /// First day shown, given the day of the newest value.
    pub(crate) fn first_day(self, newest: Day) -> Option<Day> {
        match self {
            Self::OneYear => Some(newest.minus_months(12)),
            Self::FiveYears => Some(newest.minus_months(60)),
            Self::All => None,
        }
    }
}

/// A series to be drawn, oldest value first.
#[derive(Debug)]
pub(crate) struct Plotted {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) unit_text: &'static str,
    /// The unit beside a value with its sign.
    pub(crate) unit_beside: &'static str,
    pub(crate) frequency: Frequency,
    pub(crate) shape: Shape,
    pub(crate) dots: Vec<Dot>,
    /// The lowest and the highest dot.
    pub(super) extremes: Option<(Dot, Dot)>,
    /// The API call that returns all values.
    pub(crate) call: String,
}

impl Plotted {
    pub(crate) fn of_series(about: &'static About, dots: Vec<Dot>, language: Language) -> Self {
        Self {
            name: words::name(about, language).to_owned(),
            unit: about.unit,
            unit_text: words::unit(about.unit, language),
            unit_beside: words::unit_beside(about.unit, language),
            frequency: about.frequency,
            shape: Shape::of(about),
            extremes: extremes_of(&dots),
            dots,
            call: format!("/api/v1/series/{}/observations", about.id),
        }
    }

    /// Largest absolute value.
    pub(super) fn reach(&self) -> f64 {
        self.extremes.map_or(0.0, |(low, high)| low.height.abs().max(high.height.abs()))
    }

    /// The same under another name.
    #[must_use]
    pub(crate) fn called(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub(crate) fn of_pair(pair: Pair, dots: Vec<Dot>, language: Language) -> Self {
        Self {
            name: words::pair(pair, language),
            unit: Unit::Brl,
            unit_text: language.texts().fx.unit,
            unit_beside: language.texts().fx.unit_beside,
            frequency: Frequency::BusinessDays,
            shape: Shape::Line,
            extremes: extremes_of(&dots),
            dots,
            call: format!("/api/v1/market/fx?pair={pair}"),
        }
    }
}

fn extremes_of(dots: &[Dot]) -> Option<(Dot, Dot)> {
    let (low, high) = extremes(dots)?;
    dots.get(low).copied().zip(dots.get(high).copied())
}
