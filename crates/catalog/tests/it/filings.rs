//! Filings against a plain model: a vector of records filtered, sorted and cut by hand.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lastro_catalog::{FilingFilter, Filings, FilingsBuilder, Page, Table};
use lastro_model::{CompanyId, Day, Filing, FilingId};
use proptest::prelude::*;

fn built(filings: &[Filing]) -> Filings {
    let mut builder = FilingsBuilder::with_capacity(filings.len());
    filings.iter().for_each(|filing| builder.push(filing.clone()));
    builder.finish().unwrap()
}

/// Later filings replace earlier ones with the same id; sorted by day, then by id, both descending.
fn model(filings: &[Filing]) -> Vec<Filing> {
    let by_id: BTreeMap<FilingId, Filing> =
        filings.iter().map(|filing| (filing.id, filing.clone())).collect();
    let mut sorted: Vec<Filing> = by_id.into_values().collect();
    sorted.sort_by_key(|filing| Reverse((filing.delivered_on, filing.id)));
    sorted
}

fn day(number: i32) -> Day {
    Day::from_number(number).unwrap()
}

fn any_id() -> impl Strategy<Value = FilingId> {
    prop_oneof![(0u64..60).prop_map(FilingId::Protocol), (0u64..9).prop_map(FilingId::Hash)]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zçãé ]{0,12}", any::<String>(), Just("\"\\\u{0}\u{7f}\n😀𝄞\u{2028}".to_owned())]
}

prop_compose! {
    fn any_filing()(
        id in any_id(),
        company in 0u32..4,
        company_name in any_text(),
        category in prop::sample::select(vec!["Ata", "ATA ", "Fato Relevante", "Aviso", "Reunião", "reuniao"]),
        kind in prop::option::of(any_text()),
        delivered_on in 20_000i32..20_010,
        reference in prop::option::of(-5i32..5),
        description in any_text(),
        version: u16,
        url in any_text(),
    ) -> Filing {
        Filing {
            id,
            company_id: CompanyId(company),
            company_name,
            category: category.to_owned(),
            kind,
            delivered_on: day(delivered_on),
            reference_day: reference.map(day),
            description,
            version,
            url,
        }
    }
}

fn fits(filing: &Filing, filter: &FilingFilter<'_>) -> bool {
    let label = |text: &str| text.trim().to_lowercase().replace('ã', "a");
    (filter.companies.is_empty() || filter.companies.contains(&filing.company_id))
        && filter.category.is_none_or(|category| label(&filing.category) == label(category))
        && filter.from.is_none_or(|from| filing.delivered_on >= from)
        && filter.to.is_none_or(|to| filing.delivered_on <= to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_filter_and_its_pages_match_the_model(
        filings in prop::collection::vec(any_filing(), 0..60),
        companies in prop::collection::btree_set((0u32..5).prop_map(CompanyId), 0..4),
        category in prop::option::of(prop::sample::select(vec!["ata", " REUNIAO", "Fato relevante", "outra"])),
        from in prop::option::of(19_999i32..20_011),
        to in prop::option::of(19_999i32..20_011),
        limit in 1usize..7,
    ) {
        let part = built(&filings);
        let companies: Vec<CompanyId> = companies.into_iter().collect();
        let filter =
            FilingFilter { companies: &companies, category, from: from.map(day), to: to.map(day), ..FilingFilter::default() };
        let expected: Vec<Filing> = model(&filings).into_iter().filter(|filing| fits(filing, &filter)).collect();
        let mut listed = Vec::new();
        for offset in (0..=expected.len() + limit).step_by(limit) {
            let listing = part.list(&filter, Page { limit, offset });
            prop_assert_eq!(listing.total, expected.len());
            prop_assert!(listing.rows.len() <= limit);
            listed.extend(listing.rows.iter().map(|position| part.filing(position)));
        }
        prop_assert_eq!(listed, &expected[..]);
        let found: Vec<Filing> = part.positions(&filter).into_iter().map(|row| part.filing(row)).collect();
        prop_assert_eq!(found, &expected[..]);
        let counts = part.category_counts(&filter);
        prop_assert!(counts.is_sorted_by_key(|(_, count)| std::cmp::Reverse(*count)));
        let in_all: usize = counts.iter().map(|(_, count)| count).sum();
        prop_assert!(category.is_some() || in_all == expected.len());
    }

    #[test]
    fn lookup_by_id_returns_filings_unchanged(
        filings in prop::collection::vec(any_filing(), 0..40),
    ) {
        let part = built(&filings);
        let expected = model(&filings);
        prop_assert_eq!(part.len(), expected.len());
        prop_assert_eq!(part.newest_day(), expected.first().map(|filing| filing.delivered_on));
        for (position, filing) in part.listed().zip(&expected) {
            prop_assert_eq!(part.position(filing.id), Some(position));
            let mut json = Vec::new();
            part.write_json(position, &mut json);
            let shown: serde_json::Value = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(shown, record(filing));
        }
        prop_assert_eq!(part.position(FilingId::Protocol(1000)), None);
    }
}

fn record(filing: &Filing) -> serde_json::Value {
    serde_json::json!({
        "id": filing.id.to_string(),
        "company_id": filing.company_id.to_string(),
        "company_name": filing.company_name,
        "category": filing.category,
        "date": format!("{}T00:00:00-03:00", filing.delivered_on),
        "description": filing.description,
        "type": filing.kind,
        "reference_date": filing.reference_day.map(|day| day.to_string()),
        "version": filing.version,
        "url": filing.url, "first_seen_at": null,
    })
}

fn filing(number: u64, category: &str) -> Filing {
    Filing {
        id: FilingId::Protocol(number),
        company_id: CompanyId(9512),
        company_name: "Lastro S.A.".to_owned(),
        category: category.to_owned(),
        kind: None,
        delivered_on: day(20_000 + number as i32),
        reference_day: None,
        description: "Teste".to_owned(),
        version: 1,
        url: format!("https://www.rad.cvm.gov.br/ENET/x.aspx?numProtocolo={number}"),
    }
}

#[test]
fn fields_are_in_the_order_of_the_contract() {
    let part = built(&[filing(7, "Ata")]);
    let mut json = Vec::new();
    part.write_json(0, &mut json);
    assert_eq!(
        String::from_utf8(json).unwrap(),
        "{\"id\":\"7\",\"company_id\":\"9512\",\"company_name\":\"Lastro S.A.\",\"category\":\"Ata\",\
         \"date\":\"2024-10-11T00:00:00-03:00\",\"description\":\"Teste\",\"type\":null,\"reference_date\":null,\
         \"version\":1,\"url\":\"https://www.rad.cvm.gov.br/ENET/x.aspx?numProtocolo=7\",\"first_seen_at\":null}"
    );
}

#[test]
fn labels_that_differ_in_case_or_accents_are_one_category() {
    let part = built(&[filing(1, "Reunião"), filing(2, "REUNIAO "), filing(3, "Ata")]);
    assert_eq!(part.categories().count(), 2);
    let filter = FilingFilter { category: Some("reunião"), ..FilingFilter::default() };
    assert_eq!(part.list(&filter, Page { limit: 9, offset: 0 }).total, 2);
}

#[test]
fn an_empty_part_answers_every_query() {
    let part = Filings::empty();
    let page = Page { limit: 20, offset: usize::MAX };
    assert!(part.is_empty() && part.newest_day().is_none());
    assert_eq!(part.list(&FilingFilter::default(), page).total, 0);
    assert_eq!(part.search("ata", page).total, 0);
    assert_eq!(built(&[]).search("ata", page).total, 0);
}
