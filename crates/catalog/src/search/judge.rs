//! How well a row matches, by where it has the words of a query.

use std::ops::Range;

use super::clause::{Clause, ClauseReader};
use super::positions::Positions;
use super::postings::List;

/// How well a row matches; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tier(pub u8);

impl Tier {
    const AMONG_WHOLE: u8 = 6;
    pub(super) const COUNT: usize = 2 * Self::AMONG_WHOLE as usize;

    /// The order of rows, stated once: those that have the last word itself before those that only have a longer one; a
    /// label that was asked for, with what was asked for beside it as a phrase, then scattered; then a phrase before
    /// scattered words, and each of the two in the row's own texts before the company's. What is equal in all this is
    /// newest first.
    fn new(whole: bool, label: Option<BesideLabel>, phrase: Positions, own: bool) -> Self {
        let among_whole = match (label, phrase.is_empty()) {
            (Some(BesideLabel::Phrase), _) => 0,
            (Some(BesideLabel::Scattered), _) => 1,
            (None, false) => 2 + u8::from(!phrase.has_own()),
            (None, true) => 4 + u8::from(!own),
        };
        Self(if whole { among_whole } else { Self::AMONG_WHOLE + among_whole })
    }
}

/// Words that stand together before or behind a label: the name of a company, as a rule.
pub(super) struct Beside<'a> {
    /// Where they stand in the query.
    pub places: Range<usize>,
    /// Counted from there.
    pub words: Vec<Clause<'a>>,
    pub small_words: Vec<Clause<'a>>,
}

/// How a row with a label that was asked for has the other words.
#[derive(Clone, Copy)]
enum BesideLabel {
    Phrase,
    Scattered,
}

/// Looks the words of a query up in rows, which it is asked for in ascending order.
pub(super) struct Judge<'a> {
    /// From the rarest word on.
    words: Vec<ClauseReader<'a>>,
    small_words: Vec<ClauseReader<'a>>,
    labels: Vec<(List<'a>, usize)>,
    beside_label: Option<Box<Judge<'a>>>,
}

impl<'a> Judge<'a> {
    pub(super) fn of(words: &'a [Clause<'a>], small_words: &'a [Clause<'a>]) -> Self {
        let mut words: Vec<&Clause<'a>> = words.iter().collect();
        words.sort_by_cached_key(|clause| clause.most_rows());
        Self {
            words: words.into_iter().map(ClauseReader::of).collect(),
            small_words: small_words.iter().map(ClauseReader::of).collect(),
            labels: Vec::new(),
            beside_label: None,
        }
    }

    pub(super) fn with_labels(mut self, labels: &[List<'a>], beside: Option<&'a Beside<'a>>) -> Self {
        self.labels = labels.iter().map(|list| (*list, 0)).collect();
        self.beside_label = beside.map(|beside| Box::new(Judge::of(&beside.words, &beside.small_words)));
        self
    }

    /// Of a row that has all words, but perhaps only a longer one than the last.
    pub(super) fn tier(&mut self, row: u32) -> Tier {
        let (mut whole, mut own, mut starts) = (true, true, Positions::ALL);
        for word in &mut self.words {
            // The first position tells whether it stands in a text of the row itself.
            let at = word.look_up(row, !starts.is_empty());
            if at.is_empty() {
                whole = false;
                continue;
            }
            own &= at.has_own();
            starts = narrowed(starts, word.clause, at);
        }
        // Rows that have none of the words, but longer ones, are all alike.
        let starts = if starts == Positions::ALL { starts } else { self.with_small_words(row, starts) };
        Tier::new(whole, self.label(row, whole), starts, own)
    }

    fn label(&mut self, row: u32, whole: bool) -> Option<BesideLabel> {
        let is_label = self.labels.iter_mut().any(|(label, place)| label.find(row, place).is_some());
        let beside = self.beside_label.as_mut().filter(|_| is_label && whole);
        match beside.map(|beside| beside.phrase(row).is_empty()) {
            Some(false) => Some(BesideLabel::Phrase),
            _ => is_label.then_some(BesideLabel::Scattered),
        }
    }

    /// Where a row that has all words has them as a phrase that starts.
    pub(super) fn phrase(&mut self, row: u32) -> Positions {
        let mut starts = Positions::ALL;
        for word in &mut self.words {
            let at = word.look_up(row, true);
            starts = narrowed(starts, word.clause, at);
            if starts.is_empty() {
                return starts;
            }
        }
        self.with_small_words(row, starts)
    }

    /// A phrase has its small words too.
    fn with_small_words(&mut self, row: u32, mut starts: Positions) -> Positions {
        for small in &mut self.small_words {
            if starts.is_empty() {
                break;
            }
            let at = small.look_up(row, true);
            starts = narrowed(starts, small.clause, at);
        }
        starts
    }
}

/// Where a phrase can still start that has a word at these positions.
fn narrowed(starts: Positions, clause: &Clause<'_>, at: Positions) -> Positions {
    clause.offsets.iter().fold(starts, |starts, nth| starts.and(at.starts(*nth)))
}
