//! Filings that the regulator no longer lists. They are few, and in no list: they are found by id, or asked for.

use std::io::{self, Read, Write};

use jiff::Timestamp;
use lastro_model::{CompanyId, Filing, FilingId, History};

use super::columns::Columns;
use super::ids::IdTable;
use crate::BuildError;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

#[derive(Default)]
pub(super) struct Withdrawn {
    /// In listing order.
    pub(super) columns: Columns,
    ids: IdTable,
    times: Vec<Timestamp>,
}

impl Withdrawn {
    pub(super) fn of(mut filings: Vec<(Filing, History)>) -> Result<Self, BuildError> {
        filings.retain(|(filing, history)| history.is_withdrawn() && !filing.is_held_back(*history));
        filings.sort_unstable_by_key(|(filing, _)| std::cmp::Reverse((filing.delivered_on, filing.id)));
        let mut columns = Columns::default();
        for (filing, history) in &filings {
            columns.push(filing, history.first_seen)?;
        }
        columns.seal();
        let times = filings.iter().filter_map(|(_, history)| history.withdrawn).collect();
        Ok(Self::assemble(columns, times))
    }

    fn assemble(columns: Columns, times: Vec<Timestamp>) -> Self {
        let ids = IdTable::of(columns.len() as u32, |row| columns.id(row));
        Self { columns, ids, times }
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    pub(super) fn get(&self, id: FilingId) -> Option<u32> {
        self.ids.get(id, |row| self.columns.id(row))
    }

    pub(super) fn has_company(&self, company: CompanyId) -> bool {
        (0..self.len() as u32).any(|row| self.columns.company(row) == company.0)
    }

    pub(super) fn time(&self, row: u32) -> Timestamp {
        self.times[row as usize]
    }

    /// The rows with these changes, which replace those with the same ids.
    pub(super) fn with_changes(&self, changed: &[(Filing, History)]) -> Result<Self, BuildError> {
        let mut rows: std::collections::BTreeMap<FilingId, (Filing, History)> =
            (0..self.len() as u32).map(|row| (self.columns.id(row), self.row(row))).collect();
        rows.extend(changed.iter().map(|(filing, history)| (filing.id, (filing.clone(), *history))));
        Self::of(rows.into_values().collect())
    }

    fn row(&self, row: u32) -> (Filing, History) {
        let (first_seen, withdrawn) = (self.columns.first_seen.time(row), Some(self.time(row)));
        (self.columns.filing(row), History { first_seen, withdrawn })
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        self.columns.save(snapshot)?;
        snapshot.column(&self.times, |time| time.as_millisecond())
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let columns = Columns::restore(snapshot)?;
        let times: Vec<i64> = snapshot.column(|time: i64| time)?;
        let times: Result<Vec<Timestamp>, _> = times.into_iter().map(Timestamp::from_millisecond).collect();
        let times = times.map_err(|_| SnapshotError::Damaged)?;
        ensure(times.len() == columns.len())?;
        Ok(Self::assemble(columns, times))
    }
}
