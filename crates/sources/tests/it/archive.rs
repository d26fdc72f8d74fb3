//! Zip archives: valid, truncated, bogus, and larger than they claim.

use std::io::{Cursor, Write};

use lastro_sources::Fault;
use lastro_sources::cvm::filings::{UNPACKED_CAP, YearArchive};
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fixture::{bytes, kind};

fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

fn good() -> Vec<u8> {
    zipped("ipe_cia_aberta_2025.csv", &bytes("cvm/ipe_duplicate_lines.csv"))
}

/// Number of filings in the zip.
fn count(zip: &[u8], cap: u64) -> Result<usize, Fault> {
    let mut archive = YearArchive::open(Cursor::new(zip), 2025, cap)?;
    let mut filings = 0;
    for line in archive.filings()? {
        filings += usize::from(line?.is_ok());
    }
    Ok(filings)
}

fn refused(zip: &[u8], cap: u64) -> String {
    let fault = count(zip, cap).unwrap_err();
    assert_eq!(kind(&fault), "not data", "{fault}");
    fault.to_string()
}

#[test]
fn the_member_of_the_year_is_read() {
    assert_eq!(count(&good(), UNPACKED_CAP), Ok(2));
}

#[test]
fn another_years_member_is_refused() {
    let zip = zipped("ipe_cia_aberta_2024.csv", &bytes("cvm/ipe_duplicate_lines.csv"));
    assert_eq!(refused(&zip, UNPACKED_CAP), "ipe_cia_aberta_2025.csv: is not in the zip");
}

#[test]
fn pages_and_bogus_bytes_are_refused() {
    assert!(refused(&bytes("error_page.html"), UNPACKED_CAP).contains("page for a browser"));
    for bogus in [&b""[..], b"PK", b"PK\x03\x04", b"PK\x03\x04 and nothing that follows", b"\x1F\x8B\x08\x00"]
    {
        refused(bogus, UNPACKED_CAP);
    }
}

#[test]
fn a_zip_cut_anywhere_is_refused() {
    let zip = good();
    for length in (0..zip.len()).step_by(7) {
        refused(&zip[..length], UNPACKED_CAP);
    }
}

#[test]
fn damage_within_the_member_is_noticed_at_the_latest_at_its_end() {
    let mut zip = good();
    let middle = zip.len() / 3;
    for byte in &mut zip[middle..middle + 8] {
        *byte ^= 0x55;
    }
    refused(&zip, UNPACKED_CAP);
}

/// A zip bomb: one line repeated, small in the zip, large outside.
fn bomb() -> Vec<u8> {
    let mut content = bytes("cvm/ipe_latin1_crlf.csv");
    let line = content.split_inclusive(|byte| *byte == b'\n').next_back().unwrap().to_vec();
    content.extend(line.repeat((BOMB_SIZE as usize - content.len()) / line.len()));
    content.resize(BOMB_SIZE as usize, b'\n');
    zipped("ipe_cia_aberta_2025.csv", &content)
}

const BOMB_SIZE: u32 = 1 << 20;
const SMALL_CAP: u64 = 1 << 18;

#[test]
fn bomb_is_refused_by_its_declared_size() {
    let zip = bomb();
    assert!(zip.len() < 20_000, "it is small before it is unpacked");
    assert!(refused(&zip, SMALL_CAP).contains("unpacks to 1048576 bytes"));
    assert_eq!(count(&zip, UNPACKED_CAP), Ok(2));
}

#[test]
fn a_bomb_that_lies_about_its_size_is_refused_while_unpacking() {
    let mut zip = bomb();
    let told = BOMB_SIZE.to_le_bytes();
    let places: Vec<usize> = (0..zip.len() - 4).filter(|&at| zip[at..at + 4] == told).collect();
    assert_eq!(places.len(), 2, "in the local header and in the directory");
    for at in places {
        zip[at..at + 4].copy_from_slice(&1000u32.to_le_bytes());
    }
    assert!(refused(&zip, SMALL_CAP).contains("larger than its declared"), "zip itself holds it to its word");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic(tail in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = count(&[b"PK\x03\x04", tail.as_slice()].concat(), SMALL_CAP);
    }

    #[test]
    fn a_damaged_zip_never_panics(at in any::<prop::sample::Index>(), byte: u8) {
        let mut zip = good();
        let at = at.index(zip.len());
        zip[at] = byte;
        let _ = count(&zip, SMALL_CAP);
    }
}
