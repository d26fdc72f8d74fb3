//! A file that keeps the built filings between runs, so that a restart need not build them again.
//!
//! It is replaced as a whole: a draft is written, synced to disk and renamed, so a process that dies while writing
//! leaves the old file or none, and a draft that cannot be finished is deleted. It is only a cache: a file of an edition that the store does not remember is rejected
//! with one log line and built anew. A directory that cannot be written to only makes the next start slower.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lastro_catalog::{Filings, Part, SnapshotError};
use lastro_ingest::regular_file;
use lastro_model::{Clock, Edition, Stamp};
use lastro_store::RememberedEdition;
use parking_lot::Mutex;

use crate::metrics::Metrics;

/// Minimum number of filings worth saving. Fewer are built fast enough.
const WORTH_KEEPING: usize = 5_000;

/// A start applies that many changes in well under a second. The store remembers several times as many.
const MOST_CHANGES_BEHIND: u64 = 2_000;
const MOST_EDITIONS_BEHIND: usize = 50;

#[derive(Debug, Clone)]
pub struct SnapshotFile {
    directory: PathBuf,
    /// Identifies the database. A file of another database is rejected.
    database: String,
    /// The newest edition that this process has saved or found. Builds may end in another order than they began.
    newest: Arc<Mutex<Edition>>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
}

impl SnapshotFile {
    pub fn new(directory: PathBuf, database: String, clock: Arc<dyn Clock>, metrics: Arc<Metrics>) -> Self {
        Self { directory, database, newest: Arc::default(), clock, metrics }
    }

    /// The default directory beside a database that is a file.
    pub fn beside(database: &str) -> Option<PathBuf> {
        let mut directory = lastro_store::sqlite_path(database)?.into_os_string();
        directory.push(".index");
        Some(directory.into())
    }

    /// The saved filings, if they belong to one of these editions.
    pub fn find(&self, remembered: &[RememberedEdition]) -> Option<(Stamp, Filings)> {
        self.remove_abandoned_draft();
        let found = match self.read(remembered) {
            Ok(found) => Some(found),
            Err(SnapshotError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(reason) => {
                tracing::info!("the saved index of the filings is not used and will be rebuilt: {reason}");
                None
            }
        };
        *self.newest.lock() = found.as_ref().map(|(stamp, _)| stamp.edition).unwrap_or_default();
        found
    }

    /// Saves these filings, unless the file is newer, or so little older that the next start can apply the changes.
    pub fn keep(&self, remembered: &[RememberedEdition], filings: &Part<Filings>) {
        let Some(edition) = remembered.iter().find(|remembered| remembered.edition == filings.stamp.edition)
        else {
            return;
        };
        let mut newest = self.newest.lock();
        if filings.len() < WORTH_KEEPING || !is_far_behind(*newest, edition.edition, remembered) {
            return;
        }
        let begun_ns = self.clock.monotonic_ns();
        let written = self.write(&self.label(edition), filings);
        self.metrics.index_saves.record_ns(self.clock.monotonic_ns().saturating_sub(begun_ns));
        self.metrics.index_unsaved.store(written.is_err(), Ordering::Relaxed);
        match written {
            Ok(()) => *newest = edition.edition,
            Err(error) => {
                self.metrics.index_save_failures.fetch_add(1, Ordering::Relaxed);
                let directory = self.directory.display();
                tracing::warn!(%error, "the index of the filings cannot be saved in {directory}; the next start takes longer");
            }
        }
    }

    /// Identifies the saved state. The publication time distinguishes a database that was restored from a copy and
    /// then reached the same edition number. The version is included because another one may split texts differently.
    fn label(&self, remembered: &RememberedEdition) -> String {
        let RememberedEdition { edition, rows, newest_day, published_at, .. } = remembered;
        let newest = newest_day.map_or(0, lastro_model::Day::number);
        let (version, database) = (env!("CARGO_PKG_VERSION"), &self.database);
        let published = published_at.as_millisecond();
        format!(
            "lastro {version} database {database} edition {} published {published} rows {rows} newest {newest}",
            edition.0
        )
    }

    fn read(&self, remembered: &[RememberedEdition]) -> Result<(Stamp, Filings), SnapshotError> {
        let file = regular_file::open(&self.path())?;
        let length = file.metadata()?.len();
        let mut file = BufReader::with_capacity(1 << 20, file);
        let label = Filings::saved_label(&mut file, length)?;
        let of_label = remembered.iter().find(|remembered| self.label(remembered) == label);
        let RememberedEdition { edition, published_at, .. } = *of_label.ok_or(SnapshotError::Stale)?;
        let stamp = Stamp { edition, published_unix_ms: published_at.as_millisecond() };
        file.rewind()?;
        Ok((stamp, Filings::restore(&label, file, length)?))
    }

    fn write(&self, label: &str, filings: &Filings) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        // Two processes may share a database. They write one after the other, and the lock ends with its holder. So
        // all drafts can have one name, and the next process overwrites the draft of a killed one.
        let turn = regular_file::open_lock(&self.directory.join("filings.lock"))?;
        turn.lock()?;
        let draft = self.draft();
        let drafted = save(label, filings, &draft).and_then(|()| fs::rename(&draft, self.path()));
        if drafted.is_err() {
            // Half an index is of no use and may have filled the disk.
            let _ = fs::remove_file(&draft);
        }
        drafted?;
        // Syncing the directory makes the rename durable.
        File::open(&self.directory)?.sync_all()
    }

    /// Deletes the draft of a process that was killed while writing it, unless another one is writing now.
    fn remove_abandoned_draft(&self) {
        if !self.draft().exists() {
            return;
        }
        let turn = regular_file::open_lock(&self.directory.join("filings.lock"));
        if turn.is_ok_and(|turn| turn.try_lock().is_ok() && fs::remove_file(self.draft()).is_ok()) {
            tracing::info!("the unfinished index of a process that was killed has been deleted");
        }
    }

    fn draft(&self) -> PathBuf {
        self.directory.join("filings.draft")
    }

    fn path(&self) -> PathBuf {
        self.directory.join("filings")
    }
}

fn save(label: &str, filings: &Filings, draft: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, regular_file::replace(draft)?);
    filings.save(label, &mut out)?;
    out.flush()?;
    out.get_ref().sync_all()
}

/// Whether too much has changed since the saved edition for the next start to apply it.
fn is_far_behind(kept: Edition, now: Edition, remembered: &[RememberedEdition]) -> bool {
    if kept >= now {
        return false;
    }
    let since: Vec<u64> = remembered
        .iter()
        .filter(|remembered| remembered.edition > kept && remembered.edition <= now)
        .map(|remembered| remembered.changes)
        .collect();
    let is_remembered = remembered.iter().any(|remembered| remembered.edition == kept);
    !is_remembered || since.len() > MOST_EDITIONS_BEHIND || since.iter().sum::<u64>() > MOST_CHANGES_BEHIND
}

#[cfg(test)]
mod tests;
