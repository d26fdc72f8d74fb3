//! The index of rows that changed, merged with that of the rows that did not, whose texts are not analyzed again.

use std::cmp::Ordering;

use super::TextIndex;
use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::postings::Lists;
use crate::BuildError;
use crate::merge_plan::MergePlan;

impl TextIndex {
    /// The index of the merged rows, the new ones being those of `fresh`.
    pub(crate) fn merged(&self, fresh: &Self, plan: &MergePlan) -> Result<Self, BuildError> {
        if plan.len() >= MOST_ROWS {
            return Err(BuildError::TooLarge("the number of rows to search"));
        }
        let (mut text, mut word_ends) = (String::new(), Vec::new());
        let (mut list_ends, mut entries) = (Vec::new(), Vec::with_capacity(self.entries() + fresh.entries()));
        for word in words_of_both(self, fresh) {
            let start = entries.len();
            plan.extend_list(word.old, word.fresh, &mut entries);
            // A word without rows is dropped.
            if entries.len() > start {
                text.push_str(word.text);
                word_ends.push(
                    u32::try_from(text.len()).map_err(|_| BuildError::TooLarge("the text of all words"))?,
                );
                list_ends.push(entries.len() as u64);
            }
        }
        let lists = Lists::from_parts(list_ends, entries);
        Ok(Self::new(plan.len(), Lexicon::new(text, word_ends), lists))
    }

    /// The words in alphabetical order with their lists.
    fn words(&self) -> impl Iterator<Item = (&str, &[Entry])> {
        (0..self.lexicon.len()).map(|word| (self.lexicon.word(word), self.lists.of(word)))
    }

    fn entries(&self) -> usize {
        self.lists.entries_of(0..self.lexicon.len())
    }
}

/// A word of either index, and its list in each.
struct Word<'a> {
    text: &'a str,
    old: &'a [Entry],
    fresh: &'a [Entry],
}

fn words_of_both<'a>(old: &'a TextIndex, fresh: &'a TextIndex) -> impl Iterator<Item = Word<'a>> {
    let (mut old, mut fresh) = (old.words().peekable(), fresh.words().peekable());
    std::iter::from_fn(move || {
        let order = match (old.peek(), fresh.peek()) {
            (Some((one, _)), Some((other, _))) => one.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let old = if order.is_le() { old.next() } else { None };
        let fresh = if order.is_ge() { fresh.next() } else { None };
        let (text, _) = old.or(fresh)?;
        Some(Word {
            text,
            old: old.map_or(&[], |(_, list)| list),
            fresh: fresh.map_or(&[], |(_, list)| list),
        })
    })
}
