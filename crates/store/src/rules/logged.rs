//! The content of the log of changes, written and read.
//!
//! A change is a JSON array of the row before and the row after, each `null` or an array of the row's values, the time at
//! which it was first seen, and a company's tickers and former names. A replacement is an array of the source and its number of rows.

use jiff::Timestamp;
use lastro_model::{Company, Edition, Filing, History, Records, Series, Source, Ticker};
use serde_json::value::RawValue;

use super::change_writer::dataset;
use super::row_json;
use super::table::StoredRow;
use crate::sql::change as sql;
use crate::transaction::{Query, Reading, Row, Transaction, values};
use crate::{
    Change, ChangeEdition, ChangePosition, LoggedChange, Result, ShownCompany, ShownRow, StoreError,
};

/// The JSON of a row in the log.
pub(super) fn row_json<R: StoredRow>(row: &R, history: History) -> Result<String> {
    Ok(format!("[{},{}]", row.json()?, first_seen(history)))
}

pub(super) fn company_json(
    company: &Company,
    history: History,
    tickers: &[Ticker],
    former_names: &[String],
) -> Result<String> {
    let tickers: Vec<String> = tickers.iter().map(|ticker| format!("\"{ticker}\"")).collect();
    let former_names = row_json::texts(former_names)?;
    let (company, first_seen) = (company.json()?, first_seen(history));
    Ok(format!("[{company},{first_seen},[{}],{former_names}]", tickers.join(",")))
}

fn first_seen(history: History) -> String {
    history.first_seen.map_or_else(|| "null".to_owned(), |at| at.as_millisecond().to_string())
}

pub(super) fn row_change(old: Option<&str>, new: Option<&str>) -> String {
    format!("[{},{}]", old.unwrap_or("null"), new.unwrap_or("null"))
}

pub(super) fn replacement(source: Source, rows: u64) -> String {
    format!("[\"{}\",{rows}]", source.name())
}

pub(super) fn list(changes: &[String]) -> String {
    format!("[{}]", changes.join(","))
}

/// Whether the log holds an edition, or starts after it.
pub(super) fn is_logged(data: &dyn Reading, edition: Edition) -> Result<bool> {
    let is_covered = |oldest: ChangeEdition| edition <= oldest.edition;
    Ok(self::edition(data, edition)?.is_some() || oldest(data)?.is_some_and(is_covered))
}

pub(super) fn oldest(data: &dyn Reading) -> Result<Option<ChangeEdition>> {
    Ok(data.first(sql::OLDEST, &[], read_edition)?.flatten())
}

pub(super) fn edition(data: &dyn Reading, edition: Edition) -> Result<Option<ChangeEdition>> {
    Ok(data.first(sql::EDITION, values![edition], read_edition)?.flatten())
}

/// The editions after this one. Those of sources that this version does not know are left out.
pub(super) fn editions(data: &dyn Reading, after: Edition, limit: usize) -> Result<Vec<ChangeEdition>> {
    Ok(data.rows(sql::EDITIONS, values![after, limit], read_edition)?.into_iter().flatten().collect())
}

fn read_edition(row: &dyn Row) -> Result<Option<ChangeEdition>> {
    let Ok(source) = Source::parse(row.text(1)?) else { return Ok(None) };
    Ok(Some(ChangeEdition {
        edition: Edition(row.number(0)?),
        source,
        at: row.time(2)?,
        changes: row.number(3)?,
    }))
}

/// The changes after a position up to an edition, in some batches. Fails if the log starts after that position, which is
/// checked in the same transaction: retention may have passed a reader since its last read.
pub(super) fn changes(
    data: &dyn Reading,
    after: ChangePosition,
    up_to: Edition,
    batches: usize,
) -> Result<Vec<LoggedChange>> {
    let starts_later =
        |oldest: ChangeEdition| (after.edition, after.position) < (oldest.edition, oldest.changes);
    if oldest(data)?.is_some_and(starts_later) {
        return Err(StoreError::Forgotten);
    }
    let values = values![after.edition, after.position, up_to, batches];
    let read = data.rows(sql::BATCHES, values, read_batch)?;
    let mut changes: Vec<LoggedChange> = read.into_iter().flatten().collect();
    // The first batch may begin before the position.
    changes.retain(|change| (change.edition, change.position) > (after.edition, after.position));
    Ok(changes)
}

fn read_batch(row: &dyn Row) -> Result<Vec<LoggedChange>> {
    let (edition, last, at) = (Edition(row.number(0)?), row.number::<u32>(1)?, row.time(3)?);
    let Ok(source) = Source::parse(row.text(2)?) else { return Ok(Vec::new()) };
    let changes = read_changes(dataset(source), row.text(4)?)?;
    let first = (last + 1).saturating_sub(changes.len() as u32);
    let placed = (first..).zip(changes);
    Ok(placed.map(|(position, change)| LoggedChange { edition, position, at, change }).collect())
}

fn damaged() -> StoreError {
    StoreError::damaged("the log of changes cannot be read")
}

fn read_changes(source: Source, list: &str) -> Result<Vec<Change>> {
    let changes: Vec<(&RawValue, &RawValue)> = serde_json::from_str(list).map_err(|_| damaged())?;
    changes.into_iter().map(|(old, new)| read_change(source, old.get(), new.get())).collect()
}

fn read_change(source: Source, old: &str, new: &str) -> Result<Change> {
    if let Ok(source) = serde_json::from_str::<&str>(old) {
        let source = Source::parse(source).map_err(|_| damaged())?;
        return Ok(Change::Replaced { source, rows: serde_json::from_str(new).map_err(|_| damaged())? });
    }
    match (read_row(source, old)?, read_row(source, new)?) {
        (None, Some(new)) => Ok(Change::Created(new)),
        (Some(old), Some(new)) => Ok(Change::Updated { old, new }),
        (Some(old), None) => Ok(Change::Removed(old)),
        (None, None) => Err(damaged()),
    }
}

/// A row, the time at which it was first seen, tickers and former names.
#[derive(serde::Deserialize)]
struct Parts<'a>(
    #[serde(borrow)] &'a RawValue,
    Option<i64>,
    #[serde(default)] Vec<String>,
    #[serde(default)] Vec<String>,
);

fn read_row(source: Source, json: &str) -> Result<Option<ShownRow>> {
    let parts: Option<Parts<'_>> = serde_json::from_str(json).map_err(|_| damaged())?;
    let Some(Parts(row, first_seen, tickers, former_names)) = parts else { return Ok(None) };
    let first_seen = first_seen.and_then(|at| Timestamp::from_millisecond(at).ok());
    let history = History { first_seen, withdrawn: None };
    let rows = row_json::read(source, &format!("[{}]", row.get()))?;
    let shown = match (source, rows) {
        (Source::Series(series), Records::Rates(rows)) => rate(series, rows),
        (_, Records::Fx(rows)) => rows.into_iter().next().map(ShownRow::Quote),
        (_, Records::Filings(rows)) => filing(rows, history),
        (_, Records::Companies(rows)) => {
            let tickers = tickers.iter().map(|ticker| Ticker::parse(ticker)).collect::<Result<_, _>>();
            let tickers = tickers.map_err(|_| damaged())?;
            let company = rows.into_iter().next();
            let shown = |company| ShownCompany { company, history, tickers, former_names };
            company.map(|company| ShownRow::Company(Box::new(shown(company))))
        }
        _ => None,
    };
    shown.map(Some).ok_or_else(damaged)
}

fn rate(series: Series, rows: Vec<lastro_model::RatePoint>) -> Option<ShownRow> {
    rows.into_iter().next().map(|point| ShownRow::Rate(series, point))
}

fn filing(rows: Vec<Filing>, history: History) -> Option<ShownRow> {
    rows.into_iter().next().map(|filing| ShownRow::Filing(Box::new((filing, history))))
}

/// Deletes the oldest changes, as far as all of them were published before a time. Returns the number of editions whose
/// changes were deleted. The newest of them stays as the one that the log starts after.
pub(super) fn forget(data: &dyn Transaction, before: Timestamp) -> Result<u64> {
    let last = data.one(sql::LAST_BEFORE, values![before], |row| row.optional_number::<u64>(0))?;
    let Some(last) = last else { return Ok(0) };
    data.execute(sql::FORGET_BATCHES, values![last])?;
    data.execute(sql::FORGET_EDITIONS, values![last])
}
