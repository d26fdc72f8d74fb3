//! Which rows have all words of a question, and how well each of them matches.
//!
//! Two ways lead from the rows found so far to those that have one more word. Where both are about as many, both are
//! read whole, one window of rows after the other, so that the notes about a window stay in the processor's nearest
//! memory and no step depends on a comparison. Where the word is far more common than what was found, each row found
//! is looked up in its list.

use std::ops::Range;

use super::postings::{Entry, seek};
use super::rowset::RowSet;

/// A row that was found; the greater the score, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    pub row: u32,
    pub score: u16,
}

/// Rows that satisfy one word of a question, by any of several lists. A row that is in several counts by the first.
#[derive(Clone, Default)]
pub struct Clause<'a> {
    pub lists: Vec<Scored<'a>>,
    /// Further rows, which score nothing.
    pub set: Option<&'a RowSet>,
}

/// A list whose rows score their weight and something more.
#[derive(Clone, Copy)]
pub struct Scored<'a> {
    pub list: &'a [Entry],
    pub bonus: u16,
}

impl Scored<'_> {
    fn of(&self, entry: Entry) -> Match {
        Match { row: entry.row(), score: self.bonus + entry.weight() }
    }
}

/// Looking a row up in a list costs about as much as reading so many of its entries.
const LOOK_UP_COST: usize = 16;

/// So many rows are treated at a time: four bytes for each fit in the first-level cache.
const WINDOW: u32 = 8192;

impl Clause<'_> {
    /// No fewer rows than it has.
    pub fn most_rows(&self) -> usize {
        let listed: usize = self.lists.iter().map(|scored| scored.list.len()).sum();
        listed + self.set.map_or(0, RowSet::len)
    }
}

/// The rows, ascending, that satisfy all clauses.
pub fn rows_with_all(mut clauses: Vec<Clause<'_>>) -> Vec<Match> {
    clauses.sort_by_cached_key(Clause::most_rows);
    let Some((rarest, others)) = clauses.split_first() else { return Vec::new() };
    let mut found = None;
    for clause in others {
        let leading = found.as_ref().map_or_else(|| rarest.most_rows(), Vec::len);
        found = Some(if leading * LOOK_UP_COST < clause.most_rows() {
            look_up(found.unwrap_or_else(|| rows_of(rarest)), clause)
        } else {
            let leader = found.as_deref().map_or_else(|| Reader::of(rarest), Reader::over);
            sweep(&mut [leader, Reader::of(clause)])
        });
    }
    found.unwrap_or_else(|| rows_of(rarest))
}

fn rows_of(clause: &Clause<'_>) -> Vec<Match> {
    match (&clause.lists[..], clause.set) {
        // Nothing to bring together.
        ([only], None) => only.list.iter().map(|entry| only.of(*entry)).collect(),
        _ => sweep(&mut [Reader::of(clause)]),
    }
}

fn look_up(mut found: Vec<Match>, clause: &Clause<'_>) -> Vec<Match> {
    let mut places = vec![0; clause.lists.len()];
    found.retain_mut(|candidate| {
        for (scored, place) in clause.lists.iter().zip(&mut places) {
            *place = seek(scored.list, *place, candidate.row);
            if let Some(entry) = scored.list.get(*place).filter(|entry| entry.row() == candidate.row) {
                candidate.score += scored.bonus + entry.weight();
                return true;
            }
        }
        clause.set.is_some_and(|set| set.contains(candidate.row))
    });
    found
}

/// Reads all readers from the first row to the last. The first one leads: where it has nothing, the others are not read.
fn sweep(readers: &mut [Reader<'_>]) -> Vec<Match> {
    let mut notes =
        Notes { satisfied: readers.len() as u32, cells: vec![0; WINDOW as usize], found: Vec::new() };
    let Some((leader, others)) = readers.split_first_mut() else { return Vec::new() };
    let mut start = leader.next_row(0);
    while let Some(first) = start {
        let window = first - first % WINDOW..(first - first % WINDOW).saturating_add(WINDOW);
        leader.mark(&window, 0, &mut notes);
        for (clause, reader) in (1..).zip(&mut *others) {
            reader.mark(&window, clause, &mut notes);
        }
        leader.collect(&window, &mut notes);
        start = leader.next_row(window.end);
    }
    notes.found
}

/// What is known of the rows of a window: how many clauses each satisfies so far, and its score.
struct Notes {
    satisfied: u32,
    cells: Vec<u32>,
    found: Vec<Match>,
}

const ONE_CLAUSE: u32 = 1 << 16;

impl Notes {
    /// The row satisfies this clause too, if it satisfied those before it and not this one yet.
    fn mark(&mut self, place: u32, clause: u32, score: u16) {
        let cell = &mut self.cells[place as usize];
        let news = u32::from(*cell / ONE_CLAUSE == clause);
        *cell += news * (ONE_CLAUSE + u32::from(score));
    }

    /// Keeps the row if it satisfies all clauses, and forgets what is noted of it.
    fn collect(&mut self, place: u32, row: u32) {
        let cell = std::mem::take(&mut self.cells[place as usize]);
        if cell / ONE_CLAUSE == self.satisfied {
            self.found.push(Match { row, score: (cell % ONE_CLAUSE) as u16 });
        }
    }
}

/// Reads a clause, or what was found before, window by window.
struct Reader<'a> {
    found: &'a [Match],
    lists: Vec<Scored<'a>>,
    set: Option<&'a RowSet>,
}

impl<'a> Reader<'a> {
    fn of(clause: &Clause<'a>) -> Self {
        Self { found: &[], lists: clause.lists.clone(), set: clause.set }
    }

    fn over(found: &'a [Match]) -> Self {
        Self { found, lists: Vec::new(), set: None }
    }

    /// The first row from `start` on that this reader has. What lies before is given up.
    fn next_row(&mut self, start: u32) -> Option<u32> {
        self.found = &self.found[self.found.partition_point(|found| found.row < start)..];
        for scored in &mut self.lists {
            scored.list = &scored.list[seek(scored.list, 0, start)..];
        }
        let listed = self.lists.iter().filter_map(|scored| scored.list.first()).map(|entry| entry.row());
        let found = self.found.first().map(|found| found.row);
        listed.chain(found).chain(self.set.and_then(|set| set.next(start))).min()
    }

    fn mark(&mut self, window: &Range<u32>, clause: u32, notes: &mut Notes) {
        for scored in &mut self.lists {
            scored.list = &scored.list[seek(scored.list, 0, window.start)..];
        }
        self.for_each(window, |row, score| notes.mark(row - window.start, clause, score));
    }

    fn collect(&self, window: &Range<u32>, notes: &mut Notes) {
        let before = notes.found.len();
        self.for_each(window, |row, _| notes.collect(row - window.start, row));
        // Each source is in order, but they follow each other.
        if self.lists.len() + usize::from(self.set.is_some()) > 1 {
            notes.found[before..].sort_by_key(|found| found.row);
        }
    }

    /// Visits the rows of the window with what they score, those before it being given up already.
    fn for_each(&self, window: &Range<u32>, mut visit: impl FnMut(u32, u16)) {
        let found = self.found.iter().take_while(|found| found.row < window.end);
        found.for_each(|found| visit(found.row, found.score));
        for scored in &self.lists {
            let within = &scored.list[..seek(scored.list, 0, window.end)];
            within.iter().map(|entry| scored.of(*entry)).for_each(|found| visit(found.row, found.score));
        }
        if let Some(set) = self.set {
            set.within(window).for_each(|row| visit(row, 0));
        }
    }
}

/// The rows at these places of the ranking: best first, then in their order.
pub fn ranked(found: &[Match], places: Range<usize>) -> Vec<u32> {
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
        fn exactly_the_rows_with_all_words_are_found(words in prop::collection::vec((rows(), rows(), prop::option::of(rows())), 1..5)) {
            let lists: Vec<_> = words.iter().map(|(exact, other, _)| (entries(exact), entries(other))).collect();
            let sets: Vec<_> = words.iter().map(|(_, _, more)| more.as_ref().map(|rows| {
                let mut set = RowSet::below(20_000);
                rows.keys().for_each(|row| set.insert(*row));
                set
            })).collect();
            let clauses = lists.iter().zip(&sets).map(|((exact, other), set)| Clause {
                lists: vec![Scored { list: exact, bonus: 16 }, Scored { list: other, bonus: 1 }],
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
