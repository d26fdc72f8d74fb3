//! A whole chart: one or two series, grid, labels, and the tables behind it.

use std::borrow::Cow;

use askama::Template;
use lastro_model::{Day, Unit};

use super::plotted::Plotted;
use super::scale::{Calendar, Scale, Tick};
use super::shape::{Frame, bends, thinned};
use super::table::{self, Rhythm};
use super::{Dot, Precision, Shape};
use crate::format;
use crate::language::Language;
use crate::texts::{ChartTexts, Texts};

/// A grid line with its label.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) y: f64,
    pub(super) label: String,
    /// Whether it is the base of bars.
    pub(super) is_foot: bool,
}

/// A drawn series.
#[derive(Debug)]
pub(super) struct Drawn {
    name: String,
    unit_text: &'static str,
    pub(super) class: &'static str,
    pub(super) line: String,
    pub(super) area: String,
    pub(super) is_bars: bool,
    is_steps: bool,
    /// First day drawn.
    first_day: String,
    rows: String,
    /// Note on the values that the table omits, if any.
    left_out: Option<&'static str>,
    call: String,
}

#[derive(Debug, Template)]
#[template(path = "chart.html")]
pub(crate) struct Figure<'a> {
    /// Prefix that makes the element ids of this figure unique.
    id: &'a str,
    pub(super) t: &'static Texts,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) height: f64,
    pub(super) label_y: f64,
    pub(super) lines: Vec<Line>,
    /// Grid lines of the second series, if it has a separate scale.
    pub(super) right_lines: Vec<Line>,
    /// Width of the labels beside the plot.
    pub(super) left_width: usize,
    pub(super) right_width: usize,
    pub(super) ticks: Vec<Tick>,
    pub(super) series: Vec<Drawn>,
    /// Whether there is nothing to draw.
    pub(super) is_empty: bool,
    /// Days shown, and source of the values.
    pub(super) caption: String,
}

/// Space above the top grid line, for half of its label.
const TOP: f64 = 10.0;
const PLOT: f64 = 244.0;
const BOTTOM: f64 = 26.0;

impl<'a> Figure<'a> {
    /// Chart of one series, or of two together.
    pub(crate) fn new(id: &'a str, main: &Plotted, other: Option<&Plotted>, language: Language) -> Self {
        let t = language.texts();
        let plotted: Vec<&Plotted> = std::iter::once(main).chain(other).collect();
        let calendar = calendar(&plotted);
        let shared = other.is_none_or(|other| share_a_scale(main, other));
        let scales: Vec<Scale> =
            plotted.iter().map(|one| if shared { scale_of(&plotted) } else { scale_of(&[*one]) }).collect();
        let frame = |place: usize| Frame {
            calendar,
            scale: scales[place],
            top: TOP,
            height: PLOT,
            precision: Precision::Tenths,
        };
        let series: Vec<Drawn> = plotted
            .iter()
            .enumerate()
            .map(|(place, one)| drawn(one, place, frame(place), other.is_none(), language))
            .collect();
        let second = other.filter(|_| !shared).map(|other| (other, frame(1)));
        let left = lines(main, frame(0), language);
        let right = second.map_or_else(Vec::new, |(other, frame)| lines(other, frame, language));
        Self {
            id,
            t,
            title: plotted.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(t.chart.joined),
            description: plotted.iter().map(|one| described(one, language)).collect::<Vec<_>>().join(" "),
            height: TOP + PLOT + BOTTOM,
            label_y: TOP + PLOT + 19.0,
            left_width: width_of(&left),
            right_width: width_of(&right),
            lines: left,
            right_lines: right,
            ticks: calendar.ticks(language),
            series,
            is_empty: plotted.iter().all(|one| one.dots.is_empty()),
            caption: String::new(),
        }
    }

    /// Names of the first series and of the second, with their units if there are two.
    pub(super) fn names(&self) -> [String; 2] {
        let named = |one: &Drawn| format!("{}, {}", one.name, one.unit_text);
        match &self.series[..] {
            [first, second] => [named(first), named(second)],
            _ => [self.title.clone(), String::new()],
        }
    }

    /// The same chart with a caption.
    #[must_use]
    pub(crate) fn captioned(self, caption: String) -> Self {
        Self { caption, ..self }
    }
}

/// Approximate width of the longest label in pixels, plus its distance from the plot.
fn width_of(lines: &[Line]) -> usize {
    const LETTER: usize = 7;
    lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0) * LETTER + 10
}

/// Whether two series can share an axis. Yearly rates and yearly changes can; other differing units cannot, nor can
/// series of which one is so much smaller that it would look flat.
fn share_a_scale(one: &Plotted, other: &Plotted) -> bool {
    const TIMES: f64 = 8.0;
    let is_yearly = |unit| matches!(unit, Unit::PercentPerYear | Unit::Percent);
    let is_alike = one.unit == other.unit || is_yearly(one.unit) && is_yearly(other.unit);
    let [one, other] = [one, other].map(Plotted::reach);
    is_alike && one <= TIMES * other && other <= TIMES * one
}

fn calendar(plotted: &[&Plotted]) -> Calendar {
    let ends = || plotted.iter().filter_map(|one| one.dots.first().zip(one.dots.last()));
    let has_bars = plotted.iter().any(|one| one.shape == Shape::Bars);
    let first = ends().map(|(first, _)| first.day).min();
    let last = ends().map(|(_, last)| last.day).max();
    // Any day will do for an empty chart.
    let never = Day::from(jiff::civil::Date::ZERO);
    let (first, last) = (first.unwrap_or(never), last.unwrap_or(never));
    Calendar { first, last: if has_bars { last.plus_days(25) } else { last } }
}

fn scale_of(plotted: &[&Plotted]) -> Scale {
    let extremes = plotted.iter().filter_map(|one| one.extremes);
    let values = extremes.flat_map(|(low, high)| [low.height, high.height]);
    Scale::over(values, plotted.iter().any(|one| one.shape == Shape::Bars))
}

fn lines(plotted: &Plotted, frame: Frame, language: Language) -> Vec<Line> {
    let (values, decimals) = frame.scale.lines();
    let line = |value: &f64| Line {
        y: frame.down(*value),
        label: format::axis_value(*value, decimals, plotted.unit, language),
        is_foot: plotted.shape == Shape::Bars && value.abs() < 1e-9,
    };
    values.iter().map(line).collect()
}

fn drawn(plotted: &Plotted, place: usize, frame: Frame, is_alone: bool, language: Language) -> Drawn {
    // Bars of a second series would hide the first.
    let shape = if place > 0 && plotted.shape == Shape::Bars { Shape::Line } else { plotted.shape };
    let dots_shown = shape.telling(&plotted.dots);
    // A thinned line is short already.
    let dots = match thinned(&dots_shown) {
        Cow::Borrowed(all) => bends(shape, all),
        thin @ Cow::Owned(_) => thin,
    };
    let line = frame.path(shape, &dots);
    let is_bars = shape == Shape::Bars;
    let middle = if is_bars { frame.bar_width() / 2.0 } else { 0.0 };
    let (rhythm, rows) = table::listed(&dots_shown);
    Drawn {
        name: plotted.name.clone(),
        unit_text: plotted.unit_text,
        class: if place == 0 { "first" } else { "second" },
        area: if is_bars || !is_alone { String::new() } else { frame.area(&line, &dots, TOP + PLOT) },
        line,
        is_bars,
        is_steps: shape == Shape::Step,
        first_day: plotted.dots.first().map(|dot| dot.day.to_string()).unwrap_or_default(),
        rows: table::html(plotted, &rows, frame, middle, language),
        left_out: left_out(rhythm, dots_shown.len() < plotted.dots.len(), &language.texts().chart),
        call: plotted.call.clone(),
    }
}

/// Note on the rows of a table that omits values.
const fn left_out(rhythm: Rhythm, is_thinned: bool, t: &ChartTexts) -> Option<&'static str> {
    match rhythm {
        Rhythm::Weeks => Some(t.by_week),
        Rhythm::Months => Some(t.by_month),
        Rhythm::Years => Some(t.by_year),
        Rhythm::Values if is_thinned => Some(t.thinned),
        Rhythm::Values => None,
    }
}

/// Description of the picture in words.
fn described(plotted: &Plotted, language: Language) -> String {
    let t = &language.texts().chart;
    let say = |dot: &Dot| {
        (
            format::value(dot.value, plotted.unit, language),
            format::period(dot.day, plotted.frequency, language),
        )
    };
    let (Some(first), Some(last)) = (plotted.dots.first(), plotted.dots.last()) else {
        return t.empty.to_owned();
    };
    let (low, high) = plotted.extremes.unwrap_or((*first, *last));
    let [first, last, low, high] = [first, last, &low, &high].map(say);
    t.description
        .replace("{name}", &plotted.name)
        .replace("{unit}", plotted.unit_text)
        .replace("{first}", &first.0)
        .replace("{first_day}", &first.1)
        .replace("{last}", &last.0)
        .replace("{last_day}", &last.1)
        .replace("{low}", &low.0)
        .replace("{low_day}", &low.1)
        .replace("{high}", &high.0)
        .replace("{high_day}", &high.1)
}
