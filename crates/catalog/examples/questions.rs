//! Runs the queries of a file once each over filings saved by `measure`, and prints the processor time of each.
//!
//! `questions saved texts` prints the texts of every hundredth filing, from which `bench/questions` makes queries.
//! `questions saved ask < questions` reads lines of a family, a limit, an offset and words, and prints each with the
//! total and the microseconds before it. `companies` or `suggestions` instead of `ask` queries these, over the
//! registry behind the filings of `measure`; `highlights` also writes the filings with their highlights.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints, for the eye")]

use std::io::BufRead;

use std::sync::Arc;

use lastro_catalog::{Catalog, Companies, CompanyFilter, FilingFilter, Filings, Page, Part, Searchable};
use lastro_sample::Shape;

/// The allocator of the server binary, so that memory is released in the same way.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const EVERY: usize = 100;
/// The same number of companies as in `measure`.
const REGISTRY: Shape = Shape { companies: 2_500, filings: 0, seed: 1 };

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, what] = &arguments[..] else { return };
    let filings = restored(file);
    if what == "texts" {
        return texts(&filings);
    }
    let companies = Companies::build(lastro_sample::companies(&REGISTRY)).unwrap();
    let catalog = Catalog { companies: part(companies), filings: part(filings), ..Catalog::empty() };
    ask(|words, page| match what.as_str() {
        "companies" => catalog.search_companies(words, &CompanyFilter::default(), page).total,
        "highlights" => highlighted(&catalog, words, page),
        "suggestions" => catalog.suggestions(words, page.limit).len(),
        _ => catalog.filings.search(words, page).total,
    });
}

fn highlighted(catalog: &Catalog, words: &str, page: Page) -> usize {
    let found = catalog.search_filings(words, &FilingFilter::default(), page);
    let (highlights, mut out) = (catalog.highlights(words, &found.interpretation), Vec::new());
    found.rows.iter().for_each(|row| catalog.filings.write_highlighted(row, &highlights, &mut out));
    found.total
}

fn part<T>(data: T) -> Arc<Part<T>> {
    Arc::new(Part { stamp: Default::default(), sample: false, data })
}

fn texts(filings: &Filings) {
    for row in filings.listed().step_by(EVERY) {
        let filing = filings.filing(row);
        let kind = filing.kind.unwrap_or_default();
        println!("{} {} {kind} {}", filing.company_name, filing.category, filing.description);
    }
}

fn ask(find: impl Fn(&str, Page) -> usize) {
    for line in std::io::stdin().lock().lines().map(Result::unwrap) {
        let [_, limit, offset, words] = line.splitn(4, '\t').collect::<Vec<_>>()[..] else { continue };
        let page = Page { limit: limit.parse().unwrap(), offset: offset.parse().unwrap() };
        let mut total = 0;
        let micros = cpu(|| total = find(words, page)) * 1e6;
        println!("{micros:.1}\t{total}\t{line}");
    }
}

fn restored(file: &str) -> Filings {
    let file = std::fs::File::open(file).unwrap();
    let length = file.metadata().unwrap().len();
    Filings::restore("measure", std::io::BufReader::with_capacity(1 << 20, file), length).unwrap()
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
