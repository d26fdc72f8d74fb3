//! Saved searches: the newest filings that hold all words, whatever their number and age.

use std::sync::Arc;

use jiff::Timestamp;
use lastro_catalog::{Catalog, FilingsBuilder, Part};
use lastro_model::{AccountId, CompanyId, Day, FeedId, Filing, FilingId, KeyId, SavedFeed, Stamp};

const OLD: u64 = 10_500;
const ALL: u64 = 61_000;

/// Many old filings about one subject, a few of them of another category, under even more newer ones.
fn catalog() -> Catalog {
    let mut builder = FilingsBuilder::new();
    for number in 0..ALL {
        let is_old = number < OLD;
        builder.push(Filing {
            id: FilingId::Protocol(number),
            company_id: CompanyId((number % 7) as u32 + 1),
            company_name: "Ouro Verde S.A.".to_owned(),
            category: if number % 172 == 0 { "Aviso aos Debenturistas" } else { "Outros" }.to_owned(),
            kind: None,
            delivered_on: Day::parse(if is_old { "2025-02-11" } else { "2026-02-11" }).unwrap(),
            reference_day: None,
            description: if is_old { "Efeitos da pandemia" } else { "Assembleia" }.to_owned(),
            version: 1,
            url: String::new(),
        });
    }
    let part = Part { stamp: Stamp::default(), sample: false, data: builder.finish().unwrap() };
    Catalog { filings: Arc::new(part), ..Catalog::empty() }
}

fn feed(q: Option<&str>, companies: &[u32], categories: &[&str]) -> SavedFeed {
    SavedFeed {
        id: FeedId::from_random([0; 12]),
        account: AccountId(KeyId::parse("abcdefgh").unwrap()),
        name: String::new(),
        q: q.map(str::to_owned),
        company_ids: companies.iter().map(|id| CompanyId(*id)).collect(),
        categories: categories.iter().map(|&label| label.to_owned()).collect(),
        created_at: Timestamp::UNIX_EPOCH,
    }
}

#[test]
fn the_newest_matches_are_found_under_any_number_of_others() {
    let catalog = catalog();
    let ids = |feed: SavedFeed| -> Vec<FilingId> {
        let rows = catalog.newest_matches(&feed, 50);
        rows.into_iter().map(|row| catalog.filings.filing(row).id).collect()
    };
    let newest = |matching: &dyn Fn(&u64) -> bool| -> Vec<FilingId> {
        (0..ALL).rev().filter(matching).take(50).map(FilingId::Protocol).collect()
    };
    let is_notice = |number: &u64| number.is_multiple_of(172);
    let notice = ["aviso aos DEBENTURISTAS"];
    assert_eq!(ids(feed(None, &[], &[])), newest(&|_| true));
    assert_eq!(ids(feed(None, &[], &notice)), newest(&is_notice));
    assert_eq!(ids(feed(None, &[2, 1], &["Outros", notice[0]])), newest(&|number| number % 7 < 2));
    assert_eq!(ids(feed(Some("pandemias"), &[], &[])), newest(&|number| *number < OLD));
    assert_eq!(
        ids(feed(Some("pandemia"), &[], &notice)),
        newest(&|number| *number < OLD && is_notice(number))
    );
    assert_eq!(
        ids(feed(Some("pandemia"), &[3], &[notice[0], "Outros"])),
        newest(&|number| *number < OLD && number % 7 == 2)
    );
    assert_eq!(ids(feed(Some("pandemia 2025"), &[], &[])), newest(&|number| *number < OLD));
    for q in ["pandemia 2026", "pandemia fusão", "pandemai"] {
        assert!(ids(feed(Some(q), &[], &[])).is_empty(), "{q}");
    }
}
