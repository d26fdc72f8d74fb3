//! Measures the speed and memory of parsing a year of filings from its zip.
//!
//! Run by `bench/parse`: `parse_year make FILE YEAR ROWS` writes a synthetic archive, `parse_year read FILE YEAR`
//! measures a synthetic or real one. These are separate runs, so that the memory of one does not count for the other.

#![allow(clippy::print_stdout, reason = "a program that prints, for the eye")]

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::time::{Duration, Instant};

use lastro_sources::cvm::filings::{COLUMNS, UNPACKED_CAP, YearArchive};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const ROUNDS: usize = 10;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", path, year, rows] => make(path, year.parse()?, rows.parse()?),
        ["read", path, year] => measure(path, year.parse()?),
        _ => Err("say `make FILE YEAR ROWS` or `read FILE YEAR`".into()),
    }
}

/// Writes rows as long and varied as the regulator's, in its encoding. All filings are distinct.
fn make(path: &str, year: i16, rows: u32) -> Outcome<()> {
    let mut zip = ZipWriter::new(BufWriter::new(File::create(path)?));
    zip.start_file(format!("ipe_cia_aberta_{year}.csv"), SimpleFileOptions::default())?;
    write!(zip, "{}\r\n", COLUMNS.join(";"))?;
    for number in 0..rows {
        // The text is Latin-1: every letter is one byte.
        let line: Vec<u8> = row(year, number).chars().map(|letter| letter as u8).collect();
        zip.write_all(&line)?;
    }
    zip.finish()?.flush()?;
    Ok(())
}

fn row(year: i16, number: u32) -> String {
    const CATEGORIES: [&str; 4] =
        ["Fato Relevante", "Comunicado ao Mercado", "Assembleia", "Reunião da Administração"];
    let mixed = number.wrapping_mul(2_654_435_761);
    let (code, protocol) = (90_001 + mixed % 900, 1_400_000 + number);
    let (month, day) = (1 + mixed / 7 % 12, 1 + mixed / 91 % 28);
    let category = CATEGORIES[mixed as usize / 13 % CATEGORIES.len()];
    // A third of the rows have no subject.
    let subject = match mixed % 3 {
        0 => String::new(),
        _ => format!("Deliberação nº {mixed:x} sobre a {}ª emissão de debêntures \"A\"", 1 + mixed % 40),
    };
    format!(
        "90.{:03}.{:03}/0001-{:02};COMPANHIA INVENTADA {code} S.A.;{code};{year}-{month:02}-{day:02};{category};Ata;AGE;{subject};\
         {year}-{month:02}-{day:02};AP - Apresentação;{code:06}IPE{day:02}{month:02}{year}0{protocol}00-{:02};{};\
         https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={protocol}&numSequencia={}&numVersao=1\r\n",
        mixed % 1_000,
        code % 1_000,
        mixed % 100,
        mixed % 97,
        1 + mixed % 3,
        protocol - 475_294,
    )
}

fn measure(path: &str, year: i16) -> Outcome<()> {
    let mut times = Vec::new();
    let mut tally = Tally::default();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        tally = read(path, year)?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    let Tally { filings, duplicates, rejects } = tally;
    let rate = |time: Duration| f64::from(filings) / time.as_secs_f64();
    let (median, best) = (times[times.len() / 2], times[0]);
    println!("{filings} filings, {duplicates} duplicates, {rejects} rejects; {ROUNDS} rounds");
    println!(
        "median {median:.1?}: {:.0} filings/s; best {best:.1?}: {:.0} filings/s",
        rate(median),
        rate(best)
    );
    println!("peak memory of the process: {}", peak_memory()?);
    Ok(())
}

#[derive(Default)]
struct Tally {
    filings: u32,
    duplicates: u64,
    rejects: u32,
}

fn read(path: &str, year: i16) -> Outcome<Tally> {
    let mut archive = YearArchive::open(BufReader::new(File::open(path)?), year, UNPACKED_CAP)?;
    let mut reader = archive.filings()?;
    let mut tally = Tally::default();
    for line in reader.by_ref() {
        match line? {
            Ok(_) => tally.filings += 1,
            Err(_) => tally.rejects += 1,
        }
    }
    Ok(Tally { duplicates: reader.duplicates(), ..tally })
}

/// The peak memory of this process, as reported by the system.
fn peak_memory() -> Outcome<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.ok_or("the system does not tell")?.trim().to_owned())
}
