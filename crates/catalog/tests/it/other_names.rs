//! Companies by their brands and former names.

use std::sync::Arc;

use lastro_catalog::{
    Catalog, Cell, Companies, Filings, FilingsBuilder, Page, Part, Searchable, Table, Tickers,
};
use lastro_model::{Cnpj, Company, CompanyId, Day, Filing, FilingId, FormerName, Stamp, TradedSecurity};
use serde_json::json;

use crate::judged::security;

const ALL: Page = Page { limit: 1000, offset: 0 };

fn company(id: u32, status: &str, name: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: Cnpj::parse("33.000.167/0001-01").unwrap(),
        status: status.to_owned(),
        sector: None,
        trading_name: None,
        registered_on: None,
    }
}

fn former(id: u32, name: &str) -> FormerName {
    FormerName { company_id: CompanyId(id), name: name.to_owned(), until: Day::parse("2026-01-01").unwrap() }
}

fn part(companies: Vec<Company>, securities: Vec<TradedSecurity>, names: Vec<FormerName>) -> Companies {
    let tickers = Tickers::published(Stamp::default(), Day::parse("2026-11-02").unwrap(), securities);
    Companies::with_tickers(companies, &tickers.with_former_names(names)).unwrap()
}

fn found(part: &Companies, q: &str) -> Vec<u32> {
    part.search(q, ALL).rows.iter().map(|position| part.company(position).id.0).collect()
}

fn shown(part: &Companies, id: u32) -> serde_json::Value {
    let json = part.json(part.position(CompanyId(id)).unwrap());
    serde_json::from_slice::<serde_json::Value>(json).unwrap()["also_known_as"].clone()
}

#[test]
fn brands_and_former_names_are_shown_once() {
    let companies = vec![company(22470, "ATIVO", "MAGAZINE LUIZA SA"), company(1, "ATIVO", "AURORA S.A.")];
    let names = vec![
        former(1, "BOREAL \"LUZ\" S.A."),
        former(1, "Boreal Luz"),
        former(1, "CIA AURORA"),
        former(22470, "MAGALU"),
        former(99, "VESPER S.A."),
    ];
    let part = part(companies, Vec::new(), names);
    assert_eq!(shown(&part, 22470)[0], "Magalu");
    assert!(!shown(&part, 22470).as_array().unwrap().contains(&json!("MAGALU")));
    assert_eq!(shown(&part, 1), json!(["BOREAL \"LUZ\" S.A."]), "legal forms and spaces make no other name");
    let mut cells = Vec::new();
    part.cells(part.position(CompanyId(22470)).unwrap(), &mut |cell| {
        if let Cell::List(texts, separator) = cell {
            cells.push(texts.join(separator));
        }
    });
    assert!(cells.last().unwrap().starts_with("Magalu; "), "{cells:?}");
}

#[test]
fn an_active_company_comes_before_a_cancelled_namesake() {
    let companies = vec![
        company(1, "ATIVO", "AURORA BRASIL S.A."),
        company(2, "CANCELADA", "VESPER S.A."),
        company(3, "SUSPENSO(A) - DECISÃO ADM", "VESPER LTDA"),
        company(4, "ATIVO", "VESPER NORTE S.A."),
    ];
    let part = part(companies, Vec::new(), vec![former(1, "VESPER HOLDING S.A.")]);
    assert_eq!(found(&part, "vesper"), [1, 3, 2, 4]);
    assert_eq!(found(&part, "vesper s.a."), [1, 3, 2, 4]);
}

#[test]
fn listed_companies_come_before_unlisted_ones() {
    let companies = vec![
        company(1, "ATIVO", "VESPER FROTAS S.A."),
        company(2, "ATIVO", "VESPER ALUGUEL DE CARROS S.A."),
        company(3, "CANCELADA", "VESPER X S.A."),
    ];
    let part = part(companies, vec![security("VESP3", 2), security("VESX3", 3)], Vec::new());
    assert_eq!(found(&part, "vesper"), [2, 1, 3]);
    assert_eq!(found(&part, "vesper frotas")[0], 1, "but after a name that equals the query");
}

#[test]
fn a_registered_name_comes_before_a_former_one() {
    let companies = vec![company(1, "ATIVO", "SOL S.A."), company(2, "ATIVO", "VESPER BRASIL REALTY S.A.")];
    let part = part(companies, Vec::new(), vec![former(1, "VESPER PROPERTIES S.A.")]);
    assert_eq!(found(&part, "vesper"), [2, 1]);
    assert_eq!(found(&part, "vesper properties"), [1]);
}

#[test]
fn no_word_is_corrected_to_one_of_cancelled_companies() {
    let companies = vec![
        company(1, "CANCELADA", "MAESA S.A."),
        company(2, "ATIVO", "BOREAL S.A."),
        company(3, "SUSPENSO(A) - DECISÃO ADM", "VESPER S.A."),
        company(4, "CANCELADA", "BOREAS S.A."),
        company(5, "CANCELADA", "FIOS BOREAL MERCA S.A."),
        // A word of the table of synonyms.
        company(6, "CANCELADA", "GESTÃO AMBIENTAL S.A."),
    ];
    let part = part(companies, Vec::new(), Vec::new());
    assert_eq!(part.search("amiental", ALL).total, 0);
    assert_eq!(part.search("taesa", ALL).total, 0);
    assert_eq!(part.search("boreax", ALL).interpretation.corrected.as_deref(), Some("boreal"));
    assert_eq!(part.search("vespar", ALL).interpretation.corrected.as_deref(), Some("vesper"));
    assert_eq!(found(&part, "maesa"), [1], "as it is written it is found");
    let split = part.search("borealmerca", ALL);
    assert_eq!((split.total, split.interpretation.corrected), (0, None), "nor split into such words");
}

fn filings(companies: &[u32]) -> Filings {
    let mut builder = FilingsBuilder::new();
    for (id, company) in (1..).zip(companies) {
        builder.push(Filing {
            id: FilingId::Protocol(id),
            company_id: CompanyId(*company),
            company_name: "COMPANHIA S.A.".to_owned(),
            category: "Fato Relevante".to_owned(),
            kind: None,
            delivered_on: Day::parse("2026-11-02").unwrap(),
            reference_day: None,
            description: "Dividendos".to_owned(),
            version: 1,
            url: String::new(),
        });
    }
    builder.finish().unwrap()
}

#[test]
fn brands_and_former_names_find_filings() {
    let companies = vec![company(22470, "ATIVO", "MAGAZINE LUIZA SA"), company(1, "ATIVO", "AURORA S.A.")];
    let part = part(companies, Vec::new(), vec![former(1, "BOREAL S.A.")]);
    let catalog = Catalog {
        companies: Arc::new(Part { stamp: Stamp::default(), sample: false, data: part }),
        filings: Arc::new(Part { stamp: Stamp::default(), sample: false, data: filings(&[22470, 1, 5]) }),
        ..Catalog::empty()
    };
    for (q, company) in [("magalu dividendos", 22470), ("dividendos boreal", 1)] {
        let found = catalog.search_filings(q, &lastro_catalog::FilingFilter::default(), ALL);
        let companies: Vec<u32> =
            found.rows.iter().map(|row| catalog.filings.filing(row).company_id.0).collect();
        assert_eq!((companies, found.interpretation.relaxed), (vec![company], false), "{q}");
    }
}

#[test]
fn matches_in_other_names_are_listed_by_name() {
    let companies = vec![company(1, "ATIVO", "AURORA S.A."), company(2, "ATIVO", "VESPER S.A.")];
    let older = FormerName { until: Day::parse("2025-01-01").unwrap(), ..former(1, "BOREAL NORTE") };
    let part = part(companies, Vec::new(), vec![older, former(1, "SUL S.A.")]);
    let catalog = Catalog {
        companies: Arc::new(Part { stamp: Stamp::default(), sample: false, data: part }),
        ..Catalog::empty()
    };
    let matches = |q: &str| {
        let found = catalog.search_companies(q, &lastro_catalog::CompanyFilter::default(), ALL);
        let highlights = catalog.highlights(q, &found.interpretation);
        let mut json = Vec::new();
        catalog.companies.write_highlighted(found.rows.iter().next().unwrap(), &highlights, &mut json);
        serde_json::from_slice::<serde_json::Value>(&json).unwrap()["matches"].clone()
    };
    assert_eq!(matches("norte"), json!({"also_known_as": [[], [[7, 5]]]}));
    assert_eq!(matches("vesper"), json!({"name": [[0, 6]]}));
}
