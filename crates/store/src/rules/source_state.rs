//! The state of each source, without its rows.

use jiff::Timestamp;
use lastro_model::{BySource, Edition, Source, SourceState};

use super::withheld;
use crate::transaction::{Query, Reading, Row, Transaction, values};
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
