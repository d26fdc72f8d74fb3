//! Files that have other rows in place of many that they listed.

use lastro_model::Source;

use super::{Stage, TODAY, day};
use crate::publisher::filing;

/// Replaces some filings of a year by others of the same days.
fn replace(stage: &Stage, year: i16, count: usize) {
    stage.publisher.change(|publisher_data| {
        let company = publisher_data.companies[0].clone();
        for (number, old) in
            (9_000_000..).zip(publisher_data.filings.get_mut(&year).unwrap().iter_mut().take(count))
        {
            *old = filing(&company, number, old.delivered_on);
        }
    });
}

#[tokio::test]
async fn an_archive_with_other_filings_is_refused() {
    let stage = Stage::synchronised().await;
    let (year, before) = (day(TODAY).year(), stage.everything().await);
    replace(&stage, year, 30);
    let refused = stage.run(Source::Filings).await.unwrap_err().to_string();
    assert!(refused.contains("30 of the 60 stored rows are missing from it"), "{refused}");
    stage.caught_up().await;
    assert!(stage.health(Source::Filings).await["last_error"].as_str().unwrap().contains("refused: "));
    assert_eq!(stage.everything().await, before, "the last good edition stays");
    let accepted = stage.run_accepting(Source::Filings).await.unwrap();
    assert_eq!((accepted.added, accepted.changed), (30, 30));
    stage.run(Source::Filings).await.unwrap();
}

#[tokio::test]
async fn other_years_are_published_beside_a_refused_one() {
    let stage = Stage::synchronised().await;
    let year = day(TODAY).year();
    replace(&stage, year - 1, 10);
    stage.publisher.change(|publisher_data| {
        let company = publisher_data.companies[0].clone();
        publisher_data.filings.get_mut(&year).unwrap().push(filing(&company, 7_000_000, day(TODAY)));
    });
    stage.run(Source::Filings).await.unwrap_err();
    stage.caught_up().await;
    stage.json("/api/v1/filings/7000000").await;
    assert_eq!(stage.json("/api/v1/filings").await["total"], 121);
}

#[tokio::test]
async fn filings_that_another_archive_lists_now_are_not_lost() {
    let stage = Stage::synchronised().await;
    let year = day(TODAY).year();
    stage.publisher.change(|publisher_data| {
        let moved: Vec<_> = publisher_data.filings.get_mut(&(year - 1)).unwrap().drain(..15).collect();
        let company = publisher_data.companies[0].clone();
        let added = (8_000_000..8_000_015).map(|number| filing(&company, number, day("2025-06-01")));
        publisher_data.filings.get_mut(&(year - 1)).unwrap().extend(added);
        publisher_data.filings.get_mut(&year).unwrap().extend(moved);
    });
    let outcome = stage.run(Source::Filings).await.unwrap();
    assert_eq!((outcome.added, outcome.changed), (15, 0));
    stage.caught_up().await;
    assert_eq!(stage.json("/api/v1/filings").await["total"], 135);
}

#[tokio::test]
async fn a_registry_with_other_companies_is_refused() {
    let stage = Stage::synchronised().await;
    let before = stage.json("/api/v1/companies").await;
    stage.publisher.change(|publisher_data| {
        for company in publisher_data.companies.iter_mut().skip(10).take(30) {
            company.id.0 += 500_000;
        }
    });
    let refused = stage.run(Source::Companies).await.unwrap_err().to_string();
    assert!(refused.contains("30 of the 72 stored rows are missing from it"), "{refused}");
    stage.caught_up().await;
    assert_eq!(stage.json("/api/v1/companies").await, before);
    let accepted = stage.run_accepting(Source::Companies).await.unwrap();
    assert_eq!((accepted.added, accepted.changed), (30, 30));
}
