//! Company search: by the text as typed, then by what may have been meant.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lastro_model::{Cnpj, Standing};

use super::Companies;
use super::legal_forms::{places_of_name, without_begun};
use super::ranking::{self, Rank, Wanted, standing_of};
use crate::page::{Listing, Page, Rows};
use crate::search::{Found, LastWord, Reading, Spelling, analyzed, is_stop_word};

/// Number of rarest words that order the results when no company has all words.
const MOST_TELLING: usize = 6;

/// Number of spellings retried in other ways when none of them matches.
const MOST_LIKELY: usize = 6;

/// The text as typed.
struct Typed<'a> {
    q: &'a str,
    words: Vec<String>,
    last: LastWord<'a>,
    /// Whether a word occurs elsewhere, so that it is not treated as mistyped.
    is_known: &'a dyn Fn(&str) -> bool,
}

impl<'a> Typed<'a> {
    /// The text according to a reading.
    fn text<'r>(&self, reading: &'r Reading) -> &'r str
    where
        'a: 'r,
    {
        reading.corrected.as_deref().unwrap_or(self.q)
    }
}

/// The companies that one reading of a text finds, ranked.
struct Read {
    best: Rank,
    /// The best standing of all rows. The first row may be cancelled if its name equals the query.
    standing: Standing,
    rows: Vec<u32>,
    reading: Reading,
}

impl Companies {
    /// Finds companies by name, trading name, sector, registry code and ticker, in the order of [`Rank`]; by CNPJ if
    /// the text contains one or begins one.
    pub fn search(&self, q: &str, page: Page) -> Found<'_> {
        self.search_beside(q, page, &|_| false)
    }

    /// Like [`Self::search`], but words that `is_known` accepts are not treated as mistyped.
    pub(crate) fn search_beside(&self, q: &str, page: Page, is_known: &dyn Fn(&str) -> bool) -> Found<'_> {
        let typed = Typed { q, words: analyzed(q), last: LastWord::of(q), is_known };
        if let Some((bearers, reading)) = self.bearers(&typed) {
            return found(&bearers, reading, page);
        }
        // Takes the reading that finds the best company, preferably an active one.
        let readings = self.readings(&typed).into_iter();
        match readings.min_by_key(|read| (read.standing, read.best)) {
            Some(read) => found(&read.rows, read.reading, page),
            None => Found::from(Listing::EMPTY),
        }
    }

    /// The text as typed if some company has all words; else corrections; else the companies with the most words.
    fn readings(&self, typed: &Typed<'_>) -> Vec<Read> {
        let spellings = self.index.spellings(&typed.words, typed.is_known);
        let mut found: Vec<Read> =
            spellings.iter().filter_map(|spelling| self.read(typed, spelling)).collect();
        let likely = &spellings[..spellings.len().min(MOST_LIKELY)];
        if !found.iter().any(|read| read.reading == Reading::default()) {
            self.add_respaced(typed, &likely[..likely.len().min(1)], &mut found);
        }
        if found.is_empty() && likely.len() > 1 {
            self.add_respaced(typed, likely, &mut found);
        }
        if found.is_empty() {
            found.extend(likely.iter().filter_map(|spelling| self.read_without_begun(typed, spelling)));
        }
        if found.is_empty() {
            let most: Vec<(usize, Read)> =
                likely.iter().filter_map(|spelling| self.read_most(typed, spelling)).collect();
            let words = most.iter().map(|(words, _)| *words).max();
            found.extend(most.into_iter().filter(|(had, _)| Some(*had) == words).map(|(_, read)| read));
        }
        found
    }

    /// Adds readings with other spacing but the same letters. Joining removes words that companies have, and splitting
    /// makes short words, so they count only if a name matches; split ones also if nothing else was found.
    fn add_respaced(&self, typed: &Typed<'_>, spellings: &[Spelling], found: &mut Vec<Read>) {
        let read = |spelling: &Spelling| self.read(typed, spelling);
        let joined = self.index.joined(&typed.words, spellings, &typed.last);
        let joined = joined.iter().filter_map(read).filter(|read| ranking::is_named(&read.best));
        let divided = self.index.divided(&typed.words, spellings, &typed.last, typed.is_known);
        let divided = divided.iter().filter_map(read);
        let divided = divided.filter(|read| found.is_empty() || ranking::is_name(&read.best));
        let respaced: Vec<Read> = joined.chain(divided).collect();
        found.extend(respaced);
    }

    /// The companies that have all words of a name, and those whose name equals it with other spacing.
    fn read(&self, typed: &Typed<'_>, spelling: &Spelling) -> Option<Read> {
        let is_open = spelling.is_open(&typed.last);
        let mut rows = self.with_all(&spelling.words, is_open);
        if rows.is_empty() {
            return None;
        }
        let written = self.names.written(&spelling.words).iter();
        rows.extend(written.filter(|row| !rows.contains(row)).copied().collect::<Vec<_>>());
        self.ranked(typed, &spelling.words, is_open, rows, spelling.reading(&typed.last))
    }

    /// Like [`Self::read`], but ignores an incomplete legal form at the end, since legal forms are optional.
    fn read_without_begun(&self, typed: &Typed<'_>, spelling: &Spelling) -> Option<Read> {
        let words = without_begun(&spelling.words)
            .filter(|words| spelling.is_open(&typed.last) && !words.is_empty())?;
        let rows = self.with_all(words, false);
        let reading = spelling.reading(&typed.last);
        if rows.is_empty() { None } else { self.ranked(typed, words, false, rows, reading) }
    }

    /// The companies that have the most words, and the number of these words. Active ones come first, then those
    /// with the rarest words. A company is ranked by the words of the query that it has.
    fn read_most(&self, typed: &Typed<'_>, spelling: &Spelling) -> Option<(usize, Read)> {
        let (words, is_open) = required(&spelling.words, spelling.is_open(&typed.last));
        let mut by_word = self.rows_by_word(&words, is_open);
        let most = self.index.most(&words, is_open);
        let first = most.first()?;
        let words_had = by_word.iter().filter(|(_, rows)| rows.binary_search(first).is_ok()).count();
        by_word.truncate(MOST_TELLING);
        let reading = Reading { relaxed: true, ..spelling.reading(&typed.last) };
        let mut groups = BTreeMap::<Reverse<Vec<bool>>, Vec<u32>>::new();
        for row in most {
            let has = by_word.iter().map(|(_, rows)| rows.binary_search(&row).is_ok());
            groups.entry(Reverse(has.collect())).or_default().push(row);
        }
        let mut ranked = Vec::new();
        for (group, (Reverse(has), rows)) in groups.into_iter().enumerate() {
            let had = by_word.iter().zip(has).filter(|(_, has)| *has).map(|((place, _), _)| *place);
            let (had, is_open) = some_of(&words, is_open, had.collect());
            let wanted = Wanted::new(&had, is_open, typed.text(&reading), &self.tickers);
            let of_group = self.ranking.ordered(&rows, &wanted).into_iter();
            ranked.extend(of_group.map(|(rank, row)| (standing_of(&rank), group, rank, row)));
        }
        ranked.sort_unstable();
        let (standing, _, best, _) = *ranked.first()?;
        let rows = ranked.into_iter().map(|(.., row)| row).collect();
        Some((words_had, Read { best, standing, rows, reading }))
    }

    /// The indexes of the words that companies have, rarest first, with the rows of each.
    fn rows_by_word(&self, words: &[String], is_open: bool) -> Vec<(usize, Vec<u32>)> {
        let rows = |place: usize| self.index.all(&words[place..=place], is_open && place + 1 == words.len());
        let mut by_word: Vec<(usize, Vec<u32>)> =
            (0..words.len()).map(|place| (place, rows(place))).collect();
        by_word.retain(|(place, rows)| !rows.is_empty() && !is_stop_word(&words[*place]));
        by_word.sort_by_key(|(_, rows)| rows.len());
        by_word
    }

    fn with_all(&self, words: &[String], is_open: bool) -> Vec<u32> {
        let (words, is_open) = required(words, is_open);
        self.index.all(&words, is_open)
    }

    /// Ranks the rows together with the companies that the text names by ticker.
    fn ranked(
        &self,
        typed: &Typed<'_>,
        searched: &[String],
        is_open: bool,
        mut rows: Vec<u32>,
        reading: Reading,
    ) -> Option<Read> {
        let text = typed.text(&reading);
        let named = self.tickers.search(text);
        rows.extend(named.into_iter().filter(|row| !rows.contains(row)).collect::<Vec<_>>());
        let wanted = Wanted::new(searched, is_open, text, &self.tickers);
        let ranked = self.ranking.ordered(&rows, &wanted);
        let standing = ranked.iter().map(|(rank, _)| standing_of(rank)).min()?;
        let (best, _) = *ranked.first()?;
        Some(Read { best, standing, rows: ranked.into_iter().map(|(_, row)| row).collect(), reading })
    }

    /// The companies whose CNPJ the text is, begins or contains; those that have the other words too, if any do.
    fn bearers(&self, typed: &Typed<'_>) -> Option<(Vec<u32>, Reading)> {
        let bearers = self.cnpjs.search(typed.q);
        if !bearers.is_empty() {
            return Some((bearers, Reading::default()));
        }
        let cnpj = typed.words.iter().find_map(|word| Cnpj::parse(word).ok())?;
        let bearers: Vec<u32> = self.cnpjs.bearers(&cnpj).collect();
        let is_other = |word: &&String| Cnpj::parse(word) != Ok(cnpj);
        let others: Vec<String> = typed.words.iter().filter(is_other).cloned().collect();
        let is_open = typed.last.may_go_on() && typed.words.last().is_some_and(|last| is_other(&last));
        let with_others = self.with_others(&others, is_open);
        let has_others = |row: &&u32| with_others.as_ref().is_none_or(|rows| rows.binary_search(row).is_ok());
        let having: Vec<u32> = bearers.iter().filter(has_others).copied().collect();
        let reading = Reading { relaxed: having.is_empty(), ..Reading::default() };
        let found = if having.is_empty() { bearers } else { having };
        (!found.is_empty()).then_some((found, reading))
    }

    /// The companies that have all of these words, ascending; `None` if the words restrict nothing.
    fn with_others(&self, words: &[String], is_open: bool) -> Option<Vec<u32>> {
        let tells = |words: &[String]| {
            let name = places_of_name(words);
            name.iter().any(|place| !is_stop_word(&words[*place]))
        };
        if !tells(words) {
            return None;
        }
        let rows = self.with_all(words, is_open);
        match without_begun(words).filter(|_| is_open && rows.is_empty()) {
            Some(words) if tells(words) => Some(self.with_all(words, false)),
            Some(_) => None,
            None => Some(rows),
        }
    }
}

/// The words that companies must have, and whether the last of them may be incomplete.
fn required(words: &[String], is_open: bool) -> (Vec<String>, bool) {
    some_of(words, is_open, ranking::required(words))
}

/// The words at these indexes, and whether the last of them may be incomplete.
fn some_of(words: &[String], is_open: bool, mut places: Vec<usize>) -> (Vec<String>, bool) {
    places.sort_unstable();
    let has_last = places.last().is_some_and(|last| last + 1 == words.len());
    (places.into_iter().map(|place| words[place].clone()).collect(), is_open && has_last)
}

/// One page of the ranked rows.
fn found(rows: &[u32], reading: Reading, page: Page) -> Found<'static> {
    let listing = Listing { total: rows.len(), rows: Rows::Found(rows[page.of(rows.len())].to_vec()) };
    Found { listing, reading }
}
