//! The index of rows that changed, merged with that of the rows that did not, whose texts are not analyzed again.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::TextIndex;
use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::postings::Lists;
use super::word_lists::WordLists;
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
        let (mut again_ends, mut again) = (Vec::new(), Vec::new());
        for word in words_of_both(self, fresh) {
            let start = entries.len();
            plan.extend_list(&word.old.list, &word.fresh.list, &mut entries);
            plan.extend_list(word.old.again, word.fresh.again, &mut again);
            // A word without rows is dropped.
            if entries.len() > start {
                text.push_str(word.text);
                word_ends.push(
                    u32::try_from(text.len()).map_err(|_| BuildError::TooLarge("the text of all words"))?,
                );
                list_ends.push(entries.len() as u64);
                again_ends.push(again.len() as u64);
            }
        }
        let (lists, again) =
            (Lists::from_parts((list_ends, entries)), Lists::of_repeated((again_ends, again)));
        let lexicon = Lexicon::new(text, word_ends);
        Ok(Self::new(WordLists { rows: plan.len(), lexicon, lists, again }))
    }

    /// The words in alphabetical order with their lists.
    fn words(&self) -> impl Iterator<Item = (&str, Listed<'_>)> {
        let listed = |word| Listed {
            list: self.words.lists.of(word).entries(),
            again: self.words.again.sparse(word..word + 1),
        };
        let lexicon = &self.words.lexicon;
        (0..lexicon.len()).map(move |word| (lexicon.word(word), listed(word)))
    }

    fn entries(&self) -> usize {
        self.words.lists.entries_of(0..self.words.lexicon.len())
    }
}

/// The rows that have a word, and where they have it again.
#[derive(Default)]
struct Listed<'a> {
    list: Cow<'a, [Entry]>,
    again: &'a [Entry],
}

/// A word of either index, and its lists in each.
struct Word<'a> {
    text: &'a str,
    old: Listed<'a>,
    fresh: Listed<'a>,
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
        let (text, _) = old.as_ref().or(fresh.as_ref())?;
        Some(Word {
            text,
            old: old.map(|(_, listed)| listed).unwrap_or_default(),
            fresh: fresh.map(|(_, listed)| listed).unwrap_or_default(),
        })
    })
}
