//! IPE, the documents that companies deliver to the regulator: `ipe_cia_aberta_{year}.zip`, one per year of delivery.
//!
//! | here | column | |
//! |---|---|---|
//! | `id` | `Link_Download` | its parameter `numProtocolo`, found by name; see below if it has none |
//! | `company_id` | `Codigo_CVM` | leading zeros ignored; may be missing from the registry (foreign issuers) |
//! | `company_name` | `Nome_Companhia` | as of the filing |
//! | `category`, `kind` | `Categoria`, `Tipo` | |
//! | `delivered_on` | `Data_Entrega` | a day: the file has no times |
//! | `reference_day` | `Data_Referencia` | `None` outside 1990 to two years after the file's: 3026 and 5019 occur |
//! | `description` | `Assunto` | blank in a third of the rows: then `Tipo` and `Especie` with ` / `, or `Categoria` |
//! | `version` | `Versao` | |
//! | `url` | `Link_Download` | |
//!
//! A row whose link has no `numProtocolo` gets the id `h-` and the first 16 hexadecimal digits of the SHA-256 of its
//! 13 fields: their raw bytes, in the order of [`COLUMNS`], joined by `;`. As long as the file keeps that order, this
//! is the line without its end.
//!
//! Known faults: `Protocolo_Entrega` is blank in one row of fifty and not unique, so it is not used; whole lines
//! occur twice; `CNPJ_Companhia` may be `00.000.000/0000-00`; a `;` typed in a subject splits it (it is rejoined);
//! quotes are unbalanced; subjects reach 900 characters. Days of delivery that have not come yet are left to the
//! judgement, which knows today.

mod archive;
mod columns;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;

use lastro_model::{Filing, FilingId};

pub use archive::{UNPACKED_CAP, YearArchive};
pub use columns::COLUMNS;
use columns::Columns;

use super::table::Table;
use crate::reading::too_many_rejects;
use crate::request::Request;
use crate::{Fault, MOST_REJECTS, Reject};

/// The request for the filings delivered in a year.
pub fn request(base: &str, year: i16) -> Request {
    let path = format!("/dados/CIA_ABERTA/DOC/IPE/DADOS/ipe_cia_aberta_{year}.zip");
    Request::new(base, &path, format!("filings of {year}"))
}

/// The filings of one year, one line at a time.
///
/// A line that cannot be parsed is an inner `Err`, and reading continues. An outer `Err` means that the file is not
/// to be trusted: it ends the iteration, and rows read before it must be discarded. Memory holds one line, and a few
/// words per filing to detect duplicates.
#[derive(Debug)]
pub struct FilingsReader<R> {
    table: Table<R>,
    columns: Columns,
    seen: Seen,
    duplicates: u64,
    rejects: usize,
    /// The line of the last row.
    line: u64,
    ended: bool,
}

impl<R: Read> FilingsReader<R> {
    /// Checks the header. `file` is the input's name in rejects and faults.
    pub fn new(input: R, file: &str, year: i16) -> Result<Self, Fault> {
        let table = Table::open(input, file)?;
        let columns = Columns::find(&table, year)?;
        Ok(Self { table, columns, seen: Seen::default(), duplicates: 0, rejects: 0, line: 0, ended: false })
    }

    /// Number of lines skipped so far because they repeat an earlier filing.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// A reject of the last row, for a reason that its reader has.
    pub fn rejected(&self, reason: String) -> Reject {
        Reject { file: self.table.file().to_owned(), line: self.line, reason }
    }

    fn advance(&mut self) -> Result<Option<Result<Filing, Reject>>, Fault> {
        while let Some((line, row)) = self.table.next_line()? {
            self.line = line;
            let reason = match row.and_then(|row| self.columns.filing(row)) {
                Ok(filing) => match self.seen.meet(&filing) {
                    Meeting::First => return Ok(Some(Ok(filing))),
                    Meeting::Again => {
                        self.duplicates += 1;
                        continue;
                    }
                    Meeting::Conflict => "numProtocolo already names a filing that differs".to_owned(),
                },
                Err(reason) => reason,
            };
            return self.reject(line, reason).map(|reject| Some(Err(reject)));
        }
        Ok(None)
    }

    fn reject(&mut self, line: u64, reason: String) -> Result<Reject, Fault> {
        self.rejects += 1;
        if self.rejects > MOST_REJECTS {
            return Err(too_many_rejects(self.table.file(), line, &reason));
        }
        Ok(Reject { file: self.table.file().to_owned(), line, reason })
    }
}

impl<R: Read> Iterator for FilingsReader<R> {
    type Item = Result<Result<Filing, Reject>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let step = self.advance().transpose();
        self.ended = !matches!(step, Some(Ok(_)));
        step
    }
}

/// The filings seen so far, by a fingerprint of their content.
#[derive(Debug, Default)]
struct Seen(HashMap<FilingId, u64>);

enum Meeting {
    First,
    Again,
    Conflict,
}

impl Seen {
    fn meet(&mut self, filing: &Filing) -> Meeting {
        let content = fingerprint(filing);
        match self.0.entry(filing.id) {
            Entry::Vacant(place) => {
                place.insert(content);
                Meeting::First
            }
            Entry::Occupied(known) if *known.get() == content => Meeting::Again,
            Entry::Occupied(_) => Meeting::Conflict,
        }
    }
}

/// Hashes all fields. Destructured, so that a field added to `Filing` is not forgotten here.
fn fingerprint(filing: &Filing) -> u64 {
    let Filing {
        id,
        company_id,
        company_name,
        category,
        kind,
        delivered_on,
        reference_day,
        description,
        version,
        url,
    } = filing;
    let mut hasher = DefaultHasher::new();
    (id, company_id, company_name, category, kind).hash(&mut hasher);
    (delivered_on, reference_day, description, version, url).hash(&mut hasher);
    hasher.finish()
}
