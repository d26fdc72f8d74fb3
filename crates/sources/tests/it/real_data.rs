//! Tests with the publishers' original files, if `LASTRO_REAL_DATA` names a directory with them. Skipped otherwise.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::PathBuf;

use lastro_model::{Currency, Decimal, Kind, RatePoint, Series, Standing};
use lastro_sources::cvm::companies;
use lastro_sources::cvm::filings::{UNPACKED_CAP, YearArchive};
use lastro_sources::{Reading, ptax, sgs};

use crate::fixture::{answer, day, kind};
use crate::review::judged;

fn path(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("LASTRO_REAL_DATA")?).join(name);
    assert!(path.exists(), "LASTRO_REAL_DATA has no {name}");
    Some(path)
}

fn bytes(name: &str) -> Option<Vec<u8>> {
    path(name).map(|path| std::fs::read(path).unwrap())
}

/// Parses the body independently with a plain JSON parser: day and value as text.
fn independently(body: &[u8]) -> Vec<(String, String)> {
    let list: serde_json::Value = serde_json::from_slice(body).unwrap();
    let texts = list.as_array().unwrap().iter().map(|item| {
        let published = item["data"].as_str().unwrap();
        let day = format!("{}-{}-{}", &published[6..], &published[3..5], &published[..2]);
        (day, item["valor"].as_str().unwrap().to_owned())
    });
    texts.collect()
}

fn assert_series_equal(series: Series, name: &str) {
    let Some(body) = bytes(name) else { return };
    let reading = sgs::read(series, None, &answer(200, &body)).unwrap();
    assert_eq!(reading.rejects, []);
    let read: Vec<_> =
        reading.rows.iter().map(|point| (point.day.to_string(), point.value.to_string())).collect();
    assert_eq!(read, independently(&body), "{name}");
}

#[test]
fn series_equal_what_was_published_to_the_last_decimal() {
    assert_series_equal(Series::Selic, "sgs/432_2016-2025.json");
    assert_series_equal(Series::Ipca, "sgs/433_2016-2026.json");
    assert_series_equal(Series::Ipca, "sgs/ok_433_2024.json");
    // The body of another daily series stands in for CDI: six decimals, business days.
    assert_series_equal(Series::Cdi, "sgs/11_2020-2024.json");
    assert_series_equal(Series::Selic, "sgs/ok_226_TR_ultimos3_dataFim.json");
}

/// The points of an original body.
fn points(series: Series, name: &str) -> Option<Vec<RatePoint>> {
    let body = bytes(name)?;
    Some(sgs::read(series, None, &answer(200, &body)).unwrap().rows)
}

/// Checks that every published step passes, even if doubled.
fn assert_room(kind: Kind, points: &[RatePoint]) {
    for pair in points.windows(2) {
        let step = pair[1].value - pair[0].value;
        for times in [1, 2] {
            let value = pair[0].value + step * Decimal::from(times);
            let next = [RatePoint { value, ..pair[1] }];
            let review = judged(kind, &pair[..1], &next);
            assert!(review.doubted.is_empty(), "{times} times: {:?}", review.doubted);
        }
    }
}

#[test]
fn every_real_step_passes_judgement_with_room() {
    let Some(selic) = points(Series::Selic, "sgs/432_2016-2025.json") else { return };
    assert_room(Kind::RatePerYear, &selic);
    assert_room(Kind::RatePerMonth, &points(Series::Ipca, "sgs/433_2016-2026.json").unwrap());
    // The rate of a day, roughly annualised, stands in for CDI.
    let a_year = |point: RatePoint| RatePoint { value: point.value * Decimal::from(252), ..point };
    let daily = points(Series::Cdi, "sgs/11_2020-2024.json").unwrap();
    assert_room(Kind::RatePerYear, &daily.into_iter().map(a_year).collect::<Vec<_>>());
    let asked = (day("2026-09-03"), day("2026-09-06"));
    let usd = Currency::parse("USD").unwrap();
    let body = bytes("ptax/usd_CotacaoMoedaPeriodo_2026-09-03_06.json").unwrap();
    let quotes = ptax::read(usd, asked, &answer(200, &body)).unwrap().rows;
    assert!(judged(Kind::Price, &quotes[..1], &quotes).doubted.is_empty());
}

#[test]
fn a_real_monthly_window_holds_the_row_before_it() {
    let Some(body) = bytes("sgs/ok_433_window_02-31jan2024.json") else { return };
    let asked = Some((day("2024-01-02"), day("2024-01-31")));
    let reading = sgs::read(Series::Ipca, asked, &answer(200, &body)).unwrap();
    assert_eq!(reading.rows[0].day, day("2024-01-01"));
}

#[test]
fn real_error_bodies_are_told_apart() {
    for (status, name, expected) in [
        (400, "sgs/error_400_ultimos21.json", Err("ours")),
        (406, "sgs/error_406_exact10_plus1.json", Err("ours")),
        (200, "sgs/error_406_long_or_end_only.json", Err("ours")),
        (404, "sgs/error_404_weekend_no_values.json", Ok(0)),
    ] {
        let Some(body) = bytes(name) else { return };
        let read = sgs::read(Series::Selic, None, &answer(status, &body));
        assert_eq!(read.map(|reading| reading.rows.len()).map_err(|fault| kind(&fault)), expected, "{name}");
    }
}

#[test]
fn real_bulletins_give_the_closing() {
    let asked = (day("2026-09-03"), day("2026-09-06"));
    let Some(body) = bytes("ptax/usd_CotacaoMoedaPeriodo_2026-09-03_06.json") else { return };
    let usd = Currency::parse("USD").unwrap();
    let reading = ptax::read(usd, asked, &answer(200, &body)).unwrap();
    assert_eq!(reading.rejects, []);
    let closings: Vec<_> = reading.rows.iter().map(|quote| (quote.day, quote.sell.to_string())).collect();
    let list: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let labelled = list["value"].as_array().unwrap().iter().filter(|row| row["tipoBoletim"] == "Fechamento");
    assert_eq!(closings.len(), labelled.count());
    assert!(closings.contains(&(day("2026-09-04"), "5.12530".to_owned())), "{closings:?}");

    let empty = bytes("ptax/empty_invalid_symbol_or_weekend.json").unwrap();
    assert_eq!(ptax::read(usd, asked, &answer(200, &empty)), Ok(Reading::default()));
    let listed = ptax::read_currencies(&answer(200, &bytes("ptax/moedas_all.json").unwrap())).unwrap();
    let codes: Vec<_> = listed.rows.iter().map(Currency::to_string).collect();
    assert_eq!(codes, ["AUD", "CAD", "CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "SEK", "USD"]);
}

#[test]
fn the_real_registry_is_read_whole() {
    let Some(file) = bytes("cvm/cad_cia_aberta.csv") else { return };
    let reading = companies::read(file.as_slice(), "cad_cia_aberta.csv").unwrap();
    assert_eq!(reading.rejects, []);
    assert_eq!(reading.rows.len(), 2_510);
    let numbers: HashSet<_> = reading.rows.iter().map(|company| company.cnpj).collect();
    assert_eq!(numbers.len(), 2_475);
    assert!(numbers.iter().all(lastro_model::Cnpj::has_valid_check_digits));
    assert!(reading.rows.iter().all(|company| Standing::of(&company.status) != Standing::Other));
    assert!(reading.rows.iter().all(|company| company.registered_on.is_some()));
}

/// Compares every company with its line, split again with another decoder: in Latin-1 a byte is its character.
#[test]
fn the_real_registry_equals_its_lines_field_by_field() {
    let Some(file) = bytes("cvm/cad_cia_aberta.csv") else { return };
    let text: String = file.iter().map(|byte| char::from(*byte)).collect();
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let mut rows = 0;
    let by_code: HashMap<String, Vec<&str>> =
        lines.inspect(|_| rows += 1).map(|fields| (fields[column("CD_CVM")].to_owned(), fields)).collect();
    assert_eq!((rows, by_code.len()), (2_604, 2_510));
    for company in companies::read(file.as_slice(), "cad").unwrap().rows {
        let fields = &by_code[&company.id.to_string()];
        assert_eq!(company.name, fields[column("DENOM_SOCIAL")]);
        assert_eq!(company.cnpj.to_string(), fields[column("CNPJ_CIA")]);
        assert_eq!(company.status, fields[column("SIT")]);
        assert_eq!(company.sector.as_deref().unwrap_or(""), fields[column("SETOR_ATIV")]);
        assert_eq!(company.trading_name.as_deref().unwrap_or(""), fields[column("DENOM_COMERC")]);
        assert_eq!(company.registered_on.unwrap().to_string(), fields[column("DT_REG")]);
    }
}

#[test]
fn a_year_of_fifty_thousand_filings_is_read_with_its_faults() {
    let Some(path) = path("cvm/ipe_cia_aberta_2025.SYNTHETIC.zip") else { return };
    let mut archive = YearArchive::open(File::open(path).unwrap(), 2025, UNPACKED_CAP).unwrap();
    let mut reader = archive.filings().unwrap();
    let (mut ids, mut without_reference, mut quoted) = (HashSet::new(), 0, 0);
    for line in reader.by_ref() {
        let filing = line.unwrap().unwrap();
        ids.insert(filing.id);
        without_reference += usize::from(filing.reference_day.is_none());
        quoted += usize::from(filing.description.contains('"'));
        assert!(!filing.description.is_empty() && filing.description.trim() == filing.description);
        assert_eq!(filing.delivered_on.year(), 2025);
    }
    assert_eq!(ids.len(), 50_000);
    assert_eq!(reader.duplicates(), 32);
    assert!((9..=10).contains(&without_reference), "{without_reference}");
    assert!(quoted > 1_900, "{quoted}");
}

#[test]
fn attested_rows_of_filings_are_read() {
    let Some(mut file) = bytes("cvm/ipe_rows_attested_sample.csv") else { return };
    if !file.ends_with(b"\n") {
        file.extend(b"\r\n");
    }
    let reader = lastro_sources::cvm::filings::FilingsReader::new(file.as_slice(), "ipe", 2026).unwrap();
    let filings: Vec<_> = reader.map(|line| line.unwrap().unwrap()).collect();
    let ids: Vec<_> = filings.iter().map(|filing| filing.id.to_string()).collect();
    assert_eq!(ids, ["1476522", "1500726", "1521602", "1528046"]);
    assert_eq!(filings[0].description, "Projeções 2026");
    assert_eq!(filings[1].description, "Demonstrações Financeiras Anuais Completas");
}
