//! Reads a year of filings from its zip and prints how fast that goes.
//!
//! `cargo run --release -p lastro-sources --example parse_year -- ipe_cia_aberta_2025.zip 2025`

#![allow(clippy::print_stdout, reason = "a program that prints, for the eye")]

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::time::Instant;

use lastro_sources::cvm::filings::{UNPACKED_CAP, YearArchive};

const ROUNDS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(year)) = (arguments.next(), arguments.next()) else {
        return Err("give the zip and its year".into());
    };
    for round in 1..=ROUNDS {
        let started = Instant::now();
        let mut archive = YearArchive::open(BufReader::new(File::open(&path)?), year.parse()?, UNPACKED_CAP)?;
        let mut reader = archive.filings()?;
        let (mut filings, mut rejects) = (0u32, 0u32);
        for line in reader.by_ref() {
            match line? {
                Ok(_) => filings += 1,
                Err(_) => rejects += 1,
            }
        }
        let elapsed = started.elapsed();
        let rate = f64::from(filings) / elapsed.as_secs_f64();
        println!(
            "{round:>2}: {filings} filings, {} duplicates, {rejects} rejects in {elapsed:.1?}: {rate:.0} filings/s",
            reader.duplicates()
        );
    }
    Ok(())
}
