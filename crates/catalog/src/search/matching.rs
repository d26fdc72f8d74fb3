//! Which rows have all words of a query, and how well each of them matches.
//!
//! Rows are treated a window at a time, so that what is known of them stays in the processor's nearest memory. In each
//! window the rows of the rarest word are found first. Two ways lead from the rows found so far to those that have one
//! more word: where the word has about as many, its lists are read whole, so that no step depends on a comparison; where
//! it has far more, or where a bitmap tells at once at which place a row stands, each row found is looked up.

use std::ops::Range;

use super::clause::{Clause, ClauseReader};
use super::positions::Positions;
use super::postings::List;
use super::row_set::RowSet;

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    pub row: u32,
    pub tier: Tier,
}

/// How well a row matches; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tier(u8);

impl Tier {
    const COUNT: usize = 10;
    const LABEL: Self = Self(0);
    const OWN_PHRASE: Self = Self(1);
    const OWN_WORDS: Self = Self(3);

    /// The order of rows, stated once: those that have the last word itself before those that only have a longer one; a
    /// label that is just this, then a phrase before scattered words, and each of the two in the row's own texts before
    /// the company's. What is equal in all this is newest first.
    pub(super) fn new(whole: bool, is_label: bool, phrase: Positions, own: bool) -> Self {
        let scattered = phrase.is_empty();
        let among_whole = match (is_label, scattered) {
            (true, _) => 0,
            (false, false) => 1 + u8::from(!phrase.has_own()),
            (false, true) => 3 + u8::from(!own),
        };
        Self(if whole { among_whole } else { 5 + among_whole })
    }
}

/// What is known of a row as its words are found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub row: u32,
    /// Whether it has the last word itself, not only a longer one.
    whole: bool,
    /// Whether each word found so far stands in a text of the row itself.
    own: bool,
    /// Where the words found so far can be a phrase that starts.
    starts: Positions,
}

impl Candidate {
    fn new(row: u32) -> Self {
        Self { row, whole: true, own: true, starts: Positions::ALL }
    }

    /// Takes note of where a word stands. Nowhere means that the row only has a longer one.
    fn note(&mut self, clause: &Clause<'_>, at: Positions) {
        if at.is_empty() {
            self.whole = false;
            return;
        }
        self.own &= at.has_own();
        self.narrow(clause, at);
    }

    fn narrow(&mut self, clause: &Clause<'_>, at: Positions) {
        for nth in &clause.offsets {
            self.starts = self.starts.and(at.starts(*nth));
        }
    }
}

/// So many rows are treated at a time.
pub(super) const WINDOW: u32 = 2048;

pub(super) fn window_of(row: u32) -> Range<u32> {
    let start = row - row % WINDOW;
    start..start.saturating_add(WINDOW)
}

/// What rows must have, and what makes some of them better than others.
#[derive(Clone, Default)]
pub(super) struct Wanted<'a> {
    /// Every one of them.
    pub words: Vec<Clause<'a>>,
    /// Small words: rows need not have them, phrases do.
    pub small_words: Vec<Clause<'a>>,
    /// The rows whose label is just this.
    pub label: Option<List<'a>>,
    /// Whether no row has the words as a phrase.
    pub never_phrase: bool,
}

impl Wanted<'_> {
    /// The rows, ascending, that have all words.
    pub(super) fn rows(&self) -> Vec<Match> {
        let mut search = Search::of(self);
        let mut found = Vec::new();
        let mut next = search.next_row(0);
        while let Some(row) = next {
            let window = window_of(row);
            search.find_in(&window);
            search.finish(&mut found);
            next = search.next_row(window.end);
        }
        found
    }

    /// Where rows have the words as a phrase.
    pub(super) fn phrases(&self) -> Vec<(u32, Positions)> {
        let mut search = Search::of(self);
        let mut found = Vec::new();
        let mut next = search.next_row(0);
        while let Some(row) = next {
            let window = window_of(row);
            search.find_in(&window);
            search.look_at_small_words();
            let phrases = search.candidates.iter().filter(|candidate| !candidate.starts.is_empty());
            found.extend(phrases.map(|candidate| (candidate.row, candidate.starts)));
            next = search.next_row(window.end);
        }
        found
    }

    /// How well rows match that are known to have all words. Rows of the best tier come in their order, so that no more
    /// are judged when so many are found of it.
    pub(super) fn judged(&self, rows: &RowSet, needed: usize) -> Vec<Match> {
        let mut search = Search::of(self);
        let best = match (self.label, self.never_phrase) {
            (Some(_), _) => Tier::LABEL,
            (None, false) => Tier::OWN_PHRASE,
            (None, true) => Tier::OWN_WORDS,
        };
        let (mut found, mut of_best) = (Vec::new(), 0);
        rows.try_each(|row| {
            let judged = search.judge(row);
            of_best += usize::from(judged.tier == best);
            found.push(judged);
            of_best < needed
        });
        found
    }
}

struct Search<'a> {
    /// From the rarest word on.
    readers: Vec<ClauseReader<'a>>,
    small_words: Vec<ClauseReader<'a>>,
    label: Option<List<'a>>,
    /// Whether rows that have the last word itself never have a phrase.
    never_phrase: bool,
    /// Whether no row is found by a longer word alone.
    always_whole: bool,
    label_place: usize,
    cells: Cells,
    candidates: Vec<Candidate>,
}

impl<'a> Search<'a> {
    fn of(wanted: &'a Wanted<'a>) -> Self {
        let mut words: Vec<&Clause<'a>> = wanted.words.iter().collect();
        words.sort_by_cached_key(|clause| clause.most_rows());
        let always_whole = words.iter().all(|clause| clause.set.is_none());
        Self {
            readers: words.into_iter().map(ClauseReader::of).collect(),
            small_words: wanted.small_words.iter().map(ClauseReader::of).collect(),
            label: wanted.label,
            never_phrase: wanted.never_phrase && always_whole,
            always_whole,
            label_place: 0,
            cells: Cells::default(),
            candidates: Vec::new(),
        }
    }

    /// The first row from `start` on that has the rarest word.
    fn next_row(&self, start: u32) -> Option<u32> {
        self.readers.first()?.next_row(start)
    }

    /// Leaves the rows of a window that have all words as candidates.
    fn find_in(&mut self, window: &Range<u32>) {
        self.candidates.clear();
        let Some((rarest, others)) = self.readers.split_first_mut() else { return };
        gather(rarest, window, &mut self.cells, &mut self.candidates);
        for reader in others {
            if self.candidates.is_empty() {
                return;
            }
            if reader.prefers_look_up(window, self.candidates.len()) {
                retain_by_look_up(&mut self.candidates, reader);
            } else {
                retain_by_scan(&mut self.candidates, reader, window, &mut self.cells);
            }
        }
    }

    /// Looks all words of a row up that is known to have them.
    fn judge(&mut self, row: u32) -> Match {
        let mut candidate = Candidate::new(row);
        if self.never_phrase {
            candidate.starts = Positions::default();
        }
        for reader in &mut self.readers {
            if candidate.starts.is_empty() && !candidate.own && self.always_whole {
                break;
            }
            // The first position tells whether it stands in a text of the row itself.
            let at = reader.look_up(row, !candidate.starts.is_empty());
            candidate.note(reader.clause, at);
        }
        for small in &mut self.small_words {
            if !candidate.starts.is_empty() {
                let at = small.look_up(row, true);
                candidate.narrow(small.clause, at);
            }
        }
        self.found(&candidate)
    }

    fn found(&mut self, candidate: &Candidate) -> Match {
        let place = &mut self.label_place;
        let is_label = self.label.is_some_and(|label| label.find(candidate.row, place).is_some());
        let tier = Tier::new(candidate.whole, is_label, candidate.starts, candidate.own);
        Match { row: candidate.row, tier }
    }

    /// A phrase has its small words too.
    fn look_at_small_words(&mut self) {
        for small in &mut self.small_words {
            for candidate in self.candidates.iter_mut().filter(|candidate| !candidate.starts.is_empty()) {
                let at = small.look_up(candidate.row, true);
                candidate.narrow(small.clause, at);
            }
        }
    }

    /// Judges the candidates by what only matters once all words are known to be there.
    fn finish(&mut self, found: &mut Vec<Match>) {
        self.look_at_small_words();
        for candidate in std::mem::take(&mut self.candidates) {
            found.push(self.found(&candidate));
        }
    }
}

/// All rows of a window that a clause has.
fn gather(
    reader: &mut ClauseReader<'_>,
    window: &Range<u32>,
    cells: &mut Cells,
    candidates: &mut Vec<Candidate>,
) {
    let clause = reader.clause;
    if reader.visits_each_row_once() {
        return reader.visit_rows(window, |row, at| {
            let mut candidate = Candidate::new(row);
            candidate.note(clause, at);
            candidates.push(candidate);
        });
    }
    cells.read(reader, window);
    if let Some(set) = reader.clause.set {
        cells.rows.add_from(set, window.start);
    }
    let positions = &cells.positions;
    cells.rows.each(|place| {
        let mut candidate = Candidate::new(window.start + place);
        candidate.note(reader.clause, positions[(place % WINDOW) as usize]);
        candidates.push(candidate);
    });
    cells.clear();
}

/// Keeps the rows that the clause has too, each looked up in its lists.
fn retain_by_look_up(candidates: &mut Vec<Candidate>, reader: &mut ClauseReader<'_>) {
    candidates.retain_mut(|candidate| {
        let at = reader.look_up(candidate.row, !candidate.starts.is_empty());
        candidate.note(reader.clause, at);
        !at.is_empty() || reader.clause.set.is_some_and(|set| set.contains(candidate.row))
    });
}

/// Keeps the rows that the clause has too, its lists being read beside them.
fn retain_by_scan(
    candidates: &mut Vec<Candidate>,
    reader: &mut ClauseReader<'_>,
    window: &Range<u32>,
    cells: &mut Cells,
) {
    cells.read(reader, window);
    candidates.retain_mut(|candidate| {
        let at = cells.get(candidate.row - window.start);
        candidate.note(reader.clause, at);
        !at.is_empty() || reader.clause.set.is_some_and(|set| set.contains(candidate.row))
    });
    cells.clear();
}

/// Fewer rows than this are few in a window.
const FEW: usize = WINDOW as usize / 4;

/// Where the rows of a window have a word. A row is called by its place in the window.
struct Cells {
    positions: Box<[Positions; WINDOW as usize]>,
    /// The rows that have it at all.
    rows: RowSet,
}

impl Default for Cells {
    fn default() -> Self {
        Self { positions: Box::new([Positions::default(); WINDOW as usize]), rows: RowSet::below(WINDOW) }
    }
}

impl Cells {
    fn read(&mut self, reader: &mut ClauseReader<'_>, window: &Range<u32>) {
        let (positions, rows) = (&mut self.positions, &mut self.rows);
        reader.read(window, |place, at| {
            positions[(place % WINDOW) as usize].add(at);
            rows.insert(place % WINDOW);
        });
    }

    fn get(&self, place: u32) -> Positions {
        self.positions[(place % WINDOW) as usize]
    }

    /// Few rows are forgotten one by one, many all at once.
    fn clear(&mut self) {
        if self.rows.len() < FEW {
            let positions = &mut self.positions;
            self.rows.each(|place| positions[(place % WINDOW) as usize] = Positions::default());
        } else {
            self.positions.fill(Positions::default());
        }
        self.rows.clear();
    }
}

/// The rows at these places of the ranking: best first, then in their order.
pub(super) fn ranked(found: &[Match], places: Range<usize>) -> Vec<u32> {
    // There are few tiers, so that counting them is sorting them.
    let mut next_place = [0usize; Tier::COUNT];
    found.iter().for_each(|found| next_place[usize::from(found.tier.0)] += 1);
    let mut better = 0;
    for place in &mut next_place {
        better += std::mem::replace(place, better);
    }
    let mut rows = vec![0; places.len()];
    let mut missing = rows.len();
    for found in found {
        if missing == 0 {
            break;
        }
        let place = &mut next_place[usize::from(found.tier.0)];
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

    proptest! {
        #[test]
        fn any_page_is_that_of_the_sorted_list(
            tiers in prop::collection::vec(0u8..10, 0..60), start in 0usize..60, length in 0usize..20,
        ) {
            let found: Vec<Match> = (0..).zip(tiers).map(|(row, tier)| Match { row, tier: Tier(tier) }).collect();
            let mut sorted = found.clone();
            sorted.sort_by_key(|found| found.tier);
            let (start, end) = (start.min(found.len()), (start + length).min(found.len()));
            let expected: Vec<u32> = sorted[start..end].iter().map(|found| found.row).collect();
            prop_assert_eq!(ranked(&found, start..end), expected);
        }
    }
}
