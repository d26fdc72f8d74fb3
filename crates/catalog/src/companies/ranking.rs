//! The order of companies in search results, defined once in [`Rank`].

use std::cmp::Reverse;

use lastro_model::{CompanyId, Standing, Ticker};
use lastro_search::{is_stop_word, meaning, words_of};

use super::legal_forms::{leading_kinds, places_of_name};
use super::names::letters;
use super::profile::Profile;
use super::tickers::TickerDirectory;

/// The sort key of a company; the lowest comes first. Ties are ordered by name, then by id.
pub(super) type Rank = (
    /* the query is its registry code or ticker */ Reverse<bool>,
    /* the query is a name, ignoring legal forms and spaces; an active company's first */ Equality,
    /* its tickers begin with the query */ Reverse<bool>,
    /* active, suspended, cancelled */ Standing,
    /* the query is a name, and so are its legal forms: Aurora Holding is not Aurora */ Reverse<bool>,
    /* has a ticker */ Reverse<bool>,
    /* kind of match in the names */ Place,
    /* the last word itself before a longer one */ Reverse<bool>,
    /* in a registered or trading name before a brand or former name */ Reverse<bool>,
    /* has the legal forms of the query */ Reverse<bool>,
    /* letters of the name, without legal forms */ usize,
    /* letters of the whole name */ usize,
);

/// Whether a name equals the query or begins with it.
pub(super) fn is_named(rank: &Rank) -> bool {
    let (_, _, _, _, _, _, place, ..) = rank;
    is_name(rank) || *place <= Place::Beginning
}

pub(super) fn standing_of((_, _, _, standing, ..): &Rank) -> Standing {
    *standing
}

pub(super) fn is_name((_, equality, ..): &Rank) -> bool {
    *equality != Equality::None
}

/// Whether the query is a name of a company: registered, trading or former name, or brand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Equality {
    OfActive,
    OfOther,
    None,
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

/// The best match in a company's names, whether it has the last word itself rather than a longer one, and whether it is
/// in a registered or trading name.
type Found = (Place, Reverse<bool>, Reverse<bool>);

/// The names of a company as words.
struct Names {
    standing: Standing,
    is_listed: bool,
    id: CompanyId,
    /// The name, the trading name, and the names that the company is also known as.
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
    /// Whether this is a registered or trading name, or a part of one.
    is_registered: bool,
}

impl Words {
    fn of(folded: Vec<String>, is_registered: bool) -> Self {
        Self {
            is_registered,
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
    /// The companies that the query names by a ticker, or by what their tickers begin with.
    named: Vec<u32>,
    /// Whether the query is a whole ticker.
    is_ticker: bool,
}

impl RankQuery {
    /// Prepares a query from its words. With `is_prefix` the last word may be a prefix.
    pub(super) fn new(searched: &[String], is_prefix: bool, q: &str, tickers: &TickerDirectory) -> Self {
        let places = required(searched);
        let others = (0..searched.len()).filter(|place| !places.contains(place));
        Self {
            legal_forms: others.map(|place| meaning(&searched[place])).collect(),
            is_prefix: is_prefix && places.last().is_some_and(|last| last + 1 == searched.len()),
            words: Words::of(places.into_iter().map(|place| searched[place].clone()).collect(), false),
            id: CompanyId::parse(q.trim()).ok(),
            named: tickers.search(q),
            is_ticker: Ticker::parse(q).is_ok(),
        }
    }
}

/// Indexes of the words that companies must have: those of the name. `Companhia Aurora` also means Aurora S.A.
pub(super) fn required(words: &[String]) -> Vec<usize> {
    let places = places_of_name(words);
    if places.iter().any(|place| !is_stop_word(&words[*place])) { places } else { (0..words.len()).collect() }
}

impl Ranking {
    /// Takes the companies in the order of their positions.
    pub(super) fn of<'a>(companies: impl Iterator<Item = Profile<'a>>) -> Self {
        Self { companies: companies.map(|company| Names::of(&company)).collect() }
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
        let is_bearer = query.named.contains(&position);
        let is_identifier = query.id == Some(names.id) || query.is_ticker && is_bearer;
        let (place, whole, is_registered) = names.place(query);
        let (length, whole_length) = names.lengths;
        let (equality, has_forms) = (names.equality(query), names.has_all(&query.legal_forms));
        (
            Reverse(is_identifier),
            equality,
            Reverse(is_bearer),
            names.standing,
            Reverse(has_forms && equality != Equality::None),
            Reverse(names.is_listed),
            place,
            whole,
            is_registered,
            Reverse(has_forms),
            length,
            whole_length,
        )
    }
}

impl Names {
    fn of(profile: &Profile<'_>) -> Self {
        let registered = profile.registered_names().map(|name| (name, true));
        let names =
            || registered.clone().chain(profile.also_known_as.iter().map(|name| (name.as_str(), false)));
        let words = |(text, is_registered): (&str, bool)| {
            Some(Words::of(words_of(text), is_registered)).filter(|words| !words.folded.is_empty())
        };
        let whole: Vec<Words> = names().filter_map(words).collect();
        let parts = |(name, is_registered)| parts(name).into_iter().map(move |part| (part, is_registered));
        let parts = names().flat_map(parts).filter_map(words).collect();
        let length = whole.first().map_or(0, Words::name_letters);
        let company = profile.company;
        Self {
            standing: Standing::of(&company.status),
            is_listed: !profile.tickers.is_empty(),
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

    fn equality(&self, query: &RankQuery) -> Equality {
        match (is_one(&self.whole, &query.words), self.standing) {
            (true, Standing::Active) => Equality::OfActive,
            (true, _) => Equality::OfOther,
            (false, _) => Equality::None,
        }
    }

    fn place(&self, query: &RankQuery) -> Found {
        let part = self.parts.iter().filter(|part| is_same_name(part, &query.words));
        let part = part.map(|part| (Place::Part, Reverse(true), Reverse(part.is_registered))).min();
        let in_one = || {
            let found = |text: &Words| {
                place_in(text, query).map(|(place, whole)| (place, whole, Reverse(text.is_registered)))
            };
            self.texts().filter_map(found).min()
        };
        let elsewhere = (Place::Elsewhere, Reverse(false), Reverse(false));
        part.or_else(in_one).or_else(|| self.scattered(query)).unwrap_or(elsewhere)
    }

    /// Matches words anywhere in the names. Stop words are optional, except the last word typed.
    fn scattered(&self, query: &RankQuery) -> Option<Found> {
        let (last, others) = query.words.keys.split_last()?;
        let has = |key: &String| self.texts().any(|text| text.keys.contains(key));
        let whole = has(last);
        let begins = || query.begins(self.texts().flat_map(|text| &text.folded));
        let has_others = others.iter().all(|key| is_stop_word(key) || has(key));
        (has_others && (whole || begins())).then_some((Place::Words, Reverse(whole), Reverse(false)))
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
