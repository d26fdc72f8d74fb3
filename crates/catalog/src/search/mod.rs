//! Full-text search over the rows of a part: Portuguese word forms, folded accents, the last word as a prefix.
//!
//! `analyzer` turns text into words, `writer` builds the index, `vocabulary` knows the forms of its words, `query` says
//! what a text asks for, and [`TextIndex`] answers. There is no query syntax: whatever a client sends is words. A
//! document's number in the index is its row's position in the part, so that equal scores keep the part's order and
//! nothing has to be looked up.

mod analyzer;
mod deep;
mod query;
mod rowset;
mod vocabulary;
mod writer;

use std::fmt;

use tantivy::collector::TopDocs;

use crate::page::{Listing, Page, Rows};
use crate::{BuildError, SearchError};
use deep::AllScores;
use query::{Asked, FamilyStatistics, Question, Ranked};
use rowset::RowSet;
use vocabulary::Vocabulary;

pub use analyzer::append_words;
pub use writer::Corpus;

/// An immutable index of one part's texts, kept in memory. The default one is empty.
#[derive(Default)]
pub struct TextIndex {
    vocabulary: Option<Vocabulary>,
}

impl TextIndex {
    pub fn build(corpus: &impl Corpus) -> Result<Self, BuildError> {
        if corpus.len() == 0 {
            return Ok(Self::default());
        }
        let (searcher, field) = writer::write(corpus)?;
        Ok(Self { vocabulary: Some(Vocabulary::of(searcher, field)?) })
    }

    /// The rows that have every word of `text`, best match first, then in the order of the part.
    ///
    /// Rows that have the last word itself, or another form of it, stand before those that only have a longer word
    /// that starts with it.
    pub fn search(&self, text: &str, page: Page) -> Result<Listing<'static>, SearchError> {
        let Some(vocabulary) = &self.vocabulary else { return Ok(Listing::EMPTY) };
        let Some(question) = Question::read(text, vocabulary)? else { return Ok(Listing::EMPTY) };
        let statistics = FamilyStatistics::of(&question);
        let mut answer = Answer { vocabulary, statistics, page, total: 0, found: Vec::new() };
        for asked in [question.whole_words()?, question.only_by_prefix()?].into_iter().flatten() {
            match asked {
                Asked::Ranked(ranked) => answer.add_ranked(&ranked)?,
                Asked::InOrder(rows) => answer.add_in_order(&rows),
            }
        }
        Ok(Listing { total: answer.total, rows: Rows::Found(answer.found) })
    }
}

/// Pages that end after this place of the ranking are not worth keeping a list of the best for.
const FAR_DOWN: usize = 10_000;

/// A page that is filled from results that follow each other.
struct Answer<'a> {
    vocabulary: &'a Vocabulary,
    statistics: FamilyStatistics<'a>,
    page: Page,
    total: usize,
    found: Vec<u32>,
}

impl Answer<'_> {
    /// The count is known by now, so that only the best rows have to be scored.
    fn add_ranked(&mut self, ranked: &Ranked) -> tantivy::Result<()> {
        let searcher = self.vocabulary.searcher();
        // Cut to what exists before anything is reserved for it: the offset is the caller's.
        let shown = self.rest().of(ranked.count);
        self.total += ranked.count;
        let (ranking, statistics) = (&*ranked.ranking, &self.statistics);
        if shown.end > FAR_DOWN {
            let all = searcher.search_with_statistics_provider(ranking, &AllScores, statistics)?;
            self.found.extend(all.ranked(shown));
        } else if !shown.is_empty() {
            let best = TopDocs::for_doc_range(shown).order_by_score();
            let best = searcher.search_with_statistics_provider(ranking, &best, statistics)?;
            self.found.extend(best.into_iter().map(|(_, address)| address.doc_id));
        }
        Ok(())
    }

    fn add_in_order(&mut self, rows: &RowSet) {
        let shown = self.rest().of(rows.len());
        self.total += rows.len();
        self.found.extend(rows.rows().skip(shown.start).take(shown.len()));
    }

    /// What of the page is still to be filled, counted from the end of what was added.
    fn rest(&self) -> Page {
        Page {
            limit: self.page.limit - self.found.len(),
            offset: self.page.offset.saturating_sub(self.total),
        }
    }
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.vocabulary.as_ref().map_or(0, |vocabulary| vocabulary.searcher().num_docs());
        f.debug_struct("TextIndex").field("rows", &rows).finish_non_exhaustive()
    }
}
