//! Searches a registry file for queries from standard input, one per line, and prints the processor time in
//! microseconds and the registry codes of the first ten companies. For `bench/relevance`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints, for the eye")]

use std::io::BufRead;

use lastro_catalog::{Companies, Page};
use lastro_model::{Cnpj, Company, CompanyId};

const SEEN: Page = Page { limit: 10, offset: 0 };
const TIMES: u32 = 20;

fn main() {
    let file = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let companies = Companies::build(text.lines().skip(1).map(company).collect()).unwrap();
    for q in std::io::stdin().lock().lines().map(Result::unwrap) {
        let mut ids = Vec::new();
        let micros = cpu(|| {
            for _ in 0..TIMES {
                let found = companies.search(&q, SEEN);
                ids = found.rows.iter().map(|row| companies.company(row).id.to_string()).collect();
            }
        }) * 1e6
            / f64::from(TIMES);
        println!("{micros:.1}\t{}", ids.join(" "));
    }
}

/// Parses `id;status;name;trading_name;sector;tickers`.
fn company(line: &str) -> Company {
    let cells: Vec<&str> = line.split(';').collect();
    let filled = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    Company {
        id: CompanyId::parse(cells[0]).unwrap(),
        status: cells[1].to_owned(),
        name: cells[2].to_owned(),
        trading_name: filled(cells[3]),
        sector: filled(cells[4]),
        cnpj: Cnpj::parse("33.000.167/0001-01").unwrap(),
        registered_on: None,
    }
}

/// Seconds of processor time that this thread takes for `work`.
fn cpu<T>(work: impl FnOnce() -> T) -> f64 {
    let spent = || {
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
    };
    let before = spent();
    std::hint::black_box(work());
    spent() - before
}
