//! Shapes of series: decided values are drawn as steps, values of a single month as bars, the rest as lines.

use std::borrow::Cow;

use lastro_model::{About, Day, Frequency, Kind, Topic};

use super::scale::{Calendar, Scale};
use super::{Dot, Precision, tell_place};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Line,
    Step,
    Bars,
}

/// Width of a bar in days of its month.
const BAR_DAYS: f64 = 21.0;

impl Shape {
    pub(crate) fn of(about: &About) -> Self {
        match (about.kind, about.frequency) {
            (Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Flow, Frequency::Months) => Self::Bars,
            (Kind::RatePerYear, Frequency::CalendarDays) | (_, Frequency::Years) => Self::Step,
            (Kind::RatePerYear, Frequency::Months) if about.topic == Topic::InterestRates => Self::Step,
            (Kind::Price, Frequency::Months) if about.topic == Topic::Labour => Self::Step,
            _ => Self::Line,
        }
    }

    /// Class name in the style sheet.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Step => "step",
            Self::Bars => "bars",
        }
    }

    /// The dots that define the shape: for steps, those where the value changes, and the last day.
    pub(super) fn telling(self, dots: &[Dot]) -> Cow<'_, [Dot]> {
        if self != Self::Step {
            return Cow::Borrowed(dots);
        }
        let runs = dots.chunk_by(|one, next| one.height.total_cmp(&next.height).is_eq());
        let mut changes: Vec<Dot> = runs.filter_map(|run| run.first().copied()).collect();
        let last = dots.last().filter(|last| changes.last().is_some_and(|change| change.day != last.day));
        changes.extend(last);
        Cow::Owned(changes)
    }
}

/// First day of the newest value, if a different one precedes it.
pub(crate) fn unchanged_since(dots: &[Dot]) -> Option<Day> {
    let newest = dots.last()?;
    let place = dots.iter().rposition(|dot| dot.value != newest.value)?;
    dots.get(place + 1).map(|dot| dot.day)
}

/// Number of columns of a thinned picture: about as many as a page has for a line three pixels wide.
const COLUMNS: i64 = 300;

/// Keeps the first, lowest, highest and last dot of each column: the line through them looks like the full line.
pub(super) fn thinned(dots: &[Dot]) -> Cow<'_, [Dot]> {
    let (Some(first), Some(last)) = (dots.first(), dots.last()) else { return Cow::Borrowed(dots) };
    if dots.len() <= 3 * COLUMNS as usize {
        return Cow::Borrowed(dots);
    }
    let (first, days) = (first.day.number(), i64::from(last.day.number() - first.day.number()) + 1);
    // There is one value a day at most.
    let most = (days / COLUMNS + 1) as usize;
    let (mut kept, mut rest) = (Vec::with_capacity(4 * COLUMNS as usize), dots);
    for column in 1..=COLUMNS {
        let end_day = first + ((column * days + COLUMNS - 1) / COLUMNS) as i32;
        let near = &rest[..rest.len().min(most)];
        let (of_column, after) = rest.split_at(near.partition_point(|dot| dot.day.number() < end_day));
        outline(of_column, &mut kept);
        rest = after;
    }
    Cow::Owned(kept)
}

/// Drops the inner dots of flat stretches of a line. Other shapes keep all dots.
pub(super) fn bends(shape: Shape, dots: &[Dot]) -> Cow<'_, [Dot]> {
    if shape != Shape::Line {
        return Cow::Borrowed(dots);
    }
    let mut kept = Vec::with_capacity(dots.len());
    for flat in dots.chunk_by(|one, next| one.height.total_cmp(&next.height).is_eq()) {
        kept.extend(flat.first());
        kept.extend(flat.last().filter(|_| flat.len() > 1));
    }
    Cow::Owned(kept)
}

/// Appends the dots kept of a column, in the order of days.
fn outline(dots: &[Dot], kept: &mut Vec<Dot>) {
    let Some((low, high)) = extremes(dots) else { return };
    let mut last = None;
    for place in [0, low.min(high), low.max(high), dots.len() - 1] {
        if last.replace(place) != Some(place) {
            kept.extend(dots.get(place));
        }
    }
}

/// Indices of the lowest and the highest dot.
pub(super) fn extremes(dots: &[Dot]) -> Option<(usize, usize)> {
    let first = dots.first()?;
    let (mut low, mut high) = ((0, first.height), (0, first.height));
    for (place, dot) in dots.iter().enumerate() {
        if dot.height < low.1 {
            low = (place, dot.height);
        }
        if dot.height > high.1 {
            high = (place, dot.height);
        }
    }
    Some((low.0, high.0))
}

/// Maps dots to coordinates in a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) calendar: Calendar,
    pub(super) scale: Scale,
    /// Space above the plot.
    pub(super) top: f64,
    pub(super) height: f64,
    pub(super) precision: Precision,
}

impl Frame {
    pub(super) fn across(&self, dot: &Dot) -> f64 {
        self.calendar.place(dot.day)
    }

    /// Vertical coordinate of a value, from the top.
    pub(super) fn down(&self, value: f64) -> f64 {
        self.top + (1.0 - self.scale.place(value)) * self.height
    }

    /// SVG path of a series.
    pub(super) fn path(&self, shape: Shape, dots: &[Dot]) -> String {
        let mut path = Vec::with_capacity(dots.len() * 14);
        for (place, dot) in dots.iter().enumerate() {
            let (x, y) = (self.across(dot), self.down(dot.height));
            match (shape, place) {
                (Shape::Bars, _) => self.bar(&mut path, x, y),
                (_, 0) => self.draw(&mut path, &[(b'M', x), (b' ', y)]),
                (Shape::Line, _) => self.draw(&mut path, &[(b'L', x), (b' ', y)]),
                (Shape::Step, _) => self.draw(&mut path, &[(b'H', x), (b'V', y)]),
            }
        }
        text(path)
    }

    fn bar(&self, path: &mut Vec<u8>, x: f64, y: f64) {
        let (foot, width) = (self.down(self.scale.foot()), self.bar_width());
        // Values near zero get a bar one unit high, to be visible.
        let y = if (y - foot).abs() < 1.0 { foot - 1.0 } else { y };
        self.draw(path, &[(b'M', x), (b' ', foot), (b'V', y), (b'h', width), (b'V', foot)]);
        path.push(b'Z');
    }

    /// Appends path commands, each with one number.
    fn draw(&self, path: &mut Vec<u8>, strokes: &[(u8, f64)]) {
        for (stroke, place) in strokes {
            path.push(*stroke);
            tell_place(*place, self.precision, |byte| path.push(byte));
        }
    }

    pub(super) fn bar_width(&self) -> f64 {
        let days = (self.calendar.last.number() - self.calendar.first.number()).max(1);
        (BAR_DAYS / f64::from(days) * 1000.0).max(0.8)
    }

    /// SVG path of the area between a line and the bottom of the picture.
    pub(super) fn area(&self, line: &str, dots: &[Dot], bottom: f64) -> String {
        let Some(first) = dots.first() else { return String::new() };
        let mut path = Vec::with_capacity(line.len() + 32);
        path.extend_from_slice(line.as_bytes());
        self.draw(&mut path, &[(b'V', bottom), (b'H', self.across(first))]);
        path.push(b'Z');
        text(path)
    }
}

/// Converts a path to text. It is always ASCII.
fn text(path: Vec<u8>) -> String {
    String::from_utf8(path).unwrap_or_default()
}

/// A small picture without axes: the paths of the line and of the area below it, which is empty for bars.
pub(crate) fn sparkline(shape: Shape, dots: &[Dot]) -> Option<[String; 2]> {
    const HEIGHT: f64 = 100.0;
    let (first, last) = (dots.first()?, dots.last()?);
    let dots = shape.telling(dots);
    let end = if shape == Shape::Bars { last.day.plus_days(BAR_DAYS as i32) } else { last.day };
    let calendar = Calendar { first: first.day, last: end };
    let scale = Scale::over(dots.iter().map(|dot| dot.height), shape == Shape::Bars);
    let frame = Frame { calendar, scale, top: 4.0, height: HEIGHT - 8.0, precision: Precision::Whole };
    let line = frame.path(shape, &dots);
    let area = if shape == Shape::Bars { String::new() } else { frame.area(&line, &dots, HEIGHT) };
    Some([line, area])
}

#[cfg(test)]
mod tests {
    use lastro_model::{Decimal, Series};
    use proptest::prelude::*;

    use super::*;

    fn dots(values: &[i64]) -> Vec<Dot> {
        let dot = |(place, value): (i32, &i64)| {
            Dot::new(Day::from_number(20_000 + place).unwrap(), Decimal::new(*value, 2))
        };
        (0..).zip(values).map(dot).collect()
    }

    #[test]
    fn decided_values_are_steps_and_monthly_values_are_bars() {
        for (series, shape) in [
            (Series::Selic, Shape::Step),
            (Series::Cdi, Shape::Line),
            (Series::Ipca, Shape::Bars),
            (Series::Ipca12m, Shape::Line),
            (Series::Tjlp, Shape::Step),
            (Series::MinimumWage, Shape::Step),
            (Series::InflationTarget, Shape::Step),
            (Series::TradeBalance, Shape::Bars),
            (Series::Unemployment, Shape::Line),
        ] {
            assert_eq!(Shape::of(series.about()), shape, "{series:?}");
        }
    }

    #[test]
    fn steps_keep_their_changes_and_the_last_day() {
        let told: Vec<i32> = Shape::Step
            .telling(&dots(&[5, 5, 5, 7, 7, 5, 5]))
            .iter()
            .map(|dot| dot.day.number() - 20_000)
            .collect();
        assert_eq!(told, [0, 3, 5, 6]);
    }

    #[test]
    fn flat_stretches_of_a_line_keep_their_ends_only() {
        let days = |shape| {
            let dots = dots(&[5, 5, 5, 7, 5, 5]);
            bends(shape, &dots).iter().map(|dot| dot.day.number() - 20_000).collect::<Vec<_>>()
        };
        assert_eq!(days(Shape::Line), [0, 2, 3, 4, 5]);
        assert_eq!(days(Shape::Bars), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn sparkline_needs_at_least_one_value() {
        assert!(sparkline(Shape::Line, &[]).is_none());
        let [line, _] = sparkline(Shape::Bars, &dots(&[0])).unwrap();
        assert!(!line.contains("NaN") && !line.is_empty(), "{line}");
    }

    proptest! {
        #[test]
        fn thinning_keeps_ends_and_extremes_of_every_column(values in prop::collection::vec(-100_000i64..100_000, 1001..6000)) {
            let all = dots(&values);
            let told = thinned(&all);
            prop_assert!(told.len() <= 4 * COLUMNS as usize);
            prop_assert!(told.windows(2).all(|pair| pair[0].day < pair[1].day));
            let column = |dot: &Dot| i64::from(dot.day.number() - 20_000) * COLUMNS / values.len() as i64;
            let [whole, kept] = [&all[..], &told[..]].map(|dots| {
                let columns = dots.chunk_by(|one, next| column(one) == column(next));
                columns.map(|dots| (
                    dots.first().map(|dot| dot.day),
                    dots.last().map(|dot| dot.day),
                    dots.iter().map(|dot| dot.value).min(),
                    dots.iter().map(|dot| dot.value).max(),
                )).collect::<Vec<_>>()
            });
            prop_assert_eq!(whole, kept);
        }

        #[test]
        fn sparkline_coordinates_are_finite(values in prop::collection::vec(any::<i64>(), 1..60)) {
            for shape in [Shape::Line, Shape::Step, Shape::Bars] {
                let [line, area] = sparkline(shape, &dots(&values)).unwrap();
                prop_assert!(!line.contains("NaN") && !line.contains("inf") && !area.contains("NaN"), "{line}");
            }
        }
    }
}
