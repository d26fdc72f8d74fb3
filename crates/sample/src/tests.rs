//! Tests of the data set as a whole.

use std::collections::{BTreeMap, HashSet};

use lastro_model::{Company, Day, Filing, FilingId, Series};

use super::random::fingerprint;
use super::*;

fn newest() -> Day {
    Day::from(NEWEST_DAY)
}

fn sample() -> (Vec<Company>, Vec<Filing>) {
    let companies = companies(&Shape::SAMPLE);
    let filings = filings(&Shape::SAMPLE, &companies).collect();
    (companies, filings)
}

/// A hash of every field of every row.
fn fingerprint_of(shape: &Shape) -> u64 {
    let companies = companies(shape);
    let rates = [Series::Selic, Series::Cdi, Series::Ipca].map(|series| rates(series, shape.seed));
    let market = format!("{rates:?}{:?}{companies:?}", fx(shape.seed));
    filings(shape, &companies).fold(fingerprint(0, market.as_bytes()), |hash, filing| {
        fingerprint(hash, format!("{filing:?}").as_bytes())
    })
}

#[test]
fn same_shape_gives_same_bytes_and_other_seeds_differ() {
    let other = Shape { seed: 2, ..Shape::SAMPLE };
    assert_eq!(fingerprint_of(&Shape::SAMPLE), fingerprint_of(&Shape::SAMPLE));
    assert_ne!(fingerprint_of(&Shape::SAMPLE), fingerprint_of(&other));
}

const RELEASED: u64 = 993_578_393_094_224_992;

#[test]
fn the_sample_is_the_one_that_was_released() {
    // After an intended change, update this number. Databases that keep the sample will get other rows.
    assert_eq!(fingerprint_of(&Shape::SAMPLE), RELEASED);
}

#[test]
fn the_sample_has_the_promised_rows() {
    let (companies, filings) = sample();
    assert_eq!((companies.len(), filings.len()), (72, 2_400));
    let sectors: HashSet<_> = companies.iter().filter_map(|c| c.sector.as_deref()).collect();
    assert_eq!(sectors.len(), sectors::SECTORS.len());
    assert!(companies.iter().any(|c| c.sector.is_none()));
    assert!(companies.iter().any(|c| c.trading_name.is_none()));
}

#[test]
fn the_sample_has_every_status_in_likely_shares() {
    let mut seen = BTreeMap::<_, usize>::new();
    for company in companies(&Shape::SAMPLE) {
        *seen.entry(company.status).or_default() += 1;
    }
    assert_eq!(seen.len(), 3);
    assert!((40..=60).contains(&seen["ATIVO"]), "{seen:?}");
    assert!(seen["CANCELADA"] >= 10, "{seen:?}");
    assert!((2..=6).contains(&seen["SUSPENSO(A) - DECISÃO ADM"]), "{seen:?}");
}

#[test]
fn the_sample_has_every_category_and_type() {
    let (_, filings) = sample();
    let seen: HashSet<_> = filings.iter().map(|f| (f.category.as_str(), f.kind.as_deref())).collect();
    let all: HashSet<_> = kinds::KINDS.iter().map(|kind| (kind.category, kind.name)).collect();
    assert_eq!(seen, all);
    let categories: HashSet<_> = all.iter().map(|(category, _)| category).collect();
    assert!(categories.len() >= 12);
}

#[test]
fn every_company_of_the_sample_files() {
    let (companies, filings) = sample();
    let filing: HashSet<_> = filings.iter().map(|f| (f.company_id, f.company_name.as_str())).collect();
    assert_eq!(filing, companies.iter().map(|c| (c.id, c.name.as_str())).collect());
}

#[test]
fn twenty_thousand_companies_have_distinct_identities() {
    let companies = companies(&Shape { companies: 20_000, filings: 0, seed: 3 });
    let distinct = |key: fn(&Company) -> String| companies.iter().map(key).collect::<HashSet<_>>().len();
    assert_eq!(distinct(|c| c.name.clone()), 20_000);
    assert_eq!(distinct(|c| c.id.to_string()), 20_000);
    assert_eq!(distinct(|c| c.cnpj.to_string()), 20_000);
    assert!(companies.iter().all(|c| c.cnpj.has_valid_check_digits()));
    assert_eq!(companies[0].id.0, 90_001);
}

#[test]
fn ids_grow_with_the_day_of_delivery() {
    let (_, filings) = sample();
    assert_eq!(filings[0].id, FilingId::Protocol(9_000_000));
    assert!(filings.windows(2).all(|two| two[0].id < two[1].id));
    assert!(filings.windows(2).all(|two| two[0].delivered_on <= two[1].delivered_on));
}

#[test]
fn filings_come_on_business_days_up_to_the_newest() {
    let (_, filings) = sample();
    assert!(filings.iter().all(|f| calendar::is_business_day(f.delivered_on)));
    assert!(filings.iter().filter_map(|f| f.reference_day).all(|day| day <= newest()));
    assert_eq!(filings.last().unwrap().delivered_on, newest());
    assert!(filings[0].delivered_on >= newest().minus_months(36));
}

#[test]
fn large_set_spans_eight_years_after_registrations() {
    let shape = Shape { companies: 300, filings: 20_000, seed: 5 };
    let companies = companies(&shape);
    let oldest = filings(&shape, &companies).next().unwrap().delivered_on;
    assert!(oldest < newest().minus_months(12 * 8 - 1));
    assert!(companies.iter().all(|c| c.registered_on.unwrap() < oldest));
}

#[test]
fn any_size_is_exact_and_known_in_advance() {
    for wanted in [0, 1, 7, 1_000] {
        let shape = Shape { companies: 3, filings: wanted, seed: 9 };
        let companies = companies(&shape);
        let mut rows = filings(&shape, &companies);
        assert_eq!(rows.len(), wanted);
        rows.next();
        assert_eq!(rows.len(), wanted.saturating_sub(1));
        assert_eq!(rows.count(), wanted.saturating_sub(1));
    }
    assert_eq!(filings(&Shape::SAMPLE, &[]).count(), 0);
}

#[test]
fn about_a_third_of_filings_have_no_subject() {
    let (_, filings) = sample();
    let untitled = filings
        .iter()
        .filter(|f| {
            f.description == f.category || f.kind.as_ref().is_some_and(|k| f.description.starts_with(k))
        })
        .count();
    assert!((650..=950).contains(&untitled), "{untitled}");
}

#[test]
fn every_subject_has_all_its_placeholders_filled() {
    let mut random = random::Random::new(1, "subjects");
    let scene = placeholders::Scene { delivered_on: newest(), reference_day: newest(), paper: "Ata" };
    for subject in kinds::KINDS.iter().flat_map(|kind| kind.subjects) {
        let marked = subject.replace('{', "<{").replace('}', "}>");
        let text = placeholders::compose(&marked, scene, &mut random);
        assert!(!text.contains("<>") && !text.contains(['{', '}']), "{subject} gave {text}");
    }
}

#[test]
fn texts_are_clean() {
    let (companies, filings) = sample();
    let names = companies.iter().map(|c| &c.name);
    for text in names.chain(filings.iter().map(|f| &f.description)) {
        assert!(text.trim() == text && !text.is_empty() && !text.contains("  "), "{text:?}");
    }
}

#[test]
fn versions_and_addresses_follow_the_regulators_form() {
    let (_, filings) = sample();
    for filing in &filings {
        let FilingId::Protocol(number) = filing.id else { panic!("{:?}", filing.id) };
        let tail =
            format!("&numProtocolo={number}&numSequencia={}&numVersao={}", number - 475_294, filing.version);
        assert!(filing.url.starts_with("https://sample.invalid/ENET/frmDownloadDocumento.aspx?Tela=ext&"));
        assert!(filing.url.ends_with(&tail), "{}", filing.url);
    }
    let first_versions = filings.iter().filter(|f| f.version == 1).count();
    assert!((2_150..2_400).contains(&first_versions), "{first_versions}");
}

#[test]
fn tickers_are_unique_and_end_with_cancelled_companies() {
    let shape = Shape { companies: 20_000, filings: 0, seed: 3 };
    let securities = tickers(&shape);
    let distinct: HashSet<_> = securities.iter().map(|security| security.ticker).collect();
    assert_eq!(distinct.len(), securities.len());
    assert!(securities.iter().all(|security| security.ticker.root().ends_with(|c: char| c.is_ascii_digit())));
    let cancelled: HashSet<_> = companies(&shape)
        .into_iter()
        .filter(|company| company.status == "CANCELADA")
        .map(|company| company.id)
        .collect();
    for security in &securities {
        assert_eq!(security.has_ended(newest()), cancelled.contains(&security.company_id));
    }
    let roots: BTreeMap<_, _> = securities.iter().map(|s| (s.ticker.root(), s.company_id)).collect();
    assert!(securities.iter().all(|security| roots[security.ticker.root()] == security.company_id));
}

#[test]
fn sample_has_companies_with_no_one_and_several_tickers() {
    let mut counts: BTreeMap<_, usize> = companies(&Shape::SAMPLE).iter().map(|c| (c.id, 0)).collect();
    tickers(&Shape::SAMPLE).iter().for_each(|security| *counts.get_mut(&security.company_id).unwrap() += 1);
    for count in 0..=3 {
        assert!(counts.values().any(|of| *of == count), "{count}");
    }
    assert_eq!(tickers(&Shape::SAMPLE), tickers(&Shape::SAMPLE));
}

#[test]
fn some_active_companies_have_a_former_name() {
    let names = former_names(&Shape::SAMPLE);
    assert!((5..25).contains(&names.len()), "{}", names.len());
    let companies: BTreeMap<_, _> =
        companies(&Shape::SAMPLE).into_iter().map(|company| (company.id, company)).collect();
    for former in &names {
        let company = &companies[&former.company_id];
        assert_eq!(company.status, "ATIVO");
        assert_ne!(company.name, former.name);
    }
    assert_eq!(names, former_names(&Shape::SAMPLE));
}
