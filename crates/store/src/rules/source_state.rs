//! The state of each source, without its rows.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lastro_model::{BySource, Edition, Source, SourceState};

use super::withheld;
use crate::transaction::{Lock, Query, Reading, Row, Transaction, values};
use crate::{Result, WITHHELD_SHOWN, sql};

/// The sources that have no state yet.
pub(super) fn missing(data: &dyn Reading) -> Result<Vec<Source>> {
    let known = data.rows(sql::SOURCES, &[], source)?;
    Ok(Source::ALL.into_iter().filter(|source| !known.contains(&Some(*source))).collect())
}

/// Creates the missing states, as for sources that were never filled.
pub(super) fn seed(data: &dyn Transaction) -> Result<()> {
    Source::ALL.into_iter().try_for_each(|source| ensure(data, source))
}

/// Creates the state of a source if it is missing.
pub(super) fn ensure(data: &dyn Transaction, source: Source) -> Result<()> {
    data.execute(sql::INSERT_SOURCE_STATE, values![source.name()])?;
    Ok(())
}

/// Locks sources, and with each those whose rows are shown together with its own: what is shown is compared before and
/// after a publication, so nobody else may change any of it meanwhile. A transaction calls this once, before it takes
/// the number of an edition, so that no other waits for it in the opposite order.
pub(super) fn lock(data: &dyn Transaction, sources: impl IntoIterator<Item = Source>) -> Result<()> {
    let all: BTreeSet<Source> = sources.into_iter().flat_map(shown_together).collect();
    all.iter().try_for_each(|source| ensure(data, *source))?;
    all.into_iter().try_for_each(|source| data.lock(Lock::Source(source)))
}

/// Like [`lock`] for one source, but returns whether it could be locked, without waiting for a publication under way.
pub(super) fn try_lock(data: &dyn Transaction, source: Source) -> Result<bool> {
    for source in shown_together(source) {
        ensure(data, source)?;
        if !data.try_lock(Lock::Source(source))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The sources whose rows are shown together with those of this one, itself included.
fn shown_together(source: Source) -> impl Iterator<Item = Source> {
    let all = match source {
        Source::Companies | Source::Tickers => [Some(Source::Companies), Some(Source::Tickers)],
        other => [Some(other), None],
    };
    all.into_iter().flatten()
}

/// The published number of rows, without those that the publisher no longer lists.
pub(super) fn rows_shown(data: &dyn Reading, source: Source) -> Result<u64> {
    data.first(sql::ROWS_SHOWN, values![source.name()], |row| row.number(0)).map(Option::unwrap_or_default)
}

/// All states, in the order of [`Source::ALL`].
pub(super) fn all(data: &dyn Reading) -> Result<Vec<SourceState>> {
    let mut states = BySource::new(SourceState::never_filled);
    for mut state in data.rows(sql::SOURCE_STATES, &[], state)?.into_iter().flatten() {
        if state.withheld > 0 {
            state.newest_withheld = withheld::newest(data, state.source, WITHHELD_SHOWN)?;
        }
        let source = state.source;
        states[source] = state;
    }
    Ok(states.iter().map(|(_, state)| state.clone()).collect())
}

/// Records an attempt. Without an error the rows held are up to date.
pub(super) fn note_attempt(
    data: &dyn Transaction,
    source: Source,
    at: Timestamp,
    error: Option<&str>,
) -> Result<()> {
    ensure(data, source)?;
    match error {
        None => data.execute(sql::SUCCEED, values![at, source.name()])?,
        Some(sentence) => data.execute(sql::FAIL, values![at, sentence, source.name()])?,
    };
    Ok(())
}

/// `None` for a source of a later version, which may run beside this one.
fn source(row: &dyn Row) -> Result<Option<Source>> {
    Ok(Source::parse(row.text(0)?).ok())
}

fn state(row: &dyn Row) -> Result<Option<SourceState>> {
    let Some(source) = source(row)? else { return Ok(None) };
    Ok(Some(SourceState {
        source,
        edition: Edition(row.number(1)?),
        sample: row.flag(2)?,
        rows: row.number(3)?,
        newest_day: row.optional_day(4)?,
        last_success: row.optional_time(5)?,
        last_attempt: row.optional_time(6)?,
        last_error: row.optional_string(7)?,
        rejects: row.number(8)?,
        withheld: row.number(9)?,
        newest_withheld: Vec::new(),
    }))
}
