//! The page of one account in the usage book: what it asked for, by day, endpoint and outcome.
//!
//! Counts are absolute since the process started, because the store merges them with `max`. Hence the one rule: a
//! count that may still grow is never forgotten, or it would start again below what the store has.
//! The book that gathers the pages is [`crate::Usage`].

use hashbrown::HashMap;
use lastro_model::{Day, Outcome};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    pub(crate) day: Day,
    pub(crate) endpoint: &'static str,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    total: u64,
    /// How much of the total was handed over to be flushed.
    taken: u64,
    /// In which round that last happened.
    taken_in: u64,
}

impl Tally {
    fn fresh(self) -> u64 {
        self.total - self.taken
    }

    /// Handed over in the last round: whether the store has it is not known before the next round begins.
    fn may_be_unflushed(self, round: u64) -> bool {
        self.fresh() > 0 || self.taken_in == round
    }
}

/// A line with its absolute count, on its way to the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) line: Line,
    pub(crate) total: u64,
    /// How much of the total was counted since the line was taken before.
    pub(crate) fresh: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Hashed quickly: the names are ours, nobody can choose them to collide.
    tallies: HashMap<Line, Tally>,
    /// The newest day of which lines were forgotten.
    forgotten: Option<Day>,
    /// Whether the book has this ledger on its list of changed ones.
    pub(crate) is_queued: bool,
    /// Whether the book has it on its list of ledgers with something to forget one day.
    pub(crate) is_kept: bool,
}

impl Ledger {
    pub(crate) fn count(&mut self, mut line: Line) {
        // A forgotten day cannot grow any more; after a clock's jump backwards its requests count for the next one.
        if let Some(forgotten) = self.forgotten.filter(|forgotten| line.day <= *forgotten) {
            line.day = forgotten.plus_days(1);
        }
        self.tallies.entry(line).or_default().total += 1;
    }

    /// Hands over every line that grew, in this round.
    pub(crate) fn take(&mut self, round: u64) -> impl Iterator<Item = Taken> {
        let grown = self.tallies.iter_mut().filter(|(_, tally)| tally.fresh() > 0);
        grown.map(move |(line, tally)| {
            let taken = Taken { line: *line, total: tally.total, fresh: tally.fresh() };
            tally.taken = tally.total;
            tally.taken_in = round;
            taken
        })
    }

    /// Makes a line that could not be flushed count as grown again.
    pub(crate) fn put_back(&mut self, taken: Taken) {
        let tally = self.tallies.entry(taken.line).or_default();
        // Only a line that was forgotten in between is behind.
        let behind = taken.total.saturating_sub(tally.total);
        tally.total += behind;
        tally.taken = (tally.taken + behind).saturating_sub(taken.fresh);
    }

    /// The absolute counts of which the store may not have the newest.
    pub(crate) fn unflushed(&self, round: u64) -> impl Iterator<Item = (Line, u64)> {
        let lines = self.tallies.iter().filter(move |(_, tally)| tally.may_be_unflushed(round));
        lines.map(|(line, tally)| (*line, tally.total))
    }

    /// Drops the flushed lines of days before `day`.
    pub(crate) fn forget_before(&mut self, day: Day, round: u64) {
        let mut newest = self.forgotten;
        self.tallies.retain(|line, tally| {
            let stays = line.day >= day || tally.may_be_unflushed(round);
            if !stays {
                newest = newest.max(Some(line.day));
            }
            stays
        });
        self.forgotten = newest;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }
}
