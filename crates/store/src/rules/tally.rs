//! Writes the rows of a publication and counts the results.

use lastro_model::{Day, Filing, FilingId, Records, Source};

use super::announce::Announcer;
use super::change_log::MOST_CHANGES;
use super::recording::Recorder;
use super::table::{StoredRow, Table};
use crate::transaction::{Transaction, Upserted};
use crate::{Result, StoreError};

/// Number of rows per batch: enough for the database to combine them, few enough that memory stays flat.
const ROWS_AT_ONCE: usize = 1_000;

/// The receivers of each row's result.
struct Listeners<'a> {
    announcer: &'a mut Announcer,
    recorder: &'a Recorder,
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
}

impl Default for Tally {
    fn default() -> Self {
        Self { added: 0, changed: 0, filings: Some(Vec::new()), newest_filing: None }
    }
}

impl Tally {
    pub(super) fn is_empty(&self) -> bool {
        self.added == 0 && self.changed == 0
    }

    pub(super) fn write(
        &mut self,
        data: &dyn Transaction,
        source: Source,
        records: &Records,
        announcer: &mut Announcer,
        recorder: &Recorder,
    ) -> Result<()> {
        let mut to = Listeners { announcer, recorder };
        match (Table::of(source), records) {
            (Table::Rates, Records::Rates(rows)) => self.put(data, source, rows, &mut to, |_, _, _| {}),
            (Table::Fx, Records::Fx(rows)) => self.put(data, source, rows, &mut to, |_, _, _| {}),
            (Table::Companies, Records::Companies(rows)) => {
                self.put(data, source, rows, &mut to, |_, _, _| {})
            }
            (Table::Filings, Records::Filings(rows)) => {
                self.put(data, source, rows, &mut to, Self::note_filing)
            }
            (Table::TradedSecurities, Records::Tickers(rows)) => {
                self.put(data, source, rows, &mut to, |_, _, _| {})
            }
            (Table::TradedSecurities, Records::FormerNames(rows)) => {
                self.put(data, source, rows, &mut to, |_, _, _| {})
            }
            _ => Err(StoreError::Misplaced { source_name: source.name() }),
        }
    }

    fn put<R: StoredRow>(
        &mut self,
        data: &dyn Transaction,
        source: Source,
        rows: &[R],
        to: &mut Listeners<'_>,
        note: impl Fn(&mut Self, &R, Upserted),
    ) -> Result<()> {
        for rows in rows.chunks(ROWS_AT_ONCE) {
            let mut held = to.recorder.look(data, rows)?;
            let mut values = Vec::new();
            for row in rows {
                row.put_values(source, &mut values);
            }
            for (row, upserted) in rows.iter().zip(data.upsert(&R::UPSERT, &values)?) {
                self.count(upserted);
                to.announcer.note(data, upserted, || row.json())?;
                if upserted != Upserted::Known {
                    held.note(row);
                }
                note(self, row, upserted);
            }
            to.recorder.write(data, &held)?;
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

    fn note_filing(&mut self, filing: &Filing, upserted: Upserted) {
        let changed = upserted != Upserted::Known;
        if let Some(filings) = self.filings.as_mut().filter(|_| changed) {
            filings.push(filing.id);
        }
        self.filings.take_if(|filings| filings.len() > MOST_CHANGES);
        self.newest_filing = self.newest_filing.max(Some((filing.delivered_on, filing.id)));
    }
}
