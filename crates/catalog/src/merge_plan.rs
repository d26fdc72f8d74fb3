//! Where rows go when some leave an order and others arrive in it.
//!
//! Nearly all rows of an old order stay as they are among themselves, so that a column of the new one is a few long
//! stretches of the old with arrivals in between, and a list of rows the same list with numbers added. Filings that
//! changed are merged with those that did not through here; nothing else moves.

use std::ops::Range;

use crate::room::room_for;

/// What stands in a list of ascending rows.
pub(crate) trait Listed: Copy {
    fn row(self) -> u32;
    /// The same of another row.
    fn at(self, row: u32) -> Self;
}

impl Listed for u32 {
    fn row(self) -> u32 {
        self
    }

    fn at(self, row: u32) -> Self {
        row
    }
}

/// Rows that stay, and stay together.
struct Run {
    old: Range<u32>,
    /// Where the first of them goes.
    start: u32,
}

pub(crate) struct Moves {
    /// In their order, which is the same before and after.
    runs: Vec<Run>,
    /// Where each arrival goes, ascending.
    arrivals: Vec<u32>,
}

impl Moves {
    /// Of so many rows those of `leaving` leave; before each row of `arriving` one arrives. Both ascend.
    pub(crate) fn new(rows: u32, leaving: &[u32], arriving: &[u32]) -> Self {
        let mut moves = Self { runs: Vec::new(), arrivals: Vec::with_capacity(arriving.len()) };
        let mut leaving = leaving.iter().copied().peekable();
        let mut next = 0;
        for before in arriving.iter().copied().chain([rows]) {
            while let Some(gone) = leaving.next_if(|gone| *gone < before) {
                moves.keep(next..gone);
                next = gone + 1;
            }
            moves.keep(next..before);
            next = before.max(next);
            moves.arrivals.push(moves.len());
        }
        // The end of the old rows is no arrival.
        moves.arrivals.pop();
        moves
    }

    fn keep(&mut self, old: Range<u32>) {
        if !old.is_empty() {
            let start = self.len();
            self.runs.push(Run { old, start });
        }
    }

    /// How many rows there are in the end.
    pub(crate) fn len(&self) -> u32 {
        let kept = self.runs.last().map_or(0, |run| run.start + (run.old.end - run.old.start));
        kept.max(self.arrivals.last().map_or(0, |last| last + 1))
    }

    /// What the rows that stay have in a column.
    pub(crate) fn kept<'a, T>(&'a self, old: &'a [T]) -> impl Iterator<Item = &'a T> {
        self.runs.iter().flat_map(|run| run.of(old))
    }

    /// Where an arrival goes.
    pub(crate) fn arrival(&self, number: u32) -> u32 {
        self.arrivals[number as usize]
    }

    /// A column of the new order, its values as they were and as they come.
    pub(crate) fn copied<T: Copy>(&self, old: &[T], fresh: &[T]) -> Vec<T> {
        self.column((old, |value| value), (fresh, |value| value))
    }

    /// A column of the new order, made from what each row had before and what each arrival brings.
    pub(crate) fn column<T, A: Copy, B: Copy>(
        &self,
        (old, stays): (&[A], impl Fn(A) -> T),
        (fresh, mut arrives): (&[B], impl FnMut(B) -> T),
    ) -> Vec<T> {
        let mut column = room_for(self.len() as usize);
        let mut fresh = fresh.iter();
        for run in &self.runs {
            let arrivals = run.start as usize - column.len();
            column.extend(fresh.by_ref().take(arrivals).map(|value| arrives(*value)));
            column.extend(run.of(old).iter().map(|value| stays(*value)));
        }
        column.extend(fresh.map(|value| arrives(*value)));
        column
    }

    /// Appends a list of the new order: the rows of `old` that stay, and those of `fresh`, which are numbers of arrivals.
    pub(crate) fn extend_list<E: Listed>(&self, old: &[E], fresh: &[E], list: &mut Vec<E>) {
        let placed = |arrival: &E| arrival.at(self.arrival(arrival.row()));
        let mut fresh = fresh.iter().map(placed).peekable();
        let mut rest = old;
        while let Some(first) = rest.first() {
            let next = self.runs.partition_point(|run| run.old.end <= first.row());
            let Some(run) = self.runs.get(next) else { break };
            let leaving = rest.partition_point(|entry| entry.row() < run.old.start);
            let (within, after) = rest[leaving..].split_at(run.end_in(&rest[leaving..]));
            list.extend(std::iter::from_fn(|| fresh.next_if(|arrival| arrival.row() < run.start)));
            list.extend(within.iter().map(|entry| entry.at(entry.row() - run.old.start + run.start)));
            rest = after;
        }
        list.extend(fresh);
    }
}

impl Run {
    fn of<'a, T>(&self, column: &'a [T]) -> &'a [T] {
        &column[self.old.start as usize..self.old.end as usize]
    }

    /// Where in a list the rows of this run end. Most lists end within the last one.
    fn end_in<E: Listed>(&self, list: &[E]) -> usize {
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

    /// Row `n` of the old order holds `n`, arrival `n` brings `1000 + n`: the new order, put together one by one.
    fn model(rows: u32, leaving: &[u32], arriving: &[u32]) -> Vec<u32> {
        let mut order = Vec::new();
        for row in 0..=rows {
            order.extend(
                (1000..).zip(arriving).filter(|(_, before)| **before == row).map(|(number, _)| number),
            );
            order.extend((row < rows && !leaving.contains(&row)).then_some(row));
        }
        order
    }

    proptest! {
        #[test]
        fn columns_and_lists_are_those_of_the_new_order(
            rows in 0u32..40,
            leaving in prop::collection::btree_set(0u32..40, 0..20),
            arriving in prop::collection::vec(0u32..41, 0..20),
            listed in prop::collection::btree_set(0u32..40, 0..40),
            listed_arrivals in prop::collection::btree_set(0u32..20, 0..20),
        ) {
            let leaving: Vec<u32> = leaving.into_iter().filter(|row| *row < rows).collect();
            let mut arriving: Vec<u32> = arriving.into_iter().map(|before| before.min(rows)).collect();
            arriving.sort_unstable();
            let moves = Moves::new(rows, &leaving, &arriving);
            let expected = model(rows, &leaving, &arriving);
            prop_assert_eq!(moves.len() as usize, expected.len());

            let old: Vec<u32> = (0..rows).collect();
            let fresh: Vec<u32> = (1000..1000 + arriving.len() as u32).collect();
            prop_assert_eq!(&moves.copied(&old, &fresh), &expected);
            prop_assert!((0..).zip(&fresh).all(|(number, holds)| expected[moves.arrival(number) as usize] == *holds));
            let kept: Vec<u32> = moves.kept(&old).copied().collect();
            prop_assert_eq!(kept, expected.iter().copied().filter(|row| *row < 1000).collect::<Vec<_>>());

            let listed: BTreeSet<u32> = listed.into_iter().filter(|row| *row < rows).collect();
            let arrivals: BTreeSet<u32> =
                listed_arrivals.into_iter().filter(|number| (*number as usize) < arriving.len()).collect();
            let wanted = |holds: &u32| listed.contains(holds) || *holds >= 1000 && arrivals.contains(&(holds - 1000));
            let positions = (0u32..).zip(&expected).filter(|(_, holds)| wanted(holds)).map(|(position, _)| position);
            let (old, fresh): (Vec<u32>, Vec<u32>) = (listed.iter().copied().collect(), arrivals.iter().copied().collect());
            let mut list = vec![7];
            moves.extend_list(&old, &fresh, &mut list);
            prop_assert_eq!(list, [7].into_iter().chain(positions).collect::<Vec<_>>());
        }
    }
}
