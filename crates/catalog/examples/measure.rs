//! Builds the filings part from generated filings and prints the cost of building, saving, memory and queries.
//!
//! `cargo run --release -p lastro-catalog --features jemalloc --example measure -- 2000000`. Times are processor
//! time, not wall-clock time. With a file and a query, as in `measure 2000000 saved 'search:dividendos' 1000`, it
//! restores the part that an earlier run saved and repeats this one query, for
//! `valgrind --tool=callgrind --toggle-collect='*measure::ask*'` to count the instructions.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints, for the eye")]

use lastro_catalog::{FilingFilter, Filings, FilingsBuilder, Page, Rows, Table};
use lastro_model::{Company, Day, Filing, FilingId, History};
use lastro_sample::Shape;

/// The allocator of the server binary, so that memory is released in the same way.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const COMPANIES: usize = 2_500;
/// Time after which the allocator has returned freed memory to the system.
const GIVEN_BACK: std::time::Duration = std::time::Duration::from_secs(12);
/// A word of the generated names that few filings have.
const RARE: &str = "Abanepeva";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [_, file, "rounds"] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return rounds(restored(file));
    }
    if let [_, file, question, times] = &arguments[..] {
        let filings = restored(file);
        let ids = scattered_ids(&filings);
        return ask(&filings, &ids, question, times.parse().unwrap());
    }
    let filings = built();
    if let Some(file) = arguments.get(1) {
        let out = std::io::BufWriter::new(std::fs::File::create(file).unwrap());
        println!("saved    in {:.2} s CPU", cpu(|| filings.save("measure", out).unwrap()));
        println!("restored in {:.2} s CPU", cpu(|| restored(file)));
    }
    std::thread::sleep(GIVEN_BACK);
    println!("resident {} MB, peak {} MB", resident("VmRSS"), resident("VmHWM"));
    changes(&filings);
    pages(&filings);
    searches(&filings);
    rounds(filings);
}

fn restored(file: &str) -> Filings {
    let file = std::fs::File::open(file).unwrap();
    let length = file.metadata().unwrap().len();
    Filings::restore("measure", std::io::BufReader::with_capacity(1 << 20, file), length).unwrap()
}

/// Runs one query: `search:…`, `anew:…` (never cached), `page:<offset>` of a category, or `id`.
// An instrumented run selects the instructions to count by this name.
#[inline(never)]
fn ask(filings: &Filings, ids: &[FilingId], question: &str, times: u32) {
    let first = Page { limit: 20, offset: 0 };
    let mut out = Vec::with_capacity(1 << 16);
    for id in ids.iter().cycle().take(times as usize) {
        out.clear();
        let rows = match question.split_once(':') {
            Some(("search", text)) => filings.search(text, first).listing.rows,
            Some(("anew", text)) => filings.search(text, ANEW).listing.rows,
            Some(("page", offset)) => {
                filings.list(&category(), Page { limit: 20, offset: offset.parse().unwrap() }).rows
            }
            _ => Rows::Found(filings.position(*id).into_iter().collect()),
        };
        rows.iter().for_each(|row| filings.write_json(row, &mut out));
        std::hint::black_box(&out);
    }
}

fn scattered_ids(filings: &Filings) -> Vec<FilingId> {
    let rows = (0..1_000).filter_map(|turn| filings.listed().nth(turn * 7919 % filings.len()));
    rows.map(|row| filings.filing(row).id).collect()
}

/// A page too deep to be cached, so that every search is computed.
const ANEW: Page = Page { limit: 20, offset: 400 };

fn category() -> FilingFilter<'static> {
    FilingFilter {
        companies: &[],
        category: Some("fato relevante"),
        from: Day::parse("2019-01-01").ok(),
        to: Day::parse("2026-06-30").ok(),
        ..FilingFilter::default()
    }
}

/// The shape of the data set that `lastro demo` makes at this size.
fn shape() -> Shape {
    let filings = std::env::args().nth(1).map_or(2_000_000, |text| text.parse().unwrap());
    Shape { companies: COMPANIES, filings, seed: 1 }
}

fn built() -> Filings {
    let (shape, companies) = (shape(), lastro_sample::companies(&shape()));
    let made = || lastro_sample::filings(&shape, &companies);
    let making = cpu(|| made().for_each(drop));
    let mut builder = FilingsBuilder::with_capacity(shape.filings);
    let pushing = cpu(|| made().for_each(|filing| builder.push(filing)));
    println!("pushed   {} filings in {:.2} s CPU", shape.filings, pushing - making);
    let mut filings = Filings::empty();
    println!("finished in {:.2} s CPU", cpu(|| filings = builder.finish().unwrap()));
    filings
}

/// Measures changes. New filings are added on the last day, changed ones anywhere.
fn changes(filings: &Filings) {
    let withdrawn =
        |(filing, history)| (filing, History { withdrawn: Some(jiff::Timestamp::MAX), ..history });
    let old = changed_filings(filings, 2).into_iter().skip(1).map(withdrawn).collect();
    for (what, changed) in [
        ("new", new_filings(10, 0)),
        ("changed", changed_filings(filings, 10)),
        ("changed", changed_filings(filings, 10_000)),
        ("withdrawn in the middle", old),
    ] {
        let count = changed.len();
        let mut merged = Filings::empty();
        let taken = cpu(|| merged = filings.with_changes(&changed).unwrap());
        println!("{count} {what} in {taken:.2} s CPU, resident {} MB with both", resident("VmRSS"));
    }
}

/// Filings of another set, with unused numbers.
fn new_filings(count: usize, first: u64) -> Vec<(Filing, History)> {
    let shape = Shape { companies: COMPANIES, filings: count, seed: 2 };
    let companies: Vec<Company> = lastro_sample::companies(&shape);
    let numbered = |(number, filing)| {
        let id = FilingId::Protocol(100_000_000 + number);
        (Filing { id, delivered_on: lastro_sample::NEWEST_DAY.into(), ..filing }, History::default())
    };
    (first..).zip(lastro_sample::filings(&shape, &companies)).map(numbered).collect()
}

fn changed_filings(filings: &Filings, count: usize) -> Vec<(Filing, History)> {
    let rows = filings.listed().step_by((filings.len() / count).max(1)).take(count);
    let corrected = |row| {
        let filing = filings.filing(row);
        let description = format!("{}, retificado", filing.description);
        (Filing { description, ..filing }, filings.history(row))
    };
    rows.map(corrected).collect()
}

/// Measures the memory in use after a part was replaced repeatedly.
fn rounds(mut filings: Filings) {
    for number in 0..6 {
        let changed = new_filings(10, number * 10);
        filings = std::thread::spawn(move || filings.with_changes(&changed).unwrap()).join().unwrap();
        std::thread::sleep(GIVEN_BACK);
        println!("round {number}: resident {} MB, at most {} MB", resident("VmRSS"), resident("VmHWM"));
    }
}

fn pages(filings: &Filings) {
    for offset in [0, 50_000] {
        let mut out = Vec::with_capacity(1 << 16);
        let taken = timed(2000, || {
            out.clear();
            let listing = filings.list(&category(), Page { limit: 20, offset });
            listing.rows.iter().for_each(|position| filings.write_json(position, &mut out));
        });
        println!("page of 20 at offset {offset}: {taken:.2} µs with its JSON ({} bytes)", out.len());
    }
}

fn searches(filings: &Filings) {
    let common = "companhia brasil distribuição dividendos juros capital proprio aprovação emissão debêntures simples \
                  ações alteração conselho administração fato relevante comunicado mercado resultados";
    let asked = [
        RARE,
        "dividendos",
        "debenture",
        "ações",
        "companhia",
        "fato relevante dividendos",
        "companhia brasil",
        "administracao companhia acoes",
        "divid",
        "comunicado a",
        "a",
        "c",
        "s",
        "de",
        "1",
        "de da do",
        common,
        "\"AND\" (",
    ];
    let first = Page { limit: 20, offset: 0 };
    for text in asked {
        let total = filings.search(text, first).total;
        let (again, found) =
            (timed(2000, || filings.search(text, first)), timed(10, || filings.search(text, ANEW)));
        println!("search {text:<40.40} {total:>8} found, {found:>8.1} µs, {again:>6.2} µs when asked again");
    }
    let deep = Page { limit: 20, offset: 500_000 };
    println!("search companhia at offset 500000: {:.1} µs", timed(10, || filings.search("companhia", deep)));
}

/// Processor time of one run in microseconds: the best mean of several rounds, which a busy machine disturbs least.
fn timed<T>(runs: u32, mut run: impl FnMut() -> T) -> f64 {
    let round = |_| {
        cpu(|| {
            for _ in 0..runs {
                std::hint::black_box(run());
            }
        })
    };
    (0..9).map(round).fold(f64::INFINITY, f64::min) * 1e6 / f64::from(runs)
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

/// Memory in megabytes by its Linux name; 0 on other systems.
fn resident(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
