//! A restored part equals the saved one, and any other input is rejected.

use lastro_catalog::{FilingFilter, Filings, FilingsBuilder, Page, SnapshotError, Table};
use lastro_model::{CompanyId, Day, Filing, FilingId, History};
use proptest::prelude::*;

const LABEL: &str = "edition 7";
const ALL: Page = Page { limit: 1000, offset: 0 };

fn filing(number: u64, text: &str) -> Filing {
    let id = if number.is_multiple_of(3) { FilingId::Hash(number) } else { FilingId::Protocol(number) };
    Filing {
        id,
        company_id: CompanyId(number as u32 % 5),
        company_name: format!("Aurora {} S.A.", number % 4),
        category: format!("Ata \"{}\"", number % 2),
        kind: number.is_multiple_of(2).then(|| "Edital".to_owned()),
        delivered_on: Day::from_number(20_000 + number as i32 % 9).unwrap(),
        reference_day: number.is_multiple_of(5).then(|| Day::from_number(19_000).unwrap()),
        description: text.to_owned(),
        version: number as u16 % 4,
        url: format!("https://a.example/{number}?v={}&s={}{text}", number % 4, number + 9_000),
    }
}

fn built(texts: &[String]) -> Filings {
    let mut builder = FilingsBuilder::new();
    (0..).zip(texts).for_each(|(number, text)| builder.push(filing(number, text)));
    builder.finish().unwrap()
}

fn saved(filings: &Filings) -> Vec<u8> {
    let mut bytes = Vec::new();
    filings.save(LABEL, &mut bytes).unwrap();
    bytes
}

fn restored(bytes: &[u8]) -> Result<Filings, SnapshotError> {
    Filings::restore(LABEL, bytes, bytes.len() as u64)
}

fn sample() -> Vec<u8> {
    saved(&built(&["Ações do Japão".to_owned(), "Emissão de ações".to_owned(), String::new()]))
}

/// Number of bytes of the checksum at the end.
const CHECKSUM: usize = 4;

/// Replaces the checksum with the right one for the other bytes.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - CHECKSUM;
    let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_restored_part_equals_the_saved_one(texts in prop::collection::vec("(ata|lucro|a[çã]o|\"é){0,3}", 0..30)) {
        let before = built(&texts);
        let after = restored(&saved(&before)).unwrap();
        prop_assert_eq!(after.len(), before.len());
        prop_assert!(after.categories().eq(before.categories()));
        for position in before.listed() {
            let filing = before.filing(position);
            prop_assert_eq!(after.position(filing.id), Some(position));
            let (mut one, mut other) = (Vec::new(), Vec::new());
            before.write_json(position, &mut one);
            after.write_json(position, &mut other);
            prop_assert_eq!(one, other);
            prop_assert_eq!(after.filing(position), filing);
        }
        for q in ["ata", "lucro", "acao", "a", "aurora sa", "edital 3"] {
            prop_assert_eq!(after.search(q, ALL), before.search(q, ALL));
        }
        let filter = FilingFilter { category: Some("ata \"1\""), ..FilingFilter::default() };
        prop_assert_eq!(after.list(&filter, ALL), before.list(&filter, ALL));
        prop_assert_eq!(saved(&after), saved(&before));
    }

    #[test]
    fn one_wrong_byte_anywhere_is_detected(at: prop::sample::Index, flip in 1u8..) {
        let mut bytes = sample();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(restored(&bytes).is_err());
    }

    #[test]
    fn wrong_bytes_with_a_right_checksum_do_no_harm(at: prop::sample::Index, flip in 1u8..) {
        let mut bytes = sample();
        let at = at.index(bytes.len() - CHECKSUM);
        bytes[at] ^= flip;
        if let Ok(part) = restored(&sealed(bytes)) {
            let newer = filing(90, "ações");
            let part = part.with_changes(&[(newer, History::default())]).unwrap_or(part);
            let mut out = Vec::new();
            part.listed().for_each(|position| part.write_json(position, &mut out));
            for q in ["acao", "a", "aurora sa"] {
                prop_assert!(part.search(q, ALL).rows.iter().all(|row| part.listed().contains(&row)));
            }
        }
    }

    #[test]
    fn foreign_bytes_are_rejected(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(restored(&bytes).is_err());
    }
}

#[test]
fn a_truncated_or_extended_snapshot_is_rejected() {
    let bytes = sample();
    for length in 0..bytes.len() {
        assert!(restored(&bytes[..length]).is_err(), "{length}");
    }
    assert!(restored(&[&bytes[..], b"x"].concat()).is_err());
    assert!(restored(&bytes).is_ok());
}

#[test]
fn a_snapshot_of_other_data_is_stale() {
    let bytes = sample();
    let other = Filings::restore("edition 8", &bytes[..], bytes.len() as u64);
    assert!(matches!(other, Err(SnapshotError::Stale)));
}

#[test]
fn an_impossible_length_is_rejected_before_allocating() {
    const FORMAT: usize = 16;
    let label_length = FORMAT;
    let after_label = label_length + 8 + LABEL.len();
    let empty = || saved(&Filings::empty());
    // Without filings each of the lengths before is zero: of three texts, four of links, times, and labels.
    let number_of_filings = after_label + 9 * 8 + 8;
    for (mut bytes, at) in [(sample(), label_length), (sample(), after_label), (empty(), number_of_filings)] {
        let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert!(length > 0 && length < 100, "a length at {at}");
        bytes[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
        let refused = Filings::restore(LABEL, &bytes[..], u64::MAX);
        assert!(matches!(refused, Err(SnapshotError::Stale | SnapshotError::Damaged)), "{at}");
    }
}
