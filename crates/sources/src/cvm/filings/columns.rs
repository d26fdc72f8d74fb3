//! Parses one line of the filings file into a filing.

use std::io::Read;

use lastro_model::{CompanyId, Day, Filing, FilingId};
use sha2::{Digest, Sha256};

use crate::Fault;
use crate::cvm::table::{CsvRow, Table};

/// The official column names, in the file's order.
pub const COLUMNS: [&str; 13] = [
    "CNPJ_Companhia",
    "Nome_Companhia",
    "Codigo_CVM",
    "Data_Referencia",
    "Categoria",
    "Tipo",
    "Especie",
    "Assunto",
    "Data_Entrega",
    "Tipo_Apresentacao",
    "Protocolo_Entrega",
    "Versao",
    "Link_Download",
];

/// The column positions in this file, and its year.
#[derive(Debug)]
pub(super) struct Columns {
    all: [usize; COLUMNS.len()],
    name: usize,
    code: usize,
    reference: usize,
    category: usize,
    kind: usize,
    species: usize,
    subject: usize,
    delivery: usize,
    version: usize,
    link: usize,
    year: i16,
}

impl Columns {
    pub(super) fn find<R: Read>(table: &Table<R>, year: i16) -> Result<Self, Fault> {
        let mut all = [0; COLUMNS.len()];
        for (place, name) in all.iter_mut().zip(COLUMNS) {
            *place = table.column(name)?;
        }
        let [_, name, code, reference, category, kind, species, subject, delivery, _, _, version, link] = all;
        Ok(Self {
            all,
            name,
            code,
            reference,
            category,
            kind,
            species,
            subject,
            delivery,
            version,
            link,
            year,
        })
    }

    pub(super) fn filing(&self, mut row: CsvRow<'_>) -> Result<Filing, String> {
        row.rejoin_surplus(self.subject);
        row.check_width()?;
        let code = CompanyId::parse(&row.text(self.code)?);
        let version = row.text(self.version)?.parse();
        let category = row.filled(self.category)?.ok_or("Categoria is blank")?;
        let kind = row.filled(self.kind)?;
        let url = link(row.text(self.link)?).ok_or("Link_Download is not a link")?;
        Ok(Filing {
            id: protocol(&url).unwrap_or_else(|| self.hashed(&row)),
            company_id: code.map_err(|error| format!("Codigo_CVM {error}"))?,
            company_name: row.filled(self.name)?.ok_or("Nome_Companhia is blank")?,
            delivered_on: self.delivered_on(&row)?,
            reference_day: self.reference_day(&row),
            description: self.description(&row, kind.as_deref(), &category)?,
            category,
            kind,
            version: version.map_err(|_| "Versao is not a small number")?,
            url,
        })
    }

    /// The day of delivery, in the file's year. A year more or less is accepted, for the turn of the year.
    fn delivered_on(&self, row: &CsvRow<'_>) -> Result<Day, String> {
        let day = Day::parse(&row.text(self.delivery)?).map_err(|error| format!("Data_Entrega {error}"))?;
        if (i32::from(day.year()) - i32::from(self.year)).abs() > 1 {
            return Err(format!("Data_Entrega is not a day of {}", self.year));
        }
        Ok(day)
    }

    fn reference_day(&self, row: &CsvRow<'_>) -> Option<Day> {
        let day = row.text(self.reference).ok().and_then(|text| Day::parse(&text).ok())?;
        (1990..=self.year.saturating_add(2)).contains(&day.year()).then_some(day)
    }

    fn description(&self, row: &CsvRow<'_>, kind: Option<&str>, category: &str) -> Result<String, String> {
        if let Some(subject) = row.filled(self.subject)? {
            return Ok(subject);
        }
        Ok(match (kind, row.filled(self.species)?) {
            (Some(kind), Some(species)) => format!("{kind} / {species}"),
            (Some(kind), None) => kind.to_owned(),
            (None, Some(species)) => species,
            (None, None) => category.to_owned(),
        })
    }

    /// The id of a row without protocol number, as documented in `filings`.
    fn hashed(&self, row: &CsvRow<'_>) -> FilingId {
        let mut hash = Sha256::new();
        for (position, column) in self.all.into_iter().enumerate() {
            if position > 0 {
                hash.update(b";");
            }
            hash.update(row.field(column));
        }
        let digest = hash.finalize();
        FilingId::Hash(digest.iter().take(8).fold(0, |name, byte| name << 8 | u64::from(*byte)))
    }
}

/// A web address that can be shown unchanged; rejects anything else (`javascript:`, blanks, quotes).
fn link(url: String) -> Option<String> {
    let web = url.starts_with("https://") || url.starts_with("http://");
    let plain = url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    (web && plain).then_some(url)
}

/// The parameter `numProtocolo`, at any position: the order of parameters varies.
fn protocol(url: &str) -> Option<FilingId> {
    let (_, query) = url.split_once('?')?;
    let number = query
        .split('&')
        .filter_map(|parameter| parameter.split_once('='))
        .find_map(|(name, value)| name.eq_ignore_ascii_case("numProtocolo").then_some(value))?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|number| digits && *number > 0)?;
    Some(FilingId::Protocol(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_number_is_found_by_name() {
        let id = |url| protocol(url).map(|id| id.to_string());
        assert_eq!(id("https://x/d?a=1&numProtocolo=1476522&numVersao=1").as_deref(), Some("1476522"));
        assert_eq!(id("https://x/d?numSequencia=9&NUMPROTOCOLO=0012").as_deref(), Some("12"));
        for none in [
            "https://x/d",
            "https://x/d?numProtocolo=",
            "https://x/d?numProtocolo=0",
            "https://x/d?numProtocolo=+5",
            "https://x/d?numProtocolo=12a",
            "https://x/d?xnumProtocolo=5",
            "https://x/d?numProtocolo=99999999999999999999",
        ] {
            assert_eq!(id(none), None, "{none}");
        }
    }

    #[test]
    fn only_web_addresses_are_links() {
        assert!(link("https://www.example.com/a?b=1&c='2'".to_owned()).is_some());
        for bad in [
            "",
            "www.example.com",
            "javascript:alert(1)",
            "https://x/a b",
            "https://x/\"",
            "ftp://x/",
            "https://x/é",
        ] {
            assert_eq!(link(bad.to_owned()), None, "{bad}");
        }
    }
}
