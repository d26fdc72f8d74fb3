//! Share of searches that find the intended company first: over a generated registry shaped like the real one, and
//! over the real one if `LASTRO_REAL_DATA` names a directory that has it. The same for filings.

#![allow(clippy::print_stdout, reason = "the figures are for the eye")]

use std::collections::BTreeMap;

use lastro_catalog::{Companies, Filings, FilingsBuilder, Page, Tickers};
use lastro_model::{Cnpj, Company, CompanyId, Day, Filing, FilingId, Stamp, Ticker, TradedSecurity};

const REGISTRY: &str = include_str!("../judged/registry.csv");
const QUESTIONS: &str = include_str!("../judged/questions.csv");
const REAL_QUESTIONS: &str = include_str!("../judged/real_questions.csv");
const EVERYDAY_QUESTIONS: &str = include_str!("../judged/everyday_questions.csv");
const FILINGS: &str = include_str!("../judged/filings.csv");
const FILING_QUESTIONS: &str = include_str!("../judged/filing_questions.csv");

/// Results after the first ten do not count.
const SEEN: Page = Page { limit: 10, offset: 0 };

/// Minimum share of first places and minimum mean reciprocal rank, for each kind of query.
const BARS: [(&str, f64, f64); 8] = [
    ("name", 0.93, 0.95),
    ("brand", 0.93, 0.95),
    ("former", 0.93, 0.95),
    ("ticker", 1.0, 1.0),
    ("code", 1.0, 1.0),
    ("mistyped", 0.80, 0.85),
    ("spaced", 0.90, 0.90),
    ("word", 0.93, 0.95),
];

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split(';').collect())
}

fn company(id: u32, name: &str, trading_name: &str, status: &str, sector: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: name.trim().to_owned(),
        cnpj: Cnpj::parse("33.000.167/0001-01").unwrap(),
        status: status.to_owned(),
        sector: (!sector.is_empty()).then(|| sector.to_owned()),
        trading_name: (!trading_name.trim().is_empty()).then(|| trading_name.trim().to_owned()),
        registered_on: None,
    }
}

pub(crate) fn security(ticker: &str, company: u32) -> TradedSecurity {
    TradedSecurity {
        ticker: Ticker::parse(ticker).unwrap(),
        company_id: CompanyId(company),
        kind: "Ações Ordinárias".to_owned(),
        class: None,
        segment: None,
        trading_from: None,
        trading_to: None,
        reference_day: Day::parse("2026-01-01").unwrap(),
        version: 1,
    }
}

fn made_up() -> Companies {
    let (mut companies, mut securities) = (Vec::new(), Vec::new());
    for row in rows(REGISTRY) {
        let [id, status, name, trading_name, sector, tickers] = <[&str; 6]>::try_from(row).unwrap();
        let id = id.parse().unwrap();
        companies.push(company(id, name, trading_name, status, sector));
        securities.extend(tickers.split_whitespace().map(|ticker| security(ticker, id)));
    }
    let tickers = Tickers::published(Stamp::default(), Day::parse("2026-11-02").unwrap(), securities);
    Companies::with_tickers(companies, &tickers).unwrap()
}

/// The regulator's registry: one byte per letter, columns separated by semicolons, no quotes. The tickers of the listed
/// companies are in another file; with `listed`, made-up ones take their place.
fn real(listed: bool) -> Option<Companies> {
    let path = std::path::PathBuf::from(std::env::var_os("LASTRO_REAL_DATA")?).join("cvm/cad_cia_aberta.csv");
    let text: String = std::fs::read(path).unwrap().into_iter().map(char::from).collect();
    let columns: Vec<&str> = text.lines().next()?.split(';').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let wanted = ["CD_CVM", "DENOM_SOCIAL", "DENOM_COMERC", "SIT", "SETOR_ATIV", "TP_MERC"].map(place);
    let (mut companies, mut securities) = (Vec::new(), Vec::new());
    for row in rows(&text) {
        let [id, name, trading_name, status, sector, market] = wanted.map(|place| row[place]);
        let id = id.parse().unwrap();
        companies.push(company(id, name, trading_name, status, sector));
        if listed && market == "BOLSA" && status == "ATIVO" {
            securities.push(security(&format!("Z{:03}3", securities.len()), id));
        }
    }
    let tickers = Tickers::published(Stamp::default(), Day::parse("2026-11-02").unwrap(), securities);
    Some(Companies::with_tickers(companies, &tickers).unwrap())
}

fn filings() -> Filings {
    let mut builder = FilingsBuilder::new();
    for row in rows(FILINGS) {
        let [id, company, category, kind, description] = <[&str; 5]>::try_from(row).unwrap();
        builder.push(Filing {
            id: FilingId::Protocol(id.parse().unwrap()),
            company_id: CompanyId(1),
            company_name: company.to_owned(),
            category: category.to_owned(),
            kind: (!kind.is_empty()).then(|| kind.to_owned()),
            delivered_on: Day::parse("2026-11-02").unwrap(),
            reference_day: None,
            description: description.to_owned(),
            version: 1,
            url: String::new(),
        });
    }
    builder.finish().unwrap()
}

#[derive(Default)]
struct Score {
    asked: f64,
    first: f64,
    reciprocals: f64,
    missed: Vec<String>,
}

/// Scores the results of a search, by kind of query.
fn scores(questions: &str, search: impl Fn(&str) -> Vec<String>) -> BTreeMap<String, Score> {
    let mut scores = BTreeMap::<String, Score>::new();
    for row in rows(questions) {
        let [kind, query, wanted] = <[&str; 3]>::try_from(row).unwrap();
        let found = search(query);
        let place = found.iter().position(|id| id == wanted);
        let score = scores.entry(kind.to_owned()).or_default();
        score.asked += 1.0;
        score.first += if place == Some(0) { 1.0 } else { 0.0 };
        score.reciprocals += place.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        if place != Some(0) {
            let first = found.first().map_or("nothing", String::as_str);
            score.missed.push(format!("{query}: {wanted} wanted, {first} first ({place:?})"));
        }
    }
    scores
}

fn companies_of(part: &Companies) -> impl Fn(&str) -> Vec<String> {
    |q| part.search(q, SEEN).rows.iter().map(|position| part.company(position).id.to_string()).collect()
}

fn assert_bars(what: &str, scores: &BTreeMap<String, Score>) {
    for (kind, first, mean) in BARS {
        let Some(score) = scores.get(kind) else { continue };
        let (top, mrr) = (score.first / score.asked, score.reciprocals / score.asked);
        println!("{what}, {kind}: {} questions, top-1 {top:.3}, MRR {mrr:.3}", score.asked);
        score.missed.iter().for_each(|missed| println!("    {missed}"));
        assert!(top >= first && mrr >= mean, "{what}, {kind}: {:?}", score.missed);
    }
}

#[test]
fn finds_the_intended_company_in_a_generated_registry() {
    assert_bars("made up", &scores(QUESTIONS, companies_of(&made_up())));
}

#[test]
fn finds_the_intended_company_in_the_real_registry() {
    for (what, listed) in [("real", false), ("real and listed", true)] {
        let Some(part) = real(listed) else { return };
        assert_bars(what, &scores(REAL_QUESTIONS, companies_of(&part)));
        assert_bars(what, &scores(EVERYDAY_QUESTIONS, companies_of(&part)));
    }
}

#[test]
fn searching_the_corrected_text_finds_the_same() {
    let part = made_up();
    let further = [
        "bevil nordeste bebids",
        "banco do litoral s a",
        "petro sull quimica",
        "aero bras hold",
        "gerdali a s a",
    ];
    // Letters joined by punctuation are whole words, also when they are searched for again.
    let endings = ["", " s/a", " C&A", " d.i.", " AGO/E", " p. l."];
    let asked = rows(QUESTIONS).map(|row| row[1]).chain(further);
    for q in asked.flat_map(|q| endings.map(|ending| format!("{q}{ending}"))) {
        let first = part.search(&q, SEEN);
        let Some(corrected) = first.interpretation.corrected.clone() else { continue };
        let again = part.search(&corrected, SEEN);
        assert_eq!((first.total, &first.rows), (again.total, &again.rows), "{q}: {corrected}");
        assert_eq!(
            (again.interpretation.corrected, again.interpretation.relaxed),
            (None, first.interpretation.relaxed),
            "{q}"
        );
    }
}

#[test]
fn finds_the_intended_filing_first() {
    let part = filings();
    let found = |q: &str| -> Vec<String> {
        part.search(q, SEEN).rows.iter().map(|position| part.filing(position).id.to_string()).collect()
    };
    assert_bars("filings", &scores(FILING_QUESTIONS, found));
}
