//! Bad days of the publishers, one by one: the server goes on as before, and says why it is not fresher.

use std::time::Duration;

use lastro_model::{Day, Source};
use lastro_store::RecordStore;

use super::{Stage, TODAY, day};
use crate::publisher::{REGISTRY, Shelves, Trouble, archive_path, filing, latin_1, zipped};

/// One bad day: who has it, and what a person is told.
struct Case {
    name: &'static str,
    source: Source,
    strike: Strike,
    told: &'static str,
}

enum Strike {
    /// On the way, to requests with this in their line.
    OnTheWay(&'static str, Trouble),
    /// In what is held.
    AtTheSource(fn(&mut Shelves)),
}

use Strike::{AtTheSource, OnTheWay};

const SELIC: &str = "bcdata.sgs.432/";
const BULLETINS: &str = "CotacaoMoedaPeriodo(";
const CURRENCIES: &str = "/Moedas?";
const CAD: &str = "cad_cia_aberta.csv";
const IPE: &str = "ipe_cia_aberta_2026.zip";

/// Troubles that befall an answer, whoever gives it: a round for each, in which it befalls four sources.
fn on_the_way() -> Vec<Vec<Case>> {
    let places =
        [(Source::Selic, SELIC), (Source::Fx, BULLETINS), (Source::Companies, CAD), (Source::Filings, IPE)];
    let (page, object) = ("an HTML page", "a JSON object");
    let browser = "a page for a browser";
    let troubles = [
        ("a page with 200", Trouble::Page, [page, page, browser, browser]),
        ("an empty error object with 200", Trouble::Erro, [object, object, "header", "not a zip"]),
        ("500", Trouble::Status(500), ["status 500"; 4]),
        ("502", Trouble::Status(502), ["status 502"; 4]),
        ("429 for an hour", Trouble::Later(429, 3600), ["status 429"; 4]),
        ("half an answer", Trouble::Half, ["cut short", object, "cut short", "broken zip"]),
        ("a cut connection", Trouble::Cut, ["the connection broke"; 4]),
        (
            "nothing",
            Trouble::Instead(Vec::new()),
            ["an empty body", "an empty body", "is empty", "not a zip"],
        ),
        ("rubbish", Trouble::Instead(b"PK\x03\x04 x".into()), ["not JSON", "not JSON", "header", "broken"]),
    ];
    let round = |(name, trouble, told): (_, Trouble, [_; 4])| {
        let cases = places.into_iter().zip(told);
        let case =
            |((source, part), told)| Case { name, source, strike: OnTheWay(part, trouble.clone()), told };
        cases.map(case).collect()
    };
    let none = OnTheWay(CURRENCIES, Trouble::Instead(br#"{"value":[]}"#.into()));
    let currencies = Case { name: "no currencies", source: Source::Fx, strike: none, told: "has none" };
    troubles.into_iter().map(round).chain([vec![currencies]]).collect()
}

/// What is wrong with the data itself.
fn at_the_source() -> Vec<Case> {
    let case = |name, source, strike, told| Case { name, source, strike: AtTheSource(strike), told };
    vec![
        case("no values", Source::Selic, |shelves| shelves.series.get_mut(&432).unwrap().clear(), "no rows"),
        case(
            "lost values",
            Source::Cdi,
            |shelves| {
                let cdi = shelves.series.get_mut(&4389).unwrap();
                for days in [5, 6, 7, 12, 13] {
                    cdi.remove(&day(TODAY).plus_days(-days));
                }
            },
            "are lost",
        ),
        case(
            "a value that jumped",
            Source::Selic,
            |shelves| {
                shelves.series.get_mut(&432).unwrap().insert(day(TODAY).plus_days(-9), "150.00".into());
            },
            "implausible change",
        ),
        case(
            "a month that jumped",
            Source::Ipca,
            |shelves| {
                shelves.series.get_mut(&433).unwrap().insert(day("2026-08-01"), "56".into());
            },
            "implausible change",
        ),
        case(
            "a currency that vanished",
            Source::Fx,
            |shelves| {
                shelves
                    .quotes
                    .retain(|(currency, day), _| currency != "EUR" || *day < self::day("2026-10-20"));
            },
            "are lost",
        ),
        case(
            "a closing that jumped",
            Source::Fx,
            |shelves| {
                shelves
                    .quotes
                    .insert(("USD".into(), day("2026-10-28")), ("51.2530".into(), "51.2590".into()));
            },
            "implausible change",
        ),
        case(
            "a registry that lost rows",
            Source::Companies,
            |shelves| {
                let most = shelves.companies.len() * 9 / 10;
                shelves.companies.truncate(most);
            },
            "are lost",
        ),
        case(
            "a registry without a column",
            Source::Companies,
            |shelves| {
                let text: Vec<u8> = shelves.registry();
                let text: String = text.iter().map(|byte| char::from(*byte)).collect();
                shelves.by_hand(REGISTRY, latin_1(&text.replace(";CD_CVM;", ";CODIGO;")));
            },
            "CD_CVM is missing",
        ),
        case(
            "a registry of headings alone",
            Source::Companies,
            |shelves| {
                let header =
                    shelves.registry().split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
                shelves.by_hand(REGISTRY, header);
            },
            "no rows",
        ),
        case("a registry that vanished", Source::Companies, |shelves| shelves.withdraw(REGISTRY), "vanished"),
        case(
            "a year that lost rows",
            Source::Filings,
            |shelves| {
                shelves.filings.get_mut(&2026).unwrap().truncate(54);
            },
            "are lost",
        ),
        case(
            "a year without a column",
            Source::Filings,
            |shelves| {
                let text: String = shelves.filings_table(2026).iter().map(|byte| char::from(*byte)).collect();
                let table = latin_1(&text.replacen("Data_Entrega", "Entrega", 1));
                shelves.by_hand(&archive_path(2026), zipped("ipe_cia_aberta_2026.csv", &table));
            },
            "Data_Entrega is missing",
        ),
        case(
            "a year with another year's table",
            Source::Filings,
            |shelves| {
                let table = shelves.filings_table(2026);
                shelves.by_hand(&archive_path(2026), zipped("ipe_cia_aberta_2019.csv", &table));
            },
            "is not in the zip",
        ),
        case(
            "a year that vanished",
            Source::Filings,
            |shelves| shelves.withdraw(&archive_path(2025)),
            "vanished",
        ),
    ]
}

/// Days and months swapped, in all answers about the Selic.
fn swapped(shelves: &Shelves) -> Case {
    let last = day(TODAY).plus_days(-30);
    let rows: Vec<String> = shelves.series[&432]
        .range(last..)
        .map(|(day, value)| {
            format!(
                r#"{{"data":"{:02}/{:02}/{}","valor":"{value}"}}"#,
                day.month(),
                day.day_of_month(),
                day.year()
            )
        })
        .collect();
    let body = format!("[{}]", rows.join(",")).into_bytes();
    Case {
        name: "days and months swapped",
        source: Source::Selic,
        strike: OnTheWay(SELIC, Trouble::Instead(body)),
        told: "month first",
    }
}

/// Something new of this source, which a trouble keeps from us.
fn freshen(shelves: &mut Shelves, source: Source) {
    let today: Day = day(TODAY);
    match source {
        Source::Selic => drop(shelves.series.get_mut(&432).unwrap().insert(today, "11.11".into())),
        Source::Cdi => drop(shelves.series.get_mut(&4389).unwrap().insert(today, "11.10".into())),
        Source::Ipca => drop(shelves.series.get_mut(&433).unwrap().insert(day("2026-10-01"), "0.09".into())),
        Source::Fx => {
            shelves.quotes.insert(("USD".into(), today), ("5.12340".into(), "5.12400".into()));
        }
        Source::Companies => shelves.companies[0].name.push_str(" NOVA"),
        Source::Filings => {
            let company = shelves.companies[0].clone();
            let year = shelves.filings.get_mut(&2026).unwrap();
            year.push(filing(&company, 3_000_000, today));
        }
    }
}

/// Puts cases of different sources into rounds: each round has one of each source at most.
fn rounds(cases: impl IntoIterator<Item = Case>) -> Vec<Vec<Case>> {
    let mut rounds: Vec<Vec<Case>> = Vec::new();
    for case in cases {
        match rounds.iter_mut().find(|round| round.iter().all(|other| other.source != case.source)) {
            Some(round) => round.push(case),
            None => rounds.push(vec![case]),
        }
    }
    rounds
}

async fn endure(stage: &Stage, held: &Shelves, before: &[String], round: Vec<Case>) {
    let newest = stage.json("/health").await["sources"].clone();
    for case in &round {
        match &case.strike {
            OnTheWay(part, trouble) => {
                stage.publisher.change(|shelves| freshen(shelves, case.source));
                stage.publisher.trouble(part, trouble.clone());
            }
            AtTheSource(strike) => stage.publisher.change(strike),
        }
    }
    stage.app.advance_seconds(600);
    for (source, result) in stage.run_all().await {
        let struck = round.iter().find(|case| case.source == source).map(|case| case.name);
        assert_eq!(result.is_err(), struck.is_some(), "{source}: {struck:?}: {result:?}");
    }
    stage.caught_up().await;
    assert!(stage.everything().await == before, "{}: an answer changed", round[0].name);
    for Case { name, source, told, .. } in &round {
        let health = stage.health(*source).await;
        let sentence = health["last_error"].as_str().unwrap_or_default();
        let short = !sentence.contains('\n') && sentence.len() < 300;
        assert!(sentence.contains(told) && short, "{source}: {name}: {sentence}");
        assert_eq!(health["newest_date"], newest[*source as usize]["newest_date"], "{source}: {name}");
        assert_eq!(health["last_attempt"], stage.app.timestamp().to_string(), "{source}: {name}");
        assert_ne!(health["last_success"], health["last_attempt"], "{source}: {name}");
    }

    stage.publisher.mend();
    stage.publisher.change(|shelves| *shelves = held.clone());
    for Case { name, source, .. } in &round {
        let mended = stage.run(*source).await.unwrap();
        assert_eq!((mended.added, mended.changed), (0, 0), "{source}: {name}");
    }
    let states = stage.app.faults.source_states().await.unwrap();
    assert!(states.iter().all(|state| state.last_error.is_none()), "{states:?}");
}

#[tokio::test]
async fn answers_that_are_none_change_no_answer_of_ours() {
    let stage = Stage::synchronised().await;
    let (held, before) = (stage.publisher.shelves(), stage.everything().await);
    for round in on_the_way() {
        endure(&stage, &held, &before, round).await;
    }
}

#[tokio::test]
async fn data_that_cannot_be_true_changes_no_answer_of_ours() {
    let stage = Stage::synchronised().await;
    let (held, before) = (stage.publisher.shelves(), stage.everything().await);
    for round in rounds(at_the_source().into_iter().chain([swapped(&held)])) {
        endure(&stage, &held, &before, round).await;
    }
}

#[tokio::test]
async fn an_answer_that_never_ends_is_not_waited_for() {
    let mut stage = Stage::synchronised().await;
    stage.patience.answer = Duration::from_millis(400);
    let (held, before) = (stage.publisher.shelves(), stage.everything().await);
    for (name, trouble, told) in
        [("a drip", Trouble::Drip, "no answer in time"), ("no end", Trouble::Endless, ": ")]
    {
        let struck = [(Source::Selic, SELIC), (Source::Fx, BULLETINS), (Source::Companies, CAD)];
        let case = |(source, part)| Case { name, source, strike: OnTheWay(part, trouble.clone()), told };
        endure(&stage, &held, &before, struck.map(case).into()).await;
    }
}

#[tokio::test]
async fn trouble_that_passes_is_outlasted() {
    let stage = Stage::set().await;
    for (part, trouble) in [
        ("sgs:", Trouble::Status(502)),
        ("ptax:", Trouble::Page),
        (CAD, Trouble::Cut),
        (IPE, Trouble::Later(429, 0)),
    ] {
        stage.publisher.trouble_times(part, trouble, 2);
    }
    for (source, result) in stage.run_all().await {
        assert!(result.is_ok(), "{source}: {result:?}");
    }
    stage.caught_up().await;
    stage.shows(&stage.publisher.shelves()).await;
}

#[tokio::test]
async fn what_is_our_own_mistake_is_asked_once() {
    let stage = Stage::synchronised().await;
    for (source, part, status) in [
        (Source::Selic, SELIC, 400),
        (Source::Selic, SELIC, 406),
        (Source::Fx, BULLETINS, 400),
        (Source::Companies, CAD, 403),
    ] {
        stage.publisher.forget();
        stage.publisher.trouble(part, Trouble::Status(status));
        let error = stage.run(source).await.unwrap_err();
        assert_eq!(stage.publisher.asked_again(), Vec::<String>::new(), "{source}: {error}");
        stage.publisher.mend();
    }
}

/// Silence where there was speech would leave a hole that nobody asks about again.
#[tokio::test]
async fn a_year_of_silence_in_a_first_reading_is_refused() {
    let stage = Stage::set().await;
    stage.publisher.change(|shelves| {
        shelves.fill_rates(day("2021-01-01"), day(TODAY));
        shelves.series.get_mut(&432).unwrap().retain(|day, _| day.year() != 2023);
    });
    let error = stage.run(Source::Selic).await.unwrap_err();
    assert!(error.to_string().contains("no values from 2023-01-01 to 2023-12-31"), "{error}");
    stage.caught_up().await;
    assert_eq!(stage.health(Source::Selic).await["sample"], true);
}
