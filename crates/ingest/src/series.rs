//! The series of the model's table, from the central bank's series API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use lastro_model::{Day, Frequency, RatePoint, ReadFile, Records, Series, Source, SourceState};
use lastro_sources::{Fault, Reading, judgement, sgs};
use lastro_store::Store;

use crate::history::{self, Depth, History};
use crate::result::{SyncError, Synchronised};
use crate::sync::{Reach, Synchronizer, holds_no_official_data};
use crate::windows::{self, WindowRead};
use crate::withholding::Withholding;

/// Days before the newest value that are requested again: recent values may still be revised.
const OVERLAP_DAYS: i32 = 30;
const OVERLAP_DAYS_MONTHLY: i32 = 62;
const OVERLAP_DAYS_YEARLY: i32 = 800;

type Points = BTreeMap<Day, RatePoint>;

/// A series with its stored points.
struct Held {
    series: Series,
    points: Points,
}

pub(crate) async fn synchronise(
    sync: &Synchronizer,
    series: Series,
    state: &SourceState,
    reach: Reach,
) -> Result<Synchronised, SyncError> {
    let points =
        if holds_no_official_data(state) { Points::new() } else { held(&*sync.store, series.into()).await? };
    history::synchronise(sync, &Held { series, points }, reach).await
}

impl History for Held {
    fn source(&self) -> Source {
        self.series.into()
    }

    fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Each release of such a series revises all values together, perhaps to another base. It takes only one request
    /// anyway.
    fn is_indivisible(&self) -> bool {
        let about = self.series.about();
        about.revised && !about.frequency.is_daily()
    }

    async fn read(
        &self,
        sync: &Synchronizer,
        depth: Depth,
        now: Timestamp,
        note: Option<ReadFile>,
    ) -> Result<Synchronised, SyncError> {
        let (series, source) = (self.series, self.source());
        let from = match depth {
            Depth::End => first_to_ask(series, &self.points, sync.today()),
            Depth::Whole => series.first_day(),
        };
        let windows = sgs::windows(series, from, sync.today());
        sync.report.begin(source, windows.len() as u64);
        let (points, windows_read) = read(sync, series, &windows).await?;
        judge(sync, series, &self.points, from, &points)?;
        windows::refuse_silence(&windows_read, self.points.range(..from).next().is_some())?;
        let mut withholding = Withholding::begin(sync, source, now).await?;
        let believed = withholding.review(series.about().kind, &self.settled(), points.values().copied());
        let withheld = withholding.end(|known| known.day() < from && !points.contains_key(&known.day()))?;

        let files = windows_read.into_iter().map(|window| remembered(sync, series, now, window));
        let files: Vec<ReadFile> = files.chain(note).collect();
        let published = sync
            .publish(source, move |rows_out| {
                rows_out.rows(Records::Rates(believed));
                rows_out.withheld(withheld);
                files.into_iter().for_each(|file| rows_out.file(file));
                Ok(())
            })
            .await?;
        sync.outcome(source, published).await
    }
}

impl Held {
    /// The points by which new values are judged. A month that is still growing is excluded.
    fn settled(&self) -> Cow<'_, Points> {
        if !self.series.about().grows_by_day() {
            return Cow::Borrowed(&self.points);
        }
        let mut settled = self.points.clone();
        settled.pop_last();
        Cow::Owned(settled)
    }
}

/// The first day to request: shortly before the newest stored value, or the beginning. A value may lie in the future
/// if a clock was ahead.
fn first_to_ask(series: Series, held: &Points, today: Day) -> Day {
    let overlap = match series.about().frequency {
        Frequency::CalendarDays | Frequency::BusinessDays => OVERLAP_DAYS,
        Frequency::Months => OVERLAP_DAYS_MONTHLY,
        Frequency::Years => OVERLAP_DAYS_YEARLY,
    };
    let newest = held.last_key_value().map(|(newest, _)| today.min(*newest));
    newest.map_or(series.first_day(), |newest| newest.plus_days(-overlap))
}

async fn held(store: &dyn Store, source: Source) -> Result<Points, SyncError> {
    let mut held = Points::new();
    let mut rows = store.load(source).await?.rows;
    while let Some(batch) = rows.recv().await {
        if let Records::Rates(points) = batch?.rows {
            held.extend(points.into_iter().map(|point| (point.day, point)));
        }
    }
    Ok(held)
}

/// Requests every window. Different values for a day from two windows are an error.
async fn read(
    sync: &Synchronizer,
    series: Series,
    windows: &[(Day, Day)],
) -> Result<(Points, Vec<WindowRead>), SyncError> {
    let asking: Vec<_> = windows.iter().map(|(from, to)| ask(sync, series, *from, *to).boxed()).collect();
    let mut readings = stream::iter(asking).buffered(windows::AT_ONCE);
    let (mut points, mut windows_read) = (Points::new(), Vec::new());
    while let Some((from, to, reading)) = readings.try_next().await? {
        windows_read.push(WindowRead { from, to, rows: reading.rows.len() as u64, rejects: reading.rejects });
        for point in reading.rows {
            if points.insert(point.day, point).is_some_and(|other| other != point) {
                return Err(
                    Fault::NotData(format!("two answers give different values for {}", point.day)).into()
                );
            }
        }
    }
    Ok((points, windows_read))
}

async fn ask(
    sync: &Synchronizer,
    series: Series,
    from: Day,
    to: Day,
) -> Result<(Day, Day, Reading<RatePoint>), SyncError> {
    let (source, request) = (Source::from(series), sgs::window(&sync.publishers.sgs, series, from, to));
    let keep_for = windows::is_closed(to, sync.today()).then_some(source);
    let reading =
        sync.fetcher.ask(&request, keep_for, |answer| sgs::read(series, Some((from, to)), answer)).await?;
    sync.report.step(source, &request.what, reading.rows.len() as u64, reading.rejects.len() as u64);
    Ok((from, to, reading))
}

/// Judges the values read: new ones may come and old ones be corrected, but published ones do not vanish.
fn judge(
    sync: &Synchronizer,
    series: Series,
    held: &Points,
    from: Day,
    read: &Points,
) -> Result<(), SyncError> {
    let source = Source::from(series);
    judgement::empty(read.len() as u64)?;
    let days: Vec<Day> = read.keys().copied().collect();
    judgement::day_month_flip(series.about().frequency, &days)?;
    // The last days are also checked alone: in a long history their loss would not count.
    let today = sync.today();
    for since in [from, first_to_ask(series, held, today)] {
        let before = held.range(since..).map(|(day, _)| day).take_while(|day| **day <= today);
        let still_there = before.clone().filter(|day| read.contains_key(day)).count();
        sync.weigh(source, judgement::lost_rows(before.count() as u64, still_there as u64))?;
    }
    Ok(())
}

/// Records a window under its year, so that a later response for the same days replaces it.
fn remembered(sync: &Synchronizer, series: Series, now: Timestamp, window: WindowRead) -> ReadFile {
    let (first, last) = windows::year_around(window.from);
    window.into_file(sgs::window(&sync.publishers.sgs, series, first, last).url, now)
}
