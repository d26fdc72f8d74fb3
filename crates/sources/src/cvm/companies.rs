//! CAD, the regulator's registry of public companies: `cad_cia_aberta.csv`, one file, overwritten every night.
//!
//! | here | column | |
//! |---|---|---|
//! | `id` | `CD_CVM` | digits; other files of the regulator pad it with zeros, so zeros are accepted |
//! | `name` | `DENOM_SOCIAL` | `DENOM_COMERC` if blank |
//! | `cnpj` | `CNPJ_CIA` | |
//! | `status` | `SIT` | as published |
//! | `sector` | `SETOR_ATIV` | may be blank |
//! | `trading_name` | `DENOM_COMERC` | may be blank |
//! | `registered_on` | `DT_REG` | may be blank |
//!
//! Known faults: a company has one row per market (`TP_MERC`), otherwise equal; a company that registers again keeps
//! its CNPJ and gets a new `CD_CVM`, so the CNPJ is not a key. The other columns, including responsible persons and
//! addresses, are never kept.

use std::collections::HashMap;
use std::io::Read;

use lastro_model::{Cnpj, Company, CompanyId, Day};

use super::table::{CsvRow, Table, columns};
use crate::request::Request;
use crate::{Fault, Reading};

/// The request for the whole registry.
pub fn request(base: &str) -> Request {
    Request::new(base, "/dados/CIA_ABERTA/CAD/DADOS/cad_cia_aberta.csv", "registry of companies".to_owned())
}

/// Parses the registry into one company per code, in the order of the file.
pub fn read(input: impl Read, file: &str) -> Result<Reading<Company>, Fault> {
    let mut table = Table::open(input, file)?;
    let columns = Columns::find(&table)?;
    let mut reading = Reading::default();
    let mut places: HashMap<CompanyId, usize> = HashMap::new();
    while let Some((line, row)) = table.next_line()? {
        let company = match row.and_then(|row| columns.company(&row)) {
            Ok(company) => company,
            Err(reason) => {
                reading.reject(file, line, reason)?;
                continue;
            }
        };
        let place = *places.entry(company.id).or_insert(reading.rows.len());
        match reading.rows.get(place) {
            None => reading.rows.push(company),
            Some(known) if *known == company => {}
            Some(_) => {
                reading.reject(file, line, "CD_CVM already names a company that differs".to_owned())?;
            }
        }
    }
    Ok(reading)
}

columns! {
    Columns {
        code = "CD_CVM",
        cnpj = "CNPJ_CIA",
        name = "DENOM_SOCIAL",
        trading_name = "DENOM_COMERC",
        status = "SIT",
        sector = "SETOR_ATIV",
        registered_on = "DT_REG",
    }
}

impl Columns {
    fn company(&self, row: &CsvRow<'_>) -> Result<Company, String> {
        row.check_width()?;
        let id = CompanyId::parse(&row.text(self.code)?);
        let cnpj = Cnpj::parse(&row.text(self.cnpj)?);
        let trading_name = row.filled(self.trading_name)?;
        let name = row.filled(self.name)?.or_else(|| trading_name.clone());
        let registered_on = row.filled(self.registered_on)?.map(|day| Day::parse(&day)).transpose();
        Ok(Company {
            id: id.map_err(|error| format!("CD_CVM {error}"))?,
            name: name.ok_or("DENOM_SOCIAL and DENOM_COMERC are blank")?,
            cnpj: cnpj.map_err(|error| format!("CNPJ_CIA {error}"))?,
            status: row.filled(self.status)?.ok_or("SIT is blank")?,
            sector: row.filled(self.sector)?,
            trading_name,
            registered_on: registered_on.map_err(|error| format!("DT_REG {error}"))?,
        })
    }
}
