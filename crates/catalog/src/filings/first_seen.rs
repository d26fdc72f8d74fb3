//! The times at which filings were first seen: all filings of a publication share one.

use std::io::{self, Read, Write};
use std::sync::Arc;

use hashbrown::HashMap;
use jiff::Timestamp;
use lastro_model::{Day, Now};

use crate::json::{self, time_json};
use crate::snapshot::{Reader, SnapshotError, Writer, ensure};

/// Stands for a time that was not recorded. No time has this number of milliseconds.
const UNKNOWN: i64 = i64::MIN;

#[derive(Clone, Default)]
pub(super) struct FirstSeen {
    times: Vec<i64>,
    /// The times as JSON.
    json: Vec<Arc<[u8]>>,
    numbers: HashMap<i64, u32>,
}

impl FirstSeen {
    pub(super) fn number(&mut self, time: Option<Timestamp>) -> u32 {
        self.number_of(time.map_or(UNKNOWN, Timestamp::as_millisecond))
    }

    fn number_of(&mut self, time: i64) -> u32 {
        let Self { times, json, numbers } = self;
        *numbers.entry(time).or_insert_with(|| {
            times.push(time);
            json.push(timestamp(time).map_or_else(|| json::NULL.into(), |time| time_json(time).into()));
            // Few for each filing, and filings are counted in 24 bits.
            times.len() as u32 - 1
        })
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    pub(super) fn json(&self, number: u32) -> &[u8] {
        &self.json[number as usize]
    }

    pub(super) fn time(&self, number: u32) -> Option<Timestamp> {
        timestamp(self.times[number as usize])
    }

    /// For each time, whether it is on this day (UTC) or later.
    pub(super) fn since(&self, day: Day) -> Vec<bool> {
        let is_since =
            |time: &i64| *time != UNKNOWN && Now { monotonic_ns: 0, unix_ms: *time }.utc_day() >= day;
        self.times.iter().map(is_since).collect()
    }

    pub(super) fn save<W: Write>(&self, snapshot: &mut Writer<W>) -> io::Result<()> {
        snapshot.column(&self.times, |time| *time)
    }

    pub(super) fn restore<R: Read>(snapshot: &mut Reader<R>) -> Result<Self, SnapshotError> {
        let times: Vec<i64> = snapshot.column(|time: i64| time)?;
        let mut restored = Self::default();
        for time in &times {
            restored.number_of(*time);
        }
        ensure(restored.times == times)?;
        Ok(restored)
    }
}

fn timestamp(time: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(time).ok()
}
