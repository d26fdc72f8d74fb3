//! The time at which each filing was first seen: one number per row, since a publication's filings share their time.

use std::io::{self, Read, Write};

use hashbrown::HashMap;
use jiff::Timestamp;
use lastro_model::{Day, Now};
use lastro_search::MergePlan;

use crate::json::{self, time_json};
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

/// Stands for a time that was not recorded. No time has this number of milliseconds.
const UNKNOWN: i64 = i64::MIN;

#[derive(Default)]
pub(super) struct FirstSeen {
    /// The number of each row's time.
    rows: Vec<u32>,
    times: Vec<i64>,
    /// The times as JSON.
    json: Vec<Box<[u8]>>,
    numbers: HashMap<i64, u32>,
}

impl FirstSeen {
    pub(super) fn push(&mut self, time: Option<Timestamp>) {
        let number = self.number(time.map_or(UNKNOWN, Timestamp::as_millisecond));
        self.rows.push(number);
    }

    pub(super) fn replace(&mut self, row: usize, time: Option<Timestamp>) {
        self.rows[row] = self.number(time.map_or(UNKNOWN, Timestamp::as_millisecond));
    }

    fn number(&mut self, time: i64) -> u32 {
        let Self { times, json, numbers, .. } = self;
        *numbers.entry(time).or_insert_with(|| {
            times.push(time);
            json.push(timestamp(time).map_or_else(|| json::NULL.into(), time_json));
            // At most one per row, and rows are counted in 32 bits.
            times.len() as u32 - 1
        })
    }

    pub(super) fn json(&self, row: u32) -> &[u8] {
        &self.json[self.rows[row as usize] as usize]
    }

    pub(super) fn time(&self, row: u32) -> Option<Timestamp> {
        timestamp(self.times[self.rows[row as usize] as usize])
    }

    /// For each time, whether it is on this day (UTC) or later; then a test of rows.
    pub(super) fn since(&self, day: Day) -> impl Fn(u32) -> bool {
        let is_since =
            |time: &i64| *time != UNKNOWN && Now { monotonic_ns: 0, unix_ms: *time }.utc_day() >= day;
        let since: Vec<bool> = self.times.iter().map(is_since).collect();
        move |row| since[self.rows[row as usize] as usize]
    }

    pub(super) fn reorder(&mut self, order: &[u32]) {
        self.rows = order.iter().map(|row| self.rows[*row as usize]).collect();
    }

    /// The times of the merged rows; `fresh` has those of the new rows.
    pub(super) fn merged(&self, fresh: &Self, plan: &MergePlan) -> Self {
        let mut merged = Self::default();
        let known: Vec<u32> = self.times.iter().map(|time| merged.number(*time)).collect();
        let new: Vec<u32> = fresh.times.iter().map(|time| merged.number(*time)).collect();
        merged.rows = plan.column(
            (&self.rows, |number| known[number as usize]),
            (&fresh.rows, |number| new[number as usize]),
        );
        merged
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.column(&self.rows, |number| *number)?;
        snapshot.column(&self.times, |time| *time)
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let rows: Vec<u32> = snapshot.column(|number: u32| number)?;
        let times: Vec<i64> = snapshot.column(|time: i64| time)?;
        let mut restored = Self::default();
        for time in &times {
            restored.number(*time);
        }
        ensure(restored.times == times && rows.iter().all(|number| (*number as usize) < times.len()))?;
        restored.rows = rows;
        Ok(restored)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

fn timestamp(time: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(time).ok()
}
