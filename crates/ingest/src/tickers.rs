//! The regulator's registration forms, with tickers and former names: one archive per reference year; the current and
//! previous ones count together.
//!
//! They are read as a whole: a ticker no longer in a company's newest form is gone. So both years are read as soon as
//! one of them has changed, and their union replaces the stored rows. A former name stays for good: a form has only the
//! last one.

use std::collections::HashMap;
use std::io::BufReader;

use lastro_model::{Day, FormerName, ReadFile, Records, Source, SourceState, TradedSecurity, brasilia_day};
use lastro_sources::request::Request;
use lastro_sources::{Fault, cvm, judgement};
use lastro_store::{Published, RememberedFile};

use crate::fetch::{Download, FileAnswer};
use crate::result::{SyncError, Synchronised};
use crate::sync::{Synchronizer, holds_no_official_data};

/// Fewer rows are not checked for losses: in January a year has few forms, and one company's correction may exceed
/// one row in twenty.
const ENOUGH_ROWS: u64 = 50;

/// The stored rows and the day of their edition: securities that ended by that day are not shown.
struct Held {
    securities: Vec<TradedSecurity>,
    former_names: Vec<FormerName>,
    day: Day,
}

/// A requested year.
struct Year {
    year: i16,
    request: Request,
    rows_before: u64,
    answer: FileAnswer,
}

/// A year that was read.
struct Examined {
    forms: cvm::tickers::YearOfForms,
    file: ReadFile,
}

pub(crate) async fn synchronise(sync: &Synchronizer, state: &SourceState) -> Result<Synchronised, SyncError> {
    let held = held(sync).await?;
    let ended_since = held.ended_since(sync.today());
    let known = match sync.store.read_files(Source::Tickers).await? {
        known if !holds_no_official_data(state) => known,
        _ => Vec::new(),
    };
    sync.report.begin(Source::Tickers, 2);
    let years = ask_all(sync, &known, ended_since).await?;
    if years.iter().all(|year| matches!(year.answer, FileAnswer::Unchanged | FileAnswer::Absent)) {
        return unchanged(sync, &years).await;
    }
    let mut examined = Vec::new();
    for year in years {
        examined.extend(examine(sync, year).await?);
    }
    publish(sync, state, held, ended_since, examined).await
}

impl Held {
    /// Whether a security has ended since the current edition: only a new edition hides it.
    fn ended_since(&self, today: Day) -> bool {
        self.securities.iter().any(|security| security.has_ended(self.day) != security.has_ended(today))
    }
}

async fn held(sync: &Synchronizer) -> Result<Held, SyncError> {
    let mut loaded = sync.store.load(Source::Tickers).await?;
    let day = brasilia_day(loaded.published_at.as_millisecond());
    let (mut securities, mut former_names) = (Vec::new(), Vec::new());
    while let Some(batch) = loaded.rows.recv().await {
        match batch?.rows {
            Records::Tickers(rows) => securities.extend(rows),
            Records::FormerNames(rows) => former_names.extend(rows),
            _ => {}
        }
    }
    // The order of a parsed file; the store orders by text.
    securities.sort_unstable();
    former_names.sort_unstable();
    Ok(Held { securities, former_names, day })
}

/// Requests both years; if one is new, or must be read again, the other is also downloaded in full.
async fn ask_all(
    sync: &Synchronizer,
    known: &[RememberedFile],
    anyway: bool,
) -> Result<Vec<Year>, SyncError> {
    let today = sync.today();
    let mut years = Vec::new();
    for year in [today.year() - 1, today.year()] {
        years.push(ask(sync, known, year, anyway).await?);
    }
    if years.iter().any(|year| matches!(year.answer, FileAnswer::Fresh(_))) {
        for year in years.iter_mut().filter(|year| matches!(year.answer, FileAnswer::Unchanged)) {
            *year = ask(sync, known, year.year, true).await?;
        }
    }
    Ok(years)
}

/// Requests a year. An error if a known file has vanished; the stored rows stay.
async fn ask(
    sync: &Synchronizer,
    known: &[RememberedFile],
    year: i16,
    whole: bool,
) -> Result<Year, SyncError> {
    let request = cvm::tickers::request(&sync.publishers.cvm, year);
    let known = known.iter().find(|file| file.url == request.url);
    let rows_before = known.map_or(0, |file| file.rows);
    // Other members of the archive name people, so it is not spooled.
    let answer = sync.fetcher.file(&request, None, known.filter(|_| !whole)).await?;
    if matches!(answer, FileAnswer::Absent) && known.is_some() {
        return Err(Fault::NotData(format!("{} have vanished; what is held stays", request.what)).into());
    }
    Ok(Year { year, request, rows_before, answer })
}

async fn unchanged(sync: &Synchronizer, years: &[Year]) -> Result<Synchronised, SyncError> {
    if years.iter().all(|year| matches!(year.answer, FileAnswer::Absent)) {
        let none = "the regulator has no registration forms of this year or the last";
        return Err(Fault::NotData(none.to_owned()).into());
    }
    for year in years {
        sync.report.step(Source::Tickers, &year.request.what, year.rows_before, 0);
    }
    sync.unchanged(Source::Tickers).await
}

/// Reads a year and compares it with its previous state; `None` if there is no file.
async fn examine(sync: &Synchronizer, year: Year) -> Result<Option<Examined>, SyncError> {
    let Year { year, request, rows_before, answer } = year;
    let FileAnswer::Fresh(download) = answer else {
        sync.report.step(Source::Tickers, &request.what, 0, 0);
        return Ok(None);
    };
    let (mut forms, download) = read(download, year).await?;
    let rows = forms.reading.rows.len() as u64;
    sync.report.step(Source::Tickers, &request.what, rows, forms.reading.rejects.len() as u64);
    if rows_before >= ENOUGH_ROWS {
        let about_the_year =
            |refusal: judgement::Refusal| judgement::Refusal(format!("{}: {refusal}", request.what));
        sync.weigh(Source::Tickers, judgement::lost_rows(rows_before, rows).map_err(about_the_year))?;
    }
    let file = ReadFile {
        url: request.url,
        etag: download.etag,
        last_modified: download.last_modified,
        sha256: download.sha256,
        rows,
        rejects: std::mem::take(&mut forms.reading.rejects),
        withheld: Vec::new(),
        read_at: sync.now()?,
    };
    Ok(Some(Examined { forms, file }))
}

async fn read(download: Download, year: i16) -> Result<(cvm::tickers::YearOfForms, Download), SyncError> {
    tokio::task::spawn_blocking(move || {
        let file = download
            .bytes()
            .map_err(|error| Fault::Internal(format!("cannot read a temporary file: {}", error.kind())))?;
        let forms = cvm::tickers::read(BufReader::new(file), year, cvm::tickers::UNPACKED_CAP)?;
        Ok((forms, download))
    })
    .await?
}

/// Publishes the union. If nothing has changed or ended, only the file records are new, without a new edition.
async fn publish(
    sync: &Synchronizer,
    state: &SourceState,
    held: Held,
    ended_since: bool,
    examined: Vec<Examined>,
) -> Result<Synchronised, SyncError> {
    let (forms, files): (Vec<_>, Vec<_>) = examined.into_iter().map(|year| (year.forms, year.file)).unzip();
    let securities = cvm::tickers::union(&forms);
    judgement::empty(securities.len() as u64)?;
    let is_first = holds_no_official_data(state);
    let known =
        if is_first { Held { securities: Vec::new(), former_names: Vec::new(), ..held } } else { held };
    if !cvm::tickers::tell_former_names(&forms) {
        tracing::warn!(source = %Source::Tickers, "the forms have no table of former names; those held stay");
    }
    let former_names = cvm::tickers::all_former_names(&known.former_names, &forms);
    let has_news = known.securities != securities || known.former_names != former_names;
    let is_new = is_first || ended_since || has_news;
    let (added, changed) = news(&known.securities, &securities);
    let rows = [Records::Tickers(securities), Records::FormerNames(former_names)];
    let rows = is_new.then_some(rows).into_iter().flatten();
    let published = sync
        .publish_as(Source::Tickers, is_new, move |rows_out| {
            rows.for_each(|rows| rows_out.rows(rows));
            files.into_iter().for_each(|file| rows_out.file(file));
            Ok(())
        })
        .await?;
    sync.outcome(Source::Tickers, Published { added, changed, ..published }).await
}

/// Numbers of new and changed rows. The store cannot count them, because a replacement makes all rows new.
fn news(known: &[TradedSecurity], securities: &[TradedSecurity]) -> (u64, u64) {
    let key = |security: &TradedSecurity| (security.ticker, security.company_id);
    let known: HashMap<_, _> = known.iter().map(|security| (key(security), security)).collect();
    securities.iter().fold((0, 0), |(added, changed), security| match known.get(&key(security)) {
        None => (added + 1, changed),
        Some(known) => (added, changed + u64::from(*known != security)),
    })
}
