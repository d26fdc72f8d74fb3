//! Pages far down a ranking. Keeping the best so many rows in order, as for the first pages, would take longer than
//! scoring all rows once and looking only at those of the page.

use std::cmp::Ordering;
use std::ops::Range;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader};

/// Collects every row with its score.
pub struct AllScores;

pub struct Scores(Vec<(Score, DocId)>);

impl Collector for AllScores {
    type Fruit = Scores;
    type Child = Scores;

    fn for_segment(&self, _: SegmentOrdinal, _: &SegmentReader) -> tantivy::Result<Scores> {
        Ok(Scores(Vec::new()))
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, segments: Vec<Scores>) -> tantivy::Result<Scores> {
        Ok(Scores(segments.into_iter().flat_map(|scores| scores.0).collect()))
    }
}

impl SegmentCollector for Scores {
    type Fruit = Self;

    fn collect(&mut self, doc: DocId, score: Score) {
        self.0.push((score, doc));
    }

    fn harvest(self) -> Self {
        self
    }
}

impl Scores {
    /// The rows of these places in the ranking, in its order.
    pub fn ranked(mut self, places: Range<usize>) -> Vec<u32> {
        let end = places.end.min(self.0.len());
        if places.start >= end {
            return Vec::new();
        }
        // What ranks before the page goes to the front, what ranks after it to the back, both unsorted.
        let page = match places.start {
            0 => &mut self.0[..],
            start => self.0.select_nth_unstable_by(start - 1, best_first).2,
        };
        let length = end - places.start;
        if length < page.len() {
            page.select_nth_unstable_by(length, best_first);
        }
        let page = &mut page[..length];
        page.sort_unstable_by(best_first);
        page.iter().map(|(_, row)| *row).collect()
    }
}

fn best_first(a: &(Score, DocId), b: &(Score, DocId)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_page_is_that_of_the_sorted_list(
            scores in prop::collection::vec(0u8..5, 0..60), start in 0usize..70, length in 0usize..20,
        ) {
            let all: Vec<(Score, DocId)> = scores.iter().map(|score| Score::from(*score)).zip(0..).collect();
            let mut sorted = all.clone();
            sorted.sort_by(best_first);
            let expected: Vec<u32> = sorted.iter().skip(start).take(length).map(|(_, row)| *row).collect();
            prop_assert_eq!(Scores(all).ranked(start..start + length), expected);
        }
    }
}
