//! Rows that their publisher no longer lists.
//!
//! A file lists all rows of its kind, so a stored row that it lacks is withdrawn: marked, and kept. The file of a year may
//! list a few filings of the years beside it. Those are remembered, so that the file of their own year, which lacks
//! them, does not withdraw them. Rows are withdrawn after all files were read, because a later one may list them.
//!
//! Filings of days to come leave service in the same way. An earlier version, or a clock that was ahead, let them in.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use lastro_model::{Company, CompanyId, Day, Filing, FilingId, brasilia_day};

use super::read_file;
use crate::sql::withdrawal as sql;
use crate::transaction::{Query, Reading, Transaction, Value, values};
use crate::{ListedFile, Publication, Result};

/// The rows that the files of a publication list, and the stored ones that they lack.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Whether stored rows are compared. First data has nothing to be compared with.
    compares: bool,
    /// The filings of the file being read, with the year of their delivery.
    filings: HashMap<FilingId, i16>,
    companies: HashSet<CompanyId>,
    missing_filings: BTreeSet<FilingId>,
    missing_companies: BTreeSet<CompanyId>,
    /// The day after which no filing is in service.
    last_day: Option<Day>,
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

    /// Ends the filings with the day of the publication. If there are later ones, all files are read again: those that
    /// list them are needed on their days.
    pub(super) fn end_today(&mut self, data: &dyn Transaction, publication: Publication) -> Result<()> {
        let today = brasilia_day(publication.at.as_millisecond());
        self.last_day = Some(today);
        if later_than(data, today)?.is_empty() {
            return Ok(());
        }
        read_file::read_again(data, publication.source)
    }

    /// The filings that leave service, once all files were read. Some may have left it before.
    pub(super) fn leaving_filings(&mut self, data: &dyn Transaction) -> Result<BTreeSet<FilingId>> {
        let missing = std::mem::take(&mut self.missing_filings);
        let mut leaving = if self.compares { missing } else { BTreeSet::new() };
        if let Some(last_day) = self.last_day {
            leaving.extend(later_than(data, last_day)?);
        }
        Ok(leaving)
    }

    /// The companies that leave service.
    pub(super) fn leaving_companies(&mut self) -> BTreeSet<CompanyId> {
        let missing = std::mem::take(&mut self.missing_companies);
        if self.compares { missing } else { BTreeSet::new() }
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

/// The filings in service that are delivered after a day.
fn later_than(data: &dyn Reading, day: Day) -> Result<Vec<FilingId>> {
    data.rows(sql::LATER_FILINGS, values![day], |row| row.parsed(0, FilingId::parse))
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
