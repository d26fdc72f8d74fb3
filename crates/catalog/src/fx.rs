//! Foreign exchange: one timeline per currency pair.

use std::collections::BTreeMap;

use lastro_model::{Day, FxQuote, Pair};

use crate::Timeline;

#[derive(Debug, Clone, Default)]
pub struct FxBook {
    pairs: Vec<Pair>,
    /// In the order of `pairs`.
    timelines: Vec<Timeline<FxQuote>>,
}

impl FxBook {
    /// Sorts the quotes by pair and day. Where a day occurs twice, the later of the input wins.
    pub fn build(quotes: Vec<FxQuote>) -> Self {
        let mut by_pair = BTreeMap::<Pair, Vec<FxQuote>>::new();
        for quote in quotes {
            by_pair.entry(quote.pair).or_default().push(quote);
        }
        let (pairs, timelines) =
            by_pair.into_iter().map(|(pair, quotes)| (pair, Timeline::build(quotes))).unzip();
        Self { pairs, timelines }
    }

    /// The pairs held, in alphabetical order.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn get(&self, pair: Pair) -> Option<&Timeline<FxQuote>> {
        self.timelines.get(self.pairs.binary_search(&pair).ok()?)
    }

    /// The newest day of any pair.
    pub fn newest_day(&self) -> Option<Day> {
        self.timelines.iter().filter_map(|timeline| timeline.newest()).map(|quote| quote.day).max()
    }
}
