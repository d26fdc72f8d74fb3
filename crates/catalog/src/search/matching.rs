//! Which rows have all words of a query, and how well each of them matches.
//!
//! The rows of the rarest word are found first. Two ways lead from the rows found so far to those that have one more
//! word. Where the word has about as many, its lists are read whole, one window of rows after the other, so that the
//! scores of a window stay in the processor's nearest memory and no step depends on a comparison. Where it has far more,
//! or where a bitmap tells at once at which place a row stands, each row found is looked up. A set of rows is never read
//! for this: one bit tells whether it has a row.

use std::ops::Range;

use super::entry::Entry;
use super::postings::{List, seek};
use super::row_set::RowSet;

/// A row that was found; the greater the score, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    pub row: u32,
    pub score: u16,
}

/// Rows that satisfy one word of a query, by any of several lists. A row that is in several counts by the first.
#[derive(Clone, Default)]
pub(super) struct Clause<'a> {
    pub lists: Vec<Scored<'a>>,
    /// Further rows, which score nothing.
    pub set: Option<&'a RowSet>,
}

/// A list whose rows score their weight and something more.
#[derive(Clone, Copy)]
pub(super) struct Scored<'a> {
    pub list: List<'a>,
    pub bonus: u16,
}

impl Scored<'_> {
    fn score(&self, entry: Entry) -> u16 {
        self.bonus + entry.weight()
    }

    /// What it costs to look so many rows up in this list, where reading an entry costs one.
    fn cost_of_looking_up(&self, rows: usize) -> usize {
        let sought = if self.list.bitmap.is_some() { 0 } else { rows.min(self.list.entries.len()) };
        rows * LOOK_COST + sought * SEEK_COST
    }
}

/// In entries read, what it costs to see that the next entry of a list is not the one.
const LOOK_COST: usize = 2;
/// In entries read, what it costs to seek an entry in a list.
const SEEK_COST: usize = 14;

/// So many rows are treated at a time: two bytes for each fit in the first-level cache.
const WINDOW: u32 = 8192;

impl Clause<'_> {
    /// No fewer rows than it has.
    pub(super) fn most_rows(&self) -> usize {
        self.entries() + self.set.map_or(0, RowSet::len)
    }

    fn entries(&self) -> usize {
        self.lists.iter().map(|scored| scored.list.entries.len()).sum()
    }

    fn cost_of_looking_up(&self, rows: usize) -> usize {
        self.lists.iter().map(|scored| scored.cost_of_looking_up(rows)).sum()
    }
}

/// The rows, ascending, that satisfy all clauses.
pub(super) fn rows_with_all(mut clauses: Vec<Clause<'_>>) -> Vec<Match> {
    clauses.sort_by_cached_key(Clause::most_rows);
    let Some((rarest, others)) = clauses.split_first() else { return Vec::new() };
    let mut found = rows_of(rarest);
    for clause in others {
        if clause.cost_of_looking_up(found.len()) <= clause.entries() {
            retain_by_look_up(&mut found, clause);
        } else {
            retain_by_scan(&mut found, clause);
        }
    }
    found
}

/// Keeps the rows that the clause has too, each looked up in its lists.
fn retain_by_look_up(found: &mut Vec<Match>, clause: &Clause<'_>) {
    let mut places = vec![0; clause.lists.len()];
    found.retain_mut(|candidate| {
        for (scored, place) in clause.lists.iter().zip(&mut places) {
            if let Some(entry) = scored.list.find(candidate.row, place) {
                candidate.score += scored.score(entry);
                return true;
            }
        }
        clause.set.is_some_and(|set| set.contains(candidate.row))
    });
}

/// Keeps the rows that the clause has too, its lists being read beside them. Where nothing was found they are not read.
fn retain_by_scan(found: &mut Vec<Match>, clause: &Clause<'_>) {
    let mut reader = Reader::of(clause);
    let mut scores = WindowScores::default();
    let (mut next, mut kept) = (0, 0);
    while let Some(first) = found.get(next).map(|found| found.row) {
        let window = window_of(first);
        reader.read(&window, |place, score| scores.put(place, score));
        while let Some(candidate) = found.get(next).copied().filter(|found| found.row < window.end) {
            next += 1;
            let score = scores.get(candidate.row - window.start);
            let is_in_set = clause.set.is_some_and(|set| set.contains(candidate.row));
            // Written whether it is kept or not: which of the two cannot be foreseen, and a wrong guess costs more.
            found[kept] = Match { score: candidate.score + score.unwrap_or(0), ..candidate };
            kept += usize::from(score.is_some() | is_in_set);
        }
        scores.clear();
    }
    found.truncate(kept);
}

/// All rows of a clause.
fn rows_of(clause: &Clause<'_>) -> Vec<Match> {
    match (&clause.lists[..], clause.set) {
        // Nothing to bring together.
        ([only], None) => {
            let row = |entry: &Entry| Match { row: entry.row(), score: only.score(*entry) };
            only.list.entries.iter().map(row).collect()
        }
        _ => gather(clause),
    }
}

/// The rows of several lists and a set, in their order.
fn gather(clause: &Clause<'_>) -> Vec<Match> {
    let nothing = RowSet::default();
    let set = clause.set.unwrap_or(&nothing);
    let mut reader = Reader::of(clause);
    let (mut scores, mut rows) = (WindowScores::default(), RowSet::below(WINDOW));
    let mut found = Vec::with_capacity(clause.most_rows());
    let mut start = reader.next_row(0, set);
    while let Some(first) = start {
        let window = window_of(first);
        rows.copy_from(set, window.start);
        reader.read(&window, |place, score| {
            scores.put(place, score);
            rows.insert(place);
        });
        rows.within(&(0..WINDOW)).for_each(|place| {
            found.push(Match { row: window.start + place, score: scores.get(place).unwrap_or(0) });
        });
        scores.clear();
        start = reader.next_row(window.end, set);
    }
    found
}

fn window_of(row: u32) -> Range<u32> {
    let start = row - row % WINDOW;
    start..start.saturating_add(WINDOW)
}

/// What the rows of a window score by the lists read so far. A row is called by its place in the window.
struct WindowScores {
    /// One more than the score, or nothing.
    cells: Box<[u16; WINDOW as usize]>,
}

impl Default for WindowScores {
    fn default() -> Self {
        Self { cells: Box::new([0; WINDOW as usize]) }
    }
}

impl WindowScores {
    /// Of several scores the first one counts.
    fn put(&mut self, place: u32, score: u16) {
        let cell = &mut self.cells[(place % WINDOW) as usize];
        let news = u16::from(*cell == 0);
        *cell += news * (score + 1);
    }

    fn get(&self, place: u32) -> Option<u16> {
        self.cells[(place % WINDOW) as usize].checked_sub(1)
    }

    fn clear(&mut self) {
        self.cells.fill(0);
    }
}

/// Reads the lists of a clause, window by window.
struct Reader<'a> {
    lists: Vec<Unread<'a>>,
}

/// What is left of a list.
struct Unread<'a> {
    entries: &'a [Entry],
    bonus: u16,
}

impl<'a> Reader<'a> {
    fn of(clause: &Clause<'a>) -> Self {
        let unread = |scored: &Scored<'a>| Unread { entries: scored.list.entries, bonus: scored.bonus };
        Self { lists: clause.lists.iter().map(unread).collect() }
    }

    /// The first row from `start` on that is in a list or in the set.
    fn next_row(&self, start: u32, set: &RowSet) -> Option<u32> {
        let first =
            |list: &Unread<'_>| list.entries.get(seek(list.entries, 0, start)).map(|entry| entry.row());
        self.lists.iter().filter_map(first).chain(set.next(start)).min()
    }

    /// Visits the entries of a window, with their places in it and what they score. What lies before is given up.
    fn read(&mut self, window: &Range<u32>, mut visit: impl FnMut(u32, u16)) {
        for list in &mut self.lists {
            let rest = &list.entries[seek(list.entries, 0, window.start)..];
            let (within, after) = rest.split_at(seek(rest, 0, window.end));
            within.iter().for_each(|entry| visit(entry.row() - window.start, list.bonus + entry.weight()));
            list.entries = after;
        }
    }
}

/// The rows at these places of the ranking: best first, then in their order.
pub(super) fn ranked(found: &[Match], places: Range<usize>) -> Vec<u32> {
    // Scores are small numbers, so that counting them is sorting them.
    let greatest = found.iter().map(|found| found.score).max().unwrap_or(0);
    let mut next_place = vec![0usize; usize::from(greatest) + 1];
    found.iter().for_each(|found| next_place[usize::from(found.score)] += 1);
    let mut better = 0;
    for place in next_place.iter_mut().rev() {
        better += std::mem::replace(place, better);
    }
    let mut rows = vec![0; places.len()];
    let mut missing = rows.len();
    for found in found {
        if missing == 0 {
            break;
        }
        let place = &mut next_place[usize::from(found.score)];
        if places.contains(place) {
            rows[*place - places.start] = found.row;
            missing -= 1;
        }
        *place += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::rank_bitmap::RankBitmap;
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Rows = BTreeMap<u32, u8>;

    fn rows() -> impl Strategy<Value = Rows> {
        prop_oneof![
            prop::collection::btree_map(0u32..20_000, 0u8..16, 0..4),
            prop::collection::btree_map(0u32..20_000, 0u8..16, 0..200),
            prop::collection::btree_map(0u32..600, 0u8..16, 150..300),
        ]
    }

    fn entries(rows: &Rows) -> Vec<Entry> {
        rows.iter().map(|(row, weight)| Entry::new(*row, *weight)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn exactly_the_rows_with_all_words_are_found(words in prop::collection::vec((rows(), rows(), prop::option::of(rows())), 1..5), with_bitmap: bool) {
            let lists: Vec<_> = words.iter().map(|(exact, other, _)| (entries(exact), entries(other))).collect();
            let sets: Vec<_> = words.iter().map(|(_, _, more)| more.as_ref().map(|rows| {
                let mut set = RowSet::below(20_000);
                rows.keys().for_each(|row| set.insert(*row));
                set
            })).collect();
            let bitmaps: Vec<_> = lists.iter().map(|(exact, _)| RankBitmap::of(exact)).collect();
            let clauses = lists.iter().zip(&bitmaps).zip(&sets).map(|(((exact, other), bitmap), set)| Clause {
                lists: vec![
                    Scored { list: List { entries: exact, bitmap: with_bitmap.then_some(bitmap) }, bonus: 16 },
                    Scored { list: List { entries: other, bitmap: None }, bonus: 1 },
                ],
                set: set.as_ref(),
            }).collect();
            let score = |row: u32| words.iter().try_fold(0, |sum, (exact, other, more)| {
                let exact = exact.get(&row).map(|weight| 16 + u16::from(*weight));
                let other = other.get(&row).map(|weight| 1 + u16::from(*weight));
                let more = more.as_ref().and_then(|rows| rows.get(&row)).map(|_| 0);
                Some(sum + exact.or(other).or(more)?)
            });
            let (exact, other, more) = &words[0];
            let candidates: BTreeSet<u32> =
                exact.keys().chain(other.keys()).chain(more.iter().flat_map(BTreeMap::keys)).copied().collect();
            let expected: Vec<Match> =
                candidates.into_iter().filter_map(|row| Some(Match { row, score: score(row)? })).collect();
            prop_assert_eq!(rows_with_all(clauses), expected);
        }

        #[test]
        fn any_page_is_that_of_the_sorted_list(
            scores in prop::collection::vec(0u16..5, 0..60), start in 0usize..60, length in 0usize..20,
        ) {
            let found: Vec<Match> = (0..).zip(scores).map(|(row, score)| Match { row, score }).collect();
            let mut sorted = found.clone();
            sorted.sort_by_key(|found| std::cmp::Reverse(found.score));
            let (start, end) = (start.min(found.len()), (start + length).min(found.len()));
            let expected: Vec<u32> = sorted[start..end].iter().map(|found| found.row).collect();
            prop_assert_eq!(ranked(&found, start..end), expected);
        }
    }
}
