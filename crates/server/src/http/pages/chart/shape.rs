//! How a series is drawn: what somebody decides moves in steps, what is of one month alone stands as a bar, the rest is a line.

use std::fmt::Write as _;

use lastro_model::{About, Frequency, Kind, Topic};

use super::Dot;
use super::scale::{Calendar, Scale};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Line,
    Step,
    Bars,
}

/// How much of its month a bar fills.
const BAR_DAYS: f64 = 21.0;

impl Shape {
    pub fn of(about: &About) -> Self {
        match (about.kind, about.frequency) {
            (Kind::RatePerMonth | Kind::SimpleRatePerMonth | Kind::Flow, Frequency::Months) => Self::Bars,
            (Kind::RatePerYear, Frequency::CalendarDays) | (_, Frequency::Years) => Self::Step,
            (Kind::RatePerYear, Frequency::Months) if about.topic == Topic::InterestRates => Self::Step,
            (Kind::Price, Frequency::Months) if about.topic == Topic::Labour => Self::Step,
            _ => Self::Line,
        }
    }

    /// Only where the value is another one than before does a step say anything; its last day says until when it holds.
    pub(super) fn telling(self, dots: &[Dot]) -> Vec<Dot> {
        if self != Self::Step {
            return thinned(dots);
        }
        let changes = dots.iter().enumerate().filter(|(place, dot)| {
            *place == 0 || *place + 1 == dots.len() || dots[*place - 1].value != dot.value
        });
        changes.map(|(_, dot)| *dot).collect()
    }
}

/// As many dots as a screen can show.
const MOST_DOTS: usize = 480;

/// The highest and the lowest of each stretch, so that no peak is lost.
fn thinned(dots: &[Dot]) -> Vec<Dot> {
    if dots.len() <= MOST_DOTS {
        return dots.to_vec();
    }
    let stretch = dots.len().div_ceil(MOST_DOTS / 2);
    let mut kept: Vec<Dot> = dots.chunks(stretch).flat_map(extremes).flatten().copied().collect();
    kept.extend(dots.last());
    kept.dedup_by_key(|dot| dot.day);
    kept
}

/// The lowest and the highest, in the order of their days.
fn extremes(dots: &[Dot]) -> [Option<&Dot>; 2] {
    let low = dots.iter().min_by_key(|dot| dot.value);
    let high = dots.iter().max_by_key(|dot| dot.value);
    if low.map(|dot| dot.day) <= high.map(|dot| dot.day) { [low, high] } else { [high, low] }
}

/// Where things lie in a picture of this height.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) calendar: Calendar,
    pub(super) scale: Scale,
    /// Above the plot.
    pub(super) top: f64,
    pub(super) height: f64,
    /// How many decimals places are told with: a small picture needs none.
    pub(super) decimals: usize,
}

impl Frame {
    pub(super) fn across(&self, dot: &Dot) -> f64 {
        self.calendar.place(dot.day)
    }

    /// From the top.
    pub(super) fn down(&self, value: f64) -> f64 {
        self.top + (1.0 - self.scale.place(value)) * self.height
    }

    /// The path of a series.
    pub(super) fn path(&self, shape: Shape, dots: &[Dot]) -> String {
        let (mut path, d) = (String::with_capacity(dots.len() * 14), self.decimals);
        for (place, dot) in dots.iter().enumerate() {
            let (x, y) = (self.across(dot), self.down(dot.height()));
            // Writing into memory does not fail.
            let _ = match (shape, place) {
                (Shape::Bars, _) => self.bar(&mut path, x, y),
                (_, 0) => write!(path, "M{x:.d$} {y:.d$}"),
                (Shape::Line, _) => write!(path, "L{x:.d$} {y:.d$}"),
                (Shape::Step, _) => write!(path, "H{x:.d$}V{y:.d$}"),
            };
        }
        path
    }

    fn bar(&self, path: &mut String, x: f64, y: f64) -> std::fmt::Result {
        let (foot, width, d) = (self.down(self.scale.foot()), self.bar_width(), self.decimals);
        // What is nothing is still seen as something of nothing.
        let y = if (y - foot).abs() < 1.0 { foot - 1.0 } else { y };
        write!(path, "M{x:.d$} {foot:.d$}V{y:.d$}h{width:.d$}V{foot:.d$}Z")
    }

    pub(super) fn bar_width(&self) -> f64 {
        let days = (self.calendar.last.number() - self.calendar.first.number()).max(1);
        (BAR_DAYS / f64::from(days) * 1000.0).max(0.8)
    }

    /// What lies below a line, down to the bottom of the picture.
    pub(super) fn area(&self, line: &str, dots: &[Dot], bottom: f64) -> String {
        let (Some(first), Some(last)) = (dots.first(), dots.last()) else { return String::new() };
        format!("{line}L{:.1} {bottom:.1}L{:.1} {bottom:.1}Z", self.across(last), self.across(first))
    }
}

/// A small picture without axes: two paths, of the line and of what lies below it. Bars are one path.
pub fn sparkline(shape: Shape, dots: &[Dot]) -> Option<[String; 2]> {
    const HEIGHT: f64 = 100.0;
    let (first, last) = (dots.first()?, dots.last()?);
    let dots = shape.telling(dots);
    let end = if shape == Shape::Bars { last.day.plus_days(BAR_DAYS as i32) } else { last.day };
    let calendar = Calendar { first: first.day, last: end };
    let scale = Scale::over(dots.iter().map(Dot::height), shape == Shape::Bars);
    let frame = Frame { calendar, scale, top: 4.0, height: HEIGHT - 8.0, decimals: 0 };
    let line = frame.path(shape, &dots);
    let area = if shape == Shape::Bars { String::new() } else { frame.area(&line, &dots, HEIGHT) };
    Some([line, area])
}

#[cfg(test)]
mod tests {
    use lastro_model::{Day, Decimal, Series};
    use proptest::prelude::*;

    use super::*;

    fn dots(values: &[i64]) -> Vec<Dot> {
        let dot = |(place, value): (i32, &i64)| Dot {
            day: Day::from_number(20_000 + place).unwrap(),
            value: Decimal::new(*value, 2),
        };
        (0..).zip(values).map(dot).collect()
    }

    #[test]
    fn what_is_decided_moves_in_steps_and_what_is_of_a_month_stands_alone() {
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
    fn a_step_is_told_by_its_changes_and_its_last_day() {
        let told: Vec<i32> = Shape::Step
            .telling(&dots(&[5, 5, 5, 7, 7, 5, 5]))
            .iter()
            .map(|dot| dot.day.number() - 20_000)
            .collect();
        assert_eq!(told, [0, 3, 5, 6]);
    }

    #[test]
    fn nothing_has_no_picture_and_one_value_has_one() {
        assert!(sparkline(Shape::Line, &[]).is_none());
        let [line, _] = sparkline(Shape::Bars, &dots(&[0])).unwrap();
        assert!(!line.contains("NaN") && !line.is_empty(), "{line}");
    }

    proptest! {
        #[test]
        fn a_long_line_keeps_its_ends_and_its_peaks(values in prop::collection::vec(-100_000i64..100_000, 481..3000)) {
            let all = dots(&values);
            let told = Shape::Line.telling(&all);
            prop_assert!(told.len() <= MOST_DOTS + 1);
            prop_assert!(told.windows(2).all(|pair| pair[0].day < pair[1].day));
            prop_assert_eq!(told.last().unwrap().day, all.last().unwrap().day);
            let [low, high] = [all.iter().map(|dot| dot.value).min(), all.iter().map(|dot| dot.value).max()];
            prop_assert_eq!(told.iter().map(|dot| dot.value).min(), low);
            prop_assert_eq!(told.iter().map(|dot| dot.value).max(), high);
        }

        #[test]
        fn no_picture_has_a_place_outside(values in prop::collection::vec(any::<i64>(), 1..60)) {
            for shape in [Shape::Line, Shape::Step, Shape::Bars] {
                let [line, area] = sparkline(shape, &dots(&values)).unwrap();
                prop_assert!(!line.contains("NaN") && !line.contains("inf") && !area.contains("NaN"), "{line}");
            }
        }
    }
}
