//! Suggestions while typing.

use std::sync::Arc;

use lastro_catalog::{Catalog, Companies, Filings, FilingsBuilder, Part, Suggestion};
use lastro_model::{Cnpj, Company, CompanyId, Day, Filing, FilingId};

const CATEGORIES: [&str; 6] = [
    "Comunicado ao Mercado",
    "Dados Econômico-Financeiros",
    "Fato Relevante",
    "Reunião da Administração",
    "Aviso aos Acionistas",
    "Aviso a Debenturistas",
];
const NAMES: [&str; 3] = ["Mercado Novo S.A.", "Comunicare S.A.", "Avisa Tecnologia S.A."];

fn catalog() -> Catalog {
    let companies = (1..).zip(NAMES).map(|(id, name)| company(id, name)).collect();
    let companies = Companies::build(companies).unwrap();
    let mut filings = FilingsBuilder::new();
    (1..).zip(CATEGORIES).for_each(|(id, category)| filings.push(filing(id, category)));
    let filings: Filings = filings.finish().unwrap();
    Catalog {
        companies: Arc::new(Part { data: companies, ..Part::default() }),
        filings: Arc::new(Part { data: filings, ..Part::default() }),
        ..Catalog::empty()
    }
}

fn company(id: u32, name: &str) -> Company {
    Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: Cnpj::parse("00.000.000/0001-91").unwrap(),
        status: "ATIVO".to_owned(),
        sector: None,
        trading_name: None,
        registered_on: None,
    }
}

fn filing(id: u64, category: &str) -> Filing {
    Filing {
        id: FilingId::Protocol(id),
        company_id: CompanyId(1),
        company_name: NAMES[0].to_owned(),
        category: category.to_owned(),
        kind: None,
        delivered_on: Day::parse("2026-02-11").unwrap(),
        reference_day: None,
        description: "Pagamento de dividendos, dadas as metas".to_owned(),
        version: 1,
        url: String::new(),
    }
}

fn suggested(catalog: &Catalog, q: &str, limit: usize) -> Vec<String> {
    let text = |suggestion: Suggestion<'_>| match suggestion {
        Suggestion::Company { id, name } => format!("{id} {name}"),
        Suggestion::Category(label) => label.to_owned(),
    };
    catalog.suggestions(q, limit).into_iter().map(text).collect()
}

#[test]
fn prefix_categories_then_companies_then_other_categories() {
    let catalog = catalog();
    for (q, expected) in [
        ("comunic", vec!["Comunicado ao Mercado", "2 Comunicare S.A."]),
        ("merca", vec!["1 Mercado Novo S.A.", "Comunicado ao Mercado"]),
        ("comunicado ao m", vec!["Comunicado ao Mercado"]),
        ("comunicado merc", vec!["Comunicado ao Mercado"]),
        ("avis", vec!["Aviso a Debenturistas", "Aviso aos Acionistas", "3 Avisa Tecnologia S.A."]),
        ("fatos relevantes", vec!["Fato Relevante"]),
        ("financeiro", vec!["Dados Econômico-Financeiros"]),
        ("dividendos", vec![]),
    ] {
        assert_eq!(suggested(&catalog, q, 10), expected, "{q}");
    }
    assert_eq!(suggested(&catalog, "avis", 1), ["Aviso a Debenturistas"]);
}

#[test]
fn of_companies_with_one_name_shows_the_active_one() {
    let gone = |id| Company { status: "CANCELADA".to_owned(), ..company(id, "Gêmea S.A.") };
    let companies = vec![gone(1), company(2, "Gêmea S.A."), gone(3), company(4, "Gêmea Norte S.A.")];
    let companies = Companies::build(companies).unwrap();
    let part = Part { data: companies, ..Part::default() };
    let catalog = Catalog { companies: Arc::new(part), ..catalog() };
    assert_eq!(suggested(&catalog, "gemea", 2), ["2 Gêmea S.A.", "4 Gêmea Norte S.A."]);
}

#[test]
fn mistyped_words_are_corrected_unless_known() {
    let catalog = catalog();
    for (q, expected) in [
        ("reunaio", vec!["Reunião da Administração"]),
        ("fato relevnte", vec!["Fato Relevante"]),
        ("reuniao da admnistracao", vec!["Reunião da Administração"]),
        ("fta relevante", vec![]),
        // A filing has this word and a company has that one, so neither is a typing error.
        ("dadas", vec![]),
        ("avisa", vec!["3 Avisa Tecnologia S.A."]),
    ] {
        assert_eq!(suggested(&catalog, q, 10), expected, "{q}");
    }
}
