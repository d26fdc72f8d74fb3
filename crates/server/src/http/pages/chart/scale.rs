//! From values and days to places, and where the lines of the grid go.

use lastro_model::Day;

use super::super::format::month_name;
use super::super::language::Language;

/// The values that an axis reaches over, both ends on a line of its grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

/// About how many spaces a grid has.
const SPACES: f64 = 4.0;

impl Scale {
    /// Wide enough for these values, with zero among them if they are bars.
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
            // All are the same: they lie in the middle.
            let margin = (low.abs() * 0.1).max(0.5);
            (low, high) = (low - margin, high + margin);
        }
        let step = round_step((high - low) / SPACES);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// How far up a value lies, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The values of the grid's lines, and with how many decimals they are told.
    pub(super) fn lines(&self) -> (Vec<f64>, usize) {
        let count = ((self.high - self.low) / self.step).round().clamp(1.0, 12.0) as usize;
        let lines = (0..=count).map(|place| self.low + self.step * place as f64).collect();
        let decimals = (0..8).find(|decimals| is_whole(self.step * 10f64.powi(*decimals))).unwrap_or(8);
        (lines, decimals as usize)
    }

    /// The value at the foot of bars.
    pub(super) fn foot(&self) -> f64 {
        0f64.clamp(self.low, self.high)
    }
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() < 1e-6
}

/// The next of 1, 2, 2.5, 5 and 10 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power)
}

/// The days that an axis reaches over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calendar {
    pub(super) first: Day,
    pub(super) last: Day,
}

/// A label below the picture.
#[derive(Debug)]
pub(super) struct Tick {
    /// From 0 to 1000.
    pub(super) place: f64,
    pub(super) text: String,
    pub(super) anchor: &'static str,
    /// Every second one gives way on a narrow screen.
    pub(super) gives_way: bool,
    /// And every second one of the rest, where two axes leave still less.
    pub(super) yields: bool,
}

const MOST_TICKS: i32 = 7;

impl Calendar {
    /// How far to the right a day lies, from 0 to 1000.
    pub(super) fn place(&self, day: Day) -> f64 {
        let whole = (self.last.number() - self.first.number()).max(1);
        f64::from(day.number() - self.first.number()) / f64::from(whole) * 1000.0
    }

    /// First days of months, as far apart as they fit.
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
            _ if month == 1 || number == 0 => format!("{} {year}", month_name(month, language)),
            _ => month_name(month, language).to_owned(),
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
        fn every_value_has_a_place(values in prop::collection::vec(-1e15f64..1e15, 0..20), with_zero: bool) {
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
