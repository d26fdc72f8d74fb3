//! A merged index compared with one that is built from all rows: every search finds the same ones.

use proptest::prelude::*;

use super::made_up::{directory, query, rows};
use super::*;
use crate::{LastWord, MergePlan, Origin, RowFilter};

const MERGES: usize = 6;
const QUERIES: usize = 10;
const PAGES: [Page; 2] = [Page { limit: 5, offset: 0 }, Page { limit: 2000, offset: 30 }];

/// Rows that go: none, a few, many or all.
fn removed(random: &mut fastrand::Rng, count: usize) -> Vec<u32> {
    let most = [0, 0, 5, 300, 1000][random.usize(..5)];
    (0..count as u32).filter(|_| random.u32(..1000) < most).collect()
}

/// For each new row the old one that it stands before: often the first one, as new filings do.
fn places(random: &mut fastrand::Rng, count: usize) -> Vec<u32> {
    let end = if random.u8(..3) > 0 { 1 } else { count as u32 + 1 };
    let most = [3, 40, 400][random.usize(..3)];
    let mut places: Vec<u32> = (0..random.usize(..most)).map(|_| random.u32(..end)).collect();
    places.sort_unstable();
    places
}

fn to_be_merged(rows: &[Row]) -> Searcher {
    built_with(IndexBuilder::to_be_merged(), rows)
}

/// What a query finds, as positions; the directory and the chosen rows name positions too.
fn found(searcher: &Searcher, q: &str, directory: &Directory, chosen: Option<&[u32]>) -> Vec<String> {
    let rows = searcher.index().rows();
    let shifted = directory
        .ranges
        .iter()
        .map(|(text, range)| (text.clone(), range.start + rows.start..range.end + rows.start));
    let here = Directory { id: directory.id, names: directory.names.clone(), ranges: shifted.collect() };
    let filter = chosen.map(|chosen| RowFilter::of(rows.end, chosen.iter().map(|row| row + rows.start)));
    let context = Context { within: filter.as_ref(), ..here.context() };
    let positions = |found: Vec<u32>| found.into_iter().map(|row| row - rows.start).collect::<Vec<u32>>();
    let pages = PAGES.map(|page| {
        let hits = searcher.search_in(q, page, context);
        format!("{} {:?} {:?}", hits.total, positions(hits.rows), hits.interpretation)
    });
    let holding = [LastWord::Whole, LastWord::Prefix]
        .map(|last| format!("{:?}", positions(searcher.rows_holding(q, last, context))));
    pages.into_iter().chain(holding).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_merged_index_finds_what_a_built_one_finds(seed: u64) {
        let random = &mut fastrand::Rng::with_seed(seed);
        let count = [0, 5, 40, 700][random.usize(..4)];
        let mut all = rows(random, count);
        let mut merged = to_be_merged(&all);
        for _ in 0..MERGES {
            let (gone, before) = (removed(random, all.len()), places(random, all.len()));
            let new = rows(random, before.len());
            let plan = MergePlan::new(all.len() as u32, &gone, &before);
            merged = merged.merged(&to_be_merged(&new), &plan).unwrap();
            let origin = |row| match plan.origin(row) {
                Origin::Old(old) => all[old as usize].clone(),
                Origin::New(row) => new[row as usize].clone(),
            };
            all = (0..plan.rows()).map(origin).collect();
            let built = built(&all);
            let chosen: Vec<u32> = (0..all.len() as u32).filter(|_| random.u8(..3) == 0).collect();
            let directory = directory(random, all.len());
            let words: Vec<(Row, ())> = all.iter().take(50).map(|row| (row.clone(), ())).collect();
            for _ in 0..if words.is_empty() { 0 } else { QUERIES } {
                let q = query(random, &words);
                let chosen = (random.u8(..3) == 0).then_some(&chosen[..]);
                let expected = found(&built, &q, &directory, chosen);
                prop_assert_eq!(found(&merged, &q, &directory, chosen), expected, "{}", q);
            }
        }
    }
}
