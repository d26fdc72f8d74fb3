//! The registration forms, by company and age.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use lastro_model::{Cnpj, CompanyId, Day};

use crate::cvm::table::{CsvRow, Table, columns};
use crate::{Fault, Reading};

/// The age of a form: its reference day, its version, and its number to break ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FormAge {
    pub(super) reference_day: Day,
    pub(super) version: u16,
    number: u64,
}

/// The key of a form in the archive's other members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FormKey {
    cnpj: Cnpj,
    number: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) company: CompanyId,
    pub(super) age: FormAge,
}

#[derive(Debug, Default)]
pub(super) struct Forms {
    by_key: HashMap<FormKey, Form>,
    pub(super) newest: BTreeMap<CompanyId, FormAge>,
}

impl Forms {
    /// Parses the forms. Rows that cannot be parsed become rejects of `reading`.
    pub(super) fn read<T>(input: impl Read, file: &str, reading: &mut Reading<T>) -> Result<Self, Fault> {
        let mut table = Table::open(input, file)?;
        let columns = Columns::find(&table)?;
        let mut forms = Self::default();
        while let Some((line, row)) = table.next_line()? {
            if let Err(reason) = row.and_then(|row| columns.form(row)).and_then(|form| forms.add(form)) {
                reading.reject(file, line, reason)?;
            }
        }
        Ok(forms)
    }

    fn add(&mut self, (key, form): (FormKey, Form)) -> Result<(), String> {
        if *self.by_key.entry(key).or_insert(form) != form {
            return Err("ID_DOC already names a form that differs".to_owned());
        }
        let newest = self.newest.entry(form.company).or_insert(form.age);
        *newest = (*newest).max(form.age);
        Ok(())
    }

    /// The form that a row of another member names by CNPJ and number.
    pub(super) fn named(&self, cnpj: &str, number: &str) -> Result<&Form, String> {
        let cnpj = Cnpj::parse(cnpj).map_err(|error| format!("CNPJ_Companhia {error}"))?;
        let number = number.parse().map_err(|_| "ID_Documento is not a number")?;
        let form = self.by_key.get(&FormKey { cnpj, number });
        form.ok_or_else(|| "ID_Documento and CNPJ_Companhia name no form".to_owned())
    }

    pub(super) fn is_newest(&self, form: &Form) -> bool {
        self.newest.get(&form.company) == Some(&form.age)
    }
}

columns! {
    Columns {
        cnpj = "CNPJ_CIA",
        reference_day = "DT_REFER",
        version = "VERSAO",
        name = "DENOM_CIA",
        code = "CD_CVM",
        number = "ID_DOC",
    }
}

impl Columns {
    fn form(&self, mut row: CsvRow<'_>) -> Result<(FormKey, Form), String> {
        row.rejoin_surplus(self.name);
        row.check_width()?;
        let cnpj = Cnpj::parse(&row.text(self.cnpj)?).map_err(|error| format!("CNPJ_CIA {error}"))?;
        let company = CompanyId::parse(&row.text(self.code)?).map_err(|error| format!("CD_CVM {error}"))?;
        let reference_day = Day::parse(&row.text(self.reference_day)?);
        let version = row.text(self.version)?.parse().map_err(|_| "VERSAO is not a small number")?;
        let number = row.text(self.number)?.parse().map_err(|_| "ID_DOC is not a number")?;
        let reference_day = reference_day.map_err(|error| format!("DT_REFER {error}"))?;
        let age = FormAge { reference_day, version, number };
        Ok((FormKey { cnpj, number }, Form { company, age }))
    }
}
