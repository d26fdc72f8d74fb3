//! Searching: from the text of a query to a page of rows.

mod cache;
mod clause;
mod corrections;
mod expressions;
mod highlight;
mod hits;
mod labels;
mod matching;
mod names;
mod page;
mod parsed;
mod phrase;
mod plan;
mod rank;
mod relaxed;
mod row_filter;
mod spacing;

use std::fmt;

use crate::index::Index;
use cache::{KEPT, ResultCache, shown};
use corrections::Reach;
use expressions::Expressions;
use matching::Matches;
use names::NoNames;
use plan::QueryPlan;

pub use corrections::Corrections;
pub use highlight::{Highlighter, Span};
pub use hits::{Hits, Interpretation};
pub use names::{NamedWords, Names};
pub use page::Page;
pub use parsed::{ParsedQuery, Spelling};
pub use row_filter::RowFilter;

/// An index and everything that speeds up searching it. The default one is empty.
#[derive(Default)]
pub struct Searcher {
    index: Index,
    expressions: Expressions,
    recent: ResultCache,
}

impl Searcher {
    pub fn new(index: Index) -> Self {
        let expressions = Expressions::of(&index);
        Self { index, expressions, recent: ResultCache::default() }
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Finds the rows that have every word of `text`, in the order of `rank`. A word that no row has stands for the
    /// nearest one that rows have. If no row has all words, finds the rows with the most of them.
    pub fn search(&self, text: &str, page: Page) -> Hits {
        self.search_named(text, page, &NoNames)
    }

    /// Like [`Self::search`], but words of the text may be names of something that rows have the code of.
    pub fn search_named(&self, text: &str, page: Page, names: &dyn Names) -> Hits {
        let query = ParsedQuery::parse(text);
        if query.words.is_empty() || self.index.is_empty() {
            return Hits::default();
        }
        // No word contains these signs.
        let signs = query.joined_by_signs().unwrap_or_default();
        let key = format!("{}.{signs}={}", query.words.join(" "), names.id());
        if let Some(hits) = self.recent.page(&key, page) {
            return hits;
        }
        if page.offset.saturating_add(page.limit) > KEPT.limit {
            return self.find(&query, page, names, None);
        }
        let first = self.find(&query, KEPT, names, None);
        let hits = shown(&first, page).unwrap_or_default();
        self.recent.insert(key, first);
        hits
    }

    /// Like [`Self::search_named`], but finds only rows of the filter. The rows that have the most words are those of the
    /// filter that have them.
    pub fn search_within(&self, text: &str, page: Page, names: &dyn Names, within: &RowFilter) -> Hits {
        let query = ParsedQuery::parse(text);
        if query.words.is_empty() || self.index.is_empty() {
            return Hits::default();
        }
        self.find(&query, page, names, Some(within))
    }

    /// Climbs the ladder of corrections to the first spelling with rows that have all words; without one, takes the rows
    /// with the most words of the likeliest spelling.
    fn find(
        &self,
        query: &ParsedQuery<'_>,
        page: Page,
        names: &dyn Names,
        within: Option<&RowFilter>,
    ) -> Hits {
        let named = names.named_in(&query.words);
        let name_words = |name: &NamedWords| query.words.get(name.words.clone()).unwrap_or_default();
        let is_name = |word: &str| named.iter().flat_map(name_words).any(|other| other == word);
        let corrections = Corrections::new(&self.index, query, Reach::NARROW, &is_name);
        let plan = |spelling: &Spelling| match spelling.is_corrected() {
            true => self.plan(spelling, &names.named_in(&spelling.words)).within(within),
            false => self.plan(spelling, &named).within(within),
        };
        let found = |spelling: &Spelling| {
            let plan = plan(spelling);
            let matches = Matches::of(&plan);
            let (total, interpretation) = (matches.len(), spelling.interpretation.clone());
            (total > 0).then(|| Hits { total, rows: rank::page(&plan, &matches, page), interpretation })
        };
        let spelled = corrections.spellings().iter().find_map(found);
        let joined = || corrections.joined(1).iter().find_map(found);
        let split = || corrections.split(1).iter().find_map(found);
        let relaxed = || {
            let likeliest = corrections.spellings().first()?;
            let hits = relaxed::hits(&plan(likeliest), page);
            let interpretation = Interpretation { relaxed: true, ..likeliest.interpretation.clone() };
            (hits.total > 0).then_some(Hits { interpretation, ..hits })
        };
        spelled.or_else(joined).or_else(split).or_else(relaxed).unwrap_or_default()
    }

    fn plan(&self, spelling: &Spelling, names: &[NamedWords]) -> QueryPlan<'_> {
        QueryPlan::new((&self.index, &self.expressions), &spelling.words, spelling.is_prefix, names)
    }

    /// The corrections of a query, for callers that rank rows themselves. Words that `is_known` accepts are not treated
    /// as mistyped.
    pub fn corrections<'a>(
        &'a self,
        query: &'a ParsedQuery<'a>,
        is_known: &'a dyn Fn(&str) -> bool,
    ) -> Corrections<'a> {
        Corrections::new(&self.index, query, Reach::WIDE, is_known)
    }

    /// The words of a query in their likeliest spelling. Words that `is_known` accepts are not treated as mistyped.
    pub fn likeliest_words(&self, query: &ParsedQuery<'_>, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
        let corrections = Corrections::new(&self.index, query, Reach::NARROW, is_known);
        corrections.spellings().first().map_or_else(Vec::new, |spelling| spelling.words.clone())
    }

    /// The rows that have all words, in ascending order. The last word may be a prefix.
    pub fn rows_with_all(&self, words: &[String], is_prefix: bool) -> Vec<u32> {
        let plan = QueryPlan::new((&self.index, &self.expressions), words, is_prefix, &[]);
        Matches::of(&plan).into_rows(self.index.rows)
    }

    /// The rows that have the most words, in ascending order after those with the rarest word.
    pub fn rows_with_most(&self, words: &[String], is_prefix: bool) -> Vec<u32> {
        let plan = QueryPlan::new((&self.index, &self.expressions), words, is_prefix, &[]);
        relaxed::hits(&plan, Page { limit: usize::MAX, offset: 0 }).rows
    }

    /// Whether some row has the word, in any form or as a prefix.
    pub fn knows(&self, word: &str) -> bool {
        self.index.knows(word)
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("rows", &self.index.rows)
            .field("words", &self.index.lexicon.len())
            .finish_non_exhaustive()
    }
}
