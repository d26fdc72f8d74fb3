//! Builds the filings part from made-up filings and prints what building, saving, memory and questions cost.
//!
//! `cargo run --release -p lastro-catalog --example measure -- 2000000`. Times are of the processor, not of the clock on
//! the wall. With a file and a question, as in `measure 2000000 saved 'search:dividendos' 1000`, it restores what an
//! earlier run saved and asks this one question so many times, for
//! `valgrind --tool=callgrind --toggle-collect='*measure::ask*'` to count the instructions.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints, for the eye")]

use lastro_catalog::{FilingFilter, Filings, FilingsBuilder, Page, Rows, Table};
use lastro_model::{CompanyId, Day, Filing, FilingId};

const CATEGORIES: [&str; 16] = [
    "Fato Relevante",
    "Comunicado ao Mercado",
    "Assembleia",
    "Reunião da Administração",
    "Aviso aos Acionistas",
    "Dados Econômico-Financeiros",
    "Valores Mobiliários Negociados e Detidos",
    "Calendário de Eventos Corporativos",
    "Documentos de Oferta de Distribuição Pública",
    "Estatuto Social",
    "Política de Negociação",
    "Escrituras e aditamentos de debêntures",
    "Relatório de Agente Fiduciário",
    "Acordo de Acionistas",
    "Informe do Código de Governança",
    "Recuperação Judicial",
];
const KINDS: [&str; 8] = [
    "AGO",
    "AGE",
    "Ata",
    "Edital de Convocação",
    "Proposta da Administração",
    "Demonstrações Financeiras Intermediárias",
    "Press-release",
    "Posição Consolidada",
];
const SUBJECTS: [&str; 12] = [
    "Distribuição de dividendos e juros sobre o capital próprio",
    "Aprovação da emissão de debêntures simples, não conversíveis em ações",
    "Alteração na composição do conselho de administração",
    "Aquisição de participação societária relevante",
    "Resultados do trimestre e teleconferência com investidores",
    "Aumento do capital social dentro do limite autorizado",
    "Programa de recompra de ações de emissão própria",
    "Esclarecimentos sobre questionamentos da CVM e da B3",
    "Celebração de contrato com partes relacionadas",
    "Reestruturação societária e incorporação de controlada",
    "Projeções e estimativas para o exercício social",
    "Notícia divulgada na mídia sobre operações no exterior",
];
const SYLLABLES: [&str; 16] =
    ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "xo", "zu", "ção"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [_, file, "rounds"] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return rounds(restored(file));
    }
    if let [_, file, question, times] = &arguments[..] {
        return ask(&restored(file), question, times.parse().unwrap());
    }
    let filings = built();
    if let Some(file) = arguments.get(1) {
        let out = std::io::BufWriter::new(std::fs::File::create(file).unwrap());
        println!("saved    in {:.2} s CPU", cpu(|| filings.save("measure", out).unwrap()));
        println!("restored in {:.2} s CPU", cpu(|| restored(file)));
    }
    println!("resident {} MB, peak {} MB", resident("VmRSS"), resident("VmHWM"));
    changes(&filings);
    pages(&filings);
    searches(&filings, &Source::new().words[77]);
    rounds(filings);
}

fn restored(file: &str) -> Filings {
    let file = std::fs::File::open(file).unwrap();
    let length = file.metadata().unwrap().len();
    Filings::restore("measure", std::io::BufReader::with_capacity(1 << 20, file), length).unwrap()
}

/// One question: `search:…`, `anew:…` (never from memory), `page:<offset>` of a category, or `id`.
// By this name an instrumented run finds what to count.
#[inline(never)]
fn ask(filings: &Filings, question: &str, times: u32) {
    let first = Page { limit: 20, offset: 0 };
    let mut out = Vec::with_capacity(1 << 16);
    for turn in 0..times {
        out.clear();
        let rows = match question.split_once(':') {
            Some(("search", text)) => filings.search(text, first).rows,
            Some(("anew", text)) => filings.search(text, ANEW).rows,
            Some(("page", offset)) => {
                filings.list(&category(), Page { limit: 20, offset: offset.parse().unwrap() }).rows
            }
            _ => {
                let id = FilingId::Protocol(100_000 + u64::from(turn) * 7919 % filings.len() as u64);
                Rows::Found(filings.position(id).into_iter().collect())
            }
        };
        rows.iter().for_each(|row| filings.write_json(row, &mut out));
        std::hint::black_box(&out);
    }
}

/// Too far down to be remembered, so that the answer is found anew each time.
const ANEW: Page = Page { limit: 20, offset: 400 };

fn category() -> FilingFilter<'static> {
    FilingFilter {
        company: None,
        category: Some("fato relevante"),
        from: Day::parse("2004-01-01").ok(),
        to: Day::parse("2025-12-31").ok(),
    }
}

fn built() -> Filings {
    let count = std::env::args().nth(1).map_or(2_000_000, |text| text.parse().unwrap());
    let mut source = Source::new();
    let making = cpu(|| (0..50_000).for_each(|number| drop(source.filing(number)))) * count as f64 / 50_000.0;
    let mut source = Source::new();
    let mut builder = FilingsBuilder::with_capacity(count);
    let pushing = cpu(|| (0..count).for_each(|number| builder.push(source.filing(number))));
    println!("pushed   {count} filings in {:.2} s CPU", pushing - making);
    let mut filings = Filings::empty();
    println!("finished in {:.2} s CPU", cpu(|| filings = builder.finish().unwrap()));
    filings
}

/// New filings come on the last day, changed ones anywhere.
fn changes(filings: &Filings) {
    let mut source = Source::new();
    for (count, new) in [(10, true), (10, false), (10_000, false)] {
        let changed = (0..count).map(|number| {
            let mut filing = source.filing(if new { 100_000_000 + number } else { number * 199 });
            if new {
                filing.delivered_on = Day::from_number(20_501).unwrap();
            }
            filing
        });
        let changed: Vec<Filing> = changed.collect();
        let what = if new { "new" } else { "changed" };
        let mut merged = Filings::empty();
        let taken = cpu(|| merged = filings.with_changes(&changed).unwrap());
        println!("{count} {what} in {taken:.2} s CPU, resident {} MB with both", resident("VmRSS"));
    }
}

/// The memory that is left when a part has taken the place of another again and again.
fn rounds(mut filings: Filings) {
    for number in 0..6 {
        let mut source = Source::new();
        let changed: Vec<Filing> =
            (0..10).map(|place| source.filing(200_000_000 + number * 10 + place)).collect();
        filings = std::thread::spawn(move || filings.with_changes(&changed).unwrap()).join().unwrap();
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

fn searches(filings: &Filings, rare: &str) {
    let common = "companhia brasil distribuição dividendos juros capital proprio aprovação emissão debêntures simples \
                  ações alteração conselho administração fato relevante comunicado mercado resultados";
    let asked = [
        rare,
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

/// Microseconds of processor time of one run: the best mean of several rounds, which a busy machine disturbs least.
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

/// Megabytes by the name that Linux gives them, 0 elsewhere.
fn resident(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

struct Source {
    random: fastrand::Rng,
    words: Vec<String>,
    companies: Vec<String>,
}

impl Source {
    fn new() -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let words: Vec<String> = (0..20_000)
            .map(|_| (0..random.usize(2..5)).map(|_| SYLLABLES[random.usize(..SYLLABLES.len())]).collect())
            .collect();
        let companies = (0..2_500)
            .map(|n| match n % 3 {
                0 => format!("COMPANHIA {} DO BRASIL S.A.", words[random.usize(..5000)].to_uppercase()),
                1 => format!("{} {} PARTICIPAÇÕES S.A.", words[n], words[random.usize(..5000)]),
                _ => format!("BANCO {} S/A", words[n].to_uppercase()),
            })
            .collect();
        Self { random, words, companies }
    }

    fn filing(&mut self, number: usize) -> Filing {
        let random = &mut self.random;
        let company = random.usize(..self.companies.len());
        let (protocol, version) = (number as u64 + 100_000, random.u16(1..4));
        let delivered_on = Day::from_number(12_000 + random.i32(0..8_500)).unwrap();
        let word = &self.words[random.usize(..self.words.len()).min(random.usize(..self.words.len()))];
        let subject = SUBJECTS[random.usize(..SUBJECTS.len())];
        let year = delivered_on.year();
        Filing {
            id: FilingId::Protocol(protocol),
            company_id: CompanyId(company as u32 * 9 + 14),
            company_name: self.companies[company].clone(),
            category: CATEGORIES[random.usize(..CATEGORIES.len())].to_owned(),
            kind: random.bool().then(|| KINDS[random.usize(..KINDS.len())].to_owned()),
            delivered_on,
            reference_day: random.bool().then_some(delivered_on),
            description: format!("{subject}, {word}, exercício de {year}, nº {}", random.u16(1..999)),
            version,
            url: format!(
                "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1\
                 &numProtocolo={protocol}&numSequencia={}&numVersao={version}",
                protocol + 300_000
            ),
        }
    }
}
