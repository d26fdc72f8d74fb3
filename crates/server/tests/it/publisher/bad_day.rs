//! Bad days of the publishers: faults in a response or in the data itself, the sources affected, the message for
//! people, and the metric. The tests apply the same days to a synchronisation inside the test, to the schedule of a
//! server, and to the real binary.

use lastro_model::{Day, Series, Source};

use super::{
    CDI, Publisher, PublisherData, REGISTRY, SELIC, Trouble, archive_path, filing, forms_path, latin_1,
    zipped,
};

/// One bad day of one source.
pub(crate) struct BadDay {
    pub name: &'static str,
    pub source: Source,
    pub strike: Strike,
    /// Part of the message for people.
    pub told: &'static str,
    /// The metric label that counts it.
    pub kind: &'static str,
}

pub(crate) enum Strike {
    /// A fault in transit, for requests with this text in their line.
    OnTheWay(String, Trouble),
    /// A fault in the published data, up to this day.
    AtTheSource(fn(&mut PublisherData, Day)),
}

use Strike::{AtTheSource, OnTheWay};

const SELIC_LINE: &str = "bcdata.sgs.432/";
const BULLETINS: &str = "CotacaoMoedaPeriodo(";
const CURRENCIES: &str = "/Moedas?";
const CAD: &str = "cad_cia_aberta.csv";

/// Four sources with different request formats, and text that identifies their requests.
fn places(today: Day) -> [(Source, String); 4] {
    [
        (Source::Series(Series::Selic), SELIC_LINE.into()),
        (Source::Fx, BULLETINS.into()),
        (Source::Companies, CAD.into()),
        (Source::Filings, archive_path(today.year())),
    ]
}

/// A trouble that affects all four on one day, with the message and metric for each.
fn round(today: Day, name: &'static str, trouble: &Trouble, told: [Complaint; 4]) -> Vec<BadDay> {
    let cases = places(today).into_iter().zip(told);
    let case = |((source, part), (told, kind))| BadDay {
        name,
        source,
        strike: OnTheWay(part, trouble.clone()),
        told,
        kind,
    };
    cases.map(case).collect()
}

type Complaint = (&'static str, &'static str);

const AWAY: &str = "unreachable";
const NO_DATA: &str = "not_data";
const REFUSED: &str = "refused";

/// Responses of the central bank are retried whatever is wrong with them; a file received whole is not.
const fn told(sentences: [&'static str; 4]) -> [Complaint; 4] {
    let [sgs, ptax, cad, ipe] = sentences;
    [(sgs, AWAY), (ptax, AWAY), (cad, NO_DATA), (ipe, NO_DATA)]
}

const fn away(sentence: &'static str) -> [Complaint; 4] {
    [(sentence, AWAY); 4]
}

/// Faults in transit that can affect any publisher: a round for each.
pub(crate) fn on_the_way(today: Day) -> Vec<Vec<BadDay>> {
    let (page, object) = ("an HTML page", "a JSON object");
    let browser = "a page for a browser";
    let troubles = [
        ("a page with 200", Trouble::Page, told([page, page, browser, browser])),
        ("an empty error object with 200", Trouble::Erro, told([object, object, "header", "not a zip"])),
        ("404", Trouble::Status(404), told(["status 404", "status 404", "vanished", "vanished"])),
        ("500", Trouble::Status(500), away("status 500")),
        ("502", Trouble::Status(502), away("status 502")),
        ("503 for an hour", Trouble::Later(503, 3600), away("status 503")),
        ("429 for an hour", Trouble::Later(429, 3600), away("status 429")),
        ("half an answer", Trouble::Half, told(["cut short", object, "cut short", "broken zip"])),
        ("a cut connection", Trouble::Cut, away("the connection broke")),
        (
            "nothing",
            Trouble::Instead(Vec::new()),
            told(["an empty body", "an empty body", "is empty", "not a zip"]),
        ),
        (
            "rubbish",
            Trouble::Instead(b"PK\x03\x04 x".into()),
            told(["not JSON", "not JSON", "header", "broken"]),
        ),
    ];
    let rounds = troubles.into_iter().map(|(name, trouble, told)| round(today, name, &trouble, told));
    let none = OnTheWay(CURRENCIES.into(), Trouble::Instead(br#"{"value":[]}"#.into()));
    let currencies =
        BadDay { name: "no currencies", source: Source::Fx, strike: none, told: "has none", kind: NO_DATA };
    rounds.chain([vec![currencies]]).collect()
}

/// Responses that never end, for clients with a timeout: a round for each.
pub(crate) fn without_end(today: Day) -> Vec<Vec<BadDay>> {
    let too_late = away("no answer in time");
    vec![
        round(today, "a drip", &Trouble::Drip, too_late),
        round(today, "no end", &Trouble::Ceaseless, too_late),
    ]
}

/// Faults in the data itself: each source at most once in a round.
pub(crate) fn at_the_source(publisher_data: &PublisherData, today: Day) -> Vec<Vec<BadDay>> {
    let mut rounds: Vec<Vec<BadDay>> = Vec::new();
    for case in series_cases()
        .into_iter()
        .chain(quote_cases())
        .chain(file_cases())
        .chain(form_cases())
        .chain([swapped(publisher_data, today)])
    {
        match rounds.iter_mut().find(|round| round.iter().all(|other| other.source != case.source)) {
            Some(round) => round.push(case),
            None => rounds.push(vec![case]),
        }
    }
    rounds
}

fn case(
    name: &'static str,
    source: Source,
    strike: fn(&mut PublisherData, Day),
    (told, kind): Complaint,
) -> BadDay {
    BadDay { name, source, strike: AtTheSource(strike), told, kind }
}

fn series_cases() -> Vec<BadDay> {
    vec![
        case(
            "no values",
            Source::Series(Series::Selic),
            |publisher_data, _| publisher_data.series.get_mut(&SELIC).unwrap().clear(),
            ("no rows", REFUSED),
        ),
        case(
            "lost values",
            Source::Series(Series::Cdi),
            |publisher_data, today| {
                let kept = |day: &Day| *day < today.plus_days(-13) || *day > today.plus_days(-5);
                publisher_data.series.get_mut(&CDI).unwrap().retain(|day, _| kept(day));
            },
            ("are lost", REFUSED),
        ),
    ]
}

fn quote_cases() -> Vec<BadDay> {
    vec![case(
        "closings that vanished",
        Source::Fx,
        |publisher_data, today| {
            let kept = |currency: &str, day: Day| currency != "EUR" || day < today.plus_days(-13);
            publisher_data.quotes.retain(|(currency, day), _| kept(currency, *day));
        },
        ("are lost", REFUSED),
    )]
}

fn file_cases() -> Vec<BadDay> {
    vec![
        case(
            "a registry that lost rows",
            Source::Companies,
            |publisher_data, _| {
                let most = publisher_data.companies.len() * 9 / 10;
                publisher_data.companies.truncate(most);
            },
            ("are lost", REFUSED),
        ),
        case(
            "a registry without a column",
            Source::Companies,
            |publisher_data, _| {
                let text = characters(&publisher_data.registry());
                publisher_data.by_hand(REGISTRY, latin_1(&text.replace(";CD_CVM;", ";CODIGO;")));
            },
            ("CD_CVM is missing", NO_DATA),
        ),
        case(
            "a registry of headings alone",
            Source::Companies,
            |publisher_data, _| {
                let header =
                    publisher_data.registry().split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
                publisher_data.by_hand(REGISTRY, header);
            },
            ("no rows", REFUSED),
        ),
        case(
            "a registry that vanished",
            Source::Companies,
            |publisher_data, _| publisher_data.withdraw(REGISTRY),
            ("vanished", NO_DATA),
        ),
        case(
            "a year that lost rows",
            Source::Filings,
            |publisher_data, today| publisher_data.filings.get_mut(&today.year()).unwrap().truncate(54),
            ("are lost", REFUSED),
        ),
        case(
            "a year without a column",
            Source::Filings,
            |publisher_data, today| {
                let text = characters(&publisher_data.filings_table(today.year()));
                let table = latin_1(&text.replacen("Data_Entrega", "Entrega", 1));
                publisher_data.by_hand(&archive_path(today.year()), zipped(&member(today.year()), &table));
            },
            ("Data_Entrega is missing", NO_DATA),
        ),
        case(
            "a year with another year's table",
            Source::Filings,
            |publisher_data, today| {
                let table = publisher_data.filings_table(today.year());
                publisher_data.by_hand(&archive_path(today.year()), zipped(&member(2019), &table));
            },
            ("is not in the zip", NO_DATA),
        ),
        case(
            "a year that vanished",
            Source::Filings,
            |publisher_data, today| publisher_data.withdraw(&archive_path(today.year() - 1)),
            ("vanished", NO_DATA),
        ),
    ]
}

fn form_cases() -> Vec<BadDay> {
    vec![
        case(
            "forms that lost securities",
            Source::Tickers,
            |publisher_data, today| {
                let this_year: Vec<_> = publisher_data
                    .securities
                    .extract_if(.., |security| security.reference_day.year() == today.year())
                    .collect();
                publisher_data.securities.extend_from_slice(&this_year[..this_year.len() * 9 / 10]);
            },
            ("are lost", REFUSED),
        ),
        case(
            "forms without a column",
            Source::Tickers,
            |publisher_data, today| {
                let text = characters(&publisher_data.securities_table(today.year()));
                let table = latin_1(&text.replacen("Codigo_Negociacao", "Codigo", 1));
                let archive = publisher_data.forms_archive(today.year(), &table);
                publisher_data.by_hand(&forms_path(today.year()), archive);
            },
            ("Codigo_Negociacao is missing", NO_DATA),
        ),
        case(
            "forms that vanished",
            Source::Tickers,
            |publisher_data, today| publisher_data.withdraw(&forms_path(today.year() - 1)),
            ("vanished", NO_DATA),
        ),
    ]
}

/// Decodes Latin-1.
fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn member(year: i16) -> String {
    format!("ipe_cia_aberta_{year}.csv")
}

/// Days and months swapped, in all responses about the Selic.
fn swapped(publisher_data: &PublisherData, today: Day) -> BadDay {
    let swap = |(day, value): (&Day, &String)| {
        let (month, first, year) = (day.month(), day.day_of_month(), day.year());
        format!(r#"{{"data":"{month:02}/{first:02}/{year}","valor":"{value}"}}"#)
    };
    let rows: Vec<String> = publisher_data.series[&SELIC].range(today.plus_days(-30)..).map(swap).collect();
    let body = format!("[{}]", rows.join(",")).into_bytes();
    let strike = OnTheWay(SELIC_LINE.into(), Trouble::Instead(body));
    let name = "days and months swapped";
    BadDay { name, source: Source::Series(Series::Selic), strike, told: "month first", kind: NO_DATA }
}

impl BadDay {
    /// Applies the bad day; [`Publisher::restore`] ends it.
    pub(crate) fn strike(&self, publisher: &Publisher, today: Day) {
        match &self.strike {
            OnTheWay(part, trouble) => {
                publisher.change(|publisher_data| freshen(publisher_data, self.source, today));
                publisher.trouble(part, trouble.clone());
            }
            AtTheSource(strike) => publisher.change(|publisher_data| strike(publisher_data, today)),
        }
    }
}

impl Publisher {
    /// Ends all troubles and restores the data.
    pub(crate) fn restore(&self, publisher_data: &PublisherData) {
        self.mend();
        self.change(|held| *held = publisher_data.clone());
    }
}

/// Adds something new to this source, which a trouble hides from us.
fn freshen(publisher_data: &mut PublisherData, source: Source, today: Day) {
    match source {
        Source::Series(Series::Selic) => {
            publisher_data.series.get_mut(&SELIC).unwrap().insert(today, "11.11".into());
        }
        Source::Fx => {
            publisher_data.quotes.insert(("USD".into(), today), ("5.12340".into(), "5.12400".into()));
        }
        Source::Companies => publisher_data.companies[0].name.push_str(" NOVA"),
        Source::Filings => {
            let company = publisher_data.companies[0].clone();
            let year = publisher_data.filings.get_mut(&today.year()).unwrap();
            year.push(filing(&company, 3_000_000, today));
        }
        Source::Series(_) | Source::Tickers => panic!("no trouble on the way befalls {source}"),
    }
}
