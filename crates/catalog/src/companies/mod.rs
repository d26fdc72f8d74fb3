//! Companies by name: posting lists for the filters, lookup by registry code, CNPJ and ticker, a search index.
//!
//! A position is a company's index in the listing order: by name, then by registry code. There are a few thousand
//! companies, so each record is kept whole beside its JSON.

mod brands;
mod cnpjs;
mod filter;
mod legal_forms;
mod names;
mod profile;
mod ranking;
mod search;
mod tickers;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;
use jiff::Timestamp;
use lastro_model::{
    Cnpj, Company, CompanyId, Day, FormerName, History, Stamp, Standing, Ticker, TradedSecurity,
};
use lastro_search::{Field, IndexBuilder, LONGEST_NAME, NamedWords, Names, Searcher, Span, Title};

use crate::BuildError;
use crate::highlights::{Highlights, Searchable};
use crate::json::{Name, Object, Plain, push_string, with_history};
use crate::name;
use crate::table::{Cell, ColumnType, Table};
use cnpjs::CnpjDirectory;
use filter::Filters;
use names::NameDirectory;
use profile::Profile;
use ranking::Ranking;
use tickers::TickerDirectory;

pub use brands::companies_with_brands;
pub use filter::CompanyFilter;

/// Number of leading words of a text that are searched for names.
const MOST_WORDS: usize = 16;
/// Maximum number of companies that one name stands for.
const MOST_BEARERS: usize = 16;

/// The content of companies' registration forms, as input to the catalog: tickers and former names.
#[derive(Debug, Clone, Default)]
pub struct Tickers {
    stamp: Stamp,
    securities: Vec<TradedSecurity>,
    former_names: Vec<FormerName>,
}

impl Tickers {
    /// Drops securities whose trading had ended by the day this state was published. Using the day of the request or
    /// of the build would make replicas respond differently under the same stamp.
    pub fn published(stamp: Stamp, on: Day, mut securities: Vec<TradedSecurity>) -> Self {
        securities.retain(|security| !security.has_ended(on));
        Self { stamp, securities, former_names: Vec::new() }
    }

    #[must_use]
    pub fn with_former_names(self, former_names: Vec<FormerName>) -> Self {
        Self { former_names, ..self }
    }
}

#[derive(Default)]
pub struct Companies {
    /// The companies that the registry lists, then the withdrawn ones, both in listing order.
    companies: Vec<Company>,
    histories: Vec<History>,
    /// The number of companies that the registry lists.
    listed: u32,
    /// Brands and former names, by position.
    also_known_as: Vec<Vec<String>>,
    json: Vec<Box<[u8]>>,
    positions: HashMap<CompanyId, u32>,
    cnpjs: CnpjDirectory,
    tickers: TickerDirectory,
    tickers_stamp: Stamp,
    filters: Filters,
    index: Searcher,
    ranking: Ranking,
    names: NameDirectory,
    /// Unique to this registry.
    id: u64,
}

/// The id of the next registry. An empty registry has none.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Companies {
    /// Builds the part without tickers.
    pub fn build(companies: Vec<Company>) -> Result<Self, BuildError> {
        Self::with_tickers(companies, &Tickers::default())
    }

    /// Builds the part. If a registry code occurs twice, the later input wins. Tickers of unregistered companies are
    /// dropped.
    pub fn with_tickers(companies: Vec<Company>, tickers: &Tickers) -> Result<Self, BuildError> {
        Self::with_histories(
            companies.into_iter().map(|company| (company, History::default())).collect(),
            tickers,
        )
    }

    /// Builds the part of companies with their histories. Withdrawn ones are found by id and CNPJ only.
    pub fn with_histories(companies: Vec<(Company, History)>, tickers: &Tickers) -> Result<Self, BuildError> {
        let by_id: BTreeMap<CompanyId, (Company, History)> =
            companies.into_iter().map(|(company, history)| (company.id, (company, history))).collect();
        let mut companies: Vec<(Company, History)> = by_id.into_values().collect();
        u32::try_from(companies.len()).map_err(|_| BuildError::TooLarge("the number of companies"))?;
        companies.sort_by(|(a, of_a), (b, of_b)| {
            (of_a.is_withdrawn(), &a.name, a.id).cmp(&(of_b.is_withdrawn(), &b.name, b.id))
        });
        let listed = companies.partition_point(|(_, history)| !history.is_withdrawn());
        let (companies, histories): (Vec<Company>, Vec<History>) = companies.into_iter().unzip();
        let mut positions =
            (0..).zip(&companies[..listed]).map(|(position, company)| (company.id, position)).collect();
        let directory = TickerDirectory::of(&tickers.securities, &positions);
        positions
            .extend((0..).zip(&companies).skip(listed).map(|(position, company)| (company.id, position)));
        let also_known_as = profile::also_known_as(&companies, &tickers.former_names);
        let profiles = || {
            let rows = companies.iter().zip(&also_known_as);
            (0..).zip(rows).map(|(position, (company, also_known_as))| Profile {
                company,
                tickers: directory.of_position(position).collect(),
                also_known_as,
            })
        };
        let of_registry = &companies[..listed];
        Ok(Self {
            json: profiles().zip(&histories).map(|(profile, history)| rendered(&profile, *history)).collect(),
            index: index(profiles().take(listed))?,
            positions,
            cnpjs: CnpjDirectory::of(of_registry),
            filters: Filters::of(of_registry),
            ranking: Ranking::of(profiles().take(listed)),
            names: NameDirectory::of(profiles().take(listed)),
            listed: listed as u32,
            histories,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            tickers: directory,
            tickers_stamp: tickers.stamp,
            also_known_as,
            companies,
        })
    }

    /// The number of companies that the registry lists.
    pub fn len(&self) -> usize {
        self.listed as usize
    }

    pub fn is_empty(&self) -> bool {
        self.listed == 0
    }

    /// The position of a company, listed or withdrawn.
    pub fn position(&self, id: CompanyId) -> Option<u32> {
        self.positions.get(&id).copied()
    }

    /// The company with this CNPJ. Of several, an active one is preferred, then the one registered last.
    pub fn by_cnpj(&self, cnpj: &Cnpj) -> Option<u32> {
        let withdrawn = || self.withdrawn().find(|position| self.company(*position).cnpj == *cnpj);
        self.cnpjs.bearers(cnpj).next().or_else(withdrawn)
    }

    /// The positions of the withdrawn companies.
    fn withdrawn(&self) -> Range<u32> {
        self.listed..self.companies.len() as u32
    }

    /// All companies with this CNPJ, in the order in which [`Self::by_cnpj`] prefers them.
    pub fn ids_of_cnpj(&self, cnpj: &Cnpj) -> impl Iterator<Item = CompanyId> {
        let withdrawn = self.withdrawn().filter(|position| self.company(*position).cnpj == *cnpj);
        self.cnpjs.bearers(cnpj).chain(withdrawn).map(|position| self.company(position).id)
    }

    /// The company whose security has this ticker.
    pub fn by_ticker(&self, ticker: Ticker) -> Option<u32> {
        self.tickers.bearer(ticker)
    }

    /// Another record of a company as one JSON object, with the tickers and names that are known here, and the time at
    /// which it was first seen.
    pub(crate) fn rendered(&self, company: &Company) -> Box<[u8]> {
        let position = self.position(company.id);
        let tickers = position.map(|position| self.tickers.of_position(position).collect());
        let history = position.map(|position| self.history(position)).unwrap_or_default();
        let profile = Profile {
            company,
            tickers: tickers.unwrap_or_default(),
            also_known_as: position.map_or(&[], |position| self.also_known_as(position)),
        };
        rendered(&profile, History { withdrawn: None, ..history })
    }

    /// The brands and former names of a company.
    pub fn also_known_as(&self, position: u32) -> &[String] {
        &self.also_known_as[position as usize]
    }

    /// The stamp of the tickers shown with the companies.
    pub fn tickers_stamp(&self) -> Stamp {
        self.tickers_stamp
    }

    /// # Panics
    /// Like every method that takes a position: if this part did not return that position.
    pub fn company(&self, position: u32) -> &Company {
        &self.companies[position as usize]
    }

    /// The company as one JSON object.
    pub fn json(&self, position: u32) -> &[u8] {
        &self.json[position as usize]
    }

    /// The history of a company.
    pub fn history(&self, position: u32) -> History {
        self.histories[position as usize]
    }

    /// The companies that the words name: by CNPJ, ticker or any name, ignoring legal forms.
    fn named(&self, words: &[String]) -> Vec<u32> {
        let by_number = |word: &str| -> Vec<u32> {
            Cnpj::parse(word).map(|cnpj| self.cnpjs.bearers(&cnpj).collect()).unwrap_or_default()
        };
        let by_ticker = |word: &str| self.by_ticker(Ticker::parse(word).ok()?);
        let by_sign: Vec<u32> = match words {
            [word] => by_number(word).into_iter().chain(by_ticker(word)).collect(),
            _ => Vec::new(),
        };
        if by_sign.is_empty() { self.names.called(words, MOST_BEARERS).to_vec() } else { by_sign }
    }

    /// Whether a company has this word, in any form or as a prefix.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.index.knows(word)
    }
}

impl Names for Companies {
    fn id(&self) -> u64 {
        self.id
    }

    /// Takes the longest of several names that begin with the same word.
    fn named_in(&self, words: &[String]) -> Vec<NamedWords> {
        let words = &words[..words.len().min(MOST_WORDS)];
        let (mut found, mut start) = (Vec::new(), 0);
        while start < words.len() {
            let ends = (start + 1..=words.len().min(start + LONGEST_NAME)).rev();
            let mut names = ends.map(|end| (start..end, self.named(&words[start..end])));
            let longest = names.find(|(_, positions)| !positions.is_empty());
            start = longest.as_ref().map_or(start + 1, |(name, _)| name.end);
            found.extend(longest.map(|(words, positions)| {
                let bearers = positions.into_iter().take(MOST_BEARERS);
                let codes = bearers.map(|position| self.company(position).id.to_string()).collect();
                NamedWords { words, codes }
            }));
        }
        found
    }
}

impl Table for Companies {
    const COLUMNS: &'static [&'static str] = &[
        "id",
        "name",
        "cnpj",
        "status",
        "sector",
        "trading_name",
        "registered_on",
        "tickers",
        "also_known_as",
        "first_seen_at",
    ];
    const TYPES: &'static [ColumnType] = &[
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Text,
        ColumnType::Day,
        ColumnType::TextList,
        ColumnType::TextList,
        ColumnType::Instant,
    ];

    fn write_json(&self, position: u32, out: &mut Vec<u8>) {
        out.extend_from_slice(self.json(position));
    }

    fn cells(&self, position: u32, put: &mut dyn FnMut(Cell<'_>)) {
        let company = self.company(position);
        put(Cell::Token(&company.id));
        put(Cell::Text(&company.name));
        put(Cell::Token(&company.cnpj));
        put(Cell::Text(&company.status));
        put(Cell::optional_text(company.sector.as_deref()));
        put(Cell::optional_text(company.trading_name.as_deref()));
        put(Cell::optional_token(company.registered_on.as_ref()));
        let tickers: Vec<String> =
            self.tickers.of_position(position).map(|ticker| ticker.to_string()).collect();
        put(Cell::List(&tickers, " "));
        put(Cell::List(self.also_known_as(position), "; "));
        put(Cell::optional_token(self.history(position).first_seen.as_ref()));
    }

    fn withdrawn_at(&self, position: u32) -> Option<Timestamp> {
        self.history(position).withdrawn
    }
}

impl Searchable for Companies {
    fn marked(&self, position: u32, highlights: &Highlights) -> Vec<(Name, Vec<Span>)> {
        let company = self.company(position);
        let in_optional = |text: &Option<String>| highlights.in_text(text.as_deref().unwrap_or_default());
        vec![
            (name!("id"), highlights.in_text(&company.id.to_string())),
            (name!("name"), highlights.in_text(&company.name)),
            (name!("cnpj"), highlights.in_cnpj(&company.cnpj)),
            (name!("sector"), in_optional(&company.sector)),
            (name!("trading_name"), in_optional(&company.trading_name)),
        ]
    }

    fn marked_lists(&self, position: u32, highlights: &Highlights) -> Vec<(Name, Vec<Vec<Span>>)> {
        let names = self.also_known_as(position).iter().map(|name| highlights.in_text(name));
        vec![(name!("also_known_as"), names.collect())]
    }
}

/// Builds the index over all names, sector, registry code and tickers. CNPJs are searched separately. No word is
/// corrected to one that only cancelled companies have.
fn index<'a>(companies: impl Iterator<Item = Profile<'a>>) -> Result<Searcher, BuildError> {
    let (mut index, mut current) = (IndexBuilder::default(), Vec::new());
    for profile in companies {
        let company = profile.company;
        // Each name and each ticker is a title of its own, so all count the same.
        let names: Vec<Title> = profile.names().map(|name| index.title(name)).collect();
        let tickers = profile.tickers.iter().map(Ticker::to_string);
        let codes: Vec<Title> =
            [company.id.to_string()].into_iter().chain(tickers).map(|code| index.title(&code)).collect();
        let sector = index.title(company.sector.as_deref().unwrap_or_default());
        let names = names.iter().map(|title| (Field::Owner, title));
        let codes = codes.iter().map(|title| (Field::Code, title));
        let titles: Vec<(Field, &Title)> = names.chain([(Field::Label, &sector)]).chain(codes).collect();
        index.push(&titles, "")?;
        current.push(Standing::of(&company.status) != Standing::Cancelled);
    }
    Ok(Searcher::correcting_to(index.finish()?, &|row| current[row as usize]))
}

/// A company of the log of changes as one JSON object.
pub(crate) fn rendered_alone(
    company: &Company,
    history: History,
    tickers: &[Ticker],
    former_names: &[String],
) -> Box<[u8]> {
    let also_known_as = profile::other_names(company, former_names.iter().map(String::as_str));
    rendered(&Profile { company, tickers: tickers.to_vec(), also_known_as: &also_known_as }, history)
}

/// The company as one JSON object.
fn rendered(profile: &Profile<'_>, history: History) -> Box<[u8]> {
    let company = profile.company;
    let object = Object::new(Vec::with_capacity(256))
        .token(name!("id"), company.id)
        .text(name!("name"), &company.name)
        .token(name!("cnpj"), company.cnpj)
        .text(name!("status"), &company.status)
        .optional_text(name!("sector"), company.sector.as_deref())
        .optional_text(name!("trading_name"), company.trading_name.as_deref())
        .optional_token(name!("registered_on"), company.registered_on)
        .array(name!("tickers"), &profile.tickers, |ticker, out| {
            out.push(b'"');
            ticker.write_into(out);
            out.push(b'"');
        })
        .array(name!("also_known_as"), profile.also_known_as, |name, out| push_string(name, out));
    with_history(object, history).end().into_boxed_slice()
}

impl fmt::Debug for Companies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Companies").field("len", &self.len()).finish_non_exhaustive()
    }
}
