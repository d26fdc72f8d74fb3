//! Maps values and days to coordinates, and places grid lines and ticks.

use lastro_model::Day;

use crate::format;
use crate::language::Language;

/// Range of values of an axis. Both ends lie on grid lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

/// Approximate number of spaces between grid lines.
const SPACES: f64 = 4.0;

impl Scale {
    /// Scale that covers these values, and zero if `with_zero` (for bars).
    pub(super) fn over(values: impl Iterator<Item = f64>, with_zero: bool) -> Self {
        let (mut low, mut high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if with_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if high - low < low.abs().max(1e-9) * 1e-6 {
            // Equal values are placed in the middle.
            let margin = (low.abs() * 0.1).max(0.5);
            (low, high) = (low - margin, high + margin);
        }
        let step = round_step((high - low) / SPACES);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Height of a value on the axis, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Values of the grid lines, and the number of decimals in their labels.
    pub(super) fn lines(&self) -> (Vec<f64>, usize) {
        let count = ((self.high - self.low) / self.step).round().clamp(1.0, 12.0) as usize;
        let lines = (0..=count).map(|place| self.low + self.step * place as f64).collect();
        let decimals = (0..8).find(|decimals| is_whole(self.step * 10f64.powi(*decimals))).unwrap_or(8);
        (lines, decimals as usize)
    }

    /// Value at the base of bars.
    pub(super) fn foot(&self) -> f64 {
        0f64.clamp(self.low, self.high)
    }
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() < 1e-6
}

/// Rounds up to 1, 2, 2.5, 5 or 10 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power)
}

/// Range of days of an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calendar {
    pub(super) first: Day,
    pub(super) last: Day,
}

/// A label below the chart.
#[derive(Debug)]
pub(super) struct Tick {
    /// Horizontal coordinate, from 0 to 1000.
    pub(super) place: f64,
    pub(super) text: String,
    pub(super) anchor: &'static str,
    /// Hidden on narrow screens: every second label.
    pub(super) gives_way: bool,
    /// Also hidden on narrow screens if there are two axes: every second label of the rest.
    pub(super) yields: bool,
}

const MOST_TICKS: i32 = 7;

impl Calendar {
    /// Horizontal coordinate of a day, from 0 to 1000.
    pub(super) fn place(&self, day: Day) -> f64 {
        let whole = (self.last.number() - self.first.number()).max(1);
        f64::from(day.number() - self.first.number()) / f64::from(whole) * 1000.0
    }

    /// Labels on first days of months, spaced so that they fit.
    pub(super) fn ticks(&self, language: Language) -> Vec<Tick> {
        let months = (self.last.number() - self.first.number()) / 30;
        let every = [1, 2, 3, 6, 12, 24, 60, 120]
            .into_iter()
            .find(|every| months / every < MOST_TICKS)
            .unwrap_or(240);
        let mut day = Day::from_ymd(self.first.year(), 1, 1).unwrap_or(self.first);
        let mut ticks = Vec::new();
        while day <= self.last && ticks.len() < 2 * MOST_TICKS as usize {
            if self.first <= day && is_on_grid(day, every) {
                ticks.push(self.tick(day, every, ticks.len(), language));
            }
            day = day.minus_months(-1);
        }
        ticks
    }

    fn tick(&self, day: Day, every: i32, number: usize, language: Language) -> Tick {
        let (place, (year, month, _)) = (self.place(day), day.civil());
        let text = match every {
            12.. => year.to_string(),
            _ if month == 1 || number == 0 => format::month_of_year(month, year, language),
            _ => format::month_name(month, language).to_owned(),
        };
        let anchor = match place {
            ..40.0 => "start",
            960.0.. => "end",
            _ => "middle",
        };
        Tick { place, text, anchor, gives_way: number % 2 == 1, yields: number % 4 == 2 }
    }
}

fn is_on_grid(day: Day, every: i32) -> bool {
    let (year, month, _) = day.civil();
    (i32::from(year) * 12 + i32::from(month) - 1) % every == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn grids_have_round_numbers() {
        let scale = Scale::over([10.3, 14.9].into_iter(), false);
        assert_eq!(scale.lines(), (vec![10.0, 12.0, 14.0, 16.0], 0));
        let scale = Scale::over([0.12, 0.56].into_iter(), true);
        assert_eq!(scale.lines().1, 1);
        assert!(scale.place(0.0).abs() < 1e-9);
    }

    #[test]
    fn a_year_has_a_label_every_second_month() {
        let calendar =
            Calendar { first: Day::parse("2025-10-01").unwrap(), last: Day::parse("2026-09-30").unwrap() };
        let texts: Vec<String> =
            calendar.ticks(Language::English).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts, ["Nov 2025", "Jan 2026", "Mar", "May", "Jul", "Sep"]);
    }

    proptest! {
        #[test]
        fn every_value_lies_within_the_scale(values in prop::collection::vec(-1e15f64..1e15, 0..20), with_zero: bool) {
            let scale = Scale::over(values.iter().copied(), with_zero);
            for value in values {
                prop_assert!((0.0..=1.0).contains(&scale.place(value)));
            }
            let (lines, _) = scale.lines();
            prop_assert!((2..=13).contains(&lines.len()), "{lines:?}");
        }

        #[test]
        fn every_span_has_labels_within_it(first in -50_000i32..50_000, days in 0i32..40_000) {
            let calendar = Calendar { first: Day::from_number(first).unwrap(), last: Day::from_number(first + days).unwrap() };
            for tick in calendar.ticks(Language::Portuguese) {
                prop_assert!((0.0..=1000.0).contains(&tick.place));
            }
        }
    }
}
