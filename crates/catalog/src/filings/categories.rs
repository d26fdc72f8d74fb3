//! The categories of filings: labels that differ only in case, accents or space are one.

use hashbrown::HashMap;
use lastro_search::{Field, IndexBuilder, ParsedQuery, Searcher, fold_label, is_form, words_of};

use super::interner::Interner;
use crate::BuildError;

#[derive(Default)]
pub(super) struct Categories {
    by_fold: HashMap<String, u32>,
    /// The category of each label.
    of_label: Vec<u32>,
    /// For each category with filings, the label of its first one; in alphabetical order.
    shown: Vec<u32>,
    /// Index of the labels shown.
    index: Searcher,
}

impl Categories {
    /// The categories of new labels, none of which is shown yet. Existing categories keep their numbers.
    pub(super) fn with(&self, labels: &Interner) -> Self {
        let mut categories = Self { by_fold: self.by_fold.clone(), ..Self::default() };
        for text in labels.texts() {
            let next = categories.by_fold.len() as u32;
            categories.of_label.push(*categories.by_fold.entry(fold_label(text)).or_insert(next));
        }
        categories
    }

    /// Shows one label of each category, if it has any.
    pub(super) fn show(
        &mut self,
        labels: &Interner,
        label_of: impl Fn(u32) -> Option<u32>,
    ) -> Result<(), BuildError> {
        self.shown = (0..self.by_fold.len() as u32).filter_map(label_of).collect();
        self.shown.sort_by_key(|label| fold_label(labels.text(*label)));
        self.index = index(self.shown.iter().map(|label| labels.text(*label)))?;
        Ok(())
    }

    pub(super) fn find(&self, folded: &str) -> Option<u32> {
        self.by_fold.get(folded).copied()
    }

    pub(super) fn of_label(&self, label: u32) -> u32 {
        self.of_label[label as usize]
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = u32> {
        self.shown.iter().copied()
    }

    /// The labels that begin with a text, then the others that have all its words. Mistyped words are corrected,
    /// except words known elsewhere.
    pub(super) fn typed<'l>(
        &self,
        labels: &'l Interner,
        text: &str,
        is_known: &dyn Fn(&str) -> bool,
    ) -> (Vec<&'l str>, Vec<&'l str>) {
        let query = ParsedQuery::parse(text);
        let words = self.index.likeliest_words(&query, is_known);
        let having = self.index.rows_with_all(&words, query.is_prefix()).into_iter();
        having
            .map(|row| labels.text(self.shown[row as usize]))
            .partition(|label| begins(&words_of(label), &words))
    }
}

/// Whether a text begins with these words, the last of which may be a prefix.
fn begins(text: &[String], words: &[String]) -> bool {
    let same = text.iter().zip(words).take_while(|(one, other)| is_form(one, other)).count();
    match &words[same..] {
        [] => true,
        [last] => text.get(same).is_some_and(|word| word.starts_with(last)),
        _ => false,
    }
}

fn index<'a>(labels: impl Iterator<Item = &'a str>) -> Result<Searcher, BuildError> {
    let mut index = IndexBuilder::default();
    for label in labels {
        let title = index.title(label);
        index.push(&[(Field::Label, &title)], "")?;
    }
    Ok(Searcher::new(index.finish()?))
}
