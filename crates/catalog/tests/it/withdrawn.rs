//! Withdrawn rows are in no list, total or search; they are found by id, and listed if asked for.

use jiff::Timestamp;
use lastro_catalog::{Companies, CompanyFilter, FilingFilter, Filings, FilingsBuilder, Page, Table, Tickers};
use lastro_model::{Cnpj, Company, CompanyId, Day, Filing, FilingId, History};
use proptest::prelude::*;

const ALL: Page = Page { limit: 1000, offset: 0 };

fn time(day: i32) -> Timestamp {
    Timestamp::from_second(i64::from(day) * 86_400 + 7).unwrap()
}

fn day(number: i32) -> Day {
    Day::from_number(number).unwrap()
}

fn filing(number: u64, company: u32, delivered: i32) -> Filing {
    Filing {
        id: FilingId::Protocol(number),
        company_id: CompanyId(company),
        company_name: format!("Aurora {company}"),
        category: ["Ata", "Edital"][number as usize % 2].to_owned(),
        kind: None,
        delivered_on: day(delivered),
        reference_day: None,
        description: format!("assunto {number}"),
        version: 1,
        url: "https://example.com".to_owned(),
    }
}

/// A filing of few companies and days, with or without a known first day, and whether it is withdrawn.
type Drawn = (u32, i32, Option<i32>, bool);

fn rows(drawn: &[Drawn]) -> Vec<(Filing, History)> {
    let row = |(number, (company, delivered, seen, gone)): (usize, &Drawn)| {
        let history = History { first_seen: seen.map(time), withdrawn: gone.then(|| time(30_000)) };
        (filing(number as u64 + 1, *company, *delivered), history)
    };
    drawn.iter().enumerate().map(row).collect()
}

fn built(rows: &[(Filing, History)]) -> Filings {
    let mut builder = FilingsBuilder::new();
    rows.iter().cloned().for_each(|(filing, history)| builder.push_with(filing, history));
    builder.finish().unwrap()
}

fn listed(filings: &Filings, filter: &FilingFilter<'_>, page: Page) -> (usize, Vec<String>) {
    let listing = filings.list(filter, page);
    let json = listing.rows.iter().map(|row| {
        let mut out = Vec::new();
        filings.write_json(row, &mut out);
        String::from_utf8(out).unwrap()
    });
    (listing.total, json.collect())
}

#[test]
fn a_filing_that_waits_for_its_day_is_not_shown_at_all() {
    let history = |withdrawn: i32| History { first_seen: None, withdrawn: Some(time(withdrawn)) };
    // Seven seconds after midnight in Greenwich it is still the day before in Brasília.
    let rows = [
        (filing(1, 1, 20_000), History::default()),
        (filing(2, 1, 20_010), history(20_010)),
        (filing(3, 1, 20_009), history(20_010)),
    ];
    let with_withdrawn = FilingFilter { withdrawn: true, ..FilingFilter::default() };
    for filings in [built(&rows), built(&rows[..1]).with_changes(&rows[1..]).unwrap()] {
        assert_eq!(filings.position(FilingId::Protocol(2)), None);
        assert!(filings.position(FilingId::Protocol(3)).is_some());
        assert_eq!(listed(&filings, &with_withdrawn, ALL).0, 2);
    }
}

/// The ids of the rows that match, in listing order.
fn expected(rows: &[(Filing, History)], filter: &FilingFilter<'_>) -> Vec<FilingId> {
    let mut matching: Vec<&Filing> = rows
        .iter()
        .filter(|(filing, history)| {
            let seen_on = history.first_seen.map(|at| day((at.as_second() / 86_400) as i32));
            (filter.withdrawn || !history.is_withdrawn())
                && (filter.companies.is_empty() || filter.companies.contains(&filing.company_id))
                && filter.category.is_none_or(|category| category == filing.category)
                && filter.from.is_none_or(|from| filing.delivered_on >= from)
                && filter.seen_from.is_none_or(|from| seen_on.is_some_and(|on| on >= from))
        })
        .map(|(filing, _)| filing)
        .collect();
    matching.sort_by_key(|filing| std::cmp::Reverse((filing.delivered_on, filing.id)));
    matching.into_iter().map(|filing| filing.id).collect()
}

fn filters() -> Vec<FilingFilter<'static>> {
    let mut all = Vec::new();
    for withdrawn in [false, true] {
        for companies in [&[][..], &[CompanyId(1)], &[CompanyId(2), CompanyId(0)]] {
            for category in [None, Some("Ata")] {
                for seen_from in [None, Some(day(20_002))] {
                    let from = category.map(|_| day(20_001));
                    all.push(FilingFilter { companies, category, from, to: None, seen_from, withdrawn });
                }
            }
        }
    }
    all
}

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let one = (0u32..3, 20_000i32..20_004, prop::option::of(20_000i32..20_005), any::<bool>());
    prop::collection::vec(one, 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn lists_hold_withdrawn_rows_only_if_asked(drawn in drawn(), limit in 1usize..5) {
        let rows = rows(&drawn);
        let filings = built(&rows);
        for filter in filters() {
            let expected = expected(&rows, &filter);
            let mut found = Vec::new();
            for offset in (0..=expected.len()).step_by(limit) {
                let listing = filings.list(&filter, Page { limit, offset });
                prop_assert_eq!(listing.total, expected.len());
                found.extend(listing.rows.iter().map(|row| filings.filing(row).id));
            }
            prop_assert_eq!(found, expected);
        }
        for (filing, history) in &rows {
            let position = filings.position(filing.id).unwrap();
            prop_assert_eq!(&filings.filing(position), filing);
            prop_assert_eq!(filings.history(position), *history);
            let found = filings.search(&filing.description, ALL);
            let is_found = found.rows.iter().any(|row| filings.filing(row).id == filing.id);
            prop_assert_eq!(is_found, !history.is_withdrawn());
        }
    }

    #[test]
    fn merged_and_restored_parts_equal_built_ones(before in drawn(), after in drawn()) {
        let (old, new) = (rows(&before), rows(&after));
        let merged = built(&old).with_changes(&new).unwrap();
        let all = [&new[..], old.get(new.len()..).unwrap_or_default()].concat();
        let whole = built(&all);
        let mut saved = Vec::new();
        merged.save("label", &mut saved).unwrap();
        let restored = Filings::restore("label", &saved[..], saved.len() as u64).unwrap();
        for filter in filters() {
            let expected = listed(&whole, &filter, ALL);
            prop_assert_eq!(&listed(&merged, &filter, ALL), &expected);
            prop_assert_eq!(&listed(&restored, &filter, ALL), &expected);
        }
    }

    #[test]
    fn companies_are_listed_by_the_same_rule(gone in prop::collection::vec(any::<bool>(), 0..9), limit in 1usize..4) {
        let company = |number: usize, gone: bool| {
            let company = Company {
                id: CompanyId(number as u32 + 1),
                name: format!("Aurora {}", number % 4),
                cnpj: Cnpj::parse("33.000.167/0001-01").unwrap(),
                status: ["ATIVO", "CANCELADA"][number % 2].to_owned(),
                sector: None,
                trading_name: None,
                registered_on: None,
            };
            (company, History { first_seen: None, withdrawn: gone.then(|| time(1)) })
        };
        let rows: Vec<_> = gone.iter().enumerate().map(|(number, gone)| company(number, *gone)).collect();
        let companies = Companies::with_histories(rows.clone(), &Tickers::default()).unwrap();
        for (withdrawn, status) in [(false, None), (true, None), (true, Some("active")), (true, Some("cancelada"))] {
            let word = |status: &str| if status == "active" { "ATIVO" } else { "CANCELADA" };
            let mut expected: Vec<_> = rows
                .iter()
                .filter(|(company, history)| {
                    (withdrawn || !history.is_withdrawn()) && status.is_none_or(|status| company.status == word(status))
                })
                .map(|(company, _)| (company.name.clone(), company.id))
                .collect();
            expected.sort();
            let mut found = Vec::new();
            for offset in (0..=expected.len()).step_by(limit) {
                let filter = CompanyFilter { status, withdrawn, ..CompanyFilter::default() };
                let listing = companies.list(&filter, Page { limit, offset });
                prop_assert_eq!(listing.total, expected.len());
                found.extend(listing.rows.iter().map(|row| {
                    let company = companies.company(row);
                    (company.name.clone(), company.id)
                }));
            }
            prop_assert_eq!(found, expected);
        }
        for (company, history) in &rows {
            let position = companies.position(company.id).unwrap();
            prop_assert_eq!(companies.company(position), company);
            let text = String::from_utf8(companies.json(position).to_vec()).unwrap();
            prop_assert_eq!(text.contains("withdrawn_at"), history.is_withdrawn());
        }
    }
}
