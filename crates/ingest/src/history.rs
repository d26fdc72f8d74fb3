//! Histories whose newest part is read every time, and which are read completely once a week.
//!
//! Recent values arrive and are revised all the time; older ones are corrected now and then, which only a full read
//! finds. A failed full read must not hold back today's value: it is postponed for a day, reported among the rejects,
//! and the end is read anyway. [`series`](crate::series) and [`fx`](crate::fx) are such histories.

use jiff::Timestamp;
use lastro_model::age::is_over;
use lastro_model::{ReadFile, Reject, Source};

use crate::result::{SyncError, Synchronised};
use crate::sync::{Reach, Synchronizer};

const DAY_MS: i64 = 24 * 3_600_000;
const WHOLE_EVERY_MS: i64 = 7 * DAY_MS;

/// The part of a history to request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// From shortly before the newest value.
    End,
    Whole,
}

pub(super) trait History {
    fn source(&self) -> Source;

    fn is_empty(&self) -> bool;

    /// Whether the end must not be read without the rest, because the history is revised as a whole.
    fn is_indivisible(&self) -> bool {
        false
    }

    /// Fetches, judges and publishes as of `now`, together with the note about full reads, if any.
    fn read(
        &self,
        sync: &Synchronizer,
        depth: Depth,
        now: Timestamp,
        note: Option<ReadFile>,
    ) -> impl Future<Output = Result<Synchronised, SyncError>> + Send;
}

pub(super) async fn synchronise<H: History>(
    sync: &Synchronizer,
    history: &H,
    reach: Reach,
) -> Result<Synchronised, SyncError> {
    let (source, now) = (history.source(), sync.now()?);
    let whole = reach == Reach::Whole
        || whole_is_due(sync, source, now).await?
        || accepts_withheld(sync, source).await?
        || history.is_indivisible();
    if !whole {
        return history.read(sync, Depth::End, now, None).await;
    }
    match history.read(sync, Depth::Whole, now, Some(was_read(source, now))).await {
        Err(error) if can_wait(history, reach) && is_the_publishers(&error) => {
            tracing::warn!(%source, "the whole history could not be reloaded: {error}");
            history.read(sync, Depth::End, now, Some(put_off(source, now, &error))).await
        }
        result => result,
    }
}

/// Whether reading only the end of the history makes sense.
fn can_wait<H: History>(history: &H, reach: Reach) -> bool {
    reach == Reach::Recent && !history.is_empty() && !history.is_indivisible()
}

async fn whole_is_due(sync: &Synchronizer, source: Source, now: Timestamp) -> Result<bool, SyncError> {
    let name = whole_history(source);
    let remembered = sync.store.read_files(source).await?;
    let Some(note) = remembered.iter().find(|file| file.url == name) else { return Ok(true) };
    let wait_ms = if note.reject_count > 0 { DAY_MS } else { WHOLE_EVERY_MS };
    Ok(is_over(note.read_at, wait_ms, now.as_millisecond()))
}

/// Whether withheld points are to be accepted: that includes all of them, however old.
async fn accepts_withheld(sync: &Synchronizer, source: Source) -> Result<bool, SyncError> {
    Ok(sync.accept.contains(&source) && !sync.store.withheld(source).await?.is_empty())
}

/// Whether the fault is the publisher's. Our own faults are no reason to fall back to a shorter read.
fn is_the_publishers(error: &SyncError) -> bool {
    matches!(error, SyncError::Publisher(_) | SyncError::Suspicious(_))
}

fn was_read(source: Source, now: Timestamp) -> ReadFile {
    note(source, now, Vec::new())
}

fn put_off(source: Source, now: Timestamp, error: &SyncError) -> ReadFile {
    note(source, now, vec![Reject { file: whole_history(source), line: 0, reason: error.to_string() }])
}

/// The record of a full read. It is stored among the files read, so that its rejects are counted and listed.
fn note(source: Source, read_at: Timestamp, rejects: Vec<Reject>) -> ReadFile {
    ReadFile {
        url: whole_history(source),
        etag: None,
        last_modified: None,
        sha256: String::new(),
        rows: 0,
        rejects,
        withheld: Vec::new(),
        read_at,
    }
}

/// A readable name in place of a URL.
fn whole_history(source: Source) -> String {
    format!("whole history of {source}")
}
