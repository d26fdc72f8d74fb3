//! The order in which companies are found, stated once: [`Rank`].

use std::cmp::Reverse;

use lastro_model::{Company, CompanyId, Standing};

use super::legal_forms::{leading_kinds, places_of_name};
use super::tickers::TickerDirectory;
use crate::search::{analyzed, is_stop_word, name_key};

/// The least is found first; what is equal in all of it goes by the name, then by the id.
pub(super) type Rank = (
    /* a registry code or ticker that is the query */ Reverse<bool>,
    /* a name that is the query, legal forms aside */ Reverse<bool>,
    /* active, suspended, cancelled */ Standing,
    /* where names have it */ Place,
    /* the last word itself before a longer one */ Reverse<bool>,
    /* letters of the name, legal forms aside */ usize,
    /* letters of all of it */ usize,
);

/// Where the best name of a company has the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// At its beginning, what kind of company it is aside.
    Beginning,
    /// As a phrase.
    Phrase,
    /// All words somewhere.
    Words,
    /// Not all of it: in the sector, or as an abbreviation.
    Elsewhere,
}

/// The names of a company as words.
struct Names {
    standing: Standing,
    id: CompanyId,
    texts: Vec<Words>,
    /// Letters of the name without and with legal forms.
    lengths: (usize, usize),
}

/// A text as words.
struct Words {
    /// Folded, and as keys that all forms of a word share.
    folded: Vec<String>,
    keys: Vec<String>,
    /// The places of words that are no legal form.
    name: Vec<usize>,
}

impl Words {
    fn of(folded: Vec<String>) -> Self {
        Self {
            keys: folded.iter().map(|word| name_key(word)).collect(),
            name: places_of_name(&folded),
            folded,
        }
    }

    /// The keys of the name itself.
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

/// A query as companies are compared with it.
pub(super) struct Wanted {
    words: Words,
    id: Option<CompanyId>,
    /// The companies that a ticker names.
    named: Vec<u32>,
}

impl Wanted {
    pub(super) fn new(searched: &[String], q: &str, tickers: &TickerDirectory) -> Self {
        let end =
            searched.iter().rposition(|word| !is_stop_word(word)).map_or(searched.len(), |last| last + 1);
        Self {
            words: Words::of(searched[..end].to_vec()),
            id: CompanyId::parse(q.trim()).ok(),
            named: tickers.search(q),
        }
    }
}

impl Ranking {
    pub(super) fn of(companies: &[Company]) -> Self {
        Self { companies: companies.iter().map(Names::of).collect() }
    }

    /// Positions in the order of their ranks, and the best of these.
    pub(super) fn ordered(&self, positions: &[u32], wanted: &Wanted) -> (Option<Rank>, Vec<u32>) {
        let mut ranked: Vec<(Rank, u32)> =
            positions.iter().map(|position| (self.rank(*position, wanted), *position)).collect();
        ranked.sort_unstable();
        (ranked.first().map(|(rank, _)| *rank), ranked.into_iter().map(|(_, position)| position).collect())
    }

    fn rank(&self, position: u32, wanted: &Wanted) -> Rank {
        let names = &self.companies[position as usize];
        let is_identifier = wanted.id == Some(names.id) || wanted.named.contains(&position);
        let is_name = names.texts.iter().any(|text| is_same_name(text, &wanted.words));
        let (place, Reverse(whole)) = names.place(&wanted.words);
        let (length, whole_length) = names.lengths;
        (
            Reverse(is_identifier),
            Reverse(is_name),
            names.standing,
            place,
            Reverse(whole),
            length,
            whole_length,
        )
    }
}

impl Names {
    fn of(company: &Company) -> Self {
        let trading_name = company.trading_name.as_deref().unwrap_or_default();
        let texts: Vec<Words> = [company.name.as_str(), trading_name]
            .into_iter()
            .flat_map(with_parts)
            .map(|text| Words::of(analyzed(text)))
            .filter(|words| !words.folded.is_empty())
            .collect();
        let length = texts.first().map_or(0, Words::name_letters);
        Self {
            standing: Standing::of(&company.status),
            id: company.id,
            texts,
            lengths: (length, company.name.chars().count()),
        }
    }

    /// The best place, and whether the last word itself stands there.
    fn place(&self, wanted: &Words) -> (Place, Reverse<bool>) {
        let in_one = self.texts.iter().filter_map(|text| place_in(text, wanted)).min();
        in_one.or_else(|| self.scattered(wanted)).unwrap_or((Place::Elsewhere, Reverse(false)))
    }

    fn scattered(&self, wanted: &Words) -> Option<(Place, Reverse<bool>)> {
        let (last, others) = wanted.keys.split_last()?;
        let has = |key: &String| is_stop_word(key) || self.texts.iter().any(|text| text.keys.contains(key));
        let begun = wanted.folded.last()?;
        let begins = || self.texts.iter().flat_map(|text| &text.folded).any(|word| word.starts_with(begun));
        let whole = has(last);
        (others.iter().all(has) && (whole || begins())).then_some((Place::Words, Reverse(whole)))
    }
}

/// A name, and the parts of it that dashes divide: many end in what the company is called by everybody.
fn with_parts(name: &str) -> Vec<&str> {
    let mut parts = vec![name];
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

/// Whether a text is the query, legal forms aside.
fn is_same_name(text: &Words, wanted: &Words) -> bool {
    if wanted.name.is_empty() || text.name.is_empty() {
        return text.keys == wanted.keys;
    }
    text.name_keys().eq(wanted.name_keys())
}

/// Where a text has the query as a phrase, and whether it has the last word itself.
fn place_in(text: &Words, wanted: &Words) -> Option<(Place, Reverse<bool>)> {
    let phrase = Phrase { wanted, text };
    let leading = leading_kinds(&text.folded);
    let every: Vec<usize> = (0..text.keys.len()).collect();
    let in_all =
        (0..every.len()).filter_map(|start| phrase.at(&every[start..], start == 0 || start == leading));
    // Legal forms inside a name do not divide it.
    let in_name = (0..text.name.len()).filter_map(|start| phrase.at(&text.name[start..], start == 0));
    in_all.chain(in_name).min()
}

struct Phrase<'a> {
    wanted: &'a Words,
    text: &'a Words,
}

impl Phrase<'_> {
    /// Whether the words at these places start with the query.
    fn at(&self, places: &[usize], is_beginning: bool) -> Option<(Place, Reverse<bool>)> {
        let (last, others) = self.wanted.keys.split_last()?;
        let there = places.get(..=others.len())?;
        let (end, before) = there.split_last()?;
        let same = before.iter().zip(others).all(|(place, key)| self.text.keys[*place] == *key);
        let whole = self.text.keys[*end] == *last;
        let begun = self.wanted.folded.last()?;
        let found = same && (whole || self.text.folded[*end].starts_with(begun));
        let place = if is_beginning { Place::Beginning } else { Place::Phrase };
        found.then_some((place, Reverse(whole)))
    }
}
