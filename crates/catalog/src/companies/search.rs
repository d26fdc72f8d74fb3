//! Company search: by the text as typed, then by its corrections, in the order of [`Rank`].

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lastro_model::{Cnpj, Standing};
use lastro_search::{Corrections, Interpretation, Page, ParsedQuery, Spelling, is_stop_word};

use super::Companies;
use super::legal_forms::{places_of_name, strip_partial_legal_form};
use super::ranking::{self, Rank, RankQuery, standing_of};
use crate::page::{Found, Listing, Rows};

/// Number of rarest words that order the results when no company has all words.
const MOST_RANKING_WORDS: usize = 6;

/// Number of spellings retried in other ways when none of them matches.
const MOST_LIKELY: usize = 6;

/// A query as typed.
struct Query<'a> {
    text: &'a str,
    parsed: ParsedQuery<'a>,
}

impl<'a> Query<'a> {
    /// The text after corrections.
    fn text<'i>(&self, interpretation: &'i Interpretation) -> &'i str
    where
        'a: 'i,
    {
        interpretation.corrected.as_deref().unwrap_or(self.text)
    }
}

/// The companies that one spelling finds, ranked.
struct Candidate {
    best: Rank,
    /// The best standing of all rows. The first row may be cancelled if its name equals the query.
    standing: Standing,
    rows: Vec<u32>,
    interpretation: Interpretation,
}

impl Companies {
    /// Finds companies by name, trading name, sector, registry code and ticker, in the order of [`Rank`]; by CNPJ if
    /// the text contains one or begins one.
    pub fn search(&self, q: &str, page: Page) -> Found<'_> {
        self.search_beside(q, page, &|_| false)
    }

    /// Like [`Self::search`], but words that `is_known` accepts are not treated as mistyped.
    pub(crate) fn search_beside(&self, q: &str, page: Page, is_known: &dyn Fn(&str) -> bool) -> Found<'_> {
        let query = Query { text: q, parsed: ParsedQuery::parse(q) };
        if let Some((holders, interpretation)) = self.holders(&query) {
            return found(&holders, interpretation, page);
        }
        // The spelling that finds the best company wins, preferably an active one.
        let candidates = self.candidates(&query, is_known).into_iter();
        match candidates.min_by_key(|candidate| (candidate.standing, candidate.best)) {
            Some(candidate) => found(&candidate.rows, candidate.interpretation, page),
            None => Found::from(Listing::EMPTY),
        }
    }

    /// Climbs the ladder of corrections: spellings with all words, then other spacing, then an incomplete legal form at
    /// the end, then the companies with the most words.
    fn candidates(&self, query: &Query<'_>, is_known: &dyn Fn(&str) -> bool) -> Vec<Candidate> {
        let corrections = self.index.corrections(&query.parsed, is_known);
        let spellings = corrections.spellings();
        let likely = &spellings[..spellings.len().min(MOST_LIKELY)];
        let mut found: Vec<Candidate> =
            spellings.iter().filter_map(|spelling| self.with_all_words(query, spelling)).collect();
        if !found.iter().any(|candidate| candidate.interpretation == Interpretation::default()) {
            self.add_respaced(query, &corrections, 1, &mut found);
        }
        if found.is_empty() && likely.len() > 1 {
            self.add_respaced(query, &corrections, likely.len(), &mut found);
        }
        if found.is_empty() {
            found.extend(likely.iter().filter_map(|spelling| self.without_legal_form(query, spelling)));
        }
        if found.is_empty() {
            let most: Vec<(usize, Candidate)> =
                likely.iter().filter_map(|spelling| self.with_most_words(query, spelling)).collect();
            let words = most.iter().map(|(words, _)| *words).max();
            found.extend(most.into_iter().filter(|(count, _)| Some(*count) == words).map(|(_, one)| one));
        }
        found
    }

    /// Adds spellings with other spacing but the same letters. Joining removes words that companies have, and splitting
    /// makes short words, so they count only if a name matches; split ones also if nothing else was found.
    fn add_respaced(
        &self,
        query: &Query<'_>,
        corrections: &Corrections<'_>,
        most: usize,
        found: &mut Vec<Candidate>,
    ) {
        let candidate = |spelling: &Spelling| self.with_all_words(query, spelling);
        let (joined, split) = (corrections.joined(most), corrections.split(most));
        let joined = joined.iter().filter_map(candidate).filter(|one| ranking::is_named(&one.best));
        let split = split.iter().filter_map(candidate);
        let split = split.filter(|one| found.is_empty() || ranking::is_name(&one.best));
        let respaced: Vec<Candidate> = joined.chain(split).collect();
        found.extend(respaced);
    }

    /// The companies that have all words, and those whose name equals the query with other spacing.
    fn with_all_words(&self, query: &Query<'_>, spelling: &Spelling) -> Option<Candidate> {
        let mut rows = self.rows_with_all(&spelling.words, spelling.is_prefix);
        if rows.is_empty() {
            return None;
        }
        let written = self.names.written(&spelling.words).iter();
        rows.extend(written.filter(|row| !rows.contains(row)).copied().collect::<Vec<_>>());
        self.ranked(query, (&spelling.words, spelling.is_prefix), rows, spelling.interpretation.clone())
    }

    /// Like [`Self::with_all_words`], but ignores an incomplete legal form at the end, since legal forms are optional.
    fn without_legal_form(&self, query: &Query<'_>, spelling: &Spelling) -> Option<Candidate> {
        let words = strip_partial_legal_form(&spelling.words)
            .filter(|words| spelling.is_prefix && !words.is_empty())?;
        let rows = self.rows_with_all(words, false);
        if rows.is_empty() {
            return None;
        }
        self.ranked(query, (words, false), rows, spelling.interpretation.clone())
    }

    /// The companies that have the most words, and the number of these words. Active ones come first, then those
    /// with the rarest words. A company is ranked by the words of the query that it has.
    fn with_most_words(&self, query: &Query<'_>, spelling: &Spelling) -> Option<(usize, Candidate)> {
        let (words, is_prefix) = required(&spelling.words, spelling.is_prefix);
        let mut by_word = self.rows_by_word(&words, is_prefix);
        let most = self.index.rows_with_most(&words, is_prefix);
        let first = most.first()?;
        let count = by_word.iter().filter(|(_, rows)| rows.binary_search(first).is_ok()).count();
        by_word.truncate(MOST_RANKING_WORDS);
        let interpretation = Interpretation { relaxed: true, ..spelling.interpretation.clone() };
        let mut groups = BTreeMap::<Reverse<Vec<bool>>, Vec<u32>>::new();
        for row in most {
            let has = by_word.iter().map(|(_, rows)| rows.binary_search(&row).is_ok());
            groups.entry(Reverse(has.collect())).or_default().push(row);
        }
        let mut ranked = Vec::new();
        for (group, (Reverse(has), rows)) in groups.into_iter().enumerate() {
            let had = by_word.iter().zip(has).filter(|(_, has)| *has).map(|((place, _), _)| *place);
            let (had, is_prefix) = some_of(&words, is_prefix, had.collect());
            let rank_query = RankQuery::new(&had, is_prefix, query.text(&interpretation), &self.tickers);
            let of_group = self.ranking.ordered(&rows, &rank_query).into_iter();
            ranked.extend(of_group.map(|(rank, row)| (standing_of(&rank), group, rank, row)));
        }
        ranked.sort_unstable();
        let (standing, _, best, _) = *ranked.first()?;
        let rows = ranked.into_iter().map(|(.., row)| row).collect();
        Some((count, Candidate { best, standing, rows, interpretation }))
    }

    /// The indexes of the words that companies have, rarest first, with the rows of each.
    fn rows_by_word(&self, words: &[String], is_prefix: bool) -> Vec<(usize, Vec<u32>)> {
        let rows = |place: usize| {
            self.index.rows_with_all(&words[place..=place], is_prefix && place + 1 == words.len())
        };
        let mut by_word: Vec<(usize, Vec<u32>)> =
            (0..words.len()).map(|place| (place, rows(place))).collect();
        by_word.retain(|(place, rows)| !rows.is_empty() && !is_stop_word(&words[*place]));
        by_word.sort_by_key(|(_, rows)| rows.len());
        by_word
    }

    fn rows_with_all(&self, words: &[String], is_prefix: bool) -> Vec<u32> {
        let (words, is_prefix) = required(words, is_prefix);
        self.index.rows_with_all(&words, is_prefix)
    }

    /// Ranks the rows together with the companies that the text names by ticker.
    fn ranked(
        &self,
        query: &Query<'_>,
        (words, is_prefix): (&[String], bool),
        mut rows: Vec<u32>,
        interpretation: Interpretation,
    ) -> Option<Candidate> {
        let text = query.text(&interpretation);
        let named = self.tickers.search(text);
        rows.extend(named.into_iter().filter(|row| !rows.contains(row)).collect::<Vec<_>>());
        let rank_query = RankQuery::new(words, is_prefix, text, &self.tickers);
        let ranked = self.ranking.ordered(&rows, &rank_query);
        let standing = ranked.iter().map(|(rank, _)| standing_of(rank)).min()?;
        let (best, _) = *ranked.first()?;
        let rows = ranked.into_iter().map(|(_, row)| row).collect();
        Some(Candidate { best, standing, rows, interpretation })
    }

    /// The companies whose CNPJ the text is, begins or contains; those that have the other words too, if any do.
    fn holders(&self, query: &Query<'_>) -> Option<(Vec<u32>, Interpretation)> {
        let holders = self.cnpjs.search(query.text);
        if !holders.is_empty() {
            return Some((holders, Interpretation::default()));
        }
        let words = &query.parsed.words;
        let cnpj = words.iter().find_map(|word| Cnpj::parse(word).ok())?;
        let holders: Vec<u32> = self.cnpjs.bearers(&cnpj).collect();
        let is_other = |word: &&String| Cnpj::parse(word) != Ok(cnpj);
        let others: Vec<String> = words.iter().filter(is_other).cloned().collect();
        let is_prefix = query.parsed.is_prefix() && words.last().is_some_and(|last| is_other(&last));
        let with_others = self.with_others(&others, is_prefix);
        let has_others = |row: &&u32| with_others.as_ref().is_none_or(|rows| rows.binary_search(row).is_ok());
        let having: Vec<u32> = holders.iter().filter(has_others).copied().collect();
        let interpretation = Interpretation { relaxed: having.is_empty(), ..Interpretation::default() };
        let found = if having.is_empty() { holders } else { having };
        (!found.is_empty()).then_some((found, interpretation))
    }

    /// The companies that have all of these words, ascending; `None` if the words restrict nothing.
    fn with_others(&self, words: &[String], is_prefix: bool) -> Option<Vec<u32>> {
        let restricts = |words: &[String]| {
            let name = places_of_name(words);
            name.iter().any(|place| !is_stop_word(&words[*place]))
        };
        if !restricts(words) {
            return None;
        }
        let rows = self.rows_with_all(words, is_prefix);
        match strip_partial_legal_form(words).filter(|_| is_prefix && rows.is_empty()) {
            Some(words) if restricts(words) => Some(self.rows_with_all(words, false)),
            Some(_) => None,
            None => Some(rows),
        }
    }
}

/// The words that companies must have, and whether the last of them may be a prefix.
fn required(words: &[String], is_prefix: bool) -> (Vec<String>, bool) {
    some_of(words, is_prefix, ranking::required(words))
}

/// The words at these indexes, and whether the last of them may be a prefix.
fn some_of(words: &[String], is_prefix: bool, mut places: Vec<usize>) -> (Vec<String>, bool) {
    places.sort_unstable();
    let has_last = places.last().is_some_and(|last| last + 1 == words.len());
    (places.into_iter().map(|place| words[place].clone()).collect(), is_prefix && has_last)
}

/// One page of the ranked rows.
fn found(rows: &[u32], interpretation: Interpretation, page: Page) -> Found<'static> {
    let listing = Listing { total: rows.len(), rows: Rows::Found(rows[page.of(rows.len())].to_vec()) };
    Found { listing, interpretation }
}
