//! The securities named in forms, with their trading codes.

use std::collections::HashMap;
use std::io::Read;

use lastro_model::{CompanyId, Day, Ticker, TradedSecurity};

use super::forms::Forms;
use crate::cvm::table::{CsvRow, Table, columns};
use crate::{Fault, Reading};

const EXCHANGE: &str = "bolsa";
/// Accepted kinds by prefix, in lower case: there are several kinds of certificates.
const KINDS: [&str; 4] = ["ações ordinárias", "ações preferenciais", "units", "certificado de depósito"];

/// Adds the securities of the newest forms to `reading`.
pub(super) fn read(
    input: impl Read,
    file: &str,
    forms: &Forms,
    reading: &mut Reading<TradedSecurity>,
) -> Result<(), Fault> {
    let mut table = Table::open(input, file)?;
    let columns = Columns::find(&table)?;
    let mut places: HashMap<(Ticker, CompanyId), usize> = HashMap::new();
    while let Some((line, row)) = table.next_line()? {
        let security = match row.and_then(|row| columns.security(row, forms)) {
            Ok(Some(security)) => security,
            Ok(None) => continue,
            Err(reason) => {
                reading.reject(file, line, reason)?;
                continue;
            }
        };
        let key = (security.ticker, security.company_id);
        let place = *places.entry(key).or_insert(reading.rows.len());
        match reading.rows.get_mut(place) {
            None => reading.rows.push(security),
            // One code in several rows: the period that ends last counts, then the one that began last.
            Some(known) if period(known) < period(&security) => *known = security,
            Some(_) => {}
        }
    }
    Ok(())
}

fn period(security: &TradedSecurity) -> (bool, Option<Day>, Option<Day>) {
    (security.trading_to.is_none(), security.trading_to, security.trading_from)
}

columns! {
    Columns {
        cnpj = "CNPJ_Companhia",
        form = "ID_Documento",
        kind = "Valor_Mobiliario",
        class = "Sigla_Classe_Acao_Preferencial",
        ticker = "Codigo_Negociacao",
        composition = "Composicao_BDR_Unit",
        market = "Mercado",
        trading_from = "Data_Inicio_Negociacao",
        trading_to = "Data_Fim_Negociacao",
        segment = "Segmento",
    }
}

impl Columns {
    /// Parses a row; `None` if it is not relevant here.
    fn security(&self, mut row: CsvRow<'_>, forms: &Forms) -> Result<Option<TradedSecurity>, String> {
        let width = row.check_width();
        // The composition of a unit is the longest free text. If the surplus is elsewhere, the row makes no sense and
        // is rejected.
        row.rejoin_surplus(self.composition);
        row.check_width()?;
        let kind = row.text(self.kind)?;
        if !self.is_on_the_exchange(&row)? || !is_of_our_kinds(&kind) {
            return width.map(|()| None);
        }
        let form = forms.named(&row.text(self.cnpj)?, &row.text(self.form)?)?;
        let code = row.text(self.ticker)?;
        if !forms.is_newest(form) || code.is_empty() {
            return Ok(None);
        }
        let ticker = Ticker::parse(&code).map_err(|error| format!("Codigo_Negociacao {error}"))?;
        Ok(Some(TradedSecurity {
            ticker,
            company_id: form.company,
            kind,
            class: row.filled(self.class)?,
            segment: row.filled(self.segment)?,
            trading_from: optional_day(&row, self.trading_from, "Data_Inicio_Negociacao")?,
            trading_to: optional_day(&row, self.trading_to, "Data_Fim_Negociacao")?,
            reference_day: form.age.reference_day,
            version: form.age.version,
        }))
    }

    fn is_on_the_exchange(&self, row: &CsvRow<'_>) -> Result<bool, String> {
        Ok(row.text(self.market)?.to_lowercase() == EXCHANGE)
    }
}

fn is_of_our_kinds(kind: &str) -> bool {
    let kind = kind.to_lowercase();
    KINDS.iter().any(|known| kind.starts_with(known))
}

fn optional_day(row: &CsvRow<'_>, column: usize, name: &str) -> Result<Option<Day>, String> {
    let day = row.filled(column)?.map(|text| Day::parse(&text)).transpose();
    day.map_err(|error| format!("{name} {error}"))
}
