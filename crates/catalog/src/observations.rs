//! The values of many series as one table, for bulk exports.

use std::ops::Range;
use std::sync::Arc;

use lastro_model::{Day, RatePoint, Series};
use lastro_search::Page;

use crate::json::Object;
use crate::page::{Listing, Rows};
use crate::table::{Cell, ColumnType, Table};
use crate::{Part, Timeline, name};

/// Series in table order, each newest first.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    parts: Vec<(Series, Arc<Part<Timeline<RatePoint>>>)>,
    /// The position of each series' first value when all series are concatenated.
    starts: Vec<u32>,
}

impl Observations {
    pub fn of(parts: Vec<(Series, Arc<Part<Timeline<RatePoint>>>)>) -> Self {
        let starts = parts.iter().scan(0, |next, (_, part)| {
            let start = *next;
            *next += part.len() as u32;
            Some(start)
        });
        Self { starts: starts.collect(), parts }
    }

    /// One page of the values between two days, series by series.
    pub fn list(&self, from: Option<Day>, to: Option<Day>, page: Page) -> Listing<'_> {
        let spans = self.parts.iter().zip(&self.starts).map(|((_, part), start)| {
            let Range { start: first, end } = part.between(from, to);
            start + first as u32..start + end as u32
        });
        let spans: Vec<Range<u32>> = spans.collect();
        let total = spans.iter().map(ExactSizeIterator::len).sum();
        let shown = page.of(total);
        let rows = spans.into_iter().flatten().skip(shown.start).take(shown.len()).collect();
        Listing { total, rows: Rows::Found(rows) }
    }

    /// The series with this position, and its value.
    fn place(&self, position: u32) -> (Series, &RatePoint) {
        let index = self.starts.partition_point(|start| *start <= position) - 1;
        let (series, part) = &self.parts[index];
        (*series, &part.points()[(position - self.starts[index]) as usize])
    }
}

impl Table for Observations {
    const COLUMNS: &'static [&'static str] = &["series", "date", "value"];
    const TYPES: &'static [ColumnType] = &[ColumnType::Text, ColumnType::Day, ColumnType::Decimal];

    fn write_json(&self, position: u32, out: &mut Vec<u8>) {
        let (series, point) = self.place(position);
        Object::new(out)
            .text(name!("series"), series.about().id)
            .token(name!("date"), point.day)
            .number(name!("value"), point.value)
            .end();
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        let (series, point) = self.place(position);
        put(Cell::Token(&series.about().id));
        put(Cell::Token(&point.day));
        put(Cell::Number(&point.value));
    }
}
