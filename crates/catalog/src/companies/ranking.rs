//! The order of companies in search results, defined once in [`Rank`].

use std::cmp::Reverse;

use lastro_model::{Company, CompanyId, Standing};
use lastro_search::{is_stop_word, meaning, words_of};

use super::legal_forms::{leading_kinds, places_of_name};
use super::names::letters;
use super::tickers::TickerDirectory;

/// The sort key of a company; the lowest comes first. Ties are ordered by name, then by id.
pub(super) type Rank = (
    /* the query is its registry code or ticker */ Reverse<bool>,
    /* the query is a name, ignoring legal forms and spaces */ Reverse<bool>,
    /* active, suspended, cancelled */ Standing,
    /* kind of match in the names */ Place,
    /* the last word itself before a longer one */ Reverse<bool>,
    /* has the legal forms of the query */ Reverse<bool>,
    /* letters of the name, without legal forms */ usize,
    /* letters of the whole name */ usize,
);

/// Whether a name equals the query or begins with it.
pub(super) fn is_named((_, Reverse(is_name), _, place, ..): &Rank) -> bool {
    *is_name || *place <= Place::Beginning
}

pub(super) fn standing_of((_, _, standing, ..): &Rank) -> Standing {
    *standing
}

pub(super) fn is_name((_, Reverse(is_name), ..): &Rank) -> bool {
    *is_name
}

/// The kind of match between the query and a company's best name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Equals a part between dashes: many names end in the one commonly used for the company.
    Part,
    /// At the beginning, ignoring the kind of company.
    Beginning,
    /// As a phrase.
    Phrase,
    /// All words, anywhere.
    Words,
    /// Not all words are in names: some match the sector or an abbreviation.
    Elsewhere,
}

/// The names of a company as words.
struct Names {
    standing: Standing,
    id: CompanyId,
    /// The name and the trading name.
    whole: Vec<Words>,
    /// Their parts, split at dashes.
    parts: Vec<Words>,
    /// Letters of the name, without and with legal forms.
    lengths: (usize, usize),
}

/// A text as words.
struct Words {
    /// Folded words. `keys` has the key that all forms of each word share.
    folded: Vec<String>,
    keys: Vec<String>,
    /// Indexes of the words that are not legal forms.
    name: Vec<usize>,
    /// The letters of these words.
    letters: String,
}

impl Words {
    fn of(folded: Vec<String>) -> Self {
        Self {
            keys: folded.iter().map(|word| meaning(word)).collect(),
            name: places_of_name(&folded),
            letters: letters(&folded),
            folded,
        }
    }

    /// The keys of the words that are not legal forms.
    fn name_keys(&self) -> impl Iterator<Item = &str> {
        self.name.iter().map(|place| self.keys[*place].as_str())
    }

    fn name_letters(&self) -> usize {
        self.name.iter().map(|place| self.folded[*place].len() + 1).sum()
    }
}

/// The names of all companies, by position.
#[derive(Default)]
pub(super) struct Ranking {
    companies: Vec<Names>,
}

/// A query in the form compared with companies: its name, ignoring legal forms.
pub(super) struct RankQuery {
    words: Words,
    /// Whether the last word may be a prefix.
    is_prefix: bool,
    /// Keys of the words that are not part of the name.
    legal_forms: Vec<String>,
    id: Option<CompanyId>,
    /// The companies that the query names by ticker.
    named: Vec<u32>,
}

impl RankQuery {
    /// Prepares a query from its words. With `is_prefix` the last word may be a prefix.
    pub(super) fn new(searched: &[String], is_prefix: bool, q: &str, tickers: &TickerDirectory) -> Self {
        let places = required(searched);
        let others = (0..searched.len()).filter(|place| !places.contains(place));
        Self {
            legal_forms: others.map(|place| meaning(&searched[place])).collect(),
            is_prefix: is_prefix && places.last().is_some_and(|last| last + 1 == searched.len()),
            words: Words::of(places.into_iter().map(|place| searched[place].clone()).collect()),
            id: CompanyId::parse(q.trim()).ok(),
            named: tickers.search(q),
        }
    }
}

/// Indexes of the words that companies must have: those of the name. `Companhia Aurora` also means Aurora S.A.
pub(super) fn required(words: &[String]) -> Vec<usize> {
    let places = places_of_name(words);
    if places.iter().any(|place| !is_stop_word(&words[*place])) { places } else { (0..words.len()).collect() }
}

impl Ranking {
    pub(super) fn of(companies: &[Company]) -> Self {
        Self { companies: companies.iter().map(Names::of).collect() }
    }

    /// The positions sorted by rank, with their ranks.
    pub(super) fn ordered(&self, positions: &[u32], query: &RankQuery) -> Vec<(Rank, u32)> {
        let mut ranked: Vec<(Rank, u32)> =
            positions.iter().map(|position| (self.rank(*position, query), *position)).collect();
        ranked.sort_unstable();
        ranked
    }

    fn rank(&self, position: u32, query: &RankQuery) -> Rank {
        let names = &self.companies[position as usize];
        let is_identifier = query.id == Some(names.id) || query.named.contains(&position);
        let (place, Reverse(whole)) = names.place(query);
        let (length, whole_length) = names.lengths;
        (
            Reverse(is_identifier),
            Reverse(is_one(&names.whole, &query.words)),
            names.standing,
            place,
            Reverse(whole),
            Reverse(names.has_all(&query.legal_forms)),
            length,
            whole_length,
        )
    }
}

impl Names {
    fn of(company: &Company) -> Self {
        let names = [Some(company.name.as_str()), company.trading_name.as_deref()];
        let words = |text| Some(Words::of(words_of(text))).filter(|words| !words.folded.is_empty());
        let whole: Vec<Words> = names.into_iter().flatten().filter_map(words).collect();
        let parts = names.into_iter().flatten().flat_map(parts).filter_map(words).collect();
        let length = whole.first().map_or(0, Words::name_letters);
        Self {
            standing: Standing::of(&company.status),
            id: company.id,
            whole,
            parts,
            lengths: (length, company.name.chars().count()),
        }
    }

    fn texts(&self) -> impl Iterator<Item = &Words> {
        self.whole.iter().chain(&self.parts)
    }

    fn has_all(&self, keys: &[String]) -> bool {
        keys.iter().all(|key| self.texts().any(|text| text.keys.contains(key)))
    }

    /// The best match, and whether it has the last word itself rather than a longer one.
    fn place(&self, query: &RankQuery) -> (Place, Reverse<bool>) {
        if is_one(&self.parts, &query.words) {
            return (Place::Part, Reverse(true));
        }
        let in_one = self.texts().filter_map(|text| place_in(text, query)).min();
        in_one.or_else(|| self.scattered(query)).unwrap_or((Place::Elsewhere, Reverse(false)))
    }

    /// Matches words anywhere in the names. Stop words are optional, except the last word typed.
    fn scattered(&self, query: &RankQuery) -> Option<(Place, Reverse<bool>)> {
        let (last, others) = query.words.keys.split_last()?;
        let has = |key: &String| self.texts().any(|text| text.keys.contains(key));
        let whole = has(last);
        let begins = || query.begins(self.texts().flat_map(|text| &text.folded));
        let has_others = others.iter().all(|key| is_stop_word(key) || has(key));
        (has_others && (whole || begins())).then_some((Place::Words, Reverse(whole)))
    }
}

impl RankQuery {
    /// Whether the last word is a prefix of one of these words.
    fn begins<'a>(&self, mut words: impl Iterator<Item = &'a String>) -> bool {
        let last = self.words.folded.last().filter(|_| self.is_prefix);
        last.is_some_and(|last| words.any(|word| word.starts_with(last.as_str())))
    }
}

/// The parts of a name between dashes, if there are several.
fn parts(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (dash, _) in name.match_indices(['-', '–']) {
        let after = name[dash..].chars().skip(1).take(1).any(char::is_whitespace);
        if after || name[..dash].ends_with(char::is_whitespace) {
            parts.push(&name[start..dash]);
            start = dash;
        }
    }
    if start > 0 {
        parts.push(&name[start..]);
    }
    parts
}

fn is_one(names: &[Words], query: &Words) -> bool {
    names.iter().any(|name| is_same_name(name, query))
}

/// Whether a text equals the query, ignoring legal forms and spaces.
fn is_same_name(text: &Words, query: &Words) -> bool {
    if query.name.is_empty() || text.name.is_empty() {
        return text.keys == query.keys;
    }
    text.letters == query.letters || text.name_keys().eq(query.name_keys())
}

/// The place of the query as a phrase in a text, and whether the text has the last word itself.
fn place_in(text: &Words, query: &RankQuery) -> Option<(Place, Reverse<bool>)> {
    let phrase = Phrase { query, text };
    let leading = leading_kinds(&text.folded);
    let every: Vec<usize> = (0..text.keys.len()).collect();
    let in_all =
        (0..every.len()).filter_map(|start| phrase.at(&every[start..], start == 0 || start == leading));
    // Legal forms inside a name do not interrupt a phrase.
    let in_name = (0..text.name.len()).filter_map(|start| phrase.at(&text.name[start..], start == 0));
    in_all.chain(in_name).min()
}

struct Phrase<'a> {
    query: &'a RankQuery,
    text: &'a Words,
}

impl Phrase<'_> {
    /// Whether the words at these indexes start with the query.
    fn at(&self, places: &[usize], is_beginning: bool) -> Option<(Place, Reverse<bool>)> {
        let (last, others) = self.query.words.keys.split_last()?;
        let there = places.get(..=others.len())?;
        let (end, before) = there.split_last()?;
        let same = before.iter().zip(others).all(|(place, key)| self.text.keys[*place] == *key);
        let whole = self.text.keys[*end] == *last;
        let found = same && (whole || self.query.begins([&self.text.folded[*end]].into_iter()));
        let place = if is_beginning { Place::Beginning } else { Place::Phrase };
        found.then_some((place, Reverse(whole)))
    }
}
