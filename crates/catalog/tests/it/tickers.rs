//! Companies by the tickers of their securities.

use std::collections::BTreeMap;

use lastro_catalog::{Cell, Companies, Page, Part, Table, Tickers, company_json};
use lastro_model::{Cnpj, Company, CompanyId, Day, Edition, Stamp, Ticker, TradedSecurity};
use proptest::prelude::*;

const ALL: Page = Page { limit: 1000, offset: 0 };

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

fn ticker(text: &str) -> Ticker {
    Ticker::parse(text).unwrap()
}

fn company(id: u32, name: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: Cnpj::parse("33.000.167/0001-01").unwrap(),
        status: "ATIVO".to_owned(),
        sector: None,
        trading_name: None,
        registered_on: None,
    }
}

fn security(code: &str, company: u32, from: &str, to: Option<&str>, reference: &str) -> TradedSecurity {
    TradedSecurity {
        ticker: ticker(code),
        company_id: CompanyId(company),
        kind: "Ações Ordinárias".to_owned(),
        class: None,
        segment: None,
        trading_from: Some(day(from)),
        trading_to: to.map(day),
        reference_day: day(reference),
        version: 1,
    }
}

fn stamp() -> Stamp {
    Stamp { edition: Edition(7), published_unix_ms: 70 }
}

fn part(companies: Vec<Company>, securities: Vec<TradedSecurity>) -> Companies {
    let tickers = Tickers::published(stamp(), day("2026-11-02"), securities);
    Companies::with_tickers(companies, &tickers).unwrap()
}

fn exchange() -> Companies {
    let companies = vec![
        company(1, "Petróleo Fictício"),
        company(2, "Vale do Vale"),
        company(3, "Comércio do Vale"),
        company(4, "Petr Imóveis"),
    ];
    let (from, new) = ("2001-01-02", "2026-01-01");
    part(
        companies,
        vec![
            security("PETR11", 1, from, None, new),
            security("PETR4", 1, from, None, new),
            security("PETR3", 1, from, None, new),
            security("VALE3", 3, from, None, new),
            security("OLDX3", 2, from, Some("2026-11-01"), new),
            security("LAST3", 2, from, Some("2026-11-02"), new),
            security("NONE3", 99, from, None, new),
        ],
    )
}

fn names(part: &Companies, q: &str) -> Vec<String> {
    part.search(q, ALL).rows.iter().map(|position| part.company(position).name.clone()).collect()
}

fn shown(part: &Companies, id: u32) -> Vec<String> {
    let json = part.json(part.position(CompanyId(id)).unwrap());
    let object: serde_json::Value = serde_json::from_slice(json).unwrap();
    object["tickers"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_company_shows_its_current_tickers_by_number() {
    let part = exchange();
    assert_eq!(shown(&part, 1), ["PETR3", "PETR4", "PETR11"]);
    assert_eq!(shown(&part, 2), ["LAST3"], "the last day of trading is one");
    assert_eq!(shown(&part, 4), [""; 0]);
    assert_eq!(part.by_ticker(ticker("petr4")), part.position(CompanyId(1)));
    for unknown in ["OLDX3", "NONE3", "PETR5"] {
        assert_eq!(part.by_ticker(ticker(unknown)), None, "{unknown}");
    }
    let mut cells = Vec::new();
    part.cells(part.position(CompanyId(1)).unwrap(), &mut |cell| {
        if let Cell::List(texts, separator) = cell {
            cells.push(texts.join(separator));
        }
    });
    assert_eq!(cells[0], "PETR3 PETR4 PETR11");
    let at = Companies::COLUMNS.len() - 3;
    assert_eq!(Companies::COLUMNS[at..], ["tickers", "also_known_as", "first_seen_at"]);
}

#[test]
fn company_json_equals_the_catalogs() {
    let part = exchange();
    for position in 0..part.len() as u32 {
        let company = part.company(position);
        let alone = company_json(company, &part);
        assert_eq!(&*alone, part.json(position));
    }
}

#[test]
fn a_ticker_or_its_root_finds_its_company_first() {
    let part = exchange();
    for q in ["PETR4", " petr4 ", "petr11", "PETR3"] {
        assert_eq!(names(&part, q), ["Petróleo Fictício"], "{q}");
    }
    assert_eq!(names(&part, "petr"), ["Petróleo Fictício", "Petr Imóveis"]);
    assert_eq!(names(&part, "VALE"), ["Comércio do Vale", "Vale do Vale"], "the ticker before the name");
    assert_eq!(names(&part, "petr4 petroleo"), ["Petróleo Fictício"], "a ticker is a word like others");
    assert!(names(&part, "OLDX3").is_empty() && names(&part, "PETR5").is_empty());
    let named = vec![company(1, "Outra"), company(2, "Nova S.A."), company(3, "Nova Outra")];
    let part = self::part(named, vec![security("NOVA3", 1, "2001-01-02", None, "2026-01-01")]);
    assert_eq!(
        names(&part, "nova")[..2],
        ["Nova S.A.", "Outra"],
        "a whole name before what a ticker begins with"
    );
    assert_eq!(names(&part, "NOVA3"), ["Outra"]);
}

#[test]
fn companies_found_by_ticker_are_paged() {
    let part = exchange();
    let second = part.search("vale", Page { limit: 1, offset: 1 });
    assert_eq!((second.total, second.rows.len()), (2, 1));
    let past = part.search("vale", Page { limit: usize::MAX, offset: usize::MAX });
    assert_eq!((past.total, past.rows.len()), (2, 0));
}

#[test]
fn a_text_corrected_to_a_ticker_finds_its_company() {
    let from = "2020-01-02";
    let part = part(
        vec![company(1, "EMBRA S.A."), company(2, "EMBRAER S.A.")],
        vec![security("EMBR3", 2, from, None, "2026-01-01")],
    );
    assert_eq!(part.search("exbr", ALL).interpretation.corrected.as_deref(), Some("embr"));
    assert_eq!(names(&part, "embr"), ["EMBRAER S.A.", "EMBRA S.A."]);
    assert_eq!(names(&part, "exbr"), names(&part, "embr"));
}

#[test]
fn a_transferred_ticker_belongs_to_its_newest_holder() {
    let two = || vec![company(1, "A"), company(2, "B")];
    let bearer = |securities: Vec<TradedSecurity>| {
        let part = part(two(), securities);
        part.by_ticker(ticker("ABCD3")).map(|position| part.company(position).id.0)
    };
    let old = || security("ABCD3", 1, "2020-01-02", None, "2025-01-01");
    assert_eq!(bearer(vec![old(), security("ABCD3", 2, "1999-01-04", None, "2026-01-01")]), Some(2));
    assert_eq!(bearer(vec![security("ABCD3", 2, "2021-01-04", None, "2025-01-01"), old()]), Some(2));
    let ended = security("ABCD3", 2, "2021-01-04", Some("2026-06-30"), "2026-01-01");
    assert_eq!(bearer(vec![ended, old()]), Some(1), "what has ended stands in nobody's way");
}

#[test]
fn companies_have_two_stamps() {
    let own = Stamp { edition: Edition(3), published_unix_ms: 30 };
    let part = Part { stamp: own, sample: false, data: exchange() };
    assert_eq!(part.stamps(), [own, stamp()]);
    assert_eq!(Part::<Companies>::default().stamps(), [Stamp::default(); 2]);
}

prop_compose! {
    fn any_security()(
        root in prop::sample::select(vec!["AAAA", "BBBB", "CCCC"]),
        number in prop::sample::select(vec!["3", "4", "11"]),
        company in 0u32..6,
        ends in prop::option::of(20_700i32..20_800),
        reference in 20_000i32..20_004,
    ) -> TradedSecurity {
        TradedSecurity {
            trading_to: ends.and_then(Day::from_number),
            reference_day: Day::from_number(reference).unwrap(),
            ..security(&format!("{root}{number}"), company, "2001-01-02", None, "2026-01-01")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_ticker_has_one_holder_that_shows_it(securities in prop::collection::vec(any_security(), 0..30)) {
        let companies: Vec<Company> = (0..5).map(|id| company(id, &format!("Companhia {id}"))).collect();
        let part = part(companies, securities.clone());
        let mut bearers: BTreeMap<String, u32> = BTreeMap::new();
        for id in 0..5 {
            for code in shown(&part, id) {
                prop_assert_eq!(names(&part, &code), [format!("Companhia {id}")]);
                prop_assert!(bearers.insert(code, id).is_none(), "two companies show one ticker");
            }
        }
        for security in securities.iter().filter(|security| security.company_id.0 < 5) {
            let bearer = bearers.get(&security.ticker.to_string()).copied();
            prop_assert_eq!(part.by_ticker(security.ticker).map(|at| part.company(at).id.0), bearer);
            prop_assert!(bearer.is_some() || security.has_ended(day("2026-11-02")));
            let newer = |other: &&TradedSecurity| Some(other.company_id.0) == bearer
                && other.ticker == security.ticker && other.reference_day >= security.reference_day;
            prop_assert!(security.has_ended(day("2026-11-02")) || securities.iter().any(|other| newer(&other)));
        }
    }
}
