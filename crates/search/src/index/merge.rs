//! Merges the index of changed rows into that of unchanged rows, whose texts are not analyzed again.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::entry::{Entry, MOST_ROWS};
use super::lexicon::Lexicon;
use super::lists::Lists;
use super::merge_plan::MergePlan;
use super::{Index, TooLarge};

impl Index {
    /// The index of the merged rows; `fresh` has the new ones.
    pub fn merged(&self, fresh: &Self, plan: &MergePlan) -> Result<Self, TooLarge> {
        if plan.rows() >= MOST_ROWS {
            return Err(TooLarge("the number of rows to search"));
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
                word_ends.push(u32::try_from(text.len()).map_err(|_| TooLarge("the text of all words"))?);
                list_ends.push(entries.len() as u64);
                again_ends.push(again.len() as u64);
            }
        }
        let (lists, again) = (Lists::from_parts(list_ends, entries), Lists::of_repeated(again_ends, again));
        Ok(Self::new(plan.rows(), Lexicon::new(text, word_ends), lists, again))
    }

    /// The words in alphabetical order with their lists.
    fn listed_words(&self) -> impl Iterator<Item = (&str, Listed<'_>)> {
        let listed =
            |word| Listed { list: self.lists.of(word).entries(), again: self.again.sparse(word..word + 1) };
        (0..self.lexicon.len()).map(move |word| (self.lexicon.word(word), listed(word)))
    }

    fn entries(&self) -> usize {
        self.lists.entries_of(0..self.lexicon.len())
    }
}

/// The rows that have a word, and its further positions.
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

fn words_of_both<'a>(old: &'a Index, fresh: &'a Index) -> impl Iterator<Item = Word<'a>> {
    let (mut old, mut fresh) = (old.listed_words().peekable(), fresh.listed_words().peekable());
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
