//! The former names in forms: `fca_cia_aberta_geral_{year}.csv`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;

use lastro_model::{CompanyId, Day, FormerName};

use super::forms::{Form, FormAge, Forms};
use crate::cvm::table::{CsvRow, Table, columns};
use crate::{Fault, Reading};

/// The longest registered names have 100 characters. Longer texts are the company's history.
const LONGEST_NAME: usize = 150;

/// Texts, without accents, that stand for no name.
const NONE: [&str; 9] = [
    "nao ha",
    "nao houve",
    "nao possui",
    "nao se aplica",
    "nao aplicavel",
    "nao informado",
    "n/a",
    "nenhum",
    "nenhuma",
];

/// Former names, each by the newest form with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FormerNames(BTreeMap<(CompanyId, String), (FormAge, Day)>);

impl FormerNames {
    fn add(&mut self, age: FormAge, name: FormerName) {
        match self.0.entry((name.company_id, name.name)) {
            Entry::Vacant(place) => drop(place.insert((age, name.until))),
            Entry::Occupied(mut known) if known.get().0 < age => drop(known.insert((age, name.until))),
            Entry::Occupied(_) => {}
        }
    }

    /// The names with their ages, ordered by company and name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (FormAge, FormerName)> {
        let name = |company_id, name: &String, until| FormerName { company_id, name: name.clone(), until };
        self.0.iter().map(move |((company, text), (age, until))| (*age, name(*company, text, *until)))
    }
}

/// The former names of several years, and those that are held: no name is forgotten. Ordered by company and name.
pub(super) fn with_held<'a>(
    held: &[FormerName],
    years: impl Iterator<Item = &'a FormerNames>,
) -> Vec<FormerName> {
    let mut published = FormerNames::default();
    years.flat_map(FormerNames::iter).for_each(|(age, name)| published.add(age, name));
    let published = published.iter().map(|(_, name)| name);
    let all = held.iter().cloned().chain(published).map(|name| ((name.company_id, name.name), name.until));
    let all: BTreeMap<(CompanyId, String), Day> = all.collect();
    all.into_iter().map(|((company_id, name), until)| FormerName { company_id, name, until }).collect()
}

/// The former names in all forms of a year. Rows of the newest ones that cannot be parsed become rejects of `reading`.
pub(super) fn read<T>(
    input: impl Read,
    file: &str,
    forms: &Forms,
    reading: &mut Reading<T>,
) -> Result<FormerNames, Fault> {
    let mut table = Table::open(input, file)?;
    let columns = Columns::find(&table)?;
    let optional = Optional {
        activity: table.column("Descricao_Atividade").ok(),
        named_on: table.column("Data_Nome_Empresarial").ok(),
    };
    let mut names = FormerNames::default();
    while let Some((line, row)) = table.next_line()? {
        match row.and_then(|row| columns.former_name(row, &optional, forms)) {
            Ok(Some((form, name))) => names.add(form.age, name),
            Ok(None) => {}
            Err(reason) => reading.reject(file, line, reason)?,
        }
    }
    Ok(names)
}

/// Columns that may be missing.
struct Optional {
    /// The longest free text.
    activity: Option<usize>,
    /// The day of the name that came after the former one.
    named_on: Option<usize>,
}

columns! {
    Columns {
        cnpj = "CNPJ_Companhia",
        form = "ID_Documento",
        former_name = "Nome_Empresarial_Anterior",
    }
}

impl Columns {
    /// Parses a row; `None` without a former name.
    fn former_name<'a>(
        &self,
        mut row: CsvRow<'_>,
        optional: &Optional,
        forms: &'a Forms,
    ) -> Result<Option<(&'a Form, FormerName)>, String> {
        optional.activity.into_iter().for_each(|activity| row.rejoin_surplus(activity));
        row.check_width()?;
        let name = row.text(self.former_name)?;
        let form = forms.named(&row.text(self.cnpj)?, &row.text(self.form)?)?;
        let is_too_long = name.chars().count() > LONGEST_NAME;
        // A later form corrects an earlier one, whose faults are of no interest then.
        if !is_name(&name) || is_too_long && !forms.is_newest(form) {
            return Ok(None);
        }
        if is_too_long {
            return Err(format!("Nome_Empresarial_Anterior is longer than {LONGEST_NAME} characters"));
        }
        // A day that cannot be read is no reason to do without the name.
        let named_on = optional.named_on.and_then(|column| row.text(column).ok());
        let until = named_on.and_then(|day| Day::parse(&day).ok()).unwrap_or(form.age.reference_day);
        Ok(Some((form, FormerName { company_id: form.company, name, until })))
    }
}

fn is_name(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().map(without_accent).collect();
    text.chars().filter(|letter| letter.is_alphanumeric()).count() > 1
        && !NONE.contains(&plain.trim_end_matches('.'))
}

fn without_accent(letter: char) -> char {
    match letter {
        'ã' | 'á' => 'a',
        'í' => 'i',
        letter => letter,
    }
}
