//! The data of the stand-in publishers, and their responses when nothing goes wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use http::HeaderMap;
use lastro_model::{
    About, Cnpj, Company, CompanyId, Day, Filing, FilingId, FormerName, Frequency, Kind, Series,
    TradedSecurity,
};
use lastro_sample::{self as sample, Shape};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::tables::{
    FORMS_COLUMNS, GENERAL_COLUMNS, PERSONS, REGISTRY_COLUMNS, SECURITIES_COLUMNS, bulletins, filing_row,
    form_row, general_row, latin_1, registry_row, security_row, zipped, zipped_all,
};
use super::{Response, whole};

pub(crate) const SELIC: u32 = Series::Selic.about().code;
pub(crate) const CDI: u32 = Series::Cdi.about().code;

pub(crate) const REGISTRY: &str = "/dados/CIA_ABERTA/CAD/DADOS/cad_cia_aberta.csv";

const JSON: &str = "application/json; charset=utf-8";

#[derive(Debug, Clone, Default)]
pub(crate) struct PublisherData {
    /// Values as written, by code and day.
    pub series: BTreeMap<u32, BTreeMap<Day, String>>,
    /// Closing rates as written, by currency and day.
    pub quotes: BTreeMap<(String, Day), (String, String)>,
    pub companies: Vec<Company>,
    /// Listed in the form of their company, in the archive of the year of reference.
    pub securities: Vec<TradedSecurity>,
    /// Former names in the forms of their reference years.
    pub former_names: Vec<FormerName>,
    /// Raw lines added to every table of securities.
    pub broken_securities: Vec<String>,
    /// Filings by year of delivery.
    pub filings: BTreeMap<i16, Vec<Filing>>,
    /// Raw lines added to the registry and to every archive, for rows that cannot be parsed.
    pub broken_lines: Vec<String>,
    /// Files generated from the above, or set by hand, by path.
    files: BTreeMap<String, Printed>,
    /// Files no longer generated, because they were set by hand or removed.
    unprinted: Vec<String>,
}

#[derive(Debug, Clone)]
struct Printed {
    bytes: Vec<u8>,
    etag: String,
    /// Number of times the file changed.
    times: u32,
}

impl Printed {
    fn modified(&self) -> String {
        format!("Sun, 01 Nov 2026 10:{:02}:00 GMT", self.times % 60)
    }
}

pub(crate) fn archive_path(year: i16) -> String {
    format!("/dados/CIA_ABERTA/DOC/IPE/DADOS/ipe_cia_aberta_{year}.zip")
}

pub(crate) fn forms_path(year: i16) -> String {
    format!("/dados/CIA_ABERTA/DOC/FCA/DADOS/fca_cia_aberta_{year}.zip")
}

/// All days in the range, inclusive.
pub(super) fn days(from: Day, to: Day) -> impl Iterator<Item = Day> {
    (from.number()..=to.number()).map(|number| Day::from_number(number).unwrap())
}

/// A rate that stays the same for weeks.
fn rate_of(day: Day, least: i32) -> String {
    format!("{}.{:02}", least + day.number() / 45 % 7, day.number() / 45 * 25 % 100)
}

/// A plausible value of a series of this kind on this day.
fn value_of(kind: Kind, frequency: Frequency, day: Day) -> String {
    let month = i32::from(day.month());
    match kind {
        Kind::RatePerYear if frequency == Frequency::CalendarDays => rate_of(day, 9),
        Kind::RatePerYear => rate_of(day, 8),
        Kind::RatePerDay => format!("0.0{}", 41_000 + day.number() / 45 % 7 * 25),
        Kind::RatePerMonth | Kind::SimpleRatePerMonth => {
            format!("{}0.{:02}", if month == 8 { "-" } else { "" }, month * 7)
        }
        Kind::Flow => format!("{}.5", (month - 6) * 1_000),
        Kind::Share | Kind::Change12Months => format!("4.{month:02}"),
        Kind::Index | Kind::Stock | Kind::Price => format!("{}.5", 1_000 + day.number() % 97),
    }
}

impl PublisherData {
    /// A little of everything, up to this day.
    pub(crate) fn filled(today: Day) -> Self {
        let mut publisher_data = Self::default();
        publisher_data.fill_rates(today.plus_days(-400), today);
        publisher_data.fill_quotes(&["EUR", "JPY", "USD"], today.plus_days(-120), today);
        publisher_data.companies = sample::companies(&Shape::SAMPLE);
        publisher_data.fill_securities(today);
        for year in [today.year() - 1, today.year()] {
            publisher_data.fill_filings(year, today, 60);
        }
        publisher_data
    }

    /// Tickers of many companies; a few have not renewed their form this year.
    pub(crate) fn fill_securities(&mut self, today: Day) {
        self.securities = sample::tickers(&Shape::SAMPLE);
        for security in &mut self.securities {
            let late = i16::from(security.company_id.0 % 9 == 0);
            security.reference_day = Day::from_ymd(today.year() - late, 1, 1).unwrap();
        }
    }

    pub(crate) fn fill_rates(&mut self, from: Day, today: Day) {
        Series::ALL.into_iter().for_each(|series| self.fill_series(series, from, today));
    }

    /// Adds a value on every day that the series has one and that is published by then.
    pub(crate) fn fill_series(&mut self, series: Series, from: Day, today: Day) {
        let About { code, kind, frequency, lag_days, .. } = series.about();
        let has_value = |day: &Day| match frequency {
            Frequency::CalendarDays => true,
            Frequency::BusinessDays => !day.is_weekend(),
            Frequency::Months => day.day_of_month() == 1,
            Frequency::Years => (day.month(), day.day_of_month()) == (1, 1),
        };
        // Daily values ignore the publication lag; otherwise the newest would be missing.
        let (from, to) = if frequency.is_daily() {
            (from, today)
        } else {
            (from.minus_months(12), today.plus_days(-lag_days))
        };
        let values = days(from, to).filter(has_value).map(|day| (day, value_of(*kind, *frequency, day)));
        self.series.insert(*code, values.collect());
    }

    pub(crate) fn fill_quotes(&mut self, currencies: &[&str], from: Day, today: Day) {
        for (place, currency) in currencies.iter().enumerate() {
            for day in days(from, today).filter(|day| !day.is_weekend()) {
                let rate = |more: i32| match *currency {
                    "JPY" => format!("0.03{:03}", 100 + day.number() % 200 + more),
                    _ => format!("{}.{:04}0", 4 + place, day.number() * 7 % 9_000 + more),
                };
                self.quotes.insert(((*currency).to_owned(), day), (rate(0), rate(6)));
            }
        }
    }

    /// Adds this many filings, spread over the year up to today.
    pub(crate) fn fill_filings(&mut self, year: i16, today: Day, count: i32) {
        let first = Day::from_ymd(year, 1, 1).unwrap();
        let last = Day::from_ymd(year, 12, 31).unwrap().min(today);
        let length = last.number() - first.number() + 1;
        let filings = (0..count).map(|n| {
            let company = &self.companies[n as usize % self.companies.len()];
            let day = first.plus_days(n * length / count);
            filing(company, u64::from(year as u16) * 100_000 + n as u64, day)
        });
        let filings = filings.collect();
        self.filings.insert(year, filings);
    }

    /// Updates the files from the data.
    pub(crate) fn print(&mut self) {
        if !self.companies.is_empty() {
            self.put(REGISTRY, self.registry());
        }
        for year in self.filings.keys().copied().collect::<Vec<_>>() {
            self.put(&archive_path(year), self.archive(year));
        }
        for year in
            self.securities.iter().map(|security| security.reference_day.year()).collect::<BTreeSet<_>>()
        {
            self.put(&forms_path(year), self.forms_archive(year, &self.securities_table(year)));
        }
    }

    /// Removes a file.
    pub(crate) fn withdraw(&mut self, path: &str) {
        self.files.remove(path);
        self.unprinted.push(path.to_owned());
    }

    /// Replaces a file.
    pub(crate) fn by_hand(&mut self, path: &str, bytes: Vec<u8>) {
        self.put(path, bytes);
        self.unprinted.push(path.to_owned());
    }

    /// Stores a file. The same bytes keep their tag.
    fn put(&mut self, path: &str, bytes: Vec<u8>) {
        if self.unprinted.iter().any(|unprinted| unprinted == path) {
            return;
        }
        let digest: String = Sha256::digest(&bytes)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let etag = format!("\"{digest}\"");
        let known = self.files.get(path);
        if known.is_some_and(|known| known.etag == etag) {
            return;
        }
        let times = known.map_or(0, |known| known.times + 1);
        self.files.insert(path.to_owned(), Printed { bytes, etag, times });
    }

    /// The registry in the regulator's format: a row for each market, Latin-1, CRLF, including persons.
    pub(crate) fn registry(&self) -> Vec<u8> {
        let mut text = format!("{REGISTRY_COLUMNS}\r\n");
        for company in &self.companies {
            for market in
                if company.id.0 % 7 == 0 { &["BOLSA", "BALCÃO ORGANIZADO"][..] } else { &["BOLSA"] }
            {
                text.push_str(&registry_row(company, market));
            }
        }
        self.broken_lines.iter().for_each(|line| text.push_str(&format!("{line}\r\n")));
        latin_1(&text)
    }

    pub(crate) fn filings_table(&self, year: i16) -> Vec<u8> {
        let mut text = lastro_sources::cvm::filings::COLUMNS.join(";");
        text.push_str("\r\n");
        self.filings[&year].iter().for_each(|filing| text.push_str(&filing_row(filing)));
        self.broken_lines.iter().for_each(|line| text.push_str(&format!("{line}\r\n")));
        latin_1(&text)
    }

    fn archive(&self, year: i16) -> Vec<u8> {
        zipped(&format!("ipe_cia_aberta_{year}.csv"), &self.filings_table(year))
    }

    /// The securities in a year's forms, without those of other years.
    pub(crate) fn securities_table(&self, year: i16) -> Vec<u8> {
        let mut text = format!("{SECURITIES_COLUMNS}\r\n");
        for security in self.securities.iter().filter(|security| security.reference_day.year() == year) {
            text.push_str(&security_row(security, self.cnpj_of(security.company_id)));
        }
        self.broken_securities.iter().for_each(|line| text.push_str(&format!("{line}\r\n")));
        latin_1(&text)
    }

    /// The forms of a year with this table of securities, and the members that must not be read.
    pub(crate) fn forms_archive(&self, year: i16, securities: &[u8]) -> Vec<u8> {
        let mut forms = BTreeSet::new();
        for security in self.securities.iter().filter(|security| security.reference_day.year() == year) {
            forms.insert(form_row(security, self.cnpj_of(security.company_id)));
        }
        let forms: String = forms.into_iter().collect();
        let persons = PERSONS.join(";");
        let general = self.general_table(year);
        zipped_all(&[
            (&format!("fca_cia_aberta_dri_{year}.csv"), persons.as_bytes()),
            (&format!("fca_cia_aberta_{year}.csv"), &latin_1(&format!("{FORMS_COLUMNS}\r\n{forms}"))),
            (&format!("fca_cia_aberta_auditor_{year}.csv"), persons.as_bytes()),
            (&format!("fca_cia_aberta_geral_{year}.csv"), &general),
            (&format!("fca_cia_aberta_valor_mobiliario_{year}.csv"), securities),
        ])
    }

    /// The general data in a year's forms, for the companies that had another name.
    fn general_table(&self, year: i16) -> Vec<u8> {
        let mut text = format!("{GENERAL_COLUMNS}\r\n");
        for former in self.former_names.iter().filter(|former| former.until.year() == year) {
            let form = self.securities.iter().find(|security| security.company_id == former.company_id);
            let form = form.filter(|security| security.reference_day.year() == year).unwrap();
            text.push_str(&general_row(form, &former.name, self.cnpj_of(former.company_id)));
        }
        latin_1(&text)
    }

    fn cnpj_of(&self, id: CompanyId) -> Cnpj {
        // A company missing from the registry has delivered its form all the same.
        let registered = self.companies.iter().find(|company| company.id == id);
        registered.map_or_else(|| Cnpj::with_check_digits(*b"999999990001"), |company| company.cnpj)
    }

    /// A file, or 304 if the client has it already.
    pub(crate) fn file(&self, path: &str, headers: &HeaderMap) -> Response {
        let Some(file) = self.files.get(path) else {
            return whole(404, "text/html", "<html><head><title>404 Not Found</title></head></html>");
        };
        let told = |name: &str, value: &str| headers.get(name).is_some_and(|header| header == value);
        let same = match headers.get("if-none-match") {
            Some(_) => told("if-none-match", &file.etag),
            None => told("if-modified-since", &file.modified()),
        };
        let body = if same { Vec::new() } else { file.bytes.clone() };
        let mut response = whole(if same { 304 } else { 200 }, "application/octet-stream", body);
        response.headers_mut().insert("etag", file.etag.parse().unwrap());
        response.headers_mut().insert("last-modified", file.modified().parse().unwrap());
        response
    }

    /// `/dados/serie/bcdata.sgs.{code}/dados…`
    pub(crate) fn series_api(&self, line: &str) -> Response {
        let code = line.split("bcdata.sgs.").nth(1).and_then(|rest| rest.split('/').next());
        let Some(values) = code.and_then(|code| self.series.get(&code.parse().ok()?)) else {
            return whole(200, "text/html", "<!DOCTYPE html><title>Requisição inválida!</title>");
        };
        if let Some((_, rest)) = line.split_once("/ultimos/") {
            let count: usize = rest.split('?').next().unwrap().parse().unwrap();
            return match count {
                1..=20 => rows(values.iter().skip(values.len().saturating_sub(count))),
                _ => erro(400, "A quantidade máxima de valores deve ser 20"),
            };
        }
        let frequency = code.and_then(Series::parse).map(|series| series.about().frequency);
        match (parameter(line, "dataInicial=", day_first), parameter(line, "dataFinal=", day_first)) {
            // Series that are not daily return their whole history at once.
            (Some(from), Some(to)) if frequency.is_some_and(|frequency| !frequency.is_daily()) => {
                let touched = from.plus_days(1 - i32::from(from.day_of_month()));
                rows(values.range(touched..=to))
            }
            (Some(from), Some(to)) if to.minus_months(120) <= from => rows(values.range(from..=to)),
            _ => whole(
                406,
                JSON,
                r#"{"error":"O sistema aceita uma janela de consulta de, no máximo, 10 anos em séries de periodicidade diária"}"#,
            ),
        }
    }

    /// `Moedas` and `CotacaoMoedaPeriodo`.
    pub(crate) fn exchange_api(&self, raw: &str, line: &str) -> Response {
        if raw.contains('+') {
            return whole(400, JSON, "/*a plus is an operator*/");
        }
        if line.contains("/Moedas?") {
            let mut symbols: Vec<&String> = self.quotes.keys().map(|(currency, _)| currency).collect();
            symbols.dedup();
            let listed = symbols.iter().map(|simbolo| json!({ "simbolo": simbolo, "tipoMoeda": "A" }));
            return whole(200, JSON, json!({ "value": listed.collect::<Vec<_>>() }).to_string());
        }
        let quoted = |text: &str| text.trim_matches('\'').to_owned();
        let currency = parameter(line, "@m=", |text| Some(quoted(text)));
        let day = |name| parameter(line, name, |text| month_first(&quoted(text)));
        let (Some(currency), Some(from), Some(to)) = (currency, day("@i="), day("@f=")) else {
            return whole(400, JSON, "/*not a question*/");
        };
        let held = self.quotes.range((currency.clone(), from)..=(currency, to));
        let bulletins: Vec<String> = held.map(|((_, day), rates)| bulletins(*day, rates)).collect();
        whole(200, JSON, format!(r#"{{"@odata.context":"x","value":[{}]}}"#, bulletins.join(",")))
    }
}

pub(crate) fn filing(company: &Company, protocol: u64, day: Day) -> Filing {
    let base =
        "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1";
    Filing {
        id: FilingId::Protocol(protocol),
        company_id: company.id,
        company_name: company.name.clone(),
        category: ["Fato Relevante", "Comunicado ao Mercado", "Reunião da Administração"]
            [protocol as usize % 3]
            .into(),
        kind: protocol.is_multiple_of(2).then(|| "Ata".to_owned()),
        delivered_on: day,
        reference_day: (!protocol.is_multiple_of(5)).then(|| day.plus_days(-3)),
        description: format!("Aprovação da \"emissão\" nº {protocol}"),
        version: 1 + (protocol % 3) as u16,
        url: format!("{base}&numProtocolo={protocol}&numSequencia={}&numVersao=1", protocol + 7),
    }
}

fn rows<'a>(values: impl Iterator<Item = (&'a Day, &'a String)>) -> Response {
    let mut body = String::new();
    for (day, value) in values {
        let (year, month, day) = (day.year(), day.month(), day.day_of_month());
        let comma = if body.is_empty() { '[' } else { ',' };
        write!(body, r#"{comma}{{"data":"{day:02}/{month:02}/{year}","valor":"{value}"}}"#).unwrap();
    }
    if body.is_empty() { erro(404, "Value(s) not found") } else { whole(200, JSON, body + "]") }
}

fn erro(status: u16, detail: &str) -> Response {
    let detail = format!("br.gov.bcb.pec.sgs.comum.excecoes.SGSNegocioException: {detail}");
    whole(status, JSON, json!({ "erro": { "statusCode": status, "detail": detail } }).to_string())
}

fn parameter<T>(line: &str, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let value = line.split(['?', '&']).find_map(|pair| pair.strip_prefix(name))?;
    read(value)
}

fn day_first(text: &str) -> Option<Day> {
    Day::parse(&format!("{}-{}-{}", text.get(6..)?, text.get(3..5)?, text.get(..2)?)).ok()
}

fn month_first(text: &str) -> Option<Day> {
    Day::parse(&format!("{}-{}-{}", text.get(6..)?, text.get(..2)?, text.get(3..5)?)).ok()
}
