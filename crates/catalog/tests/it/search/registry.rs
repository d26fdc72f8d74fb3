//! Companies by their names and numbers, and filings by what only the registry has of a company.

use super::*;

fn names(part: &Companies, q: &str) -> Vec<String> {
    found(&part.search(q, ALL)).into_iter().map(|position| part.company(position).name.clone()).collect()
}

#[test]
fn companies_are_found_by_name_sector_code_and_number() {
    let part = Companies::build(companies()).unwrap();
    assert_eq!(names(&part, "petrolifera"), ["Petrolífera Aurora"]);
    assert_eq!(names(&part, "petroleo gas").len(), 5);
    assert_eq!(names(&part, "009512"), ["Petrolífera Aurora"]);
    // For the whole number, active companies come first, and among them the one registered last.
    let bearers = ["Aurora Energia", "Aurora Antiga", "Petrolífera Aurora"];
    assert_eq!(names(&part, "33.000.167/0001-01"), bearers);
    assert_eq!(names(&part, " 33000167000101 "), bearers);
    assert_eq!(names(&part, "33.000.167/0002"), ["Bela Vista"]);
    assert_eq!(names(&part, "33000167").len(), 4);
    assert_eq!(names(&part, "12abc34501de35"), ["Letras"]);
    assert!(names(&part, "3300016").is_empty());
    let second = part.search("33000167", Page { limit: 2, offset: 2 });
    assert_eq!((second.total, second.rows.len()), (4, 2));
}

#[test]
fn a_cnpj_finds_the_filings_of_all_holders_newest_first() {
    let mut builder = FilingsBuilder::new();
    for (number, company) in [(1, 9512), (2, 25_000), (3, 77), (4, 9512), (5, 25_000)] {
        builder.push(filing(number, company, "Ata"));
    }
    let part = |data| Arc::new(Part { data, ..Part::default() });
    let catalog = Catalog {
        companies: Arc::new(Part { data: Companies::build(companies()).unwrap(), ..Part::default() }),
        filings: part(builder.finish().unwrap()),
        ..Catalog::empty()
    };
    let ids = |q, page| -> Vec<u64> {
        let listing = catalog.search_filings(q, &FilingFilter::default(), page);
        let id = |position| match catalog.filings.filing(position).id {
            FilingId::Protocol(number) | FilingId::Hash(number) => number,
        };
        listing.rows.iter().map(id).collect()
    };
    assert_eq!(ids("33.000.167/0001-01", ALL), [5, 4, 2, 1]);
    assert_eq!(ids("33000167000101", Page { limit: 2, offset: 1 }), [4, 2]);
    assert_eq!(ids("33.000.167/0002-92", ALL), [3]);
    assert!(ids("00.000.000/0000-00", ALL).is_empty());
    assert_eq!(ids("ata", ALL), [5, 4, 3, 2, 1]);
}

#[test]
fn finds_filings_by_data_only_the_registry_has() {
    let mut builder = FilingsBuilder::new();
    for (number, company, description) in
        [(1, 14_443, "Ata"), (2, 9_512, "Ata"), (3, 14_443, "Edital"), (4, 88, "Verde casa"), (5, 99, "Ata")]
    {
        builder.push(filing(number, company, description));
    }
    let company = |id, name: &str, trading_name: &str, cnpj| Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: Cnpj::parse(cnpj).unwrap(),
        status: "ATIVO".to_owned(),
        sector: None,
        trading_name: Some(trading_name.to_owned()),
        registered_on: None,
    };
    let companies = vec![
        company(14_443, "CIA DE SANEAMENTO", "SABEPE", "43.776.517/0001-80"),
        company(9_512, "PETRO SUL S.A.", "PETROSUL", "33.000.167/0001-01"),
        company(77, "SABEPI S.A.", "SABEPI", "33.000.167/0002-92"),
        company(88, "OUTRA S.A.", "OUTRA", "33.000.167/0003-73"),
        company(99, "COMERCIAL DE TINTAS S.A.", "CASA VERDE", "33.000.167/0004-54"),
    ];
    let ticker = security("SBPE3", 14_443);
    let tickers = Tickers::published(Stamp::default(), Day::parse("2026-11-02").unwrap(), vec![ticker]);
    let companies = Companies::with_tickers(companies, &tickers).unwrap();
    let catalog = Catalog {
        companies: Arc::new(Part { data: companies, ..Part::default() }),
        filings: Arc::new(Part { data: builder.finish().unwrap(), ..Part::default() }),
        ..Catalog::empty()
    };
    let ids = |q| -> Vec<String> {
        let found = catalog.search_filings(q, &FilingFilter::default(), ALL);
        assert!(found.interpretation.corrected.is_none() && !found.interpretation.relaxed, "{q}");
        found.rows.iter().map(|position| catalog.filings.filing(position).id.to_string()).collect()
    };
    for q in ["sabepe", "SBPE3", "sbpe3", "43.776.517/0001-80"] {
        assert_eq!(ids(q), ["3", "1"], "{q}");
    }
    for q in ["sabepe ata", "ata sabepe", "SBPE3 ata", "43776517000180 ata", "ata 43.776.517/0001-80"] {
        assert_eq!(ids(q), ["1"], "{q}");
    }
    assert_eq!(ids("petrosul"), ["2"]);
    assert_eq!(ids("casa verde"), ["5", "4"], "a name of several words, and who bears them otherwise");
    assert_eq!(ids("casa verde s.a. ata"), ["5"]);
    assert_eq!(ids("sabepi"), [""; 0], "a company without filings is not another one");
}

/// Makes a company with this trading name.
fn called(id: u32, trading_name: &str, status: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: format!("Empresa {id}"),
        cnpj: Cnpj::parse("00.000.000/0001-91").unwrap(),
        status: status.to_owned(),
        sector: None,
        trading_name: Some(trading_name.to_owned()),
        registered_on: None,
    }
}

fn catalog(companies: Vec<Company>, filings: Arc<Part<Filings>>) -> Catalog {
    let companies = Companies::build(companies).unwrap();
    Catalog { companies: Arc::new(Part { data: companies, ..Part::default() }), filings, ..Catalog::empty() }
}

fn part_of(filings: impl IntoIterator<Item = Filing>) -> Arc<Part<Filings>> {
    let mut builder = FilingsBuilder::new();
    filings.into_iter().for_each(|filing| builder.push(filing));
    Arc::new(Part { data: builder.finish().unwrap(), ..Part::default() })
}

fn ids_of(catalog: &Catalog, q: &str) -> Vec<String> {
    let found = catalog.search_filings(q, &FilingFilter::default(), ALL);
    found.rows.iter().map(|position| catalog.filings.filing(position).id.to_string()).collect()
}

#[test]
fn a_shared_name_or_cnpj_finds_filings_of_all_holders() {
    let filings =
        part_of([filing(1, 5, "Ata"), filing(2, 6, "Ata"), filing(3, 7, "Ata"), filing(4, 5, "Aviso")]);
    let companies =
        [called(5, "GEMEA", "CANCELADA"), called(6, "GEMEA S.A.", "ATIVO"), called(8, "OUTRA", "ATIVO")];
    let catalog = catalog(companies.to_vec(), filings);
    assert_eq!(ids_of(&catalog, "gemea"), ["4", "2", "1"]);
    assert_eq!(ids_of(&catalog, "gemea ata"), ["2", "1"]);
    assert_eq!(ids_of(&catalog, "00.000.000/0001-91"), ["4", "2", "1"]);
    assert_eq!(ids_of(&catalog, "ata 00.000.000/0001-91"), ["2", "1"]);
}

#[test]
fn a_company_name_does_not_match_its_code_in_texts() {
    let filings = part_of([filing(1, 2024, "Ata"), filing(2, 7, "Resultado do exercício de 2024")]);
    let catalog = catalog(vec![called(2024, "SABEPE", "ATIVO"), called(15, "QUINZE", "ATIVO")], filings);
    assert_eq!(ids_of(&catalog, "sabepe"), ["1"]);
    assert_eq!(ids_of(&catalog, "2024"), ["2", "1"], "a number is found wherever it stands");
    assert!(ids_of(&catalog, "quinze").is_empty(), "nor is it one of a company without filings");
}

#[test]
fn long_and_short_names_count_the_same() {
    for name in ["CASA DO NORTE", "CASA DO ALTO NORTE", "CASA DE MOVEIS E TINTAS DO ALTO NORTE"] {
        for others in [0, 20_000] {
            let relevant = |number, company, text: &str| Filing {
                category: "Fato Relevante".to_owned(),
                ..filing(number, company, text)
            };
            let words = name.to_lowercase().replace(' ', " xis ");
            let shown = [relevant(30_003, 8, "Um"), relevant(30_002, 8, "Dois"), relevant(30_001, 7, &words)];
            let filings =
                part_of(shown.into_iter().chain((0..others).map(|number| filing(number, 9, "Aviso"))));
            let catalog = catalog(vec![called(8, name, "ATIVO")], filings);
            let q = format!("fato relevante {}", name.to_lowercase());
            assert_eq!(ids_of(&catalog, &q), ["30003", "30002", "30001"], "{q} {others}");
        }
    }
}

#[test]
fn cached_names_are_not_reused_for_another_registry() {
    let filings = part_of([filing(1, 5, "Ata"), filing(2, 7, "Azul energia"), filing(3, 5, "Energia")]);
    let old = catalog(vec![called(5, "AZUL", "ATIVO")], Arc::clone(&filings));
    let new = catalog(vec![called(5, "AZUL ENERGIA", "ATIVO")], filings);
    assert_eq!(ids_of(&old, "azul energia"), ["2", "3"]);
    assert_eq!(ids_of(&new, "azul energia"), ["2", "3", "1"]);
    assert_eq!(ids_of(&old, "azul energia"), ["2", "3"]);
}
