//! FCA, the registration forms that companies renew every year: `fca_cia_aberta_{year}.zip`, one per reference year.
//!
//! Three members are opened, by name. The others contain, among other things, auditors and investor relations officers
//! by name, number and address: they are never read.
//!
//! | here | column | |
//! |---|---|---|
//! | `company_id` | `CD_CVM` | of the form: `fca_cia_aberta_{year}.csv`, joined by CNPJ and number of the document |
//! | `reference_day`, `version` | `DT_REFER`, `VERSAO` | of the form |
//! | `ticker` | `Codigo_Negociacao` | of `fca_cia_aberta_valor_mobiliario_{year}.csv`, like the rest; free text |
//! | `kind` | `Valor_Mobiliario` | shares, units and depositary certificates; other securities are skipped |
//! | `class` | `Sigla_Classe_Acao_Preferencial` | may be blank |
//! | `segment` | `Segmento` | may be blank |
//! | `trading_from`, `trading_to` | `Data_Inicio_Negociacao`, `Data_Fim_Negociacao` | may be blank |
//! | `FormerName::name` | `Nome_Empresarial_Anterior` | of `fca_cia_aberta_geral_{year}.csv`; may be blank |
//! | `FormerName::until` | `Data_Nome_Empresarial` | the day of the name after it; the form's reference day if blank |
//!
//! Only a company's newest form counts, by reference day, version and number; but former names are those of all forms,
//! because a form has only the last one. Only securities traded on an exchange
//! (`Mercado` is `Bolsa`) have a ticker; a blank code means none.
//!
//! Known faults: the code is typed by hand (`ADR`, `4030`, `000000`): such a row is rejected. A security that changed
//! its segment has several rows with one code. The former name may be a phrase such as `Não há`, or the whole history of
//! the company: the first is none, the second is rejected. In January the new year's file is nearly empty, so two years belong
//! together.

mod former_names;
mod forms;
mod securities;

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use lastro_model::{CompanyId, FormerName, TradedSecurity};

use super::archive::Archive;
use crate::request::Request;
use crate::{Fault, Reading};
use former_names::FormerNames;
use forms::{FormAge, Forms};

/// Most unpacked bytes of a member: the larger real one has 1 MB.
pub const UNPACKED_CAP: u64 = 16 << 20;

/// The request for the forms of a year.
pub fn request(base: &str, year: i16) -> Request {
    let path = format!("/dados/CIA_ABERTA/DOC/FCA/DADOS/fca_cia_aberta_{year}.zip");
    Request::new(base, &path, format!("registration forms of {year}"))
}

/// The content of the forms of one year.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct YearOfForms {
    /// The age of each company's newest form, whether it names a ticker or not.
    newest: BTreeMap<CompanyId, FormAge>,
    /// Securities of the newest forms; each code once per company.
    pub reading: Reading<TradedSecurity>,
    /// Former names in all forms; `None` if the archive has no member with them.
    former_names: Option<FormerNames>,
}

/// Parses the forms of a year, the securities in the newest of them, and the former names in all.
pub fn read<R: Read + Seek>(input: R, year: i16, unpacked_cap: u64) -> Result<YearOfForms, Fault> {
    let mut archive = Archive::open(input, &format!("fca_cia_aberta_{year}.zip"), unpacked_cap)?;
    let mut reading = Reading::default();
    let name = format!("fca_cia_aberta_{year}.csv");
    let forms = Forms::read(archive.member(&name)?, &name, &mut reading)?;
    let name = format!("fca_cia_aberta_valor_mobiliario_{year}.csv");
    securities::read(archive.member(&name)?, &name, &forms, &mut reading)?;
    let name = format!("fca_cia_aberta_geral_{year}.csv");
    let former_names = match archive.has_member(&name) {
        true => Some(former_names::read(archive.member(&name)?, &name, &forms, &mut reading)?),
        false => None,
    };
    Ok(YearOfForms { newest: forms.newest, reading, former_names })
}

/// The securities of several years, from each company's newest form. Ordered by ticker and company.
pub fn union(years: &[YearOfForms]) -> Vec<TradedSecurity> {
    let mut newest: BTreeMap<CompanyId, FormAge> = BTreeMap::new();
    for (company, age) in years.iter().flat_map(|year| &year.newest) {
        let known = newest.entry(*company).or_insert(*age);
        *known = (*known).max(*age);
    }
    let mut securities = BTreeMap::new();
    for year in years {
        let is_newest = |company: &CompanyId| year.newest.get(company) == newest.get(company);
        for security in year.reading.rows.iter().filter(|security| is_newest(&security.company_id)) {
            securities.insert((security.ticker, security.company_id), security.clone());
        }
    }
    securities.into_values().collect()
}

/// The former names of several years, and those that are held: none is ever forgotten. Ordered by company and name.
pub fn all_former_names(held: &[FormerName], years: &[YearOfForms]) -> Vec<FormerName> {
    former_names::with_held(held, years.iter().filter_map(|year| year.former_names.as_ref()))
}

/// Whether some year has the table of former names.
pub fn tell_former_names(years: &[YearOfForms]) -> bool {
    years.iter().any(|year| year.former_names.is_some())
}
