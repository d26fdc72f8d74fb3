//! A series or currency pair, newest first, with its JSON rendered once.
//!
//! Any range of days is one slice of prepared bytes: a response copies it without formatting.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use lastro_model::{Day, FxQuote, RatePoint};
use lastro_search::Page;

use crate::json::Object;
use crate::name;
use crate::page::Listing;
use crate::revisions::{FirstDay, Revisions};
use crate::table::{Cell, ColumnType, Table};

/// A value of a series on a day.
pub trait Point: Clone {
    /// The member names of the JSON object.
    const COLUMNS: &'static [&'static str];
    const TYPES: &'static [ColumnType];

    fn day(&self) -> Day;
    /// Appends the point as one JSON object, decimals as published.
    fn write_json(&self, out: &mut Vec<u8>);
    fn cells(&self, put: &mut dyn FnMut(Cell<'_>));
}

impl Point for RatePoint {
    const COLUMNS: &'static [&'static str] = &["date", "value"];
    const TYPES: &'static [ColumnType] = &[ColumnType::Day, ColumnType::Decimal];

    fn day(&self) -> Day {
        self.day
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        Object::new(out).token(name!("date"), self.day).number(name!("value"), self.value).end();
    }

    fn cells(&self, put: &mut dyn FnMut(Cell<'_>)) {
        put(Cell::Token(&self.day));
        put(Cell::Number(&self.value));
    }
}

impl Point for FxQuote {
    const COLUMNS: &'static [&'static str] = &["date", "pair", "buy", "sell"];
    const TYPES: &'static [ColumnType] =
        &[ColumnType::Day, ColumnType::Text, ColumnType::Decimal, ColumnType::Decimal];

    fn day(&self) -> Day {
        self.day
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        Object::new(out)
            .token(name!("date"), self.day)
            .token(name!("pair"), self.pair)
            .number(name!("buy"), self.buy)
            .number(name!("sell"), self.sell)
            .end();
    }

    fn cells(&self, put: &mut dyn FnMut(Cell<'_>)) {
        put(Cell::Token(&self.day));
        put(Cell::Token(&self.pair));
        put(Cell::Number(&self.buy));
        put(Cell::Number(&self.sell));
    }
}

/// Points of one series, newest first, one per day.
#[derive(Clone)]
pub struct Timeline<P: Point> {
    points: Vec<P>,
    /// Every object followed by a comma.
    json: Vec<u8>,
    /// The start of each object, then the end of the last one.
    starts: Vec<u32>,
    revisions: Revisions<P>,
}

impl<P: Point> Timeline<P> {
    /// Sorts the points. If a day occurs twice, the later input wins.
    pub fn build(mut points: Vec<P>) -> Self {
        points.reverse();
        points.sort_by_key(|point| Reverse(point.day()));
        points.dedup_by_key(|point| point.day());
        let mut json = Vec::new();
        let mut starts = Vec::with_capacity(points.len() + 1);
        for point in &points {
            starts.push(json.len() as u32);
            point.write_json(&mut json);
            json.push(b',');
        }
        starts.push(json.len() as u32);
        points.shrink_to_fit();
        json.shrink_to_fit();
        Self { points, json, starts, revisions: Revisions::default() }
    }

    /// Adds the revisions of the points.
    pub fn with_revisions(self, revisions: Revisions<P>) -> Self {
        Self { revisions, ..self }
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// All points, newest first.
    pub fn points(&self) -> &[P] {
        &self.points
    }

    /// The revisions of the points after publication.
    pub fn revisions(&self) -> &Revisions<P> {
        &self.revisions
    }

    /// The points at the end of a day, UTC, oldest first; or the first day for which they are available.
    pub fn as_of(&self, day: Day) -> Result<Vec<P>, FirstDay> {
        self.revisions.as_of(day, &self.points)
    }

    pub fn newest(&self) -> Option<&P> {
        self.points.first()
    }

    pub fn newest_json(&self) -> Option<&[u8]> {
        (!self.is_empty()).then(|| self.json(0..1))
    }

    /// The positions of the points between two days, both included.
    pub fn between(&self, from: Option<Day>, to: Option<Day>) -> Range<usize> {
        let start = to.map_or(0, |to| self.points.partition_point(|point| point.day() > to));
        let end = from.map_or(self.len(), |from| self.points.partition_point(|point| point.day() >= from));
        start..end.max(start)
    }

    /// One page of the points between two days.
    pub fn list(&self, from: Option<Day>, to: Option<Day>, page: Page) -> Listing<'_> {
        let Range { start, end } = self.between(from, to);
        Listing::of_span(start as u32..end as u32, page)
    }

    /// The objects of these positions joined by commas, without brackets.
    pub fn json(&self, range: Range<usize>) -> &[u8] {
        let end = range.end.min(self.len());
        if range.start >= end {
            return &[];
        }
        &self.json[self.starts[range.start] as usize..self.starts[end] as usize - 1]
    }
}

impl<P: Point> Table for Timeline<P> {
    const COLUMNS: &'static [&'static str] = P::COLUMNS;
    const TYPES: &'static [ColumnType] = P::TYPES;

    fn write_json(&self, position: u32, out: &mut Vec<u8>) {
        let position = position as usize;
        out.extend_from_slice(self.json(position..position + 1));
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        self.points[position as usize].cells(put);
    }
}

impl<P: Point> Default for Timeline<P> {
    fn default() -> Self {
        Self::build(Vec::new())
    }
}

impl<P: Point + fmt::Debug> fmt::Debug for Timeline<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeline")
            .field("len", &self.len())
            .field("newest", &self.newest())
            .finish_non_exhaustive()
    }
}
