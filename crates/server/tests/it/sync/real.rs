//! The publishers' own bytes through the whole path, if `LASTRO_REAL_DATA` names a directory with them. Without it,
//! the tests do nothing.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use lastro_ingest::result::Synchronised;
use lastro_ingest::sync::Reach;
use lastro_model::{Day, ManualClock, Series, Source};
use serde_json::Value;

use super::{Stage, day, rate_texts};
use crate::publisher::{Publisher, PublisherData, REGISTRY, Trouble, archive_path};

fn bytes(name: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(std::env::var_os("LASTRO_REAL_DATA")?).join(name);
    Some(std::fs::read(&path).unwrap_or_else(|_| panic!("LASTRO_REAL_DATA has no {name}")))
}

/// Decodes Latin-1, where a byte is its character. Of the bytes that differ in windows-1252, only the dash occurs.
fn text(bytes: &[u8]) -> String {
    let letter = |byte: &u8| match byte {
        0x96 => '\u{2013}',
        0x80..0xA0 => panic!("a byte that is no letter of Latin-1"),
        byte => char::from(*byte),
    };
    bytes.iter().map(letter).collect()
}

/// The rows of a table by column name.
fn table(text: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(';').collect();
    lines.map(|line| header.iter().copied().zip(line.split(';')).collect()).collect()
}

impl Stage {
    /// Synchronises a source as if today were this day.
    async fn run_on(&self, today: &str, source: Source) -> Synchronised {
        let noon = format!("{today}T15:00:00Z").parse::<jiff::Timestamp>().unwrap();
        let mut sync = self.sync().await;
        sync.clock = Arc::new(ManualClock::starting_at(noon.as_millisecond()));
        let outcome = sync.run(source, Reach::Recent).await.unwrap();
        assert_eq!(outcome.rejected, 0);
        self.caught_up().await;
        outcome
    }

    async fn pages(&self, path: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let page = self.json(&format!("{path}limit=1000&offset={}", all.len())).await;
            all.extend(page["data"].as_array().unwrap().iter().cloned());
            if page["total"] == all.len() {
                return all;
            }
        }
    }
}

#[tokio::test]
async fn real_series_are_served_to_the_last_decimal() {
    for (source, code, name, today) in [
        (Source::Series(Series::Selic), 432, "sgs/432_2016-2025.json", "2026-01-05"),
        (Source::Series(Series::Ipca), 433, "sgs/433_2016-2026.json", "2026-11-02"),
    ] {
        let Some(body) = bytes(name) else { return };
        let list: Vec<Value> = serde_json::from_slice(&body).unwrap();
        let values: BTreeMap<Day, String> = list
            .iter()
            .map(|item| {
                let told = item["data"].as_str().unwrap();
                let day = day(&format!("{}-{}-{}", &told[6..], &told[3..5], &told[..2]));
                (day, item["valor"].as_str().unwrap().to_owned())
            })
            .collect();
        let mut publisher_data = PublisherData::default();
        publisher_data.series.insert(code, values.clone());
        let stage = Stage::with(Publisher::holding(publisher_data)).await;
        assert_eq!(stage.run_on(today, source).await.added, list.len() as u64);
        stage.shows_points(&format!("/api/v1/market/{source}?"), &rate_texts(&values)).await;
    }
}

#[tokio::test]
async fn real_bulletins_are_served_as_closing_rates() {
    let Some(body) = bytes("ptax/usd_CotacaoMoedaPeriodo_2026-09-03_06.json") else { return };
    let stage = Stage::with(Publisher::holding(PublisherData::default())).await;
    stage.publisher.trouble("/Moedas?", Trouble::Instead(bytes("ptax/moedas_all.json").unwrap()));
    stage.publisher.trouble("@m='USD'&@i='01-01-2026'", Trouble::Instead(body.clone()));
    stage.run_on("2026-09-06", Source::Fx).await;
    // Takes the text of each closing, so that no digit passes through a number.
    let body = String::from_utf8(body).unwrap();
    let field = |row: &str, name: &str| {
        let rest = row.split_once(&format!("\"{name}\":")).unwrap().1;
        rest.split([',', '}']).next().unwrap().trim_matches('"').to_owned()
    };
    let closings: Vec<(Day, String)> = body
        .split('{')
        .filter(|row| row.contains("Fechamento"))
        .map(|row| {
            let date = day(&field(row, "dataHoraCotacao")[..10]);
            let (buy, sell) = (field(row, "cotacaoCompra"), field(row, "cotacaoVenda"));
            (date, format!(r#"{{"date":"{date}","pair":"USD/BRL","buy":{buy},"sell":{sell}}}"#))
        })
        .collect();
    assert!(!closings.is_empty());
    stage.shows_points("/api/v1/market/fx?", &closings).await;
}

#[tokio::test]
async fn the_real_registry_is_served_field_by_field() {
    let Some(file) = bytes("cvm/cad_cia_aberta.csv") else { return };
    let mut publisher_data = PublisherData::default();
    publisher_data.by_hand(REGISTRY, file.clone());
    let stage = Stage::with(Publisher::holding(publisher_data)).await;
    stage.run_on("2026-11-02", Source::Companies).await;
    let text = text(&file);
    let rows = table(&text);
    let by_code: HashMap<&str, &HashMap<&str, &str>> = rows.iter().map(|row| (row["CD_CVM"], row)).collect();
    let served = stage.pages("/api/v1/companies?").await;
    assert_eq!(served.len(), by_code.len());
    for company in served {
        let row = by_code[company["id"].as_str().unwrap()];
        for (field, column) in [
            ("name", "DENOM_SOCIAL"),
            ("cnpj", "CNPJ_CIA"),
            ("status", "SIT"),
            ("sector", "SETOR_ATIV"),
            ("trading_name", "DENOM_COMERC"),
            ("registered_on", "DT_REG"),
        ] {
            assert_eq!(company[field].as_str().unwrap_or(""), row[column], "{field} of {company}");
        }
    }
}

#[tokio::test]
async fn a_real_sized_year_of_filings_is_served_field_by_field() {
    let Some(file) = bytes("cvm/ipe_cia_aberta_2025.SYNTHETIC.zip") else { return };
    let mut publisher_data = PublisherData::default();
    publisher_data.by_hand(&archive_path(2025), file.clone());
    let stage = Stage::with(Publisher::holding(publisher_data)).await;
    stage.run_on("2026-11-02", Source::Filings).await;
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(file)).unwrap();
    let mut member = Vec::new();
    zip.by_name("ipe_cia_aberta_2025.csv").unwrap().read_to_end(&mut member).unwrap();
    let text = text(&member);
    let by_protocol: HashMap<&str, HashMap<&str, &str>> = table(&text)
        .into_iter()
        .map(|row| {
            (row["Link_Download"].split("numProtocolo=").nth(1).unwrap().split('&').next().unwrap(), row)
        })
        .collect();
    let served = stage.pages("/api/v1/filings?").await;
    assert_eq!(served.len(), by_protocol.len());
    for filing in served {
        let row = &by_protocol[filing["id"].as_str().unwrap()];
        let trimmed = |column: &str| row[column].trim();
        let joined = [trimmed("Tipo"), trimmed("Especie")].into_iter().filter(|t| !t.is_empty());
        let joined = joined.collect::<Vec<_>>().join(" / ");
        let told = [trimmed("Assunto"), &joined, trimmed("Categoria")];
        let description = told.into_iter().find(|text| !text.is_empty()).unwrap();
        assert_eq!(filing["description"], description);
        assert_eq!(filing["company_id"], trimmed("Codigo_CVM").trim_start_matches('0'));
        assert_eq!(filing["company_name"], trimmed("Nome_Companhia"));
        assert_eq!(filing["category"], trimmed("Categoria"));
        assert_eq!(filing["type"].as_str().unwrap_or(""), trimmed("Tipo"));
        assert_eq!(filing["date"], format!("{}T00:00:00-03:00", trimmed("Data_Entrega")));
        assert_eq!(filing["version"].to_string(), trimmed("Versao"));
        assert_eq!(filing["url"], trimmed("Link_Download"));
        let reference = filing["reference_date"].as_str().unwrap_or("absurd");
        let absurd = !("1990".."2028").contains(&&trimmed("Data_Referencia")[..4]);
        assert_eq!(reference, if absurd { "absurd" } else { trimmed("Data_Referencia") });
    }
}
