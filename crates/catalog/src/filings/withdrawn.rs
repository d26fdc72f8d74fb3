//! Filings that the regulator no longer lists. They are few, and in no list: they are found by id, or asked for.

use std::io::{self, Read, Write};

use jiff::Timestamp;
use lastro_model::{CompanyId, Filing, FilingId, History};

use super::ids::IdTable;
use super::labels::Labels;
use super::record::Record;
use super::records::{Records, RecordsBuilder};
use crate::BuildError;
use crate::json::string;
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

#[derive(Default)]
pub(super) struct Withdrawn {
    /// In listing order, from position 0 on.
    pub(super) records: Records,
    ids: IdTable,
    times: Vec<Timestamp>,
}

impl Withdrawn {
    pub(super) fn of(mut filings: Vec<(Filing, History)>) -> Result<Self, BuildError> {
        filings.retain(|(filing, history)| history.is_withdrawn() && !filing.is_held_back(*history));
        filings.sort_unstable_by_key(|(filing, _)| std::cmp::Reverse((filing.delivered_on, filing.id)));
        let (mut labels, mut builder) = (Labels::default(), RecordsBuilder::from(0));
        for (filing, history) in &filings {
            let record = Record::new(filing, history.first_seen, &mut labels);
            builder.push(&record, &string(&filing.description))?;
        }
        let times = filings.iter().filter_map(|(_, history)| history.withdrawn).collect();
        Ok(Self::assemble(builder.finish(labels), times))
    }

    fn assemble(records: Records, times: Vec<Timestamp>) -> Self {
        Self { ids: IdTable::of(&records), records, times }
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    pub(super) fn get(&self, id: FilingId) -> Option<u32> {
        self.ids.get(id, |row| self.records.id(row))
    }

    pub(super) fn has_company(&self, company: CompanyId) -> bool {
        (0..self.len() as u32).any(|row| self.records.record(row).company == company.0)
    }

    pub(super) fn time(&self, row: u32) -> Timestamp {
        self.times[row as usize]
    }

    /// The rows with these changes, which replace those with the same ids.
    pub(super) fn with_changes(&self, changed: &[(Filing, History)]) -> Result<Self, BuildError> {
        let mut rows: std::collections::BTreeMap<FilingId, (Filing, History)> =
            (0..self.len() as u32).map(|row| (self.records.id(row), self.row(row))).collect();
        rows.extend(changed.iter().map(|(filing, history)| (filing.id, (filing.clone(), *history))));
        Self::of(rows.into_values().collect())
    }

    fn row(&self, row: u32) -> (Filing, History) {
        let entry = self.records.get(row);
        (entry.filing(), History { first_seen: entry.first_seen(), withdrawn: Some(self.time(row)) })
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        self.records.save(snapshot)?;
        snapshot.column(&self.times, |time| time.as_millisecond())
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let records = Records::restore(snapshot, |count| 0..count)?;
        let times: Vec<i64> = snapshot.column(|time: i64| time)?;
        let times: Result<Vec<Timestamp>, _> = times.into_iter().map(Timestamp::from_millisecond).collect();
        let times = times.map_err(|_| SnapshotError::Damaged)?;
        ensure(times.len() == records.len())?;
        Ok(Self::assemble(records, times))
    }
}
