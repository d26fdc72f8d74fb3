//! The rows that hold a text word for word: nothing is corrected, left out or ranked.

use super::context::Context;
use super::matching::Matches;
use super::parsed::{ParsedQuery, Spelling};
use super::preference::{Fit, FitCursor, Preference};
use super::{Searcher, plan::QueryPlan};

/// The end of a query: the word typed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastWord {
    Whole,
    /// May be the beginning of a longer word, as in a search.
    Prefix,
}

impl Searcher {
    /// The rows that have every word of `text`, in some form or by a synonym, in ascending order. Rows in a
    /// range also match the words that name it.
    pub fn rows_holding(&self, text: &str, last: LastWord, context: Context<'_>) -> Vec<u32> {
        let query = ParsedQuery::parse_quoted(text);
        if query.words.is_empty() || self.index.is_empty() {
            return Vec::new();
        }
        let spelling = query.spelling(query.words.clone());
        let is_prefix = spelling.is_prefix && last == LastWord::Prefix;
        let mut plan = self.plan_in(&Spelling { is_prefix, ..spelling }, &query, context);
        let each = self.each_preferred(&mut plan, &query.words);
        let mut rows = Matches::of(&plan).into_rows(self.index.rows);
        for preference in &each {
            let mut cursor = FitCursor::of(preference);
            rows.retain(|row| cursor.fit(*row) != Fit::Elsewhere);
        }
        rows
    }

    /// Takes the preference out of a plan, as one for each of its ranges.
    fn each_preferred<'a>(&'a self, plan: &mut QueryPlan<'a>, words: &[String]) -> Vec<Preference<'a>> {
        let ranges = plan.preference.take().map(Preference::into_ranges).unwrap_or_default();
        ranges.into_iter().map(|range| Preference::new(&self.index, words, vec![range])).collect()
    }
}
