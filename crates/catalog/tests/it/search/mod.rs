//! Search results and their order, and that no client input causes a failure.

mod registry;

use std::sync::Arc;

use lastro_catalog::{
    Catalog, Companies, FilingFilter, Filings, FilingsBuilder, Listing, Page, Part, Tickers,
};
use lastro_model::{Cnpj, Company, CompanyId, Day, Filing, FilingId, Stamp};
use proptest::prelude::*;

use crate::judged::security;

const ALL: Page = Page { limit: 1000, offset: 0 };

fn filings(descriptions: &[&str]) -> Filings {
    let mut builder = FilingsBuilder::new();
    // The first has the greatest id, so positions are indexes in the slice.
    for (number, description) in descriptions.iter().rev().enumerate() {
        builder.push(filing(number as u64, 9512, description));
    }
    builder.finish().unwrap()
}

fn filing(number: u64, company: u32, description: &str) -> Filing {
    Filing {
        id: FilingId::Protocol(number),
        company_id: CompanyId(company),
        company_name: "Ouro Verde S.A.".to_owned(),
        category: "Outros".to_owned(),
        kind: None,
        delivered_on: Day::parse("2026-02-11").unwrap(),
        reference_day: None,
        description: description.to_owned(),
        version: 1,
        url: String::new(),
    }
}

fn companies() -> Vec<Company> {
    let company = |id, name: &str, cnpj: &str, status: &str, registered: &str| Company {
        id: CompanyId(id),
        name: name.to_owned(),
        cnpj: Cnpj::parse(cnpj).unwrap(),
        status: status.to_owned(),
        sector: Some("Petróleo e Gás".to_owned()),
        trading_name: None,
        registered_on: Day::parse(registered).ok(),
    };
    vec![
        company(9512, "Petrolífera Aurora", "33.000.167/0001-01", "CANCELADA", "1999-01-01"),
        company(25_000, "Aurora Energia", "33.000.167/0001-01", "ATIVO", "1990-01-01"),
        company(25_001, "Aurora Antiga", "33.000.167/0001-01", "ATIVO", "1980-01-01"),
        company(77, "Bela Vista", "33.000.167/0002-92", "ATIVO", "2001-01-01"),
        company(78, "Letras", "12.ABC.345/01DE-35", "ATIVO", "2026-08-01"),
    ]
}

fn found(listing: &Listing<'_>) -> Vec<u32> {
    listing.rows.iter().collect()
}

fn search(part: &Filings, q: &str) -> Vec<u32> {
    let rows = found(&part.search(q, ALL)).into_iter();
    rows.map(|position| position - part.listed().start).collect()
}

#[test]
fn accents_case_and_word_forms_do_not_matter() {
    let part = filings(&[
        "Petróleo bruto",
        "Venda da ação",
        "Emissão de Debêntures",
        "Imóveis fiscais",
        "Operações",
    ]);
    for (q, position) in [
        ("petroleo", 0),
        ("PETRÓLEO", 0),
        ("ações", 1),
        ("acoes", 1),
        ("debenture", 2),
        ("emissoes", 2),
        ("imovel", 3),
        ("fiscal", 3),
        ("operação", 4),
    ] {
        assert_eq!(search(&part, q), [position], "{q}");
    }
}

#[test]
fn every_word_must_match_and_stop_words_are_ignored() {
    let part = filings(&["Emissão de debêntures", "Emissão de ações", "Resgate das debêntures"]);
    assert_eq!(search(&part, "debentures emissão"), [0]);
    assert_eq!(search(&part, "emissão para as debêntures"), [0]);
    let relaxed = part.search("emissão resgate", ALL);
    assert_eq!((found(&relaxed), relaxed.interpretation.relaxed), (vec![2, 0, 1], true));
}

#[test]
fn the_last_word_matches_as_prefix_below_whole_words() {
    let part = filings(&["Dividendos", "Dividir", "Divida", "Outro"]);
    assert_eq!(search(&part, "divid").len(), 3);
    let part = filings(&["Capitalização", "Capital", "Capitalizado"]);
    assert_eq!(search(&part, "capital")[0], 1);
    assert_eq!(search(&part, "capital").len(), 3);
    // Only the last one is a prefix.
    assert!(part.search("capi ouro", ALL).interpretation.relaxed);
    assert!(!part.search("ouro capi", ALL).interpretation.relaxed);
    assert_eq!(search(&part, "ouro capi").len(), 3);
    // A stop word at the end is a prefix too: typing may not be finished.
    assert_eq!(search(&filings(&["Aumento do capital", "Doações", "Resgate"]), "do").len(), 2);
}

#[test]
fn forms_of_a_word_rank_equally_in_row_order() {
    let part = filings(&["Ações ordinárias", "Ação ordinária", "Ações ordinárias", "Ação ordinária"]);
    assert_eq!(search(&part, "ação"), [0, 1, 2, 3]);
    assert_eq!(search(&part, "ações"), [0, 1, 2, 3]);
    assert_eq!(search(&part, "outros"), [0, 1, 2, 3]);
}

#[test]
fn a_rare_word_narrows_common_ones() {
    let mut texts = vec!["Comunicado sobre ações e ação"; 60];
    texts[17] = "Comunicado raro sobre ação";
    texts[41] = "Comunicados raros sobre ações";
    let part = filings(&texts);
    assert_eq!(search(&part, "comunicado raro ações"), [17, 41]);
    assert_eq!(search(&part, "ações comunicados raros"), [17, 41]);
    assert_eq!(search(&part, "raro comu"), [17, 41]);
    assert_eq!(search(&part, "ação comunicado").len(), 60);
}

#[test]
fn finds_filings_by_company_name_category_and_code() {
    let part = filings(&["Um", "Dois"]);
    for q in ["ouro verde", "outros", "9512", "009512", "verde um 9512"] {
        assert!(!search(&part, q).is_empty(), "{q}");
    }
}

#[test]
fn query_syntax_is_plain_text() {
    let part = filings(&["Fato AND relevante", "Fato novo"]);
    assert_eq!(search(&part, "fato AND relevante"), [0]);
    assert_eq!(search(&part, "\"fato\" +novo"), [1]);
    assert!(part.search("stems:fato", ALL).interpretation.relaxed);
    assert!(part.search("fato NOT novo", ALL).interpretation.relaxed);
    for nothing in ["", "   ", "***", "\"()[]{}:^~!?", "\u{301}", "…"] {
        assert_eq!(part.search(nothing, ALL).total, 0, "{nothing}");
    }
}

#[test]
fn long_and_common_queries_stay_within_bounds() {
    let part = filings(&["a b c d e f g h i j k l m n o p q r s t u v w x y z"; 50]);
    let all_letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
    assert_eq!(part.search(all_letters, Page { limit: 20, offset: 40 }).rows.len(), 10);
    assert_eq!(part.search(&"x".repeat(200), ALL).total, 0);
    assert_eq!(part.search(&"ouro ".repeat(40), ALL).total, 50);
    let past_the_end = part.search("ouro", Page { limit: 1000, offset: usize::MAX });
    assert_eq!((past_the_end.total, past_the_end.rows.len()), (50, 0));
    assert_eq!(part.search("ouro", Page { limit: 0, offset: 0 }).total, 50);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn totals_and_pages_agree_with_a_plain_count(
        rows in prop::collection::vec("(ata|lucro|venda)( (ata|lucro|venda|compra)){0,3}", 1..40),
        first in "ata|lucro|venda|compra|nada",
        second in "(ata|lucro|venda|compra|nada)?",
        limit in 1usize..6,
    ) {
        let texts: Vec<&str> = rows.iter().map(String::as_str).collect();
        let part = filings(&texts);
        let has = |text: &str, word: &str| text.split(' ').any(|other| other == word);
        let asked: Vec<&str> = [first.as_str(), second.as_str()].into_iter().filter(|word| !word.is_empty()).collect();
        let count = |text: &str| asked.iter().filter(|word| has(text, word)).count();
        let most = texts.iter().map(|text| count(text)).max().unwrap_or(0);
        let expected: Vec<u32> = (0..).zip(&texts)
            .filter(|(_, text)| most > 0 && count(text) == most).map(|(place, _)| part.listed().start + place).collect();
        let q = format!("{first} {second}");
        let mut paged = Vec::new();
        for offset in (0..=expected.len()).step_by(limit) {
            let listing = part.search(&q, Page { limit, offset });
            prop_assert_eq!(listing.total, expected.len());
            paged.extend(listing.rows.iter());
        }
        prop_assert_eq!(&paged, &found(&part.search(&q, ALL)));
        paged.sort_unstable();
        prop_assert_eq!(paged, expected);
    }
}

/// A search of a few words among filings of several companies, categories and days.
fn filtered_search() -> impl Strategy<Value = (Vec<Filing>, String, [Option<Day>; 2], Vec<CompanyId>)> {
    let text = "(ata|edital|capital|debentures)( (ata|edital|capital|debentures)){0,3}";
    let one = (0u32..4, 0i32..6, text).prop_map(|(company, on, description)| (company, on, description));
    let day = |number: i32| Day::from_number(20_000 + number).unwrap();
    let days = prop::array::uniform2(prop::option::of((0i32..6).prop_map(day)));
    let companies = prop::collection::btree_set((0u32..4).prop_map(CompanyId), 0..3);
    (prop::collection::vec(one, 0..40), "(ata|capital|edital ata|debentures|atta)", days, companies).prop_map(
        move |(rows, q, days, companies)| {
            let filing = |(number, (company, on, text)): (u64, (u32, i32, String))| Filing {
                delivered_on: day(on),
                ..filing(number, company, &text)
            };
            ((0..).zip(rows).map(filing).collect(), q, days, companies.into_iter().collect())
        },
    )
}

#[test]
fn a_filtered_search_keeps_the_order_of_its_rows() {
    proptest!(ProptestConfig::with_cases(200), |((filings, q, [from, to], companies) in filtered_search())| {
        let mut builder = FilingsBuilder::new();
        filings.into_iter().for_each(|filing| builder.push(filing));
        let part = Arc::new(Part { data: builder.finish().unwrap(), ..Part::default() });
        let catalog = Catalog { filings: part, ..Catalog::empty() };
        let filter = FilingFilter { companies: &companies, from, to, ..FilingFilter::default() };
        let inside = catalog.filings.positions(&filter);
        let unfiltered = catalog.search_filings(&q, &FilingFilter::default(), ALL);
        let expected: Vec<u32> = unfiltered.rows.iter().filter(|row| inside.contains(row)).collect();
        let found = catalog.search_filings(&q, &filter, ALL);
        prop_assert!(found.rows.iter().all(|row| inside.contains(&row)));
        if !expected.is_empty() && !unfiltered.interpretation.relaxed {
            prop_assert_eq!(found.rows.iter().collect::<Vec<_>>(), &expected[..]);
            prop_assert_eq!(found.total, expected.len());
        }
    });
}

#[test]
fn no_text_makes_a_search_fail() {
    let rows = filings(&["Aumento do capital social", "Ata 123 \"x\"", "😀 𝄞 ações"]);
    let registry = Companies::build(companies()).unwrap();
    proptest!(ProptestConfig::with_cases(300), |(q in ".{0,200}", offset: usize)| {
        for page in [ALL, Page { limit: 3, offset }] {
            let listing = rows.search(&q, page);
            prop_assert!(listing.rows.len() <= listing.total);
            prop_assert!(registry.search(&q, page).total <= registry.len());
        }
    });
}
