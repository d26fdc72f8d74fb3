//! Full-text search in memory: Portuguese word forms, folded accents, mistyped words, abbreviations of the field, the
//! last word as a prefix. There is no query syntax but phrases in quotes: any text is a list of words, no text makes a
//! search fail, and totals are exact. This crate knows rows, fields and codes, but no company and no filing.
//!
//! A search for `petrobas` passes through these files, in this order:
//!
//! 1. `query/mod.rs`: [`Searcher::search`], the steps below.
//! 2. `query/parsed.rs`: the query as typed.
//! 3. `text/words.rs`: its folded words.
//! 4. `query/cache.rs`: the results of recent searches.
//! 5. `query/corrections.rs`: `petrobas` is in no row, so it may stand for other words.
//! 6. `text/spelling.rs`: the nearest words of the `index/lexicon.rs`; `petrobras` is one edit away.
//! 7. `query/plan.rs`: the posting lists of each word, with its forms (`text/forms.rs`) and `text/synonyms.rs`.
//! 8. `query/matching.rs`: the rows that have all words; `query/relaxed.rs`, if there are none, those with the most.
//! 9. `query/rank.rs`: the order of the rows, from the positions in `index/lists.rs`.
//!
//! `query/strict.rs` is for saved searches: steps 2, 3, 7 and 8 without corrections, and no order but that of the rows.
//!
//! Companies are searched by the catalog, which takes steps 5 to 8 from here and ranks them by its own rules.
//!
//! `text` knows words, `index` the rows that have them, `query` what was asked for. Each imports only those before it.

mod index;
mod query;
#[cfg(test)]
mod tests;
mod text;

pub use index::{
    Entry, Field, Index, IndexBuilder, IndexParts, LONGEST_NAME, ListEntry, MergePlan, Origin, SavedLists,
    Title, TooLarge, numbers_with_room,
};
pub use query::{
    Context, Corrections, Highlighter, Hits, Interpretation, LastWord, NamedWords, Names, Page, ParsedQuery,
    RowFilter, RowRange, RowRanges, Searcher, Span, Spelling,
};
pub use text::{base_form, fold_label, is_form, is_stop_word, meaning, words_of};
