//! Full-text search over the rows of a part: Portuguese word forms, folded accents, the last word as a prefix.
//!
//! `analyzer` turns text into words, `writer` builds the index, `query` says what a text asks for, and [`TextIndex`]
//! answers. There is no query syntax: whatever a client sends is words. A document's number in the index is its row's
//! position in the part, so that equal scores keep the part's order and nothing has to be looked up.

mod analyzer;
mod query;
mod writer;

use std::fmt;

use tantivy::Searcher;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::Query;

use crate::page::{Listing, Page, Rows};
use crate::{BuildError, SearchError};
use query::Question;

pub use analyzer::{Analyzer, IndexText};
pub use writer::{Corpus, Fields};

/// An immutable index of one part's texts, kept in memory. The default one is empty.
#[derive(Default)]
pub struct TextIndex {
    opened: Option<(Searcher, Fields)>,
}

impl TextIndex {
    pub fn build(corpus: &impl Corpus) -> Result<Self, BuildError> {
        let opened = if corpus.len() == 0 { None } else { Some(writer::write(corpus)?) };
        Ok(Self { opened })
    }

    /// The rows that have every word of `text`, best match first, then in the order of the part.
    ///
    /// Rows that have the last word itself (or another form of it) stand before those that only have a longer word
    /// that starts with it. So the two are asked for one after the other, and the second only where a page reaches it.
    pub fn search(&self, text: &str, page: Page) -> Result<Listing<'static>, SearchError> {
        let Some((searcher, fields)) = &self.opened else { return Ok(Listing::EMPTY) };
        let Some(question) = Question::read(text, searcher, *fields)? else { return Ok(Listing::EMPTY) };
        let mut answer = Answer { searcher, page, total: 0, found: Vec::new() };
        if let Some(whole) = question.whole_words() {
            answer.add(&*whole.matching, &*whole.ranking)?;
        }
        if let Some(prefix) = question.only_by_prefix() {
            answer.add(&*prefix.matching, &*prefix.ranking)?;
        }
        Ok(Listing { total: answer.total, rows: Rows::Found(answer.found) })
    }
}

/// A page that is filled from result lists that follow each other.
struct Answer<'a> {
    searcher: &'a Searcher,
    page: Page,
    total: usize,
    found: Vec<u32>,
}

impl Answer<'_> {
    /// Count and page are asked separately: together they would have to score every match.
    fn add(&mut self, matching: &dyn Query, ranking: &dyn Query) -> tantivy::Result<()> {
        let count = self.searcher.search(matching, &Count)?;
        let rest = Page {
            limit: self.page.limit - self.found.len(),
            offset: self.page.offset.saturating_sub(self.total),
        };
        self.total += count;
        // Cut to what exists before anything is reserved for it: the offset is the caller's.
        let shown = rest.of(count);
        if !shown.is_empty() {
            let best = self.searcher.search(ranking, &TopDocs::for_doc_range(shown).order_by_score())?;
            self.found.extend(best.into_iter().map(|(_, address)| address.doc_id));
        }
        Ok(())
    }
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents = self.opened.as_ref().map_or(0, |(searcher, _)| searcher.num_docs());
        f.debug_struct("TextIndex").field("documents", &documents).finish_non_exhaustive()
    }
}
