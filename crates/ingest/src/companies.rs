//! The regulator's company registry: one file, overwritten in place every night.

use std::io::BufReader;

use lastro_model::{Company, ReadFile, Records, Source, SourceState};
use lastro_sources::{Fault, Reading, cvm, judgement};
use lastro_store::{ListedFile, RememberedFile};

use crate::fetch::{Download, FileAnswer};
use crate::missing::Missing;
use crate::result::{SyncError, Synchronised};
use crate::sync::{Synchronizer, holds_no_official_data};

pub(crate) async fn synchronise(sync: &Synchronizer, state: &SourceState) -> Result<Synchronised, SyncError> {
    let request = cvm::companies::request(&sync.publishers.cvm);
    let remembered = sync.store.read_files(Source::Companies).await?;
    let remembered =
        remembered.iter().find(|file| file.url == request.url).filter(|_| !holds_no_official_data(state));
    sync.report.begin(Source::Companies, 1);
    // The file names people, so it is not spooled.
    let download = match sync.fetcher.file(&request, None, remembered).await? {
        FileAnswer::Fresh(download) => download,
        FileAnswer::Unchanged => return sync.unchanged(Source::Companies).await,
        FileAnswer::Absent => {
            return Err(Fault::NotData("the registry has vanished; what is held stays".to_owned()).into());
        }
    };
    let (reading, download) = read(download, request.what.clone()).await?;
    sync.report.step(
        Source::Companies,
        &request.what,
        reading.rows.len() as u64,
        reading.rejects.len() as u64,
    );
    judge(sync, state, rows_before(state, remembered), &reading).await?;

    let file = ReadFile {
        url: request.url,
        etag: download.etag,
        last_modified: download.last_modified,
        sha256: download.sha256,
        rows: reading.rows.len() as u64,
        rejects: reading.rejects,
        withheld: Vec::new(),
        read_at: sync.now()?,
    };
    let published = sync
        .publish(Source::Companies, move |rows_out| {
            rows_out.rows(Records::Companies(reading.rows));
            rows_out.end_of_list(ListedFile::Registry, &file);
            rows_out.file(file);
            Ok(())
        })
        .await?;
    sync.outcome(Source::Companies, published).await
}

async fn judge(
    sync: &Synchronizer,
    state: &SourceState,
    rows_before: u64,
    reading: &Reading<Company>,
) -> Result<(), SyncError> {
    let rows = reading.rows.len() as u64;
    judgement::empty(rows)?;
    sync.weigh(Source::Companies, judgement::lost_rows(rows_before, rows))?;
    if holds_no_official_data(state) {
        return Ok(());
    }
    let mut missing = Missing::of(sync.store.listed_companies().await?);
    reading.rows.iter().for_each(|company| missing.found(&company.id));
    reading.rejects.iter().for_each(|_| missing.note_unreadable());
    sync.weigh(Source::Companies, missing.judge())
}

/// Row count of the last file if known; the store still holds companies that the file has dropped over the years.
fn rows_before(state: &SourceState, remembered: Option<&RememberedFile>) -> u64 {
    match remembered {
        Some(file) => file.rows,
        None if holds_no_official_data(state) => 0,
        None => state.rows,
    }
}

async fn read(download: Download, what: String) -> Result<(Reading<Company>, Download), SyncError> {
    tokio::task::spawn_blocking(move || {
        let file = download
            .bytes()
            .map_err(|error| Fault::Internal(format!("cannot read a temporary file: {}", error.kind())))?;
        Ok((cvm::companies::read(BufReader::new(file), &what)?, download))
    })
    .await?
}
