//! Plan for merging changed rows with unchanged ones: the old rows that stay, and the places of the new ones.
//!
//! Rows that stay keep their order. So the merged part is a few long runs of the old rows with new ones in between, and a
//! list of rows is the old list with numbers added.

use std::ops::Range;

/// An entry of a list of ascending rows.
pub trait ListEntry: Copy {
    fn row(self) -> u32;
    /// The same entry for another row.
    fn at(self, row: u32) -> Self;
}

impl ListEntry for u32 {
    fn row(self) -> u32 {
        self
    }

    fn at(self, row: u32) -> Self {
        row
    }
}

/// Where a row of the merged part comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Old(u32),
    New(u32),
}

/// Consecutive old rows that stay.
#[derive(Debug)]
struct Run {
    old: Range<u32>,
    /// The new number of the first row.
    start: u32,
}

#[derive(Debug, Default)]
pub struct MergePlan {
    /// In row order, which is the same before and after.
    runs: Vec<Run>,
    /// The number of each new row in the merged part, ascending.
    inserted: Vec<u32>,
    /// The number of the first new row among the new ones alone.
    first_new: u32,
    /// The old rows that go or get another number, ascending.
    moved: Vec<Range<u32>>,
    /// The same in few ranges, because every list is searched for each.
    searched: Vec<Range<u32>>,
}

/// More ranges than these are taken for one long range.
const MOST_SEARCHED: usize = 64;

impl MergePlan {
    /// Plans a merge: of `rows` old rows those in `removed` are dropped, and a new row is inserted before each row
    /// of `insert_before`. Both ascend.
    pub fn new(rows: u32, removed: &[u32], insert_before: &[u32]) -> Self {
        let mut plan = Self {
            runs: Vec::new(),
            inserted: Vec::with_capacity(insert_before.len() + 1),
            ..Self::default()
        };
        let mut removed = removed.iter().copied().peekable();
        let mut next = 0;
        for before in insert_before.iter().copied().chain([rows]) {
            while let Some(gone) = removed.next_if(|gone| *gone < before) {
                plan.keep(next..gone);
                next = gone + 1;
            }
            plan.keep(next..before);
            next = before.max(next);
            plan.inserted.push(plan.rows());
        }
        // The last iteration only closed the old rows; nothing is inserted there.
        plan.inserted.pop();
        plan.with_moved(0..rows)
    }

    /// The same plan, if the old rows are numbered `old`, those of the merged part from `merged` on, and the new ones
    /// from `new` on.
    pub fn numbered(&self, old: Range<u32>, merged: u32, new: u32) -> Self {
        let shifted = |rows: &Range<u32>| rows.start + old.start..rows.end + old.start;
        let runs = self.runs.iter().map(|run| Run { old: shifted(&run.old), start: run.start + merged });
        let inserted = self.inserted.iter().map(|row| row + merged);
        let plan =
            Self { inserted: inserted.collect(), first_new: new, runs: runs.collect(), ..Self::default() };
        plan.with_moved(old)
    }

    fn with_moved(self, old: Range<u32>) -> Self {
        let (mut moved, mut start) = (Vec::new(), old.start);
        let kept = self.runs.iter().filter(|run| run.old.start == run.start).map(|run| run.old.clone());
        for kept in kept.chain(std::iter::once(old.end..old.end)) {
            if start < kept.start {
                moved.push(start..kept.start);
            }
            start = kept.end;
        }
        let searched = match (moved.first(), moved.last()) {
            (Some(first), Some(last)) if moved.len() > MOST_SEARCHED => {
                std::iter::once(first.start..last.end).collect()
            }
            _ => moved.clone(),
        };
        Self { moved, searched, ..self }
    }

    /// The old rows that go or get another number, ascending.
    pub fn moved(&self) -> impl Iterator<Item = u32> {
        self.moved.iter().cloned().flatten()
    }

    /// The same in few ranges, perhaps with others.
    pub(crate) fn searched(&self) -> &[Range<u32>] {
        &self.searched
    }

    /// Whether all rows stay as they are.
    pub fn moves_none(&self) -> bool {
        self.moved.is_empty()
    }

    /// Whether a row of the list goes or gets another number; also if only those around it do.
    pub fn moves<E: ListEntry>(&self, list: &[E]) -> bool {
        let first_in = |rows: &Range<u32>| list.get(list.partition_point(|entry| entry.row() < rows.start));
        self.searched.iter().any(|rows| first_in(rows).is_some_and(|entry| entry.row() < rows.end))
    }

    /// Whether these rows stay as they are, with no other between them.
    pub fn keeps(&self, rows: &Range<u32>) -> bool {
        let begun = &self.runs[..self.runs.partition_point(|run| run.start <= rows.start)];
        begun.last().is_some_and(|run| run.old.start == run.start && rows.end <= run.old.end)
    }

    fn keep(&mut self, old: Range<u32>) {
        if !old.is_empty() {
            let start = self.rows();
            self.runs.push(Run { old, start });
        }
    }

    /// The number of rows in the merged part.
    pub fn rows(&self) -> u32 {
        let kept = self.runs.last().map_or(0, |run| run.start + (run.old.end - run.old.start));
        kept.max(self.inserted.last().map_or(0, |last| last + 1))
    }

    /// The number of a new row in the merged part.
    pub fn inserted(&self, new: u32) -> u32 {
        self.inserted[(new - self.first_new) as usize]
    }

    /// The numbers of all new rows in the merged part.
    pub fn all_inserted(&self) -> impl Iterator<Item = u32> {
        self.inserted.iter().copied()
    }

    /// The number of an old row in the merged part, if it stays.
    pub fn stays_as(&self, old: u32) -> Option<u32> {
        let run = self.runs.get(self.runs.partition_point(|run| run.old.end <= old))?;
        Some(old.checked_sub(run.old.start)? + run.start)
    }

    /// The row that a row of the merged part was before.
    pub fn origin(&self, row: u32) -> Origin {
        let begun = &self.runs[..self.runs.partition_point(|run| run.start <= row)];
        let new = || self.first_new + self.inserted.partition_point(|inserted| *inserted < row) as u32;
        begun.last().and_then(|run| run.before(row)).map_or_else(|| Origin::New(new()), Origin::Old)
    }

    /// Appends a list of the merged part: the remaining entries of `old`, and those of `new`, whose rows are numbers
    /// of new rows.
    pub fn extend_list<E: ListEntry>(&self, old: &[E], new: &[E], list: &mut Vec<E>) {
        let placed = |entry: &E| entry.at(self.inserted(entry.row()));
        let mut new = new.iter().map(placed).peekable();
        let mut rest = old;
        while let Some(first) = rest.first() {
            let next = self.runs.partition_point(|run| run.old.end <= first.row());
            let Some(run) = self.runs.get(next) else { break };
            let removed = rest.partition_point(|entry| entry.row() < run.old.start);
            let (within, after) = rest[removed..].split_at(run.end_in(&rest[removed..]));
            list.extend(std::iter::from_fn(|| new.next_if(|entry| entry.row() < run.start)));
            list.extend(within.iter().map(|entry| entry.at(entry.row() - run.old.start + run.start)));
            rest = after;
        }
        list.extend(new);
    }
}

impl Run {
    /// The number that one of its rows had before.
    fn before(&self, row: u32) -> Option<u32> {
        let old = self.old.start + row.checked_sub(self.start)?;
        self.old.contains(&old).then_some(old)
    }

    /// The end of this run's rows in a list. Most lists end within the last run.
    fn end_in<E: ListEntry>(&self, list: &[E]) -> usize {
        match list.last() {
            Some(last) if last.row() < self.old.end => list.len(),
            _ => list.partition_point(|entry| entry.row() < self.old.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The merged rows, assembled one by one: old row `n` holds `n`, new row `n` holds `1000 + n`.
    fn model(rows: u32, removed: &[u32], insert_before: &[u32]) -> Vec<u32> {
        let mut order = Vec::new();
        for row in 0..=rows {
            order.extend(
                (1000..).zip(insert_before).filter(|(_, before)| **before == row).map(|(number, _)| number),
            );
            order.extend((row < rows && !removed.contains(&row)).then_some(row));
        }
        order
    }

    proptest! {
        #[test]
        fn columns_and_lists_match_the_merged_rows(
            rows in 0u32..40,
            removed in prop::collection::btree_set(0u32..40, 0..20),
            insert_before in prop::collection::vec(0u32..41, 0..20),
            listed in prop::collection::btree_set(0u32..40, 0..40),
            listed_new in prop::collection::btree_set(0u32..20, 0..20),
        ) {
            let removed: Vec<u32> = removed.into_iter().filter(|row| *row < rows).collect();
            let mut insert_before: Vec<u32> = insert_before.into_iter().map(|before| before.min(rows)).collect();
            insert_before.sort_unstable();
            let plan = MergePlan::new(rows, &removed, &insert_before);
            let expected = model(rows, &removed, &insert_before);
            prop_assert_eq!(plan.rows() as usize, expected.len());

            let old: Vec<u32> = (0..rows).collect();
            let new: Vec<u32> = (1000..1000 + insert_before.len() as u32).collect();
            let origin = |row| match plan.origin(row) { Origin::Old(old) => old, Origin::New(new) => 1000 + new };
            prop_assert_eq!(&(0..plan.rows()).map(origin).collect::<Vec<u32>>(), &expected);
            prop_assert!((0..).zip(&new).all(|(number, holds)| expected[plan.inserted(number) as usize] == *holds));
            prop_assert!(old.iter().all(|row| plan.stays_as(*row).map(|row| row as usize) == expected.iter().position(|holds| holds == row)));

            let listed: BTreeSet<u32> = listed.into_iter().filter(|row| *row < rows).collect();
            let new_listed: BTreeSet<u32> =
                listed_new.into_iter().filter(|number| (*number as usize) < insert_before.len()).collect();
            let wanted = |holds: &u32| listed.contains(holds) || *holds >= 1000 && new_listed.contains(&(holds - 1000));
            let positions = (0u32..).zip(&expected).filter(|(_, holds)| wanted(holds)).map(|(position, _)| position);
            let (old, new): (Vec<u32>, Vec<u32>) = (listed.iter().copied().collect(), new_listed.iter().copied().collect());
            let mut list = vec![7];
            plan.extend_list(&old, &new, &mut list);
            let positions: Vec<u32> = positions.collect();
            prop_assert_eq!(list, [7].into_iter().chain(positions.iter().copied()).collect::<Vec<_>>());

            let (old_first, first) = (100, 100 + rows - expected.len() as u32 + insert_before.len() as u32);
            let plan = plan.numbered(old_first..old_first + rows, first, 5);
            for (start, end) in (0..=plan.rows()).flat_map(|end| (0..end).map(move |start| (start, end))) {
                let rows = first + start..first + end;
                let all_stay = rows.clone().all(|row| plan.origin(row) == Origin::Old(row));
                prop_assert_eq!(plan.keeps(&rows), all_stay, "{:?}", rows);
            }
            let numbered = |list: &[u32], first: u32| list.iter().map(|row| row + first).collect::<Vec<u32>>();
            let mut list = Vec::new();
            plan.extend_list(&numbered(&old, old_first), &numbered(&new, 5), &mut list);
            prop_assert_eq!(&list, &numbered(&positions, first));
            if !plan.moves(&numbered(&old, old_first)) && new.is_empty() {
                prop_assert_eq!(list, numbered(&old, old_first));
            }
        }
    }
}
