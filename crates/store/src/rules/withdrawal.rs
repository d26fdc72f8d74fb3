//! Rows that their publisher no longer lists.
//!
//! A file lists all rows of its kind, so a stored row that it lacks is withdrawn: marked, and kept. The file of a year may
//! list a few filings of the years beside it, which their own file may list, too. For those, all files that list them are
//! written down, and they are withdrawn when the last one drops them. Rows are withdrawn after all files were read,
//! because a later one may list them.
//!
//! Filings of days to come leave service in the same way. An earlier version, or a clock that was ahead, let them in.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use lastro_model::{Company, CompanyId, Day, Filing, FilingId, brasilia_day};

use super::read_file;
use crate::sql::withdrawal as sql;
use crate::transaction::{Query, Reading, Row, Transaction, Value, values};
use crate::{ListedFile, Publication, Result};

/// The rows that the files of a publication list, and the stored ones that they lack.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Whether stored rows are compared. First data has nothing to be compared with.
    compares: bool,
    /// The filings of the file being read.
    filings: HashMap<FilingId, ListedFiling>,
    companies: HashSet<CompanyId>,
    missing_filings: BTreeSet<FilingId>,
    missing_companies: BTreeSet<CompanyId>,
    /// The day after which no filing is in service.
    last_day: Option<Day>,
}

/// A filing of the file being read, with years of delivery.
#[derive(Debug, Clone, Copy)]
struct ListedFiling {
    delivered: i16,
    /// As it was before the file was read, if it was listed.
    before: Option<i16>,
}

impl Listing {
    pub(super) fn new(compares: bool) -> Self {
        Self { compares, ..Self::default() }
    }

    /// Notes a filing of the file being read, and the year of delivery that it had if it was listed `before`.
    pub(super) fn note_filing(&mut self, filing: &Filing, before: Option<i16>) {
        let delivered = filing.delivered_on.year();
        // A file may list it twice: what was before the file counts.
        self.filings.entry(filing.id).or_insert(ListedFiling { delivered, before }).delivered = delivered;
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
                let listed = std::mem::take(&mut self.companies);
                self.missing_companies
                    .extend(listed_companies(data)?.into_iter().filter(|id| !listed.contains(id)));
            }
            ListedFile::Year(year) => {
                let listed = std::mem::take(&mut self.filings);
                self.end_of_year(data, year, &listed)?;
            }
        }
        Ok(())
    }

    /// Compares the file of a year with the stored filings, and writes down which of them it lists.
    fn end_of_year(
        &mut self,
        data: &dyn Transaction,
        year: i16,
        listed: &HashMap<FilingId, ListedFiling>,
    ) -> Result<()> {
        data.execute(sql::YEAR_IS_READ, values![i32::from(year)])?;
        let mut files = written_down(data)?;
        for (id, files) in &mut files {
            if !listed.contains_key(id) && files.remove(&year) {
                data.execute(sql::FORGET_ELSEWHERE, values![*id, i32::from(year)])?;
                if files.is_empty() {
                    self.missing_filings.insert(*id);
                }
            }
        }
        let mut kept: Vec<(FilingId, i16)> = Vec::new();
        for (id, filing) in listed {
            kept.extend(filing.to_write_down(year, files.get(id)).map(|file| (*id, file)));
        }
        if self.compares {
            let unread = unread_beside(data, year)?;
            for id in delivered_in(data, year)?.filter(|id| !listed.contains_key(id)) {
                match unread.is_empty() {
                    true => drop(self.missing_filings.insert(id)),
                    // They are assumed to list it until they are read.
                    false if self.missing_filings.contains(&id) => {}
                    false => kept.extend(unread.iter().map(|file| (id, *file))),
                }
            }
        }
        let rows: Vec<Value<'_>> =
            kept.iter().flat_map(|(id, file)| [i32::from(*file).into(), Value::from(*id)]).collect();
        data.execute_each(&sql::KEEP_ELSEWHERE, &rows).map(drop)
    }
}

pub(super) fn listed_companies(data: &dyn Reading) -> Result<Vec<CompanyId>> {
    data.rows(sql::LISTED_COMPANIES, &[], |row| row.number(0).map(CompanyId))
}

/// The filings in service that the file of a year lists, and no other one.
pub(super) fn listed_filings(data: &dyn Reading, year: i16) -> Result<Vec<FilingId>> {
    let read = |row: &dyn Row| row.parsed(0, FilingId::parse);
    let mut listed = data.rows(sql::LISTED_BY_ONE_FILE, values![i32::from(year)], read)?;
    listed.extend(delivered_in(data, year)?);
    Ok(listed)
}

/// The filings in service that are delivered after a day.
fn later_than(data: &dyn Reading, day: Day) -> Result<Vec<FilingId>> {
    data.rows(sql::LATER_FILINGS, values![day], |row| row.parsed(0, FilingId::parse))
}

impl ListedFiling {
    /// The files to write down for a filing that the file of `year` lists. `known` are those written down already.
    fn to_write_down(self, year: i16, known: Option<&BTreeSet<i16>>) -> impl Iterator<Item = i16> + use<> {
        // If nothing is written down, the file of the year of its delivery listed it.
        let before = if known.is_some() { None } else { self.before };
        let is_ordinary =
            known.is_none() && year == self.delivered && before.is_none_or(|before| before == year);
        [Some(year), before].into_iter().flatten().filter(move |_| !is_ordinary)
    }
}

/// The files that are written down for filings.
fn written_down(data: &dyn Reading) -> Result<BTreeMap<FilingId, BTreeSet<i16>>> {
    let mut files = BTreeMap::<FilingId, BTreeSet<i16>>::new();
    let read = |row: &dyn Row| Ok((row.parsed(0, FilingId::parse)?, row.number::<i16>(1)?));
    for (id, file) in data.rows(sql::ELSEWHERE, &[], read)? {
        files.entry(id).or_default().insert(file);
    }
    Ok(files)
}

/// The years beside this one whose file was last read by a version that did not write down what it lists.
fn unread_beside(data: &dyn Reading, year: i16) -> Result<Vec<i16>> {
    let beside = values![i32::from(year) - 1, i32::from(year) + 1];
    data.rows(sql::UNREAD_YEARS, beside, |row| row.number(0))
}

/// The stored filings delivered in a year, except those whose files are written down.
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
