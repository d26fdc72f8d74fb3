//! Writes the rows of a publication and counts the results.

use std::collections::HashMap;

use jiff::Timestamp;
use lastro_model::{Company, Day, Filing, FilingId, History, Records};

use super::announce::{Announcer, RowChange};
use super::change_writer::ChangeWriter;
use super::filing_log::MOST_CHANGES;
use super::logged::row_json;
use super::recording::Recorder;
use super::table::{StoredRow, Table, history};
use super::withdrawal::{self, Listing};
use crate::sql::withdrawal as sql;
use crate::transaction::{Query, Transaction, Upserted, Value};
use crate::{Publication, Result, StoreError};

/// Number of rows per batch: enough for the database to combine them, few enough that memory stays flat.
const ROWS_AT_ONCE: usize = 1_000;

/// The receivers of each row's result.
pub(super) struct Listeners<'a> {
    pub(super) announcer: &'a mut Announcer,
    pub(super) recorder: &'a Recorder,
    pub(super) changes: &'a mut ChangeWriter,
}

/// A row as it was stored.
struct Stored<R> {
    row: R,
    history: History,
}

/// The results of a publication so far.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) added: u64,
    pub(super) changed: u64,
    /// The added or changed filings; `None` if they are too many to log.
    pub(super) filings: Option<Vec<FilingId>>,
    /// The latest day of any filing written, changed or not, and that filing.
    pub(super) newest_filing: Option<(Day, FilingId)>,
    pub(super) listing: Listing,
}

impl Tally {
    /// An empty tally. `compares` says whether rows that are no longer listed are withdrawn.
    pub(super) fn of(compares: bool) -> Self {
        let listing = Listing::new(compares);
        Self { added: 0, changed: 0, filings: Some(Vec::new()), newest_filing: None, listing }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.added == 0 && self.changed == 0
    }

    pub(super) fn write(
        &mut self,
        data: &dyn Transaction,
        publication: Publication,
        records: &Records,
        to: &mut Listeners<'_>,
    ) -> Result<()> {
        match (Table::of(publication.source), records) {
            (Table::Rates, Records::Rates(rows)) => self.put(data, publication, rows, to, |_, _, _, _| {}),
            (Table::Fx, Records::Fx(rows)) => self.put(data, publication, rows, to, |_, _, _, _| {}),
            (Table::Companies, Records::Companies(rows)) => {
                self.put(data, publication, rows, to, |tally, company, _, _| {
                    tally.listing.note_company(company);
                })
            }
            (Table::Filings, Records::Filings(rows)) => {
                self.put(data, publication, rows, to, Self::note_filing)
            }
            (Table::TradedSecurities, Records::Tickers(rows)) => {
                self.put(data, publication, rows, to, |_, _, _, _| {})
            }
            (Table::TradedSecurities, Records::FormerNames(rows)) => {
                self.put(data, publication, rows, to, |_, _, _, _| {})
            }
            _ => Err(StoreError::Misplaced { source_name: publication.source.name() }),
        }
    }

    fn put<R: StoredRow>(
        &mut self,
        data: &dyn Transaction,
        publication: Publication,
        rows: &[R],
        to: &mut Listeners<'_>,
        note: impl Fn(&mut Self, &R, Upserted, Option<&Stored<R>>),
    ) -> Result<()> {
        for rows in rows.chunks(ROWS_AT_ONCE) {
            let mut values = Vec::new();
            for row in rows {
                if R::HISTORY.is_some() {
                    // Made-up rows have no history.
                    let first_seen = (!publication.sample).then_some(publication.at);
                    values.extend([first_seen.into(), Value::Null]);
                }
                row.put_values(publication.source, &mut values);
            }
            let mut before = HashMap::new();
            let upserted = data.upsert(&R::UPSERT, &values, &mut |place, stored| {
                before.insert(place, Stored { row: R::read(stored)?, history: history::<R>(stored)? });
                Ok(())
            })?;
            let mut revisions = Vec::new();
            for (place, (row, upserted)) in rows.iter().zip(upserted).enumerate() {
                let before = before.remove(&place);
                self.count(upserted);
                if upserted != Upserted::Known {
                    let old = before.as_ref().map(|stored| &stored.row);
                    revisions.extend(to.recorder.revision(old, row).into_iter().flatten());
                    to.record(data, before.as_ref(), row, publication.at)?;
                }
                note(self, row, upserted, before.as_ref());
            }
            to.recorder.write(data, &revisions)?;
        }
        Ok(())
    }

    fn count(&mut self, upserted: Upserted) {
        match upserted {
            Upserted::Added => self.added += 1,
            Upserted::Changed => self.changed += 1,
            Upserted::Known => {}
        }
    }

    fn note_filing(&mut self, filing: &Filing, upserted: Upserted, before: Option<&Stored<Filing>>) {
        if upserted != Upserted::Known {
            self.note_changed_filing(filing.id);
        }
        self.newest_filing = self.newest_filing.max(Some((filing.delivered_on, filing.id)));
        let listed_before = match upserted {
            Upserted::Added => None,
            Upserted::Known => Some(filing.delivered_on.year()),
            Upserted::Changed => before
                .filter(|stored| !stored.history.is_withdrawn())
                .map(|stored| stored.row.delivered_on.year()),
        };
        self.listing.note_filing(filing, listed_before);
    }

    fn note_changed_filing(&mut self, id: FilingId) {
        if let Some(filings) = &mut self.filings {
            filings.push(id);
        }
        self.filings.take_if(|filings| filings.len() > MOST_CHANGES);
    }

    /// Withdraws the rows that no file of the publication lists, and the filings of days to come.
    pub(super) fn withdraw(
        &mut self,
        data: &dyn Transaction,
        at: Timestamp,
        to: &mut Listeners<'_>,
    ) -> Result<()> {
        for id in self.listing.leaving_filings(data)? {
            let Some(stored) = in_service::<Filing>(data, sql::ONE_FILING, id.into())? else { continue };
            withdrawal::withdraw_filing(data, id, at)?;
            to.record_removal(data, &stored)?;
            self.changed += 1;
            self.note_changed_filing(id);
        }
        for id in self.listing.leaving_companies() {
            let Some(stored) = in_service::<Company>(data, sql::ONE_COMPANY, id.0.into())? else { continue };
            withdrawal::withdraw_company(data, id, at)?;
            to.record_removal(data, &stored)?;
            self.changed += 1;
        }
        Ok(())
    }
}

/// A stored row, unless it was withdrawn before. A filing that was only ever held back is not stored.
fn in_service<R: StoredRow>(
    data: &dyn Transaction,
    sql: &'static str,
    id: Value<'_>,
) -> Result<Option<Stored<R>>> {
    let stored =
        data.first(sql, &[id], |row| Ok(Stored { row: R::read(row)?, history: history::<R>(row)? }))?;
    Ok(stored.filter(|stored| !stored.history.is_withdrawn()))
}

impl Listeners<'_> {
    /// Announces and logs a row that is new or differs. A row that only got a new checksum is not announced.
    fn record<R: StoredRow>(
        &mut self,
        data: &dyn Transaction,
        before: Option<&Stored<R>>,
        row: &R,
        at: Timestamp,
    ) -> Result<()> {
        let listed = before.filter(|stored| !stored.history.is_withdrawn());
        let change = if listed.is_some() { RowChange::Updated } else { RowChange::Created };
        let first_seen = before.map_or(Some(at), |stored| stored.history.first_seen);
        let history = History { first_seen, withdrawn: None };
        if listed.is_some_and(|stored| stored.row.json() == row.json()) {
            return Ok(());
        }
        self.announcer.note(data, change, || row.json())?;
        if !self.changes.wants_rows() {
            return Ok(());
        }
        let old = listed.map(|stored| row_json(&stored.row, stored.history)).transpose()?;
        self.changes.note(data, old.as_deref(), Some(&row_json(row, history)?))
    }

    fn record_removal<R: StoredRow>(&mut self, data: &dyn Transaction, stored: &Stored<R>) -> Result<()> {
        self.announcer.note(data, RowChange::Removed, || stored.row.json())?;
        if !self.changes.wants_rows() {
            return Ok(());
        }
        self.changes.note(data, Some(&row_json(&stored.row, stored.history)?), None)
    }
}
