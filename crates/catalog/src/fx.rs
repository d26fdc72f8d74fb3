//! Foreign exchange: one timeline per currency pair.

use std::collections::BTreeMap;
use std::ops::Range;

use lastro_model::{Day, FxQuote, Pair};
use lastro_search::Page;

use crate::page::{Listing, Rows};
use crate::table::{Cell, ColumnType, Table};
use crate::{Point, Revision, Revisions, Timeline};

/// A filter of the quotes. Fields that are `None` match everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct FxFilter {
    pub pair: Option<Pair>,
    /// `from` and `to` are both included.
    pub from: Option<Day>,
    pub to: Option<Day>,
}

#[derive(Debug, Clone, Default)]
pub struct FxBook {
    pairs: Vec<Pair>,
    /// In the order of `pairs`.
    timelines: Vec<Timeline<FxQuote>>,
    /// The position of each timeline's first quote when all timelines are concatenated.
    starts: Vec<u32>,
}

impl FxBook {
    /// Sorts the quotes by pair and day. If a day occurs twice, the later input wins.
    pub fn build(quotes: Vec<FxQuote>) -> Self {
        let mut by_pair = BTreeMap::<Pair, Vec<FxQuote>>::new();
        for quote in quotes {
            by_pair.entry(quote.pair).or_default().push(quote);
        }
        let (pairs, timelines): (Vec<Pair>, Vec<Timeline<FxQuote>>) =
            by_pair.into_iter().map(|(pair, quotes)| (pair, Timeline::build(quotes))).unzip();
        let starts = timelines.iter().scan(0, |next, timeline| {
            let start = *next;
            *next += timeline.len() as u32;
            Some(start)
        });
        Self { starts: starts.collect(), pairs, timelines }
    }

    /// Adds the revisions of the quotes, newest edition first, complete since `since_unix_ms`.
    #[must_use]
    pub fn with_revisions(self, since_unix_ms: Option<i64>, rows: Vec<Revision<FxQuote>>) -> Self {
        let mut by_pair = BTreeMap::<Pair, Vec<Revision<FxQuote>>>::new();
        for row in rows {
            if let Some(quote) = row.old.or(row.new) {
                by_pair.entry(quote.pair).or_default().push(row);
            }
        }
        let timelines = self.pairs.iter().zip(self.timelines).map(|(pair, timeline)| {
            let rows = by_pair.remove(pair).unwrap_or_default();
            timeline.with_revisions(Revisions::new(since_unix_ms, rows))
        });
        Self { timelines: timelines.collect(), ..self }
    }

    /// All pairs, in alphabetical order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn get(&self, pair: Pair) -> Option<&Timeline<FxQuote>> {
        self.timelines.get(self.pairs.binary_search(&pair).ok()?)
    }

    /// One page of the quotes, pair by pair in alphabetical order, each newest first.
    pub fn list(&self, filter: &FxFilter, page: Page) -> Listing<'_> {
        let spans: Vec<Range<u32>> = (0..self.pairs.len())
            .filter(|index| filter.pair.is_none_or(|pair| pair == self.pairs[*index]))
            .map(|index| {
                let days = self.timelines[index].between(filter.from, filter.to);
                self.starts[index] + days.start as u32..self.starts[index] + days.end as u32
            })
            .collect();
        let total = spans.iter().map(ExactSizeIterator::len).sum();
        let shown = page.of(total);
        let rows = spans.into_iter().flatten().skip(shown.start).take(shown.len()).collect();
        Listing { total, rows: Rows::Found(rows) }
    }

    /// The timeline with this position, and the index in it.
    fn place(&self, position: u32) -> (&Timeline<FxQuote>, u32) {
        let index = self.starts.partition_point(|start| *start <= position) - 1;
        (&self.timelines[index], position - self.starts[index])
    }

    /// The newest day of any pair.
    pub fn newest_day(&self) -> Option<Day> {
        self.timelines.iter().filter_map(|timeline| timeline.newest()).map(|quote| quote.day).max()
    }
}

impl Table for FxBook {
    const COLUMNS: &'static [&'static str] = <FxQuote as Point>::COLUMNS;
    const TYPES: &'static [ColumnType] = <FxQuote as Point>::TYPES;

    fn write_json(&self, position: u32, out: &mut Vec<u8>) {
        let (timeline, place) = self.place(position);
        timeline.write_json(place, out);
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        let (timeline, place) = self.place(position);
        timeline.cells(place, put);
    }
}
