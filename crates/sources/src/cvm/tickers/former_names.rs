//! The former names in forms: `fca_cia_aberta_geral_{year}.csv`.

use std::io::Read;

use lastro_model::FormerName;

use super::forms::Forms;
use crate::cvm::table::{CsvRow, Table, columns};
use crate::{Fault, Reading};

/// The longest registered names have 100 characters. Longer texts tell the company's history.
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

/// The former names in the newest forms. Rows that cannot be parsed become rejects of `reading`.
pub(super) fn read<T>(
    input: impl Read,
    file: &str,
    forms: &Forms,
    reading: &mut Reading<T>,
) -> Result<Vec<FormerName>, Fault> {
    let mut table = Table::open(input, file)?;
    let columns = Columns::find(&table)?;
    let activity = table.column("Descricao_Atividade").ok();
    let mut names = Vec::new();
    while let Some((line, row)) = table.next_line()? {
        match row.and_then(|row| columns.former_name(row, activity, forms)) {
            Ok(name) => names.extend(name),
            Err(reason) => reading.reject(file, line, reason)?,
        }
    }
    Ok(names)
}

columns! {
    Columns {
        cnpj = "CNPJ_Companhia",
        form = "ID_Documento",
        former_name = "Nome_Empresarial_Anterior",
    }
}

impl Columns {
    /// Parses a row; `None` without a former name. The activity is the longest free text.
    fn former_name(
        &self,
        mut row: CsvRow<'_>,
        activity: Option<usize>,
        forms: &Forms,
    ) -> Result<Option<FormerName>, String> {
        activity.into_iter().for_each(|activity| row.rejoin_surplus(activity));
        row.check_width()?;
        let name = row.text(self.former_name)?;
        let form = forms.named(&row.text(self.cnpj)?, &row.text(self.form)?)?;
        if !is_name(&name) || !forms.is_newest(form) {
            return Ok(None);
        }
        if name.chars().count() > LONGEST_NAME {
            return Err(format!("Nome_Empresarial_Anterior is longer than {LONGEST_NAME} characters"));
        }
        Ok(Some(FormerName { company_id: form.company, name, reference_day: form.age.reference_day }))
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
