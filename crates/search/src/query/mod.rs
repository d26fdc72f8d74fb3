//! Searching: from the text of a query to a page of rows.

mod cache;
mod clause;
mod context;
mod corrections;
mod expressions;
mod highlight;
mod hits;
mod labels;
mod matching;
mod page;
mod parsed;
mod phrase;
mod plan;
mod preference;
mod rank;
mod relaxed;
mod row_filter;
mod spacing;
mod strict;

use std::fmt;
use std::ops::Range;

use crate::index::{Index, MergePlan, TooLarge};
use crate::text::is_stop_word;
use cache::{KEPT, ResultCache, shown};
use corrections::{Reach, Targets};
use expressions::Expressions;
use matching::Matches;
use phrase::Phrase;
use plan::QueryPlan;
use preference::Preference;

pub use context::{Context, NamedWords, Names, RowRange, RowRanges};
pub use corrections::Corrections;
pub use highlight::{Highlighter, Span};
pub use hits::{Hits, Interpretation};
pub use page::Page;
pub use parsed::{ParsedQuery, Spelling};
pub use row_filter::RowFilter;
pub use strict::LastWord;

/// An index and everything that speeds up searching it. The default one is empty.
#[derive(Default)]
pub struct Searcher {
    index: Index,
    expressions: Expressions,
    targets: Targets,
    recent: ResultCache,
}

impl Searcher {
    pub fn new(index: Index) -> Self {
        let expressions = Expressions::of(&index);
        Self { index, expressions, targets: Targets::default(), recent: ResultCache::default() }
    }

    /// Like [`Self::new`], but mistyped words are only corrected to words of rows that `is_target` accepts.
    pub fn correcting_to(index: Index, is_target: &dyn Fn(u32) -> bool) -> Self {
        let targets = Targets::of_rows(&index, is_target);
        Self { targets, ..Self::new(index) }
    }

    /// The merged rows; `fresh` has the new ones. Mistyped words are corrected to words of any row.
    pub fn merged(&self, fresh: &Self, plan: &MergePlan) -> Result<Self, TooLarge> {
        let (index, plan) = self.index.merged(&fresh.index, plan)?;
        // An empty one was never made.
        let expressions = match self.index.is_empty() {
            true => Expressions::of(&index),
            false => self.expressions.merged(&fresh.expressions, &plan),
        };
        Ok(Self { index, expressions, ..Self::default() })
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Finds the rows that have every word of `text`, in the order of `rank`. A word that no row has stands for the
    /// nearest one that rows have. If no row has all words, finds the rows with the most of them.
    pub fn search(&self, text: &str, page: Page) -> Hits {
        self.search_in(text, page, Context::default())
    }

    /// Like [`Self::search`], but words of the text may be names of something that rows have the code of, or stand for a
    /// range of rows; and text in balanced double quotes must be there as a phrase.
    pub fn search_in(&self, text: &str, page: Page, context: Context<'_>) -> Hits {
        let query = ParsedQuery::parse_quoted(text);
        if query.words.is_empty() || self.index.is_empty() {
            return Hits::default();
        }
        if context.within.is_some() {
            return self.find(&query, page, context);
        }
        // No word contains these signs.
        let signs = query.joined_by_signs().unwrap_or_default();
        let key = format!("{}.{signs}={}", query.text(&query.words), context.names.id());
        if let Some(hits) = self.recent.page(&key, page) {
            return hits;
        }
        if page.offset.saturating_add(page.limit) > KEPT.limit {
            return self.find(&query, page, context);
        }
        let first = self.find(&query, KEPT, context);
        let hits = shown(&first, page).unwrap_or_default();
        self.recent.insert(key, first);
        hits
    }

    /// Finds rows by the ranges that words stand for; if there are none, by these words themselves.
    fn find(&self, query: &ParsedQuery<'_>, page: Page, context: Context<'_>) -> Hits {
        let ranges = context.ranges.ranges_in(&query.words);
        let hits = self.find_spelled(query, page, context, &ranges);
        match hits.total {
            0 if !ranges.is_empty() => {
                let plain = Context { names: context.names, within: context.within, ..Context::default() };
                self.find_spelled(query, page, plain, &[])
            }
            _ => hits,
        }
    }

    /// Climbs the ladder of corrections to the first spelling with rows that have all words; without one, takes the rows
    /// with the most words of the likeliest spelling.
    fn find_spelled(
        &self,
        query: &ParsedQuery<'_>,
        page: Page,
        context: Context<'_>,
        ranges: &[RowRange],
    ) -> Hits {
        let named = context.names.named_in(&query.words);
        let places = named.iter().map(|name| &name.words).chain(ranges.iter().map(|range| &range.words));
        let known = places.flat_map(|words| query.words.get(words.clone()).unwrap_or_default());
        let known: Vec<&String> = known.chain(query.quoted_words()).collect();
        let is_known = |word: &str| known.iter().any(|other| *other == word);
        let corrections = Corrections::new((&self.index, &self.targets), query, Reach::NARROW, &is_known);
        let plan = |spelling: &Spelling| match spelling.is_corrected() || !ranges.is_empty() {
            true => self.plan_in(spelling, query, context),
            false => self.plan(spelling, query, &named, context.within),
        };
        let found = |spelling: &Spelling| {
            let plan = plan(spelling);
            let matches = Matches::of(&plan);
            let (total, interpretation) = (matches.len(), spelling.interpretation.clone());
            (total > 0).then(|| Hits { total, rows: rank::page(&plan, &matches, page), interpretation })
        };
        let spelled = corrections.spellings().iter().find_map(found);
        // Other spacing would take words out of their quotes.
        let respaced = || {
            let joined = || corrections.joined(1).iter().find_map(found);
            let split = || corrections.split(1).iter().find_map(found);
            if query.quoted.is_empty() { joined().or_else(split) } else { None }
        };
        let relaxed = || {
            let likeliest = corrections.spellings().first()?;
            let hits = relaxed::hits(&plan(likeliest), page);
            let interpretation = Interpretation { relaxed: true, ..likeliest.interpretation.clone() };
            (hits.total > 0).then_some(Hits { interpretation, ..hits })
        };
        spelled.or_else(respaced).or_else(relaxed).unwrap_or_default()
    }

    /// Plans a spelling without the words that stand for ranges of rows, unless there are no others.
    fn plan_in<'a>(
        &'a self,
        spelling: &Spelling,
        query: &ParsedQuery<'_>,
        context: Context<'a>,
    ) -> QueryPlan<'a> {
        let words = &spelling.words;
        let is_quoted = |range: &RowRange| query.quoted.iter().any(|quoted| overlap(quoted, &range.words));
        let mut ranges = context.ranges.ranges_in(words);
        ranges.retain(|range| !is_quoted(range));
        let is_kept = |place: &usize| !ranges.iter().any(|range| range.words.contains(place));
        let kept: Vec<usize> = (0..words.len()).filter(is_kept).collect();
        if ranges.is_empty() || kept.iter().all(|place| is_stop_word(&words[*place])) {
            return self.plan(spelling, query, &context.names.named_in(words), context.within);
        }
        let is_prefix = spelling.is_prefix && kept.last().is_some_and(|last| last + 1 == words.len());
        let kept: Vec<String> = kept.into_iter().map(|place| words[place].clone()).collect();
        let rest = Spelling { words: kept, is_prefix, interpretation: Interpretation::default() };
        let plan = self.plan(&rest, query, &context.names.named_in(&rest.words), context.within);
        QueryPlan { preference: Some(Preference::new(&self.index, words, ranges)), ..plan }
    }

    fn plan<'a>(
        &'a self,
        spelling: &Spelling,
        query: &ParsedQuery<'_>,
        names: &[NamedWords],
        within: Option<&'a RowFilter>,
    ) -> QueryPlan<'a> {
        let words = &spelling.words;
        let plan = QueryPlan::new((&self.index, &self.expressions), words, spelling.is_prefix, names);
        let mut plan = QueryPlan { within, ..plan };
        let quoted = query.quoted.iter().filter_map(|quoted| query.words.get(quoted.clone()));
        plan.quoted = quoted.map(|words| Phrase::of(&self.index, words)).collect();
        // A complete name is expanded to longer words only if rows match without them, too.
        if words.last().is_some_and(|last| plan.may_end_in_a_name(last)) {
            let longer = plan.longer.take();
            if Matches::of(&plan).len() > 0 {
                plan.longer = longer;
            }
        }
        plan
    }

    /// The corrections of a query, for callers that rank rows themselves. Words that `is_known` accepts are not treated
    /// as mistyped.
    pub fn corrections<'a>(
        &'a self,
        query: &'a ParsedQuery<'a>,
        is_known: &'a dyn Fn(&str) -> bool,
    ) -> Corrections<'a> {
        Corrections::new((&self.index, &self.targets), query, Reach::WIDE, is_known)
    }

    /// The words of a query in their likeliest spelling. Words that `is_known` accepts are not treated as mistyped.
    pub fn likeliest_words(&self, query: &ParsedQuery<'_>, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
        let corrections = Corrections::new((&self.index, &self.targets), query, Reach::NARROW, is_known);
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

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("rows", &self.index.rows)
            .field("words", &self.index.lexicon.len())
            .finish_non_exhaustive()
    }
}
