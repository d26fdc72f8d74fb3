//! Filings: one archive per year; the current and previous ones are rebuilt all the time.
//!
//! Every archive is read twice: once to validate it, once to publish it. This keeps memory flat, and allows a bad
//! year to be rejected while the good ones are published.
//!
//! A filing whose day of delivery has not come yet is withheld, whatever the operator accepts: it would stand before all
//! others, and make the source look fresh. It is listed all the same, so it is neither lost nor withdrawn. An archive
//! with such rows is read again at every synchronisation, until their days have come or the publisher has corrected them.

use std::io::BufReader;

use lastro_model::{Day, Filing, FilingId, ReadFile, Records, Reject, Source, SourceState};
use lastro_sources::request::Request;
use lastro_sources::{Fault, cvm, judgement};
use lastro_store::{ListedFile, RememberedFile};

use crate::fetch::{Download, FileAnswer};
use crate::missing::Missing;
use crate::result::{SyncError, Synchronised};
use crate::row_sender::RowSender;
use crate::sync::{Reach, Synchronizer, holds_no_official_data};

const BATCH: usize = 5_000;
/// Older years are checked once in this many days, each on its own day.
const OLD_YEARS_EVERY_DAYS: i32 = 30;
/// Number of unanswered years in a row after which no more are requested.
const MOST_UNANSWERED: usize = 2;

/// Most withheld rows of an archive, so that they fit into memory: more than a year has.
const MOST_WITHHELD: usize = 100_000;

/// A change in a year.
enum Year {
    /// The archive was read once and is valid up to the last day.
    Good(Archive),
    /// The publisher has no archive; it is not requested again soon.
    Absent(ReadFile),
}

struct Archive {
    year: i16,
    download: Download,
    file: ReadFile,
    last_day: Day,
    /// The filings that it listed and lacks now.
    missing: Missing<FilingId>,
}

impl Year {
    /// Whether too many of its filings are missing, unless other archives list them.
    fn is_doubtful(&self) -> bool {
        matches!(self, Self::Good(archive) if archive.missing.judge().is_err())
    }
}

/// The result of requesting the years.
#[derive(Default)]
struct Examined {
    new: Vec<Year>,
    faults: Vec<(i16, SyncError)>,
}

impl Examined {
    fn has_archives(&self) -> bool {
        self.new.iter().any(|year| matches!(year, Year::Good(_)))
    }

    /// One sentence about all years that failed.
    fn failure(mut self) -> Option<SyncError> {
        if self.faults.len() <= 1 {
            return self.faults.pop().map(|(_, error)| error);
        }
        let sentences: Vec<String> = self.faults.iter().map(|(_, error)| error.to_string()).collect();
        Some(SyncError::Partly(sentences.join("; ")))
    }
}

pub(crate) async fn synchronise(
    sync: &Synchronizer,
    state: &SourceState,
    reach: Reach,
) -> Result<Synchronised, SyncError> {
    let mut remembered = sync.store.read_files(Source::Filings).await?;
    if holds_no_official_data(state) {
        remembered.clear();
    }
    // Filings of days to come are in service: the archives are needed to take them out, and to let them in on their days.
    if state.newest_day.is_some_and(|newest| newest > sync.today()) {
        remembered.iter_mut().for_each(forget_content);
    }
    let years = years(sync, &remembered, reach);
    sync.report.begin(Source::Filings, years.len() as u64);
    let mut examined = examine_all(sync, &years, &remembered).await;
    judge_missing(sync, &mut examined).await?;
    if !examined.has_archives() && remembered.is_empty() {
        let none = || Fault::NotData("the regulator has no archive of any year".to_owned()).into();
        return Err(examined.failure().unwrap_or_else(none));
    }
    let new = std::mem::take(&mut examined.new);
    if new.is_empty() {
        return match examined.failure() {
            Some(error) => Err(error),
            None => sync.unchanged(Source::Filings).await,
        };
    }
    let is_a_part = !examined.faults.is_empty();
    let published = sync
        .publish(Source::Filings, move |rows_out| {
            if is_a_part {
                rows_out.is_a_part();
            }
            rows_out.up_to_today();
            new.into_iter().try_for_each(|year| hand_over(year, rows_out))
        })
        .await?;
    examined.failure().map_or(Ok(()), Err)?;
    sync.outcome(Source::Filings, published).await
}

/// Forgets by what the file is recognised, so that it is read again.
fn forget_content(file: &mut RememberedFile) {
    (file.etag, file.last_modified) = (None, None);
    file.sha256.clear();
}

/// The years to request: those not fetched yet, always the last two, and older ones now and then.
fn years(sync: &Synchronizer, remembered: &[RememberedFile], reach: Reach) -> Vec<i16> {
    let today = sync.today();
    let due = |year: &i16| {
        let url = cvm::filings::request(&sync.publishers.cvm, *year).url;
        let unknown = !remembered.iter().any(|file| file.url == url);
        let its_day = (today.number() + i32::from(*year)) % OLD_YEARS_EVERY_DAYS == 0;
        reach == Reach::Whole || *year >= today.year() - 1 || unknown || its_day
    };
    (sync.since..=today.year()).filter(due).collect()
}

async fn examine_all(sync: &Synchronizer, years: &[i16], remembered: &[RememberedFile]) -> Examined {
    let mut examined = Examined::default();
    let mut unanswered = 0;
    for year in years {
        match examine(sync, *year, remembered).await {
            Ok(new) => {
                unanswered = 0;
                examined.new.extend(new);
            }
            Err(error) => {
                unanswered += usize::from(matches!(error, SyncError::Publisher(Fault::Transient(_))));
                examined.faults.push((*year, error));
            }
        }
        if unanswered == MOST_UNANSWERED {
            break;
        }
    }
    examined
}

/// Refuses archives that lack many of the filings they listed. Those that another archive lists now are not lost; one
/// that is in doubt itself does not count.
async fn judge_missing(sync: &Synchronizer, examined: &mut Examined) -> Result<(), SyncError> {
    if !examined.new.iter().any(Year::is_doubtful) {
        return Ok(());
    }
    let new = std::mem::take(&mut examined.new);
    let new = tokio::task::spawn_blocking(move || without_listed_elsewhere(new)).await??;
    for year in new {
        let judged = match &year {
            Year::Good(archive) => {
                let what = cvm::filings::request(&sync.publishers.cvm, archive.year).what;
                let judged = archive.missing.judge();
                let judged = judged.map_err(|refusal| judgement::Refusal(format!("{what}: {refusal}")));
                sync.weigh(Source::Filings, judged).map_err(|error| (archive.year, error))
            }
            Year::Absent(_) => Ok(()),
        };
        match judged {
            Ok(()) => examined.new.push(year),
            Err(fault) => examined.faults.push(fault),
        }
    }
    Ok(())
}

/// Strikes filings off the missing ones of doubtful archives that another archive lists. Most publications have no such
/// archive, so the ids of the others are read again, not kept.
fn without_listed_elsewhere(mut new: Vec<Year>) -> Result<Vec<Year>, Fault> {
    let (mut doubtful, others): (Vec<&mut Year>, Vec<&mut Year>) =
        new.iter_mut().partition(|year| year.is_doubtful());
    for other in others {
        let Year::Good(Archive { year, download, last_day, .. }) = other else { continue };
        each(download, *year, *last_day, |row| {
            let (Row::Good(filing) | Row::Withheld(filing, _)) = row else { return };
            for year in &mut doubtful {
                if let Year::Good(archive) = year {
                    archive.missing.found(&filing.id);
                }
            }
        })?;
    }
    Ok(new)
}

/// Fetches and reads a year; `None` if it has not changed. A vanished archive deletes nothing.
async fn examine(
    sync: &Synchronizer,
    year: i16,
    remembered: &[RememberedFile],
) -> Result<Option<Year>, SyncError> {
    let request = cvm::filings::request(&sync.publishers.cvm, year);
    let known = remembered.iter().find(|file| file.url == request.url);
    let rows_before = known.map_or(0, |file| file.rows);
    let download = match sync.fetcher.file(&request, Some(Source::Filings), known).await? {
        FileAnswer::Fresh(download) => download,
        FileAnswer::Absent if rows_before > 0 => {
            return Err(Fault::NotData(format!("{} have vanished; what is held stays", request.what)).into());
        }
        FileAnswer::Unchanged | FileAnswer::Absent => {
            sync.report.step(Source::Filings, &request.what, rows_before, 0);
            let lately = year >= sync.today().year() - 1;
            return Ok(if known.is_some() || lately { None } else { Some(absent(sync, request)?) });
        }
    };
    let last_day = sync.today();
    // Nothing is held of a file that was never read.
    let held = if known.is_some() { sync.store.listed_filings(year).await? } else { Vec::new() };
    let (counted, download) = count(download, year, last_day, Missing::of(held)).await?;
    let (rows, withheld) = (counted.rows, counted.withheld.len() as u64);
    sync.report.step(Source::Filings, &request.what, rows, counted.rejects.len() as u64);
    let about_the_year =
        |refusal: judgement::Refusal| judgement::Refusal(format!("{}: {refusal}", request.what));
    judgement::empty(rows + withheld).map_err(about_the_year)?;
    sync.weigh(Source::Filings, judgement::future_deliveries(withheld, rows).map_err(about_the_year))?;
    // Withheld rows are not lost: they may be among those held.
    sync.weigh(Source::Filings, judgement::lost_rows(rows_before, rows + withheld).map_err(about_the_year))?;
    let (file, missing) = read_file(sync, request, &download, counted)?;
    Ok(Some(Year::Good(Archive { year, download, file, last_day, missing })))
}

/// The record of an archive. With withheld rows it lacks what the archive would be recognised by, so that it is read
/// again.
fn read_file(
    sync: &Synchronizer,
    request: Request,
    download: &Download,
    counted: Counted,
) -> Result<(ReadFile, Missing<FilingId>), SyncError> {
    let Counted { rows, withheld, rejects, missing } = counted;
    let file = ReadFile { rows, rejects, withheld, ..unrecognised(sync, request)? };
    if !file.withheld.is_empty() {
        return Ok((file, missing));
    }
    let Download { etag, last_modified, sha256, .. } = download;
    let (etag, last_modified, sha256) = (etag.clone(), last_modified.clone(), sha256.clone());
    Ok((ReadFile { etag, last_modified, sha256, ..file }, missing))
}

fn absent(sync: &Synchronizer, request: Request) -> Result<Year, SyncError> {
    unrecognised(sync, request).map(Year::Absent)
}

/// The record of a file without rows, which no content equals.
fn unrecognised(sync: &Synchronizer, request: Request) -> Result<ReadFile, SyncError> {
    Ok(ReadFile {
        url: request.url,
        etag: None,
        last_modified: None,
        sha256: String::new(),
        rows: 0,
        rejects: Vec::new(),
        withheld: Vec::new(),
        read_at: sync.now()?,
    })
}

/// The result of the first pass.
struct Counted {
    rows: u64,
    withheld: Vec<Reject>,
    rejects: Vec<Reject>,
    missing: Missing<FilingId>,
}

/// First pass: counts the rows, and collects the rejects and the places of the withheld rows.
async fn count(
    download: Download,
    year: i16,
    last_day: Day,
    missing: Missing<FilingId>,
) -> Result<(Counted, Download), SyncError> {
    tokio::task::spawn_blocking(move || {
        let mut counted = Counted { rows: 0, withheld: Vec::new(), rejects: Vec::new(), missing };
        each(&download, year, last_day, |row| match row {
            Row::Good(filing) => {
                counted.rows += 1;
                counted.missing.found(&filing.id);
            }
            Row::Reject(reject) => {
                counted.rejects.push(reject);
                counted.missing.note_unreadable();
            }
            Row::Withheld(filing, place) => {
                counted.withheld.push(place);
                counted.missing.found(&filing.id);
            }
        })?;
        Ok((counted, download))
    })
    .await?
}

enum Row {
    Good(Filing),
    Reject(Reject),
    /// Delivered in the future; with its place and the reason.
    Withheld(Filing, Reject),
}

fn each(download: &Download, year: i16, last_day: Day, mut take: impl FnMut(Row)) -> Result<(), Fault> {
    let file = download
        .bytes()
        .map_err(|error| Fault::Internal(format!("cannot read a temporary file: {}", error.kind())))?;
    let mut archive =
        cvm::filings::YearArchive::open(BufReader::new(file), year, cvm::filings::UNPACKED_CAP)?;
    let (mut reader, mut withheld) = (archive.filings()?, 0);
    while let Some(row) = reader.next() {
        match row? {
            Ok(filing) if filing.delivered_on > last_day => {
                withheld += 1;
                if withheld > MOST_WITHHELD {
                    let reason = format!("more than {MOST_WITHHELD} filings of {year} are of the future");
                    return Err(Fault::NotData(reason));
                }
                let place = reader.rejected("withheld: Data_Entrega lies in the future".to_owned());
                take(Row::Withheld(filing, place));
            }
            Ok(filing) => take(Row::Good(filing)),
            Err(reject) => take(Row::Reject(reject)),
        }
    }
    Ok(())
}

/// Second pass: sends the rows to the store.
fn hand_over(year: Year, rows_out: &mut RowSender) -> Result<(), SyncError> {
    let Archive { year, download, file, last_day, .. } = match year {
        Year::Good(archive) => archive,
        Year::Absent(file) => {
            rows_out.file(file);
            return Ok(());
        }
    };
    let (mut batch, mut withheld) = (Vec::with_capacity(BATCH), Vec::new());
    each(&download, year, last_day, |row| {
        match row {
            Row::Good(filing) => batch.push(filing),
            Row::Withheld(filing, _) => withheld.push(filing),
            Row::Reject(_) => {}
        }
        if batch.len() == BATCH {
            rows_out.rows(Records::Filings(std::mem::replace(&mut batch, Vec::with_capacity(BATCH))));
        }
        if withheld.len() == BATCH {
            rows_out.held_back(std::mem::take(&mut withheld));
        }
    })?;
    rows_out.rows(Records::Filings(batch));
    rows_out.held_back(withheld);
    rows_out.end_of_list(ListedFile::Year(year), &file);
    rows_out.file(file);
    Ok(())
}
