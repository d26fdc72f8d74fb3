//! A history that is read at its end every time, and from its beginning once a week.
//!
//! Values of the last days come and are revised all the time; older ones are corrected now and then, which only a whole
//! reading finds. A whole reading that fails must not keep today's value from anybody: it is put off for a day, reported
//! among the rejects, and the end is read all the same. [`series`](super::series) and [`exchange`](super::exchange) are such histories.

use lastro_model::{ReadFile, Reject, Source};

use super::sync::{Outcome, Reach, Sync, SyncError};

const DAY_MS: i64 = 24 * 3_600_000;
const WHOLE_EVERY_MS: i64 = 7 * DAY_MS;

/// How much of a history is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// From a little before the newest value on.
    End,
    Whole,
}

pub(super) trait History {
    fn source(&self) -> Source;

    fn is_empty(&self) -> bool;

    /// Asks, judges and publishes, with this note about whole readings if there is one.
    fn read(
        &self,
        sync: &Sync,
        depth: Depth,
        note: Option<ReadFile>,
    ) -> impl Future<Output = Result<Outcome, SyncError>> + Send;
}

pub(super) async fn synchronise<H: History>(
    sync: &Sync,
    history: &H,
    reach: Reach,
) -> Result<Outcome, SyncError> {
    let source = history.source();
    if reach == Reach::Recent && !whole_is_due(sync, source).await? {
        return history.read(sync, Depth::End, None).await;
    }
    match history.read(sync, Depth::Whole, Some(was_read(sync, source)?)).await {
        Err(error) if reach == Reach::Recent && !history.is_empty() && is_the_publishers(&error) => {
            tracing::warn!(%source, "its whole history could not be read again: {error}");
            history.read(sync, Depth::End, Some(put_off(sync, source, &error)?)).await
        }
        result => result,
    }
}

async fn whole_is_due(sync: &Sync, source: Source) -> Result<bool, SyncError> {
    let (name, now_ms) = (whole_history(source), sync.now()?.as_millisecond());
    let remembered = sync.store.read_files(source).await?;
    let note = remembered.iter().find(|file| file.url == name);
    let wait_ms = note.map_or(0, |note| if note.reject_count > 0 { DAY_MS } else { WHOLE_EVERY_MS });
    Ok(note.is_none_or(|note| now_ms - note.read_at.as_millisecond() >= wait_ms))
}

/// Our own faults are no reason to try something smaller.
fn is_the_publishers(error: &SyncError) -> bool {
    matches!(error, SyncError::Publisher(_) | SyncError::Suspicious(_))
}

fn was_read(sync: &Sync, source: Source) -> Result<ReadFile, SyncError> {
    note(sync, source, Vec::new())
}

fn put_off(sync: &Sync, source: Source, error: &SyncError) -> Result<ReadFile, SyncError> {
    note(sync, source, vec![Reject { file: whole_history(source), line: 0, reason: error.to_string() }])
}

/// Kept among the files that were read, where its rejects are counted and listed.
fn note(sync: &Sync, source: Source, rejects: Vec<Reject>) -> Result<ReadFile, SyncError> {
    Ok(ReadFile {
        url: whole_history(source),
        etag: None,
        last_modified: None,
        sha256: String::new(),
        rows: 0,
        rejects,
        read_at: sync.now()?,
    })
}

/// A name for people that is no address.
fn whole_history(source: Source) -> String {
    format!("whole history of {source}")
}
