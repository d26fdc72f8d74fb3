//! Rows that their publisher no longer lists.
//!
//! A file lists all rows of its kind, so a stored row that it lacks is withdrawn: marked, and kept. The file of a year may
//! list a few filings of the years beside it. Those are remembered, so that the file of their own year, which lacks
//! them, does not withdraw them. Rows are withdrawn after all files were read, because a later one may list them.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use lastro_model::{Company, CompanyId, Day, Filing, FilingId};

use crate::sql::withdrawal as sql;
use crate::transaction::{Query, Reading, Transaction, Value, values};
use crate::{ListedFile, Result};

/// The rows that the files of a publication list, and the stored ones that they lack.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Whether stored rows are compared. First data has nothing to be compared with.
    pub(super) compares: bool,
    /// The filings of the file being read, with the year of their delivery.
    filings: HashMap<FilingId, i16>,
    companies: HashSet<CompanyId>,
    pub(super) missing_filings: BTreeSet<FilingId>,
    pub(super) missing_companies: BTreeSet<CompanyId>,
}

impl Listing {
    pub(super) fn new(compares: bool) -> Self {
        Self { compares, ..Self::default() }
    }

    pub(super) fn note_filing(&mut self, filing: &Filing) {
        self.filings.insert(filing.id, filing.delivered_on.year());
        self.missing_filings.remove(&filing.id);
    }

    pub(super) fn note_company(&mut self, company: &Company) {
        self.companies.insert(company.id);
    }

    /// Compares a file that was read to its end with the stored rows.
    pub(super) fn end(&mut self, data: &dyn Transaction, file: ListedFile) -> Result<()> {
        match file {
            ListedFile::Unclear => {
                self.companies.clear();
                self.filings.clear();
            }
            ListedFile::Registry if !self.compares => self.companies.clear(),
            ListedFile::Registry => {
                let held = data.rows(sql::LISTED_COMPANIES, &[], |row| row.number(0).map(CompanyId))?;
                let listed = std::mem::take(&mut self.companies);
                self.missing_companies.extend(held.into_iter().filter(|id| !listed.contains(id)));
            }
            ListedFile::Year(year) => {
                let listed = std::mem::take(&mut self.filings);
                self.note_elsewhere(data, year, &listed)?;
                if self.compares {
                    let held = delivered_in(data, year)?;
                    self.missing_filings.extend(held.filter(|id| !listed.contains_key(id)));
                }
            }
        }
        Ok(())
    }

    /// Remembers the filings of other years in the file, and forgets those that it no longer lists.
    fn note_elsewhere(
        &mut self,
        data: &dyn Transaction,
        year: i16,
        listed: &HashMap<FilingId, i16>,
    ) -> Result<()> {
        let known = data
            .rows(sql::ELSEWHERE, &[], |row| Ok((row.parsed(0, FilingId::parse)?, row.number::<i16>(1)?)))?;
        for (id, file) in known {
            let has_gone = file == year && !listed.contains_key(&id);
            let is_in_its_own = file != year && listed.get(&id) == Some(&year);
            if has_gone || is_in_its_own {
                data.execute(sql::FORGET_ELSEWHERE, values![id])?;
            }
            if has_gone {
                self.missing_filings.insert(id);
            }
        }
        let elsewhere = listed.iter().filter(|(_, delivered)| **delivered != year);
        let rows: Vec<Value<'_>> =
            elsewhere.flat_map(|(id, _)| [Value::from(i32::from(year)), Value::from(*id)]).collect();
        data.execute_each(&sql::KEEP_ELSEWHERE, &rows)?;
        Ok(())
    }
}

/// The stored filings delivered in a year, except those that another file lists.
fn delivered_in(data: &dyn Reading, year: i16) -> Result<impl Iterator<Item = FilingId>> {
    let [first, last] = [(1, 1), (12, 31)].map(|(month, day)| jiff::civil::Date::new(year, month, day));
    let (Ok(first), Ok(last)) = (first, last) else { return Ok(Vec::new().into_iter()) };
    let values = values![Day::from(first), Day::from(last)];
    Ok(data.rows(sql::LISTED_FILINGS, values, |row| row.parsed(0, FilingId::parse))?.into_iter())
}

pub(super) fn withdraw_filing(data: &dyn Transaction, id: FilingId, at: Timestamp) -> Result<()> {
    data.execute(sql::WITHDRAW_FILING, values![at, id]).map(drop)
}

pub(super) fn withdraw_company(data: &dyn Transaction, id: CompanyId, at: Timestamp) -> Result<()> {
    data.execute(sql::WITHDRAW_COMPANY, values![at, id.0]).map(drop)
}
